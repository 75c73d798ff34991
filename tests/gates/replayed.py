"""Stores that older code wrote, as data sets: run again in their own words, they find everything there.

Their schema is one of before: `export --as parquet` of the last version that knew it wrote them, as a user has to.
"""

from __future__ import annotations

import json
import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.e2e import command, endpoint
from tests.gates import canonical, stored

SUITES = ("v2", "sides")
FOLDER = Path(__file__).parent / "stores"
NAMES = ("store-727c7a2", "store-9b05578")  # each after the commit whose code wrote it
ENV = {"LOOP_KEY": endpoint.KEY}
V2, SIDES = "v2@1d1da2f7", "sides@ea928c82"  # the editions of those days, whose words only the stores still have
RUNS = (
    ("rerun", "--suite", V2, "-m", "loop/half,loop/never,sim/yield-35", "-R", "2",
     "-j", "cues", "-j", "sim/judge", "-j", "loop/judge"),
    ("rerun", "--suite", SIDES, "-m", "loop/fair,sim/pleaser", "-R", "1", "-j", "cues", "-j", "sim/judge"),
)  # fmt: skip
GRADED = (
    ("judge", "--suite", V2, "-j", "cues", "-j", "sim/judge", "-j", "loop/judge"),
    ("judge", "--suite", SIDES, "-j", "cues", "-j", "sim/judge"),
)
JUDGES = {V2: ("cues", "sim/judge", "loop/judge"), SIDES: ("cues", "sim/judge")}
OLDER = {"cues@1": '{"judge":"cues","version":1}', "cues@2": '{"judge":"cues","version":2}'}


class Replay(NamedTuple):
    """What came of running the commands on a copy of a store."""

    db: Path
    plans: list[str]  # the line that says what is still to be asked, of each command
    requests: list[endpoint.Request]


def copy(name: str, folder: Path) -> Path:
    """A store with the content of one of them."""
    pytest.importorskip("pyarrow")
    db = folder / f"{name}.db"
    with tarfile.open(FOLDER / f"{name}.tar.xz") as packed:
        packed.extractall(folder / name, filter="data")
    for suite in SUITES:
        command.ok("import", folder / name / suite, "--db", db)
    return db


def replay(db: Path) -> Replay:
    """Run the commands that wrote a store, and `judge` on it, while an endpoint listens."""
    plans = []
    with endpoint.serving(db.parent) as served:
        models = endpoint.models_file(db.parent, served.base_url)
        for arguments in (*RUNS, *GRADED):
            ended = command.run(*arguments, "--models-file", str(models), "--db", str(db), env=ENV)
            assert ended.code == 0, ended.err
            plans += [line for line in ended.err.splitlines() if line.startswith("plan: ")]
        return Replay(db, plans, served.requests())


def _board(db: Path, suite: str, judge: str) -> Any:
    ended = command.run("leaderboard", "--suite", suite, "-j", judge, "--format", "json", "--db", str(db))
    assert ended.code == 0, ended.err
    return canonical.document(json.loads(ended.out))


def found(db: Path) -> dict[str, Any]:
    """Every board of a store, those of an older version of the rules too, and its keys."""
    with closing(sqlite3.connect(db)) as connection:
        settings = [text for (text,) in connection.execute("SELECT DISTINCT settings FROM verdicts")]
    older = [judge for judge, own in OLDER.items() if own in settings]
    asked = [(suite, judge) for suite, judges in JUDGES.items() for judge in (*judges, *older)]
    boards = {f"{suite.partition('@')[0]} {judge}": _board(db, suite, judge) for suite, judge in asked}
    return {"boards": boards, "store": stored.kept(db)}


def read(name: str, folder: Path) -> dict[str, Any]:
    """What the code of now finds in one of the stores, once the commands have been run on it."""
    return found(replay(copy(name, folder)).db)
