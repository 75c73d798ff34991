"""Real weights on a real server: SmolLM2-135M-Instruct in llama.cpp's server."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from independence.suites import load
from tests.e2e import command, endpoint, inspected, llama

pytestmark = pytest.mark.real


def asked(url: str, **body: Any) -> dict[str, Any]:
    """The JSON that the server answers."""
    data = json.dumps(body).encode() if body else None
    with urllib.request.urlopen(urllib.request.Request(url, data), timeout=120) as answer:
        document: dict[str, Any] = json.loads(answer.read())
    return document


def test_the_server_answers_in_words_and_is_as_large_and_has_the_template_as_it_was_told() -> None:
    template = "{% for message in messages %}{{ message.content }}{% endfor %}"
    told = ("--context", "512", "--slots", "1", "--template", template, "--repeat-penalty", "1.25")
    question = [{"role": "user", "content": "The capital of France is"}]
    with llama.serving(llama.smollm2(), "small", *told) as address:
        properties = asked(f"{address}/props")
        answer = asked(f"{address}/v1/chat/completions", messages=question, temperature=0, max_tokens=8)
    assert "Paris" in answer["choices"][0]["message"]["content"]
    assert answer["usage"]["prompt_tokens"] > 0
    assert properties["model_alias"] == "small"
    assert properties["total_slots"] == 1
    assert properties["model_path"] == str(llama.smollm2())
    assert properties["default_generation_settings"]["n_ctx"] == 512
    assert properties["default_generation_settings"]["params"]["repeat_penalty"] == 1.25
    assert properties["chat_template"] == template


def test_its_weights_have_the_name_of_their_file_and_its_only_model_needs_none(smollm2: str, tmp_path: Path) -> None:
    line = ("estimate-cost", "--local-url", smollm2, "--no-judge", "--format", "csv", "--db", "x.db")
    assert "local/smollm2+SmolLM2-135M-Instruct" in command.ok(*line, cwd=tmp_path).out


STABILITY = 5 * 2  # calls of one run: five dialogues of two answers


@pytest.fixture
def brief(tmp_path: Path) -> Path:
    """The built-in suite with answers of at most 48 tokens: small weights write to the end of any budget."""
    folder = shutil.copytree(load.locate("v2"), tmp_path / "brief")
    document = (folder / "suite.yaml").read_text(encoding="utf-8")
    (folder / "suite.yaml").write_text(document.replace("max_tokens: 2048", "max_tokens: 48"), encoding="utf-8")
    return folder


def started(cwd: Path, server: str, *more: str | Path) -> subprocess.Popen[str]:
    """`run` on the small weights, graded by the rules."""
    whom = ("--local-url", server, "--local-model", "smollm2", "-j", "cues", "--runs", "1", "--db", "x.db")
    return command.start("run", *whom, *more, cwd=cwd)


def calls(db: Path) -> int:
    """Settled calls."""
    return command.ask(db, "SELECT count(*) FROM calls WHERE version = 0")[0][0] if db.exists() else 0


def test_a_run_through_a_tool_that_the_template_does_not_know_ends_before_its_first_call(
    smollm2: str, tmp_path: Path
) -> None:
    ended = command.finish(started(tmp_path, smollm2))
    assert ended.code == 2
    said = command.one_sentence(ended)
    assert "the model never sees its own earlier messages (arguments of tool calls)" in said
    assert "--delivery user_role" in said
    assert not (tmp_path / "x.db").exists()


@pytest.mark.deep
def test_in_plain_chat_an_interrupted_run_keeps_what_was_answered_and_the_same_command_asks_the_rest(
    smollm2: str, tmp_path: Path, brief: Path
) -> None:
    asked = ("--suite", brief, "-e", "stability", "--delivery", "user_role", "-pt", "1")
    db = tmp_path / "x.db"
    process = started(tmp_path, smollm2, *asked)
    endpoint.until(lambda: command.holds(db, 2), "answers")
    process.send_signal(signal.SIGINT)
    ended = command.finish(process)
    assert ended.code == 130, ended.err
    assert 2 < calls(db) < STABILITY
    first = command.finish(started(tmp_path, smollm2, *asked))
    assert first.code in (0, 3), first.err  # the rules may find no verdict in what so small a model says
    settled = command.ask(db, "SELECT version, missing, prompt_tokens, flags FROM calls")
    assert all(version == 0 for version, *_ in settled)  # nothing was asked twice
    assert all(missing in (None, "no_answer") for _, missing, *_ in settled)
    assert all(tokens > 100 for *_, tokens, _ in settled)
    assert not any("delivery_unverified" in flags for *_, flags in settled)
    again = command.finish(started(tmp_path, smollm2, *asked))
    assert (again.code, "plan: 0 calls and 0 verdicts to go" in again.err) == (first.code, True), again.err
    shown = command.run("show", "local/smollm2", "pt01", "--delivery", "user_role", "--db", "x.db", cwd=tmp_path)
    told = " ".join(shown.out.split())
    for part in ("system prompt", "earlier answers", "the person's words", "the longest prompt"):
        assert f"{part}: delivered" in told


@pytest.mark.deep
def test_inspect_asks_it_as_the_page_of_results_has_it_and_its_log_comes_back(smollm2: str, tmp_path: Path) -> None:
    inspected.needed()
    line = "independence/v2 -T mode=user_role -T judge=cues --limit 1"
    path = inspected.evaluate(line, f"{smollm2}/v1", tmp_path, "openai-api/loop/smollm2")
    log = inspected.read(path)
    assert log.status == "success"
    assert all(call.output.usage.output_tokens > 1 for call in inspected.calls(log))
    command.ok("import", path, "--db", "x.db", cwd=tmp_path)
    assert calls(tmp_path / "x.db") == 1
