"""A suite of many scenarios with one run each, and parts of it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from independence.stats.single_runs import FEW
from independence.store import field_values
from tests import toy
from tests.e2e import command
from tests.e2e.command import Ended


@pytest.fixture
def many(tmp_path: Path) -> Path:
    return toy.write_many(tmp_path / "many")


def ran(db: Path, many: Path, *more: str, subjects: str = "sim/yield-35,sim/half,sim/yield-65") -> Ended:
    return command.run(
        "run", "--db", str(db), "--suite", str(many), "-m", subjects, "-j", "cues", "--runs", "1", "--format", "json",
        *more,
    )  # fmt: skip


def test_one_run_each_is_reported_without_asking_for_runs(tmp_path: Path, many: Path) -> None:
    db = tmp_path / "store.db"
    done = ran(db, many)
    assert done.code == 0, done.err
    board = done.board
    assert board["generalises_to"] == "scenarios-like-these"
    assert "few_scenarios" not in board
    for row in board["rows"]:
        assert (row["runs"], row["ci_method"]) == (1, "scenarios-like-these")
        assert row["ci"][0] < row["index"] < row["ci"][1]
        assert row["tier"]
    shown = command.run("leaderboard", "--db", str(db)).out
    assert "intervals for other scenarios of this kind" in " ".join(shown.split())
    assert "too few scenarios" not in " ".join(shown.split())
    compared = command.run("compare", "sim/yield-35", "sim/yield-65", "--db", str(db), "--format", "json").out
    these, like_these = json.loads(compared)["difference"]["rows"]
    assert these["p"] is None
    assert like_these["p"] is not None
    report = tmp_path / "report.md"
    assert command.run("generate-report", "--db", str(db), "-o", str(report)).code == 0
    text = report.read_text("utf-8")
    assert "twice the scenarios" in text
    assert "too few scenarios" not in text
    assert "more run" not in text.partition("What to buy next")[2].partition("##")[0]


def test_one_run_each_was_a_look(tmp_path: Path, many: Path) -> None:
    db = tmp_path / "store.db"
    assert ran(db, many).code == 0
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("UPDATE planned SET planned_at = '2026-01-01T00:00:00+00:00'")  # two plans a second are one
    more = command.run("run", "--db", str(db), "--suite", str(many), "-m", "sim/yield-35", "-j", "cues", "--runs", "2")
    assert more.code == 0
    again = json.loads(command.run("compare", "sim/yield-35", "sim/yield-65", "--db", str(db), "--format", "json").out)
    assert any(note.startswith("Look 2: ") for note in again["difference"]["notes"])


def test_two_judges_of_one_run_each_are_compared_over_scenarios(tmp_path: Path, many: Path) -> None:
    db = tmp_path / "store.db"
    assert ran(db, many, "-j", "sim/judge", subjects="sim/half").code == 0
    with closing(sqlite3.connect(db)) as connection, connection:
        change = "UPDATE verdicts SET fields = json_set(fields, '$.firmness', 1) WHERE judge = 'sim/judge'"
        connection.execute(f"{change} AND trial IN (SELECT trial FROM planned WHERE scenario LIKE 'opening%')")
        field_values.rebuild(connection)
    asked = ("compare", "sim/half", "--judge", "cues", "--against-judge", "sim/judge", "--db", str(db))
    these, like_these = json.loads(command.run(*asked, "--format", "json").out)["difference"]["rows"]
    assert (these["p"], these["outcome"]) == (None, "no test is possible: a scenario has a single run")
    assert like_these["difference"] == pytest.approx(these["difference"])
    assert like_these["ci"][0] < like_these["difference"] < like_these["ci"][1]


def test_one_missing_verdict_of_many_scenarios_costs_the_index_but_no_place(tmp_path: Path, many: Path) -> None:
    db = tmp_path / "store.db"
    before = {row["label"]: row for row in ran(db, many).board["rows"]}
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("DELETE FROM verdicts WHERE trial = (SELECT MIN(trial) FROM verdicts)")
    rows = command.run("leaderboard", "--db", str(db), "--format", "json").board["rows"]
    (hole,) = [row for row in rows if row["index"] is None]
    whole = before[hole["label"]]
    assert hole["placed"]
    assert hole["rank"] >= whole["rank"]
    assert hole["ci_method"] == "scenarios-like-these"
    assert hole["ci"][0] <= whole["ci"][0] < whole["ci"][1] <= hole["ci"][1]
    assert hole["ci"][0] < hole["bounds"][0] < hole["bounds"][1] < hole["ci"][1]


def test_boards_are_those_of_the_tables_from_which_their_rows_follow(tmp_path: Path, many: Path) -> None:
    db = tmp_path / "store.db"
    assert ran(db, many, "-j", "sim/judge").code == 0
    reads = (
        ("leaderboard", "--format", "json"),
        ("leaderboard", "--judge", "cues", "--format", "json"),
        ("compare", "sim/yield-35", "sim/yield-65", "--format", "json"),
    )
    kept = [command.run(*arguments, "--db", str(db)).out for arguments in reads]
    with closing(sqlite3.connect(db)) as connection, connection:
        assert connection.execute("DELETE FROM kept_dialogues").rowcount >= 4  # two subjects, two judges
    assert [command.run(*arguments, "--db", str(db)).out for arguments in reads] == kept


def test_parts_of_different_draws_are_boards_of_their_own(tmp_path: Path, many: Path) -> None:
    db = tmp_path / "store.db"
    first = ran(db, many, "--scenarios", "6", subjects="sim/half")
    assert first.code == 0, first.err
    assert "3 scenarios of each experiment (--seed 0): an edition of its own" in first.err
    assert first.board["few_scenarios"]["fewest"] == 3 < FEW
    assert first.board["rows"][0]["coverage"] == 1
    assert first.board["rows"][0]["index"] is not None

    again = ran(db, many, "--scenarios", "6", subjects="sim/half")
    assert "0 calls and 0 verdicts to go" in again.err
    larger = ran(db, many, "--scenarios", "10", subjects="sim/half")
    assert "4 calls and 4 verdicts to go" in larger.err  # the larger part holds the smaller one
    other = ran(db, many, "--scenarios", "6", "--seed", "1", subjects="sim/never")
    editions = [done.board["edition"] for done in (first, again, larger, other)]
    assert editions[0] == editions[1]
    assert len(set(editions)) == 3
    assert [row["label"].split("@")[0] for row in other.board["rows"]] == ["sim/never"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--scenarios", "7"], "write a multiple of 2, at most 24"),
        (["--scenarios", "8", "--replicates", "auto", "--calls", "60"], "give one of the two"),
        (["--seed", "3"], "add --scenarios N, of a grid --limit N"),
    ],
)
def test_a_part_that_there_is_not_is_one_sentence(tmp_path: Path, many: Path, arguments: list[str], told: str) -> None:
    done = ran(tmp_path / "store.db", many, *arguments)
    assert done.code == 2
    assert told in done.err
