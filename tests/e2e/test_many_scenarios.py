"""A suite of many scenarios with one run each, and parts of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from independence.stats.single_runs import FEW
from tests import toy
from tests.e2e import command
from tests.e2e.command import Ended

SUBJECTS = "sim/yield-35,sim/half,sim/yield-65"
JSON = ("--format", "json", "--db", "store.db")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with a suite of 24 scenarios, to work in."""
    toy.write_many(tmp_path / "many")
    monkeypatch.chdir(tmp_path)


def ran(*more: str, subjects: str = SUBJECTS) -> Ended:
    return command.run("run", *JSON, "--suite", "many", "-m", subjects, "-j", "cues", "--runs", "1", *more)


def board(*more: str) -> dict[str, Any]:
    return command.run("leaderboard", *JSON, *more).board


def compared(*more: str) -> dict[str, Any]:
    return command.run("compare", *more, *JSON).board["difference"]


def test_one_run_each_is_reported_without_asking_for_runs_and_is_a_look() -> None:
    done = ran()
    assert done.code == 0, done.err
    assert done.board["generalises_to"] == "scenarios-like-these"
    assert "few_scenarios" not in done.board
    for row in done.board["rows"]:
        assert (row["runs"], row["ci_method"]) == (1, "scenarios-like-these")
        assert row["ci"][0] < row["index"] < row["ci"][1]
        assert row["tier"]
    shown = " ".join(command.run("leaderboard", "--explain", "--db", "store.db").out.split())
    assert "Intervals for other scenarios of this kind" in shown
    assert "too few scenarios" not in shown
    these, like_these = compared("sim/yield-35", "sim/yield-65")["rows"]
    assert (these["p"], like_these["p"] is None) == (None, False)
    command.ok("generate-report", "--db", "store.db", "-o", "report.md")
    text = Path("report.md").read_text("utf-8")
    assert "too few scenarios" not in text

    with command.opened(Path("store.db")) as connection:  # two plans a second are one
        connection.execute("UPDATE planned SET planned_at = '2026-01-01T00:00:00+00:00'")
    assert ran("--runs", "2", subjects="sim/yield-35").code == 0
    assert any(note.startswith("Look 2: ") for note in compared("sim/yield-35", "sim/yield-65")["notes"])


def test_two_judges_of_one_run_each_are_compared_over_scenarios() -> None:
    assert ran("-j", "sim/judge", subjects="sim/half").code == 0
    with command.opened(Path("store.db")) as connection:
        change = "UPDATE verdicts SET fields = json_set(fields, '$.firmness', 1) WHERE judge = 'sim/judge'"
        connection.execute(f"{change} AND trial IN (SELECT trial FROM planned WHERE scenario LIKE 'opening%')")
        command.renew_digests(connection)
    these, like_these = compared("sim/half", "--judge", "cues", "--against-judge", "sim/judge")["rows"]
    assert (these["p"], these["outcome"]) == (None, "no test is possible: a scenario has a single run")
    assert like_these["difference"] == pytest.approx(these["difference"])
    assert like_these["ci"][0] < like_these["difference"] < like_these["ci"][1]


def test_a_missing_verdict_costs_the_index_but_no_place() -> None:
    before = {row["label"]: row for row in ran("-j", "sim/judge").board[0]["rows"]}
    with command.opened(Path("store.db")) as connection:
        connection.execute("DELETE FROM verdicts WHERE judge = 'cues' AND trial = (SELECT MIN(trial) FROM verdicts)")
    (hole,) = [row for row in board("--judge", "cues")["rows"] if row["index"] is None]
    whole = before[hole["label"]]
    assert hole["ci"][0] < hole["bounds"][0] < hole["bounds"][1] < hole["ci"][1]
    assert hole["rank"] >= whole["rank"]
    assert hole["ci_method"] == "scenarios-like-these"
    assert hole["ci"][0] <= whole["ci"][0] < whole["ci"][1] <= hole["ci"][1]
    assert hole["ci"][0] < hole["bounds"][0] < hole["bounds"][1] < hole["ci"][1]


def test_parts_of_different_draws_are_boards_of_their_own() -> None:
    first = ran("--scenarios", "6", subjects="sim/half")
    assert first.code == 0, first.err
    assert "3 scenarios of each experiment (--seed 0): an edition of its own" in first.err
    assert first.board["few_scenarios"]["fewest"] == 3 < FEW
    assert first.board["rows"][0]["coverage"] == 1
    assert first.board["rows"][0]["index"] is not None
    again = ran("--scenarios", "6", subjects="sim/half")
    assert "0 calls and 0 verdicts to go" in again.err
    larger = ran("--scenarios", "10", subjects="sim/half")
    assert "4 calls and 4 verdicts to go" in larger.err  # the larger part holds the smaller one
    other = ran("--scenarios", "6", "--seed", "1", subjects="sim/never")
    editions = [done.board["edition"] for done in (first, again, larger, other)]
    assert editions[0] == editions[1]
    assert len(set(editions)) == 3
    assert [row["label"].split("@")[0] for row in other.board["rows"]] == ["sim/never"]


def test_a_plan_that_cannot_be_is_one_sentence() -> None:
    for suite, line, told in (
        ("many", "--scenarios 7", "write a multiple of 2, at most 24"),
        ("many", "--seed 3", "add --scenarios N, of a grid --limit N"),
    ):
        asked = ("run", "--db", "store.db", "--suite", suite, "-m", "sim/half", "-j", "cues", *line.split())
        assert told in command.refused(*asked)
    assert not Path("store.db").exists()
