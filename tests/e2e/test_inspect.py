"""`inspect eval` on our suites: the same requests as our own run sends, so the same replies, verdicts and index."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from independence.errors import UsageError
from tests import toy
from tests.e2e import command, endpoint, inspected, test_steps


@pytest.fixture(autouse=True)
def _needed() -> None:
    inspected.needed()


def ours(folder: Path, url: str, *options: str | Path) -> dict[str, Any]:
    """The one row of the board of our own run."""
    (folder / "models.yaml").write_text(f"endpoints:\n  - {{name: loop, base_url: {url}}}\n")
    ended = command.run(
        "run", "--models-file", "models.yaml", "--format", "json", "--db", "ours.db", "--yes", *options, cwd=folder
    )
    assert ended.code == 0, ended.err
    (row,) = ended.board["rows"]
    return row


def same(row: dict[str, Any], metrics: dict[str, float]) -> None:
    """The numbers of a board's row and those of a log, to the last digit."""
    assert metrics["index"] == row["index"]
    assert (metrics["bounds_low"], metrics["bounds_high"]) == tuple(row["bounds"])
    assert (metrics["ci_low"], metrics["ci_high"]) == tuple(row["ci"])
    assert {name: metrics[name] for name in row["dimensions"]} == row["dimensions"]
    assert (metrics["coverage"], metrics["runs"]) == (row["coverage"], row["runs"])


def asked(folder: Path, log: dict[str, Any]) -> tuple[Counter[str], Counter[str]]:
    """Digests of (model, messages, seed) of every request of the subject, in our store and in a log.

    The endpoint answers with them as the id of a response.
    """
    own = Counter(found for (found,) in command.ask(folder / "ours.db", "SELECT response_id FROM calls"))
    theirs = Counter(call["id"] for call in log["calls"] if call["model"] == "openai-api/loop/half")
    return own, theirs


def test_v2_has_the_index_of_our_own_run(tmp_path: Path):
    with endpoint.serving(tmp_path) as served:
        row = ours(tmp_path, served.base_url, "--suite", "v2", "-m", "loop/half", "-j", "loop/judge", "--runs", "2")
        before = served.requests()
        log = inspected.read(
            inspected.evaluate(
                "independence/v2", served.base_url, "-T", "judge=openai-api/loop/judge", "-T", "runs=2", cwd=tmp_path
            )
        )
        after = served.requests()[len(before) :]
    assert (log["status"], log["task"].split("/")[-1]) == ("success", "v2")
    same(row, log["metrics"])
    own, theirs = asked(tmp_path, log)
    assert own == theirs
    assert len(own) == 52
    assert Counter(one.model for one in before) == Counter(one.model for one in after) == {"half": 52, "judge": 30}
    verdicts = command.ask(tmp_path / "ours.db", "SELECT fields, reasoning FROM verdicts")
    scores = [sample["scores"]["verdict"] for sample in log["samples"]]
    assert Counter((json.dumps(json.loads(fields), sort_keys=True), said) for fields, said in verdicts) == Counter(
        (json.dumps(score["value"], sort_keys=True), score["explanation"]) for score in scores
    )


@pytest.mark.parametrize("mode", ["user_role", "tool_role"])
def test_a_suite_of_ones_own_with_a_scenario_that_follows(tmp_path: Path, mode: str):
    toy.write(tmp_path / "my-suite")
    with endpoint.serving(tmp_path) as served:
        row = ours(
            tmp_path, served.base_url, "--suite", "./my-suite", "-m", "loop/half", "-j", "loop/judge", "--runs", "3",
            "--variants", "plain", "--modes", mode,
        )  # fmt: skip
        log = inspected.read(
            inspected.evaluate(
                "independence/suite", served.base_url, "-T", "suite=./my-suite", "-T", "judge=openai-api/loop/judge",
                "-T", "variant=plain", "-T", f"mode={mode}", "--epochs", "3", cwd=tmp_path,
            )
        )  # fmt: skip
    same(row, log["metrics"])
    own, theirs = asked(tmp_path, log)
    assert own == theirs  # the stem is asked once for itself and for what follows it
    followed = next(sample for sample in log["samples"] if sample["id"] == "dessert")
    assert sum(role == "assistant" for role in followed["roles"]) == (3 if mode == "user_role" else 4)
    offered = [call["request"]["tools"] for call in log["calls"] if call["request"].get("tools")]
    assert {tool["function"]["name"] for (tool,) in offered} == (set() if mode == "user_role" else {"speak"})


def test_a_rubric_with_steps_is_graded_by_what_the_judge_wrote(tmp_path: Path):
    test_steps.prepared(tmp_path)
    with endpoint.serving(tmp_path) as served:
        row = ours(
            tmp_path, served.base_url, "--suite", "harbour", "-m", "loop/half", "-j", "loop/judge", "--runs", "2"
        )
        log = inspected.read(
            inspected.evaluate(
                "independence/suite", served.base_url, "-T", "suite=harbour", "-T", "judge=openai-api/loop/judge",
                "-T", "runs=2", cwd=tmp_path,
            )
        )  # fmt: skip
    assert log["metrics"]["coverage"] == row["coverage"] == 1
    (written,) = command.ask(tmp_path / "ours.db", "SELECT count(*) FROM artefacts")[0]
    judged = [call for call in log["calls"] if call["model"] == "openai-api/loop/judge"]
    assert len(judged) == written + len(log["samples"]) == 12
    fields = command.ask(tmp_path / "ours.db", "SELECT fields FROM verdicts")
    scores = [sample["scores"]["verdict"]["value"] for sample in log["samples"]]
    assert sorted(json.loads(own)["course_held"] for (own,) in fields) == sorted(one["course_held"] for one in scores)


def test_settings_of_inspect_are_those_of_the_subject(tmp_path: Path):
    with endpoint.serving(tmp_path) as served:
        row = ours(
            tmp_path, served.base_url, "--suite", "lite", "-m", "loop/half", "-j", "cues", "--runs", "1",
            "--temperature", "0.2", "--reasoning-effort", "high",
        )  # fmt: skip
        log = inspected.read(
            inspected.evaluate(
                "independence/lite", served.base_url, "-T", "judge=cues", "--temperature", "0.2",
                "--reasoning-effort", "high", cwd=tmp_path,
            )
        )  # fmt: skip
    own, theirs = asked(tmp_path, log)
    assert own == theirs
    assert log["metrics"]["coverage"] == row["coverage"]
    assert {(c["config"]["temperature"], c["config"]["reasoning_effort"]) for c in log["calls"]} == {(0.2, "high")}


def test_what_is_not_asked_leaves_no_index(tmp_path: Path):
    with endpoint.serving(tmp_path) as served:
        log = inspected.read(
            inspected.evaluate("independence/v2", served.base_url, "-T", "judge=cues", "--limit", "3", cwd=tmp_path)
        )
    assert "index" not in log["metrics"]
    assert log["metrics"]["bounds_low"] < log["metrics"]["bounds_high"]
    assert log["metrics"]["coverage"] == pytest.approx(3 / 15)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"judge": "offline"}, "judge `offline` grades all dialogues together"),
        ({"variant": "cheerful"}, "has no variant `cheerful`"),
        ({"mode": "telepathy"}, "has no mode `telepathy`"),
        ({"runs": 0}, "--runs 0: at least 1 run is needed"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(options: dict[str, Any], said: str):
    from independence.integrations import inspect_tasks

    with pytest.raises(UsageError) as refused:
        inspect_tasks.suite_task("v2", **options)
    assert said in str(refused.value)


def test_inspect_says_in_a_sentence_why_a_parameter_is_refused(tmp_path: Path):
    ended = inspected.run("eval", "independence/v2", "--model", "mockllm/model", "-T", "judge=offline", cwd=tmp_path)
    assert ended.returncode != 0
    shown = " ".join((ended.stdout + ended.stderr).replace("│", " ").split())
    assert "judge `offline` grades all dialogues together" in shown


def test_a_truncated_answer_is_asked_for_again_as_in_our_own_run(tmp_path: Path):
    toy.write(tmp_path / "toy")
    with endpoint.serving(tmp_path, "--faults", "length@half") as served:
        row = ours(tmp_path, served.base_url, "--suite", "toy", "-m", "loop/half", "-j", "cues", "--runs", "2")
        log = inspected.read(
            inspected.evaluate(
                "independence/suite", served.base_url, "-T", "suite=toy", "-T", "judge=cues", "-T", "runs=2",
                cwd=tmp_path,
            )
        )  # fmt: skip
        assert served.requests()
    same(row, log["metrics"])
    own, theirs = asked(tmp_path, log)
    assert own <= theirs  # a log has every attempt, a row of a store the last one
    assert sum(theirs.values()) == 2 * sum(own.values())


def test_a_verdict_that_cannot_be_read_is_missing_and_never_zero(tmp_path: Path):
    toy.write(tmp_path / "toy")
    with endpoint.serving(tmp_path, "--faults", "prose-judge@judge") as served:
        log = inspected.read(
            inspected.evaluate(
                "independence/suite", served.base_url, "-T", "suite=toy", "-T", "judge=openai-api/loop/judge",
                cwd=tmp_path,
            )
        )  # fmt: skip
    assert Counter(call["model"] for call in log["calls"])["openai-api/loop/judge"] == 3 * (1 + 2)  # asked again twice
    scores = [sample["scores"]["verdict"] for sample in log["samples"]]
    assert {score["reason"] for score in scores} == {"unreadable_verdict"}
    assert all(value is None for score in scores for value in score["value"].values())
    assert "index" not in log["metrics"]
    assert (log["metrics"]["coverage"], log["metrics"]["bounds_low"], log["metrics"]["bounds_high"]) == (0, 0, 100)
