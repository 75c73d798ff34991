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


def test_results_of_another_published_suite_are_refused_with_its_name(tmp_path: Path):
    for held, asked in (("v2", "lite"), ("v2", "v1"), ("v1", "v2")):
        for run in (1, 2, 3):
            trees.write_run(tmp_path / held, load(held).suite, run=run)
        refused = command.run("import", tmp_path / held, "--suite", asked, "--db", tmp_path / "other.db")
        assert refused.code == 2
        (line,) = refused.err.splitlines()
        assert f"looks like results of suite {held}, not of {asked}, which has no identity/" in line
        assert line.endswith(f"; import it with --suite {held}")
        assert not (tmp_path / "other.db").exists()
    trees.write_run(tmp_path / "lite", load("v2").suite, run=1)  # one of three holds turns that Lite never had
    for run in (2, 3):
        trees.write_run(tmp_path / "lite", load("lite").suite, run=run)
    command.ok("import", tmp_path / "lite", "--suite", "lite", "--db", tmp_path / "lite.db")
