"""`inspect eval` on our suites: the same requests as our own run sends, so the same replies, verdicts and index."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from independence.errors import UsageError
from independence.report.board import board_data
from independence.store import scopes
from tests import toy
from tests.e2e import between, command, endpoint, inspected, suites
from tests.e2e.command import Ended

JUDGED = "-T judge=openai-api/loop/judge"
ROLE = "--model-role grader=openai-api/loop/judge"
STORED = ("SELECT trial, turn, context, after, text FROM calls", "SELECT key, fields FROM verdicts",
          "SELECT key, text FROM artefacts")  # fmt: skip


@pytest.fixture(autouse=True)
def _needed() -> None:
    inspected.needed()


def board(folder: Path, db: str) -> dict[str, Any]:
    """The one row of a board."""
    ended = command.run("leaderboard", "--format", "json", "--db", db, cwd=folder)
    assert ended.code == 0, ended.err
    (row,) = ended.board["rows"]
    return row


def standard_error(db: Path) -> float | None:
    """Of the index of the one subject of a store, over runs within its scenarios; None of a single run."""
    ((judge,),) = command.ask(db, "SELECT DISTINCT judge FROM verdicts")
    with command.opened(db) as connection:
        data = board_data.read(connection, scopes.find(connection, None, None, None), judge)
    known = next(iter(data.same_scenarios.values()), None)
    return known and known.se


def imported(folder: Path, log: Path) -> Ended:
    return command.run("import", log, "--db", "new.db", cwd=folder)


def stepped(folder: Path) -> None:
    """The harbour suite, graded by what a judge notes down of the last answer."""
    document = suites.harbour()
    document["rubrics"]["course"] |= {
        "prompt": "prompts/noted.md", "steps": [{"name": "notes", "prompt": "prompts/notes.md"}]
    }  # fmt: skip
    suites.write(folder, document)
    (folder / "prompts" / "notes.md").write_text("Note down what is claimed here.\n\n{{answer}}\n")
    (folder / "prompts" / "noted.md").write_text("Notes of an answer.\n\n{{notes}}\n\nFill in.\n\n{{fields}}\n")


def renamed(url: str, name: str, served: str) -> between.Answer:
    """Pass on to the endpoint at `url`, which knows the model `name` as `served`."""
    ask = between.passing_on(url.removesuffix("/v1"))
    return lambda path, body: ask(path, body and body.replace(f'"{name}"'.encode(), f'"{served}"'.encode()))


class Case(NamedTuple):
    """The same of our own run and of Inspect, and the faults of the endpoint."""

    ours: str
    theirs: str
    faults: str = ""


CASES = {
    "v2": Case("v2 -j loop/judge --runs 2", f"independence/v2 {ROLE} -T runs=2"),
    "fields of other ranges, which Inspect leaves out of the schema": Case(
        "lite -j loop/judge --runs 1", f"independence/lite {ROLE}"
    ),
    "a suite of one's own": Case(
        "./toy -j loop/judge --runs 3 --variants plain --modes user_role",
        f"independence/suite -T suite=./toy {JUDGED} -T variant=plain -T mode=user_role --epochs 3",
    ),
    "by a tool": Case(
        "./toy -j loop/judge --runs 3 --variants plain --modes tool_role",
        f"independence/suite -T suite=./toy {JUDGED} -T variant=plain -T mode=tool_role --epochs 3",
    ),
    "a rubric with steps": Case(
        "harbour -j loop/judge --runs 2", f"independence/suite -T suite=harbour {JUDGED} -T runs=2"
    ),
    "settings": Case(
        "lite -j cues --runs 1 --temperature 0.2 --reasoning-effort high",
        "independence/lite -T judge=cues --temperature 0.2 --reasoning-effort high",
    ),
    "truncated answers": Case(
        "toy -j cues --runs 2", "independence/suite -T suite=toy -T judge=cues -T runs=2", "length@half"
    ),
}


@pytest.mark.deep
@pytest.mark.parametrize("name", CASES)
def test_it_asks_and_scores_as_our_own_run(tmp_path: Path, name: str):
    case = CASES[name]
    toy.write(tmp_path / "toy")
    stepped(tmp_path / "harbour")
    with endpoint.serving(tmp_path, "--faults", case.faults) as served:
        # A cut answer of one's own server would not be asked for again, as Inspect's are.
        own = f"{{name: loop, dialect: openai, base_url: {served.base_url}}}"
        (tmp_path / "models.yaml").write_text(f"endpoints:\n  - {own}\n")
        run = "run --models-file models.yaml -m loop/half --db ours.db --yes --trust-judge --suite"
        ended = command.run(*run.split(), *case.ours.split(), cwd=tmp_path)
        assert ended.code == 0, ended.err
        before = served.requests()
        path = inspected.evaluate(case.theirs, served.base_url, tmp_path)
        after = served.requests()[len(before) :]
    row, log = board(tmp_path, "ours.db"), inspected.read(path)
    assert log.status == "success"
    low, high = row["ci"] or (None, None)
    least, most = row["bounds"] if row["coverage"] < 1 else (None, None)  # no verdict is missing: no bounds
    expected = {
        "index": row["index"], "index_bounds_low": least, "index_bounds_high": most,
        "index_ci_low": low, "index_ci_high": high, "coverage": row["coverage"], "runs": row["runs"],
        **row["dimensions"],
    }  # fmt: skip
    assert {key: inspected.metrics(log).get(key) for key in expected} == expected
    assert "cost_usd" not in inspected.metrics(log)  # nobody told Inspect a price
    assert not any(name.startswith("rank") for name in inspected.metrics(log))  # there is nobody beside it
    assert inspected.metrics(log).get("stderr") == standard_error(tmp_path / "ours.db")

    # The endpoint answers with the digest of (model, messages, seed) as the id of a response.
    own = Counter(found for (found,) in command.ask(tmp_path / "ours.db", "SELECT response_id FROM calls"))
    theirs = Counter(call.call.response["id"] for call in inspected.calls(log, "half"))
    if case.faults:
        assert own <= theirs  # a log has every attempt, a row of a store the last one
        assert sum(theirs.values()) == 2 * sum(own.values())
    else:
        assert own == theirs  # a stem is asked once for itself and for what follows it
        assert Counter(one.model for one in before) == Counter(one.model for one in after)
    verdicts = command.ask(tmp_path / "ours.db", "SELECT fields, reasoning FROM verdicts")
    scores = [sample.scores["verdict"] for sample in log.samples]
    assert Counter((json.dumps(json.loads(fields), sort_keys=True), said) for fields, said in verdicts) == Counter(
        (json.dumps(score.value, sort_keys=True), score.explanation) for score in scores
    )

    if name in ("a suite of one's own", "by a tool"):
        requests = [call.call.request for call in inspected.calls(log)]
        offered = [request["tools"] for request in requests if request.get("tools")]
        assert {tool["function"]["name"] for (tool,) in offered} == ({"speak"} if name == "by a tool" else set())
        followed = next(sample for sample in log.samples if sample.id == "dessert")
        roles = [message.role for message in followed.messages]
        assert roles.count("assistant") == (4 if name == "by a tool" else 3)
    if name == "settings":
        configs = [call.config for call in inspected.calls(log)]
        assert {(config.temperature, config.reasoning_effort) for config in configs} == {(0.2, "high")}

    # The log becomes the board of our own run, and what was imported can be graded again.
    assert imported(tmp_path, path).code == 0
    back = board(tmp_path, "new.db")
    for key in ("index", "bounds", "ci", "per_run", "dimensions", "coverage", "label", "config", "runs", "rank"):
        assert back[key] == row[key], key
    for sql in STORED:
        assert sorted(command.ask(tmp_path / "new.db", sql)) == sorted(command.ask(tmp_path / "ours.db", sql))
    assert command.run("judge", "-j", "cues", "--db", "new.db", cwd=tmp_path).code == 0


@pytest.mark.deep
def test_inspect_score_grades_a_log_again_as_our_own_judge_would(tmp_path: Path):
    toy.write(tmp_path / "toy")
    with endpoint.serving(tmp_path) as served:
        (tmp_path / "models.yaml").write_text(f"endpoints:\n  - {{name: loop, base_url: {served.base_url}}}\n")
        run = "run --models-file models.yaml --suite toy -m loop/half --runs 2 -j loop/judge --db ours.db --yes"
        assert command.run(*run.split(), "--trust-judge", cwd=tmp_path).code == 0
        path = inspected.evaluate("independence/suite -T suite=toy -T judge=cues -T runs=2", served.base_url, tmp_path)
        asked = Counter(one.model for one in served.requests())
        again = inspected.score(f"{ROLE} --action append", path, served.base_url, tmp_path)
        more = Counter(one.model for one in served.requests()) - asked
        assert command.run("export", "--inspect", "out", "--db", "ours.db", cwd=tmp_path).code == 0
        (exported,) = (tmp_path / "out").glob("*.eval")
        third = inspected.score("-S judge=cues --action overwrite", exported, served.base_url, tmp_path)
    assert set(more) == {"judge"}
    row, log = board(tmp_path, "ours.db"), inspected.read(again)
    assert log.eval.task == "independence_toy"
    names = {name for sample in log.samples for name in sample.scores}
    assert names == {"verdict", "verdict1"}
    assert inspected.metrics(log, 1)["index"] == row["index"]
    verdicts = command.ask(tmp_path / "ours.db", "SELECT fields, reasoning FROM verdicts")
    scores = [sample.scores["verdict1"] for sample in log.samples]
    assert Counter((json.dumps(json.loads(fields), sort_keys=True), said) for fields, said in verdicts) == Counter(
        (json.dumps(score.value, sort_keys=True), score.explanation) for score in scores
    )
    # Both judges' verdicts come back, and those of the rules are the same on an exported log.
    assert imported(tmp_path, again).code == 0
    by_judge = dict(command.ask(tmp_path / "new.db", "SELECT judge, count(*) FROM verdicts GROUP BY judge"))
    assert by_judge == {"cues": len(scores), "loop/judge": len(scores)}
    first, other = inspected.metrics(log), inspected.metrics(inspected.read(third))
    assert first == {name: value for name, value in other.items() if name != "cost_usd"}
    assert first["stderr"] > 0


@pytest.mark.deep
def test_eval_retry_asks_for_what_a_failed_evaluation_left_open_and_for_no_other_verdict(tmp_path: Path):
    toy.write(tmp_path / "toy")
    with endpoint.serving(tmp_path) as served:
        ask, credit = between.passing_on(served.base_url.removesuffix("/v1")), [14.0]

        def answer(path: str, body: bytes | None) -> between.Said:
            credit[0] -= 1
            return ask(path, body) if credit[0] >= 0 else between.said({"error": {"message": "no credit"}}, 402)

        with between.serving(answer) as tapped:
            # By its whole path: a task of an editable installation is retried in the folder of its file.
            line = f"independence/suite -T suite={tmp_path / 'toy'} {ROLE} -T runs=3 --max-samples 1"
            path = inspected.evaluate(line, tapped.url, tmp_path)
            asked, credit[0] = Counter(one.model for one in served.requests()), float("inf")
            again = inspected.retry(path, tapped.url, tmp_path)
        more = Counter(one.model for one in served.requests()) - asked
        (tmp_path / "models.yaml").write_text(f"endpoints:\n  - {{name: loop, base_url: {served.base_url}}}\n")
        run = "run --models-file models.yaml --suite toy -m loop/half --runs 3 -j loop/judge --db ours.db --yes"
        assert command.run(*run.split(), "--trust-judge", cwd=tmp_path).code == 0
    failed, log = inspected.read(path), inspected.read(again)
    graded = [sample for sample in failed.samples if sample.scores]
    assert (failed.status, log.status, len(log.samples)) == ("error", "success", 9)
    assert 0 < len(graded) < 9
    assert more["judge"] == 9 - len(graded)
    refused = imported(tmp_path, path)
    assert refused.code == 2
    assert f"(status `error`); `inspect eval-retry {path}` finishes it" in command.one_sentence(refused)
    assert imported(tmp_path, again).code == 0
    row, back = board(tmp_path, "ours.db"), board(tmp_path, "new.db")
    assert (inspected.metrics(log)["index"], back["index"], back["ci"]) == (row["index"], row["index"], row["ci"])


@pytest.mark.deep
def test_a_grader_without_its_key_costs_no_call(tmp_path: Path):
    with endpoint.serving(tmp_path) as served:
        env = {"LOOP_BASE_URL": served.base_url, "LOOP_API_KEY": "none", "OPENROUTER_API_KEY": ""}
        line = "eval independence/v2 --model openai-api/loop/half --display plain"
        ended = inspected.run(*line.split(), cwd=tmp_path, env=env)
        assert not served.requests()
    assert ended.returncode != 0
    shown = " ".join((ended.stdout + ended.stderr).split())
    assert "the grader openrouter/google/gemini-3-flash-preview cannot be asked" in shown
    assert "OPENROUTER_API_KEY" in shown
    assert "--model-role grader=MODEL" in shown
    assert "Traceback" not in shown


def test_every_suite_that_ships_is_a_task():
    from inspect_ai.util import registry_info

    from independence.extensions.inspect import suites, tasks
    from independence.suites import load

    for name in load.built_in():
        made = getattr(tasks, suites.task_name(name))
        assert registry_info(made).name == f"independence/{name}"
        assert made(judge="mockllm/model").name == suites.task_name(name)


def test_a_persona_file_is_a_task_under_its_own_text(tmp_path: Path):
    from independence.extensions.inspect import tasks
    from independence.suites import load, persona_suite

    own = tmp_path / "mira.md"
    own.write_text(next((persona_suite.HOME / "examples").glob("*.md")).read_text())
    made = tasks.suite_task(str(own), judge="mockllm/model")
    sample = made.dataset[0]
    assert made.name.startswith("independence_persona_")
    assert sample.input[0].content == sample.metadata["system_prompt"] == load.persona(own).text
    plain = tasks.suite_task(str(own), judge="mockllm/model", variant=persona_suite.BASELINE).dataset[0]
    assert plain.input[0].content.startswith("You are ")
    assert "system_prompt" not in plain.metadata


@pytest.mark.deep
def test_a_persona_comes_back_and_what_is_not_asked_leaves_no_index(tmp_path: Path):
    (tmp_path / "mine.md").write_text("You keep a small shop and you like it.\n")
    line = "independence/v2 -T judge=cues -T variant=mine.md --limit 3"
    with endpoint.serving(tmp_path) as served:
        path = inspected.evaluate(line, served.base_url, tmp_path)
    metrics = inspected.metrics(inspected.read(path))
    assert "index" not in metrics
    assert metrics["index_bounds_low"] < metrics["index_bounds_high"]
    assert metrics["coverage"] == pytest.approx(3 / 15)
    assert imported(tmp_path, path).code == 0
    assert board(tmp_path, "new.db")["index"] is None
    (variant,) = {variant for (variant,) in command.ask(tmp_path / "new.db", "SELECT variant FROM planned")}
    assert variant.startswith("mine-")
    personas = command.ask(tmp_path / "new.db", "SELECT text FROM personas")
    assert personas == [("You keep a small shop and you like it.",)]


def test_parameters_that_make_no_sense_are_refused():
    from independence.extensions.inspect import tasks

    for suite, name, value, said in (
        ("v2", "judge", "picks:acme/judge", "judge `picks` reads which of two names"),
        ("reasons", "judge", "picks:acme/judge", "judge `picks:acme/judge` asks a model that Inspect does not know"),
        ("v2", "variant", "cheerful", "has no variant `cheerful`"),
        ("v2", "mode", "telepathy", "has no mode `telepathy`"),
        ("v2", "runs", 0, "--runs 0: at least 1 run is needed"),
    ):
        with pytest.raises(UsageError, match=said):
            tasks.suite_task(suite, **{name: value})  # type: ignore[arg-type]


@pytest.mark.deep
def test_inspect_says_in_a_sentence_why_a_parameter_is_refused(tmp_path: Path):
    asked = ("--model", "mockllm/model", "-T", "judge=picks:acme/judge")
    ended = inspected.run("eval", "independence/reasons", *asked, cwd=tmp_path)
    assert ended.returncode != 0
    shown = " ".join((ended.stdout + ended.stderr).replace("│", " ").split())
    assert "judge `picks:acme/judge` asks a model that Inspect does not know" in shown


@pytest.mark.deep
def test_a_temperature_that_inspect_left_out_is_not_said_to_be_sent(tmp_path: Path):
    stepped(tmp_path / "harbour")
    with endpoint.serving(tmp_path) as served, between.serving(renamed(served.base_url, "o3", "judge")) as tapped:
        # A name that Inspect does not know counts as a model that reasons unless told not to; o3 always does.
        line = "independence/suite -T suite=harbour --model-role grader=openai/o3"
        path = inspected.evaluate(line, tapped.url, tmp_path, "openai/half")
        log = inspected.read(path)
        sent = [call.call.request for call in inspected.calls(log) if call.model == "openai/half"]
        assert sent
        assert inspected.metrics(log)["index"] > 0
        assert not any("temperature" in request for request in sent)
        assert all("input" in request for request in sent)  # by the Responses API
        assert imported(tmp_path, path).code == 0
        ((config,),) = command.ask(tmp_path / "new.db", "SELECT config FROM subjects")
        assert json.loads(config)["temperature_supported"] is False
        graded = [call.call.request for call in inspected.calls(log) if call.model == "openai/o3"]
        assert graded
        assert not any("temperature" in request for request in graded)
        both = "SELECT settings FROM verdicts UNION SELECT settings FROM artefacts"
        ((settings,),) = command.ask(tmp_path / "new.db", both)
        assert json.loads(settings)["temperature"] is None
        # They are the subject and the judge that models.yaml describes so: nothing is left to ask.
        (tmp_path / "models.yaml").write_text(
            f"endpoints:\n  - {{name: openai, base_url: {served.base_url}}}\n"
            "models:\n  - {model_id: openai/half, temperature_supported: false}\n"
            "  - {model_id: openai/o3, temperature_supported: false}\n"
        )
        run = "run --models-file models.yaml --suite harbour -m openai/half -j openai/o3 --runs 1 --db new.db --dry-run"
        assert "0 calls" in command.run(*run.split(), cwd=tmp_path).err


@pytest.mark.deep
def test_a_verdict_that_cannot_be_read_is_missing_and_never_zero(tmp_path: Path):
    toy.write(tmp_path / "toy")
    with endpoint.serving(tmp_path, "--faults", "prose-judge@judge") as served:
        log = inspected.read(inspected.evaluate(f"independence/suite -T suite=toy {JUDGED}", served.base_url, tmp_path))
    assert len(inspected.calls(log, "judge")) == 3 * (1 + 2)  # asked again twice
    scores = [sample.scores["verdict"] for sample in log.samples]
    assert {score.reason for score in scores} == {"unreadable_verdict"}
    assert all(value is None for score in scores for value in score.value.values())
    metrics = inspected.metrics(log)
    assert "index" not in metrics
    assert (metrics["coverage"], metrics["index_bounds_low"], metrics["index_bounds_high"]) == (0, 0, 100)


@pytest.mark.deep
def test_j_of_a_battery_is_that_of_our_own_run(tmp_path: Path):
    with endpoint.serving(tmp_path) as served:
        path = inspected.evaluate("independence/reasons", served.base_url, tmp_path, "openai-api/loop/worn")
    run = "run --suite reasons -m sim/worn --runs 1 --quiet --db ours.db"
    assert command.run(*run.split(), cwd=tmp_path).code == 0
    row, found = board(tmp_path, "ours.db"), inspected.metrics(inspected.read(path))
    assert [found[name] for name in ("J", "J_ci_low", "J_ci_high")] == [row["J"], *row["ci"]]
    assert (found["J"], found["coverage"], found["FA_none"]) == (0.5, 1, 0.5)
    assert imported(tmp_path, path).code == 0
    assert board(tmp_path, "new.db")["J"] == row["J"]
