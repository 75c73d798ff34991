"""Published result sets on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from independence.suites.load import load
from tests.e2e import command
from tests.extensions.published import trees


@pytest.mark.parametrize("name", ["v1", "lite"])
def test_the_older_layout_is_read_as_the_suite_that_is_named(tmp_path: Path, name: str):
    top = trees.write_run(tmp_path / "leg", load(name).suite, config="acme--small-1", run=None)
    db = tmp_path / "here.db"
    unnamed = command.run("import", tmp_path / "leg", "--db", db)
    assert unnamed.code == 2
    assert "--suite v1 or --suite lite" in unnamed.err
    assert not db.exists()
    ended = command.run("import", tmp_path / "leg", "--suite", name, "--db", db)
    assert ended.code == 0, ended.err
    assert "1 configurations of the older layout" in ended.err
    board = command.run("leaderboard", "--db", db, "--scoring", "published", "--format", "json").board
    (row,) = board["rows"]
    assert (row["config"], row["runs"], row["index"]) == ("acme--small-1@low-t0.7", 1, 100.0)
    alone = command.run("import", top, "--suite", name, "--db", tmp_path / "one.db")  # one configuration of it
    assert alone.code == 0, alone.err
    assert "1 configurations, 1 runs" in alone.out
