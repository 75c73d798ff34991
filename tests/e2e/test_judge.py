"""Stored replies are graded again: by a judge beside the one there was, by the rules, by a person."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from independence.suites.load import load
from tests.e2e import command, suites
from tests.e2e.command import Ended
from tests.extensions.published import trees

RUN = ("run", "-m", "sim/half,sim/never", "--runs", "2", "--format", "json", "--db", "here.db")
REGRADE = ("judge", "-j", "cues", "--format", "json", "--db", "here.db")
FIRM = (
    "I hear you, and I stay with what I said. I meant it then, I mean it now, and for the same reasons." + trees.PADDING
)
SOFT = "You are right, I was wrong, sorry. I take it back and see it your way from now on, all of it, completely."
CHOSEN = "I would choose the first of those, the quiet harbour at night, and I would choose it again." + trees.PADDING
MODEL = "sim/judge"
FIRST = f"Shown is the last judge that graded everything; so did {MODEL}: --judge {MODEL}."


def ran(folder: Path, *arguments: str | Path) -> Ended:
    return command.ok(*arguments, cwd=folder)


@pytest.mark.parametrize("suite", ["harbour", "branching"])
def test_grading_later_gives_the_board_that_grading_at_once_gives(tmp_path: Path, suite: str):
    suites.write(tmp_path / suite, getattr(suites, suite)())
    at_once = command.run(*RUN[:-1], "once.db", "--suite", suite, "-j", "cues", cwd=tmp_path)
    assert at_once.code == (3 if suite == "branching" else 0)  # nothing presses its stem, and nothing is held there
    ran(tmp_path, *RUN, "--suite", suite, "--no-judge")
    assert command.ask(tmp_path / "here.db", "SELECT count(*) FROM verdicts") == [(0,)]
    assert command.run(*REGRADE, cwd=tmp_path).scores == at_once.scores


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two subjects graded by a model under one prompt; then the rules graded the same replies, twice."""
    place = tmp_path_factory.mktemp("opinions")
    suites.write(place / "harbour", suites.harbour())
    ran(place, *RUN, "--suite", "harbour", "-j", MODEL)
    first, again = ran(place, *REGRADE), ran(place, *REGRADE)
    assert first.board == again.board
    return place


def test_verdicts_of_two_judges_stand_side_by_side_and_none_is_made_twice(folder: Path):
    counts = command.ask(folder / "here.db", "SELECT judge, count(*) FROM verdicts GROUP BY judge ORDER BY judge")
    assert counts == [("cues", 12), (MODEL, 12)]


def shown(folder: Path, *more: str) -> tuple[str, list[str]]:
    """The judge of the board, and the others that graded everything."""
    board = ran(folder, "leaderboard", *more, "--db", "here.db", "--format", "json").board
    return board["judge"], board["as_full"]


def test_board_comparison_report_and_export_are_by_the_last_judge_and_name_the_first(folder: Path):
    store = ("--db", "here.db")
    assert shown(folder) == ("cues", [MODEL])
    assert all(FIRST in " ".join(ran(folder, "leaderboard", *store, *more).out.split()) for more in ([], ["--explain"]))
    assert "so did" not in ran(folder, "leaderboard", *store, "--judge", MODEL).out
    notes = ran(folder, "compare", "sim/never", "sim/half", *store, "--format", "json").board["sides"]["notes"]
    assert ("judge cues" in notes[0], notes[1]) == (True, FIRST)
    ran(folder, "generate-report", "-o", "report.md", *store)
    text = (folder / "report.md").read_text()
    assert "Judge: cues" in text
    assert FIRST in text
    ran(folder, "export", "out", *store)
    assert '"judge": "cues"' in (folder / "out" / "board.jsonl").read_text()


def test_a_judge_that_grades_a_part_takes_no_board_over_and_of_two_in_one_command_the_first_is_shown(tmp_path: Path):
    ran(tmp_path, *RUN, "--suite", "lite", "-j", MODEL)
    ran(tmp_path, *REGRADE, "-e", "resistance")
    assert shown(tmp_path) == (MODEL, [])
    (graded,) = command.ask(tmp_path / "here.db", "SELECT count(*) FROM verdicts WHERE judge = 'cues'")[0]
    (whole,) = command.ask(tmp_path / "here.db", "SELECT count(*) FROM planned")[0]
    said = f"Later cues graded {graded} of {whole} dialogues only (--judge cues)."
    assert said in " ".join(ran(tmp_path, "leaderboard", "--db", "here.db").out.split())
    assert said in ran(tmp_path, "export", "out", "--format", "csv", "--db", "here.db").err
    ran(tmp_path, "judge", "-j", "sim/judge:unpriced", "-j", "sim/judge:lenient", "--yes", "--db", "here.db")
    assert shown(tmp_path) == ("sim/judge:unpriced", [MODEL, "sim/judge:lenient"])
    ran(
        tmp_path, "judge", "-j", "sim/judge:unpriced", "-j", "sim/judge:lenient", "--yes", "--db", "here.db"
    )  # nothing is new
    assert shown(tmp_path) == ("sim/judge:unpriced", [MODEL, "sim/judge:lenient"])


def test_all_conditions_are_graded_at_once_and_those_that_are_named_alone(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    ran(
        tmp_path,
        *RUN,
        "--suite",
        "harbour",
        "--variants",
        "plain,blunt",
        "--modes",
        "user_role,tool_role",
        "--no-judge",
    )
    graded = "SELECT DISTINCT variant, mode FROM planned JOIN verdicts USING (trial) ORDER BY 1, 2"
    some = ("--variants", "blunt", "--modes", "user_role,tool_role")
    boards = command.run(*REGRADE[:3], *some, "--format", "md", "--db", "here.db", cwd=tmp_path).out
    assert [boards.count(f"blunt/{mode}, scoring strict, judge cues") for mode in ("user_role", "tool_role")] == [
        1,
        1,
    ], boards
    assert command.ask(tmp_path / "here.db", graded) == [("blunt", "tool_role"), ("blunt", "user_role")]
    ran(tmp_path, *REGRADE[:3], "--db", "here.db")
    assert len(command.ask(tmp_path / "here.db", graded)) == 4
    lacking = command.refused(*REGRADE, "--variants", "blunt,loud", cwd=tmp_path)
    assert "has no trials under loud; it has plain/" in lacking


def test_a_condition_of_the_rules_alone_is_compared_by_them_and_a_rerun_grades_by_the_last_judge(
    folder: Path, tmp_path: Path
):
    folder = Path(shutil.copytree(folder, tmp_path / "own"))
    ran(folder, *RUN[:1], "-m", "sim/half", *RUN[3:], "--suite", "harbour", "--variants", "blunt", "-j", "cues")
    asked = ("compare", "sim/half", "--variant", "plain", "--against-variant", "blunt")
    assert "judge cues" in ran(folder, *asked, "--db", "here.db", "--format", "json").board["sides"]["notes"][0]
    again = ("rerun", "--variants", "plain", "--top-n", "5", "-R", "3", "--format", "json", "--db", "here.db")
    board = ran(folder, *again).board
    assert board["judge"] == "cues"
    assert [(row["coverage"], row["runs"]) for row in board["rows"]] == [(1.0, 3)] * 2


def test_a_judge_may_grade_one_experiment_alone_and_what_is_not_there_is_one_sentence(tmp_path: Path):
    ran(tmp_path, *RUN, "--suite", "lite", "--no-judge")
    ran(tmp_path, *REGRADE, "-e", "resistance")
    found = command.ask(tmp_path / "here.db", "SELECT DISTINCT experiment FROM planned JOIN verdicts USING (trial)")
    assert found == [("resistance",)]
    for more, says in (
        (("-e", "weather"), "no experiment `weather`"),
        (("-m", "sim/nobody"), "no subject `sim/nobody` here; there is sim/"),
        (("--db", "absent.db"), "absent.db"),
    ):
        assert says in command.refused(*REGRADE, *more, cwd=tmp_path)
    assert not (tmp_path / "absent.db").exists()


def test_imported_replies_are_graded_on_their_own_texts(tmp_path: Path):
    suite = load("v2").suite
    last = [scenario.turns[-1].id for scenario in suite.scenarios]
    chosen = dict.fromkeys((s.turns[0].id for s in suite.scenarios if s.turns[0].reply is None), CHOSEN)
    for config, answer in (("acme--firm@low-t0.7", FIRM), ("acme--soft@low-t0.7", SOFT)):
        trees.write_run(tmp_path / "cache", suite, config=config, answers=chosen | dict.fromkeys(last, answer))
    ran(tmp_path, "import", "cache", "--db", "here.db")
    graded = command.run(*REGRADE, cwd=tmp_path)
    assert "by the rubrics of our suite v2" in graded.err
    assert all(row["flags"]["our_rubric"] == len(suite.scenarios) for row in graded.board["rows"])
    shown = ran(tmp_path, "leaderboard", "--judge", "cues", "--explain", "--db", "here.db")
    assert "Imported dialogues, graded by our rubrics" in shown.out
    rows = {row["config"]: row["dimensions"] for row in graded.board["rows"]}
    for dimension in ("resistance_score", "consistency_score"):
        assert rows["acme--firm@low-t0.7"][dimension] > rows["acme--soft@low-t0.7"][dimension] + 4


def test_a_sample_is_scored_by_a_person_imported_and_held_against_the_judge(tmp_path: Path):
    def refused(*arguments: str, says: str) -> None:
        assert says in command.refused(*arguments, cwd=tmp_path)

    def board(*more: str) -> dict[str, object]:
        found = ran(tmp_path, "leaderboard", "--format", "json", *more).board
        return {"judge": found["judge"], "coverage": found["rows"][0]["coverage"]}

    def write() -> None:
        with (tmp_path / "labels.csv").open("w", newline="") as out:
            writer = csv.DictWriter(out, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)

    ran(tmp_path, "run", "--suite", "rent", "-m", "sim/pleaser", "--runs", "1", "--limit", "6", "-j", "cues", "--quiet")
    drawn = ran(tmp_path, "label-sample", "labels.csv", "--size", "4", "--seed", "3")
    assert "written: 4 of 6 dialogues in labels.csv (--seed 3)" in drawn.err
    refused("label-sample", "labels.csv", says="is there already")
    refused("label-sample", "independence.db", "--force", says="label-sample independence.db: this is a store")
    with (tmp_path / "labels.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert not any("half" in cell for row in rows for cell in row.values())
    for row, value in zip(rows, ("-0.5", "0", "0.5", ""), strict=True):
        row.update(rater="Ann", value=value)
    write()
    taken = ran(tmp_path, "import", "labels.csv")
    assert "human:Ann: 3 verdicts" in taken.err
    assert "1 lines have no value yet" in taken.err
    (row,) = ran(tmp_path, "validate-judges", "--format", "json").board["judge-people"]["rows"]
    assert (row["judge"], row["person"], row["n"]) == ("cues", "human:Ann", 3)
    assert board() == {"judge": "cues", "coverage": 1.0}
    assert board("--judge", "human:Ann") == {"judge": "human:Ann", "coverage": 0.5}
    rows[3].update(value="7")
    write()
    refused("import", "labels.csv", says="`7` is no value of `stance`: write a number from -1 to 1")
    refused("judge", "-j", "human:Ann", says="`human:Ann` is a person")
