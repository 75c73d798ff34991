"""Published result sets on the command line."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from independence.suites.load import load
from tests.e2e import command
from tests.exchange import trees


@pytest.mark.parametrize("name", ["v1", "lite"])
def test_the_older_layout_is_read_as_the_suite_that_is_named(tmp_path: Path, name: str):
    trees.write_run(tmp_path / "leg", load(name).suite, config="acme--small-1", run=None)
    db = str(tmp_path / "here.db")
    unnamed = command.run("import", str(tmp_path / "leg"), "--db", db)
    assert unnamed.code == 2
    assert "--suite v1 or --suite lite" in unnamed.err
    assert not Path(db).exists()
    ended = command.run("import", str(tmp_path / "leg"), "--suite", name, "--db", db)
    assert ended.code == 0, ended.err
    assert "1 configurations of the older layout" in ended.err
    board = command.run("leaderboard", "--db", db, "--scoring", "published", "--format", "json").board
    (row,) = board["rows"]
    assert (row["config"], row["runs"], row["index"]) == ("acme--small-1@low-t0.7", 1, 100.0)


def test_one_configuration_of_the_older_layout_is_read_too(tmp_path: Path):
    top = trees.write_run(tmp_path / "cache", load("lite").suite, config="acme--small-1", run=None)
    ended = command.run("import", str(top), "--suite", "lite", "--db", str(tmp_path / "here.db"))
    assert ended.code == 0, ended.err
    assert "1 configurations, 1 runs" in ended.out


@pytest.mark.published
def test_a_long_import_says_how_far_it_is(published_data: Path, tmp_path: Path):
    archive = published_data / "published-v2-part.tar.xz"
    began = time.monotonic()
    ended = command.run("import", str(archive), "--db", "here.db", cwd=tmp_path)
    assert ended.code == 0, ended.err
    if time.monotonic() - began < 5:
        pytest.skip("a machine on which neither half of it takes two seconds")
    assert " files (0:0" in ended.err or " replies (0:0" in ended.err
