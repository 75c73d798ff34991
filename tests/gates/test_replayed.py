"""Stores of older code are read as they always were, and nothing in them is asked again."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from independence.store import queries
from independence.store.file import database
from tests.gates import golden, replayed, stored

NOTHING = "plan: 0 calls and 0 verdicts to go"
# Verdicts that the rules give anew because they are another version now: free, and beside the old ones.
ANEW = {"store-727c7a2": Counter({"cues": 66}), "store-9b05578": Counter({"cues": 66})}


def verdicts(db: Path) -> dict[str, tuple[str, ...]]:
    """Key -> judge, without its version, and everything that was found."""
    with closing(sqlite3.connect(db)) as connection:
        rows = connection.execute("SELECT key, judge, fields, raw, settings, judged_at FROM verdicts")
        return {key: (judge.partition("@")[0], *map(str, rest)) for key, judge, *rest in rows}


def dialogues(db: Path) -> object:
    """Keys, contexts and texts of everything that a subject said."""
    rows = stored.kept(db)["rows"]
    return [rows[name] for name in ("trials", "planned", "contexts", "replies")]


@pytest.mark.parametrize("name", replayed.NAMES)
def test_nothing_is_asked_twice(tmp_path: Path, name: str):
    db = replayed.copy(name, tmp_path)
    said, graded = dialogues(db), verdicts(db)
    first = replayed.replay(db)
    assert all(plan.startswith("plan: 0 calls") and plan.endswith("no cost") for plan in first.plans)
    assert first.requests == []
    after = verdicts(db)
    assert Counter(after[key][0] for key in after.keys() - graded.keys()) == ANEW[name]
    assert {key: after[key] for key in graded} == graded
    assert dialogues(db) == said
    golden.hold(name, replayed.found(db))
    last = replayed.replay(db) if ANEW[name] else first
    assert [plan for plan in last.plans if not plan.startswith(NOTHING)] == []
    assert (last.requests, verdicts(db)) == ([], after)


@pytest.mark.parametrize("name", replayed.NAMES)
def test_editions_of_those_days_have_the_wordings_that_other_stores_gave_them(tmp_path: Path, name: str):
    """What made others of the same words would part boards that were one."""
    with closing(database.connect(replayed.copy(name, tmp_path))) as connection:
        found = {where.edition_name: wording for where, wording in queries.wordings(connection).items()}
    assert found == {replayed.V2: "2899bf34", replayed.SIDES: "7575e7ec"}


def test_the_stores_are_small():
    assert [path.name for path in replayed.FOLDER.iterdir() if path.stat().st_size > 200_000] == []
