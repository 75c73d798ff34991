"""The guide to results, section "Can the judge be trusted?": a second opinion beside the judge that was paid for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e import command, suites
from tests.e2e.command import Ended

MODEL = "sim/judge"


def run(folder: Path, *arguments: str) -> Ended:
    ended = command.run(*arguments, "--db", "here.db", cwd=folder)
    assert ended.code == 0, ended.err
    return ended


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two subjects graded by a model under one prompt; then the rules graded the same replies."""
    place = tmp_path_factory.mktemp("opinions")
    suites.write(place / "harbour", suites.harbour())
    run(place, "run", "--suite", "harbour", "-m", "sim/never,sim/half", "--runs", "2", "-j", MODEL, "--quiet")
    run(place, "judge", "-j", "cues", "--quiet")
    return place


def test_the_board_stays_with_the_model_and_names_the_other(folder: Path):
    board = run(folder, "leaderboard", "--format", "json").board
    assert (board["judge"], board["as_full"]) == (MODEL, ["cues"])
    for form in ("table", "md"):
        assert "Also completely graded by cues: --judge cues." in run(folder, "leaderboard", "--format", form).out
    assert "Also completely graded" not in run(folder, "leaderboard", "--judge", MODEL).out


def test_compare_and_the_report_stay_with_the_model(folder: Path):
    tables = run(folder, "compare", "sim/never", "sim/half", "--format", "json").board
    assert f"judge {MODEL}" in tables["sides"]["notes"][0]
    assert tables["sides"]["notes"][1] == "Also completely graded by cues: --judge cues."
    run(folder, "generate-report", "-o", "report.md")
    text = (folder / "report.md").read_text()
    assert f"Judge: {MODEL}" in text
    assert "Also completely graded by cues: --judge cues." in text
    run(folder, "export", "out")
    assert f'"judge": "{MODEL}"' in (folder / "out" / "board.jsonl").read_text()


def test_a_condition_that_the_rules_alone_graded_is_compared_by_the_rules(folder: Path):
    run(folder, "run", "--suite", "harbour", "-m", "sim/half", "--runs", "2", "--variants", "blunt", "-j", "cues",
        "--quiet")  # fmt: skip
    ended = run(folder, "compare", "sim/half", "--variant", "plain", "--against-variant", "blunt", "--format", "json")
    assert "judge cues" in ended.board["sides"]["notes"][0]


def test_a_rerun_grades_by_the_model_and_leaves_the_board_complete(folder: Path):
    ended = run(folder, "rerun", "--variants", "plain", "--top-n", "5", "-R", "3", "--format", "json")
    assert ended.board["judge"] == MODEL
    assert {row["coverage"] for row in ended.board["rows"]} == {1.0}
    assert {row["runs"] for row in ended.board["rows"]} == {3}
