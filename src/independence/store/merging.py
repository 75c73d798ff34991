"""One store of several: the union of what is named by its content. Where two have something else under one name, it
says so, and the first one's stays.

Rows are written as any others are, so that each has its digest.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from independence.store import dialogue_rows, queries, records
from independence.store.file import digests

_OF_TRIALS: Final = ("calls", "verdicts", "artefacts", "failures", "attempts")
_WITHOUT_KEY: Final = ("failures", "sessions")
_LEFT_OUT: Final = ("leases", "progress", "dialogues", digests.TALLIES)  # of processes, or made anew
_NEWER: Final = "WHERE (excluded.wording <> '', excluded.used_at) > (wording <> '', used_at)"
_PLACE: Final = ("suite", "edition", "variant", "mode", "config_dir", "scenario", "run")


class Merged(NamedTuple):
    """What a store got from another one."""

    dialogues: int  # with an answer that it lacked
    verdicts: int
    conflicts: tuple[str, ...]  # where it kept its own, a line each


def merge(source: sqlite3.Connection, target: sqlite3.Connection) -> Merged:
    """Give `target` what `source` has and it lacks, inside the caller's transaction.

    Of a dialogue that was answered otherwise in `target`, it takes neither answers nor verdicts. What judges made of
    known dialogues is no conflict: a judge need not say the same twice.
    """
    lacking, differing = set[str](), set[str]()
    for trial, turn, version, after in source.execute("SELECT trial, turn, version, after FROM calls"):
        sql = "SELECT after FROM calls WHERE trial = ? AND turn = ? AND version = ?"
        there = queries.first(target, sql, (trial, turn, version))
        if there != after:
            (lacking if there is None else differing).add(trial)
    lacking -= differing
    conflicts = [
        *(f"{_place(source, trial)}: other replies" for trial in sorted(differing)),
        *_other_trials(source, target),
        *_other_verdicts(source, target, differing),
    ]
    before = queries.first(target, "SELECT count(*) FROM verdicts")
    tables = target.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid").fetchall()
    for table in (name for (name,) in tables if name not in _LEFT_OUT):
        rows = _rows(source, target, table)
        if table in _OF_TRIALS:
            rows = (row for row in rows if row["trial"] not in differing)
        if table == "editions":  # what is no part of an edition's digest, as its known dialogues, may be newer
            changes = dict.fromkeys(("document", "read_as", "wording", "used_at"))
            digests.insert(target, table, rows, changes, _NEWER)
        else:
            digests.insert(target, table, rows)
    # What one store tried, another may have settled.
    target.execute(
        "DELETE FROM attempts WHERE (trial, what) IN (SELECT trial, turn_id FROM calls WHERE version = 0 "
        "UNION ALL SELECT trial, judge FROM verdicts)"
    )
    dialogue_rows.write(target, lacking)
    verdicts = queries.first(target, "SELECT count(*) FROM verdicts") - before
    return Merged(len(lacking), verdicts, tuple(conflicts))


def _rows(source: sqlite3.Connection, target: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    """The rows of a table as `target` is to have them."""
    own = ("digest", "id") if table == "sessions" else ("digest",)  # what each store gives for itself
    names = [column[1] for column in target.execute(f"PRAGMA table_info({table})") if column[1] not in own]
    known = f"SELECT 1 FROM {table} WHERE {' AND '.join(f'{name} IS :{name}' for name in names)}"
    for values in source.execute(f"SELECT {', '.join(names)} FROM {table}"):
        row = dict(zip(names, values, strict=True))
        if table not in _WITHOUT_KEY or target.execute(known, row).fetchone() is None:
            yield row


def _other_trials(source: sqlite3.Connection, target: sqlite3.Connection) -> Iterator[str]:
    """Places of a plan at which the two ask something else, as another file of weights."""
    sql = f"SELECT trial FROM planned WHERE {' AND '.join(f'{name} = ?' for name in _PLACE)}"
    for *place, trial in source.execute(f"SELECT {', '.join(_PLACE)}, trial FROM planned"):
        if queries.first(target, sql, place) not in (None, trial):
            yield f"{_place(source, trial)}: another request"


def _other_verdicts(source: sqlite3.Connection, target: sqlite3.Connection, but: set[str]) -> Iterator[str]:
    known = f"SELECT key FROM trials WHERE shape = '{records.MADE}'"
    sql = f"SELECT key, trial, judge, missing, fields FROM verdicts WHERE trial NOT IN ({known})"
    for key, trial, judge, *graded in source.execute(sql):
        there = target.execute("SELECT missing, fields FROM verdicts WHERE key = ?", (key,)).fetchone()
        if trial not in but and there not in (None, tuple(graded)):
            yield f"{_place(source, trial)}: another verdict of {judge}"


def _place(connection: sqlite3.Connection, trial: str) -> str:
    sql = "SELECT config_dir, scenario, run FROM planned WHERE trial = ? ORDER BY edition, run"
    found = connection.execute(sql, (trial,)).fetchone()
    return "{} {} run {}".format(*found) if found else f"the unplanned dialogue {trial[:16]}"
