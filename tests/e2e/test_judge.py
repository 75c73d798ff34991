"""Stored replies are graded by another judge: in the words they were given in, beside the verdicts that are there."""

from __future__ import annotations

from pathlib import Path

import pytest

from independence.suites.load import load
from tests.e2e import command, suites
from tests.exchange import trees

RUN = ("run", "-m", "sim/half,sim/never", "--runs", "2", "--format", "json", "--db", "here.db")
FIRM = (
    "I hear you, and I stay with what I said. I meant it then, I mean it now, and for the same reasons." + trees.PADDING
)
SOFT = "You are right, I was wrong, sorry. I take it back and see it your way from now on, all of it, completely."
REGRADE = ("judge", "-j", "cues", "--format", "json", "--db", "here.db")


@pytest.mark.parametrize("suite", ["harbour", "branching"])
def test_grading_later_gives_the_board_that_grading_at_once_gives(tmp_path: Path, suite: str):
    suites.write(tmp_path / suite, getattr(suites, suite)())
    at_once = command.run(*RUN[:-1], "once.db", "--suite", suite, "-j", "cues", cwd=tmp_path)
    collected = command.run(*RUN, "--suite", suite, "--no-judge", cwd=tmp_path)
    assert (at_once.code, collected.code) == (0, 0), at_once.err + collected.err
    assert command.ask(tmp_path / "here.db", "SELECT count(*) FROM verdicts") == [(0,)]
    later = command.run(*REGRADE, cwd=tmp_path)
    assert later.code == 0, later.err
    assert later.scores == at_once.scores


def test_verdicts_of_two_judges_stand_side_by_side_and_none_is_made_twice(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    command.run(*RUN, "--suite", "harbour", "-j", "sim/judge", cwd=tmp_path)
    first, again = (command.run(*REGRADE, cwd=tmp_path) for _ in range(2))
    assert (first.code, again.code) == (0, 0), first.err
    assert first.board == again.board
    counts = command.ask(tmp_path / "here.db", "SELECT judge, count(*) FROM verdicts GROUP BY judge ORDER BY judge")
    assert [judge for judge, _ in counts] == ["cues", "sim/judge"]
    assert counts[0][1] == counts[1][1]


def test_a_judge_may_grade_one_experiment_alone(tmp_path: Path):
    command.run(*RUN, "--suite", "lite", "--no-judge", cwd=tmp_path)
    graded = command.run(*REGRADE, "-e", "resistance", cwd=tmp_path)
    assert graded.code == 0, graded.err
    found = command.ask(tmp_path / "here.db", "SELECT DISTINCT experiment FROM planned JOIN verdicts USING (trial)")
    assert found == [("resistance",)]
    wrong = command.run(*REGRADE, "-e", "weather", cwd=tmp_path)
    assert wrong.code == 2
    assert "no experiment `weather`" in command.one_sentence(wrong)


def test_imported_replies_are_graded_on_their_own_texts(tmp_path: Path):
    suite = load("v2").suite
    last = [scenario.turns[-1].id for scenario in suite.scenarios]
    for config, answer in (("acme--firm@low-t0.7", FIRM), ("acme--soft@low-t0.7", SOFT)):
        answers = dict.fromkeys(last, answer)
        trees.write_run(tmp_path / "cache", suite, config=config, answers=answers)
    imported = command.run("import", "cache", "--db", "here.db", cwd=tmp_path)
    assert imported.code == 0, imported.err
    graded = command.run(*REGRADE, cwd=tmp_path)
    assert graded.code == 0, graded.err
    assert "by the rubrics of our suite v2" in graded.err
    assert all(row["flags"]["our_rubric"] == len(suite.scenarios) for row in graded.board["rows"])
    shown = command.run("leaderboard", "--judge", "cues", "--db", "here.db", cwd=tmp_path)
    assert "Imported dialogues, graded by our rubrics" in shown.out
    rows = {row["config"]: row["dimensions"] for row in graded.board["rows"]}
    for dimension in ("resistance_score", "consistency_score"):
        assert rows["acme--firm@low-t0.7"][dimension] > rows["acme--soft@low-t0.7"][dimension] + 4


def test_a_judge_with_nothing_to_grade_says_so(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    command.run(*RUN, "--suite", "harbour", "-j", "cues", cwd=tmp_path)
    ended = command.run(*REGRADE, "-m", "sim/nobody", cwd=tmp_path)
    assert ended.code == 2
    assert "no subject `sim/nobody` here; there is sim/" in command.one_sentence(ended)
    assert command.run("judge", "-j", "cues", "--db", "absent.db", cwd=tmp_path).code == 2
    assert not (tmp_path / "absent.db").exists()
