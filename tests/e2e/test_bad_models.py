"""Models and judges that are there but cannot do what a run needs of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.e2e import command, endpoint, suites
from tests.e2e.command import Ended

ENV = {"LOOP_KEY": endpoint.KEY}


class Place(NamedTuple):
    """A folder with a suite and a models file, and the endpoint it points at."""

    folder: Path
    served: endpoint.Served

    @property
    def db(self) -> Path:
        """The store."""
        return self.folder / "here.db"

    def run(self, *more: str) -> Ended:
        """One run of the harbour suite."""
        return command.run(
            "run", "--models-file", "models.yaml", "--suite", "harbour", "--runs", "1", "--format", "json",
            "--db", "here.db", *more, cwd=self.folder, env=ENV,
        )  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    suites.write(tmp_path / "harbour", suites.harbour())
    with endpoint.serving(tmp_path) as served:
        endpoint.models_file(tmp_path, served.base_url)
        yield Place(tmp_path, served)


@pytest.mark.parametrize(
    ("model", "judge", "says"),
    [
        ("loop/havf", "loop/judge", ["loop has no model `havf`", "did you mean `loop/half`"]),
        ("loop/half", "loop/jugde", ["loop has no model `jugde`", "did you mean `loop/judge`", "--judge cues"]),
    ],
    ids=["subject", "judge"],
)
def test_an_unknown_model_is_found_before_anything_is_asked(place: Place, model: str, judge: str, says: list[str]):
    ended = place.run("-m", model, "-j", judge)
    sentence = command.one_sentence(ended)
    assert ended.code == 2
    assert all(phrase in sentence for phrase in says)
    assert place.served.requests() == []


def test_a_model_without_tools_runs_in_user_role_and_is_refused_in_tool_role(place: Place):
    refused = place.run("-m", "loop/half:no-tools", "-j", "cues", "--modes", "tool_role")
    sentence = command.one_sentence(refused)
    assert refused.code == 2
    assert "`half:no-tools` takes no tools" in sentence
    assert "--delivery user_role" in sentence
    assert place.served.requests() == []
    taken = place.run("-m", "loop/half:no-tools", "-j", "cues", "--modes", "user_role")
    assert taken.code == 0, taken.err


def test_a_judge_that_answers_prose_costs_the_verdicts_and_not_the_replies(place: Place):
    ended = place.run("-m", "loop/half", "-j", "loop/judge:prose")
    assert ended.code == 3
    assert "missing: 3 unreadable_verdict (no JSON object found)" in ended.err
    assert command.missing(place.db) == {"unreadable_verdict": 3}
    (row,) = ended.board["rows"]
    assert (row["index"], row["rank"], row["coverage"], row["bounds"]) == (None, None, 0, [0, 100])
    assert row["flags"] == {"missing:unreadable_verdict": 3}
    asked = len(place.served.requests())
    assert asked == 5 + 3 * 3  # each verdict asked for once and twice more with what was wrong
    assert command.ask(place.db, "SELECT count(*) FROM calls WHERE missing IS NULL") == [(5,)]
    graded = place.run("-m", "loop/half", "-j", "loop/judge")
    assert graded.code == 0, graded.err
    assert len(place.served.requests()) == asked + 3  # the replies were there


def test_why_a_verdict_cannot_be_read_stands_in_the_log_and_beside_its_dialogue(place: Place):
    place.run("-m", "loop/half", "-j", "loop/judge:prose", "--log", "log.jsonl")
    entries = map(json.loads, (place.folder / "log.jsonl").read_text("utf-8").splitlines())
    verdicts = [entry for entry in entries if entry["event"] == "verdict"]
    assert [entry["status"] for entry in verdicts] == ["unreadable_verdict"] * 3
    assert {entry["detail"] for entry in verdicts} == {", ".join(["invalid: no JSON object found"] * 3)}
    ((scenario,),) = command.ask(place.db, "SELECT min(p.scenario) FROM planned p JOIN verdicts v ON v.trial = p.trial")
    shown = command.run("show", "loop/half", scenario, "--db", "here.db", cwd=place.folder, env=ENV)
    assert "missing (unreadable_verdict: no JSON object found)" in shown.out
    board = command.run("leaderboard", "--db", "here.db", cwd=place.folder, env=ENV)
    assert "3 unreadable_verdict: no JSON object found" in " ".join(board.out.split())


def test_two_judges_that_share_nothing_grade_the_same_replies(place: Place):
    ended = place.run("-m", "loop/half", "-j", "loop/judge", "-j", "cues")
    assert ended.code == 0, ended.err
    assert [board["judge"] for board in ended.board] == ["loop/judge", "cues"]
    assert len(place.served.requests()) == 5 + 3
