"""What commands say of themselves while they take long: here because another process holds the store for a while."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e import command

HELD_S = 10.0  # a loaded machine may take seconds to start the command


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("compare", "sim/half", "sim/never"), "comparing ("),
        (("validate-judges",), "comparing judges ("),
        (("validate-judges", "--quiet"), None),
    ],
)
def test_a_command_that_waits_for_the_store_says_what_it_is_doing(
    tmp_path: Path, arguments: tuple[str, ...], said: str | None
):
    db = tmp_path / "independence.db"
    ran = command.run("run", "-m", "sim/half,sim/never", "-j", "cues", "--runs", "1", "--suite", "lite", "--quiet",
                      cwd=tmp_path)  # fmt: skip
    assert ran.code == 0, ran.err
    with closing(sqlite3.connect(db, isolation_level=None)) as holder:
        holder.execute("PRAGMA locking_mode = EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        holder.execute("CREATE TABLE held (a)")
        started = command.start(*arguments, cwd=tmp_path)
        time.sleep(HELD_S)
        holder.execute("ROLLBACK")
    ended = command.finish(started)
    assert ended.code == (0 if arguments[0] == "compare" else 2), ended.err
    assert any(line.startswith(said) for line in ended.err.splitlines()) if said else "comparing" not in ended.err
