"""Models and judges that are there but cannot do what a run needs of them."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e import command, endpoint, refusals
from tests.e2e.command import Ended
from tests.e2e.endpoint import Served

RUN = "run --models-file models.yaml --suite harbour --runs 1 --format json --db here.db"


def run(folder: Path, *more: str) -> Ended:
    """One run of the harbour suite."""
    return command.run(*RUN.split(), *more, cwd=folder, env={"LOOP_KEY": endpoint.KEY})


def test_what_cannot_be_asked_is_found_before_anything_is(served: Served, tmp_path: Path):
    cases = {
        "LOOP_KEY=x -m loop/havf -j loop/judge": ["loop has no model `havf`", "did you mean `loop/half`"],
        "LOOP_KEY=x -m loop/half -j loop/jugde": ["no model `jugde`", "did you mean `loop/judge`", "cues (rules"],
        "LOOP_KEY=x -m loop/half:no-tools -j cues --modes tool_role": [
            "`half:no-tools` takes no tools", "--delivery user_role"
        ],
    }  # fmt: skip
    assert refusals.wrong(tmp_path, cases, RUN) == {}
    assert served.requests() == []
    taken = run(tmp_path, "-m", "loop/half:no-tools", "-j", "cues", "--modes", "user_role")
    assert taken.code == 0, taken.err


def test_a_judge_that_answers_prose_costs_the_verdicts_and_not_the_replies(served: Served, tmp_path: Path):
    ended = run(tmp_path, "-m", "loop/half", "-j", "loop/judge:prose", "--log", "log.jsonl")
    assert ended.code == 3
    assert "missing: 3 unreadable_verdict (no JSON object found)" in ended.err
    assert command.missing(tmp_path / "here.db") == {"unreadable_verdict": 3}
    (row,) = ended.board["rows"]
    assert (row["index"], row["rank"], row["coverage"], row["bounds"]) == (None, None, 0, [0, 100])
    assert row["flags"] == {"missing:unreadable_verdict": 3}
    asked = len(served.requests())
    assert asked == 5 + 3 * 3  # each verdict asked for once and twice more with what was wrong
    assert command.ask(tmp_path / "here.db", "SELECT count(*) FROM calls WHERE missing IS NULL") == [(5,)]

    entries = map(json.loads, (tmp_path / "log.jsonl").read_text("utf-8").splitlines())
    verdicts = [(entry["status"], entry["detail"]) for entry in entries if entry["event"] == "verdict"]
    assert verdicts == [("unreadable_verdict", ", ".join(["invalid: no JSON object found"] * 3))] * 3
    shown = command.run("show", "loop/half", "bell", "--db", "here.db", cwd=tmp_path)
    assert "missing (unreadable_verdict: no JSON object found)" in shown.out
    board = command.run("leaderboard", "--db", "here.db", cwd=tmp_path)
    assert "3 unreadable_verdict: no JSON object found" in " ".join(board.out.split())

    graded = run(tmp_path, "-m", "loop/half", "-j", "loop/judge")
    assert graded.code == 0, graded.err
    assert len(served.requests()) == asked + 3  # the replies were there


def test_two_judges_that_share_nothing_grade_the_same_replies(served: Served, tmp_path: Path):
    ended = run(tmp_path, "-m", "loop/half", "-j", "loop/judge", "-j", "cues")
    assert ended.code == 0, ended.err
    assert [board["judge"] for board in ended.board] == ["loop/judge", "cues"]
    assert len(served.requests()) == 5 + 3
