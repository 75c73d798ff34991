"""The command against llama.cpp's own server over a model of pure noise, and against servers that fall short of it.

Whatever comes back is stored as it came, shown escaped, graded or missing for a reason; nothing crashes.
"""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pytest

from independence.types import MissingReason
from tests.e2e import between, command, llama, suites
from tests.e2e.between import Answer, Exchange, Said
from tests.e2e.command import Ended

ALIAS = "noise\x1b[31m\u202e"  # an id that would colour the terminal and turn it round
TOOL, PARAMETER = "send_message_to_human", "message"
REASONS = set(get_args(MissingReason))
BOTH = ("--modes", "user_role,tool_role")
HOSTILE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
ANSWERS = "SELECT channel, response_id, text, raw, tool_calls, flags FROM calls WHERE version = 0 AND missing IS NULL"
CALM = "I see that, and I would still take the berth by the ice house."


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return llama.noise(tmp_path_factory.mktemp("model") / "noise.gguf", TOOL, PARAMETER)


@pytest.fixture(scope="module")
def address(model: Path) -> Iterator[str]:
    with llama.serving(model, ALIAS, *llama.NOISE) as found:
        yield found


def toy(folder: Path, document: suites.Document | None = None) -> Path:
    """A small suite with short answers, whose tool is the one the model has words for."""
    document = document or suites.harbour()
    document["delivery"]["max_tokens"] = 48
    document["delivery"]["tool_role"] |= {"name": TOOL, "parameter": PARAMETER}
    return suites.write(folder / document["suite"], document)


def run(cwd: Path, url: str, *more: str | Path, model: str = ALIAS) -> Ended:
    """`run` on a local server, graded by the rules."""
    return command.run(
        "run", "--local-url", url, "--local-model", model, "-j", "cues", "--db", "x.db", *more, cwd=cwd
    )  # fmt: skip


def settled(db: Path) -> int:
    """How many planned dialogues came to nothing, each for a stated reason; all others are answered and graded."""
    nothing = 0
    for trial, parent, turns in command.ask(db, "SELECT t.key, t.parent, t.turns FROM trials t"):
        calls = command.ask(db, f"SELECT missing FROM calls WHERE trial = '{trial}' AND version = 0 ORDER BY turn")
        verdicts = command.ask(db, f"SELECT missing, fields FROM verdicts WHERE trial = '{trial}'")
        reasons = [reason for (reason, *_) in calls + verdicts if reason is not None]
        assert set(reasons) <= REASONS
        if not reasons and not calls:
            above = command.ask(db, f"SELECT missing FROM calls WHERE trial = '{parent}' AND version = 0")
            reasons = [reason for (reason,) in above if reason is not None]
            assert reasons, f"{trial} is neither answered nor missing"
        if not reasons:
            assert len(calls) == turns
            assert len(verdicts) == 1
            assert json.loads(verdicts[0][1])
        nothing += bool(reasons)
    return nothing


class Noisy(NamedTuple):
    """A finished run on the server of noise."""

    cwd: Path
    url: str
    ended: Ended
    exchanges: list[Exchange]
    suite: Path

    def again(self) -> Ended:
        """The same command."""
        return run(self.cwd, self.url, "--suite", self.suite, *BOTH, "--runs", "4")


@pytest.fixture(scope="module", params=[suites.harbour, suites.branching], ids=["dialogues", "branches"])
def noisy(request: pytest.FixtureRequest, address: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Noisy]:
    cwd = tmp_path_factory.mktemp("noisy")
    with between.serving(between.passing_on(address)) as tapped:
        suite = toy(cwd, request.param())
        first = Noisy(cwd, tapped.url, Ended(-1, "", ""), tapped.exchanges, suite)
        yield first._replace(ended=first.again())


def test_every_dialogue_with_noise_is_graded_or_missing_for_a_reason_and_asked_once(noisy: Noisy):
    nothing = settled(noisy.cwd / "x.db")
    assert noisy.ended.code == (3 if nothing else 0), noisy.ended
    assert ("missing: " in noisy.ended.err) == bool(nothing)
    assert "Traceback" not in noisy.ended.err
    planned = 3 * 2 * 4  # scenarios x modes x runs
    assert len(command.ask(noisy.cwd / "x.db", "SELECT * FROM planned")) == planned
    asked = len(noisy.exchanges)
    again = noisy.again()
    assert (again.code, again.out) == (noisy.ended.code, noisy.ended.out), again.err
    assert len(noisy.exchanges) == asked


def streamed(body: bytes) -> tuple[str, dict[str, Any]]:
    """The id and the message of an answer that llama.cpp streamed."""
    chunks = [json.loads(line[6:]) for line in body.decode().split("\n") if line.startswith("data: {")]
    deltas = [choice["delta"] for chunk in chunks for choice in chunk.get("choices", ())]  # none with an error
    calls: dict[int, list[str]] = {}
    for piece in (piece for delta in deltas for piece in delta.get("tool_calls", ())):
        calls.setdefault(piece["index"], []).append(piece["function"].get("arguments", ""))
    content = "".join(delta.get("content") or "" for delta in deltas)
    return chunks[0].get("id", ""), {"content": content, "calls": ["".join(pieces) for pieces in calls.values()]}


def complete(arguments: str) -> dict[str, Any] | None:
    """The arguments of a call; None where they were cut off, which noise can be behind a brace of its text."""
    try:
        found: dict[str, Any] = json.loads(arguments)
    except ValueError:
        return None
    return found


def test_what_noise_says_is_stored_as_it_came(noisy: Noisy):
    # As bytes, answers are valid UTF-8 with control characters escaped.
    asked = [one for one in noisy.exchanges if one.said.status == 200 and one.asked.get("stream")]
    sent = dict(streamed(exchange.said.body) for exchange in asked)
    answers = command.ask(noisy.cwd / "x.db", ANSWERS)
    for channel, response_id, text, raw, tool_calls, _ in answers:
        message = sent[response_id]
        if channel == "tool":
            called = message["calls"]
            whole = [arguments[PARAMETER].strip() for arguments in map(complete, called) if arguments is not None]
            assert [call["function"]["arguments"] for call in json.loads(tool_calls)] == called
            assert raw in called or text in whole
        else:
            assert (raw or text).strip() == message["content"].replace("\0", "").strip()
    assert {channel for channel, *_ in answers} == {"tool", "content"}
    assert {"\x1b", "\ufffd"} <= set("".join(text for _, _, text, *_ in answers))
    for (blob,) in command.ask(noisy.cwd / "x.db", "SELECT CAST(text AS BLOB) FROM calls"):
        blob.decode()


def test_no_control_character_reaches_the_terminal(noisy: Noisy):
    shown = [noisy.ended]
    for style in ("table", "csv", "md", "json"):
        asked = ("--detailed", "--mode", "tool_role", "--format", style)
        shown.append(command.run("leaderboard", *asked, "--db", "x.db", cwd=noisy.cwd, env={"COLUMNS": "140"}))
    for ended in shown:
        assert HOSTILE.search(ended.out + ended.err) is None
        assert r"local/noise\u001b[31m\u202e" in ended.out.replace("\\[", "[")  # as Markdown keeps it from being a link
    assert shown[-1].board["rows"][0]["label"] == f"local/{ALIAS}+noise@low-t0.7"  # data is as it was


def test_the_built_in_suite_runs_on_noise_and_quiet_means_quiet(tmp_path: Path, address: str):
    ended = run(tmp_path, f"{address}/v1", *BOTH, "-e", "resistance", "--runs", "1", "--quiet")
    nothing = settled(tmp_path / "x.db")
    assert ended.code == (3 if nothing else 0)
    assert ended.err.count("\n") == bool(nothing)  # quiet, but for the reason of an exit code
    assert ended.err.startswith("missing: " if nothing else "")
    said = any(words in ended.out for words in ("verdicts are missing", "verdicts on them do not count"))
    assert said == bool(nothing)  # the second where half of the noise or more is no answer
    assert ended.out.count("v2@") == 2
    assert HOSTILE.search(ended.out) is None
    assert command.ask(tmp_path / "x.db", "SELECT count(*) FROM planned") == [(10,)]


def test_a_server_that_is_not_there_is_one_line_with_its_address(tmp_path: Path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    ended = run(tmp_path, url)
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert url in command.one_sentence(ended)
    assert "--local-url" in ended.err


def test_an_id_the_server_does_not_list_is_refused_although_it_would_answer(tmp_path: Path, address: str):
    # llama.cpp answers to any name; under a mistyped one its replies would pass for another model's.
    question = {"model": "nose", "max_tokens": 1, "messages": [{"role": "user", "content": "?"}]}
    answered = between.passing_on(address)("/v1/chat/completions", json.dumps(question).encode())
    assert answered.status == 200
    ended = run(tmp_path, address, model="nose")
    assert ended.code == 2
    assert command.one_sentence(ended).startswith("Error: local has no model `nose`")
    assert r"noise\u001b[31m\u202e" in ended.err
    assert HOSTILE.search(ended.err) is None
    assert not (tmp_path / "x.db").exists()


def parked_once(ended: Ended, why: str, db: Path, planned: int) -> None:
    """Exit 3 and what the server lacks, once and at the end; `user_role` is complete and `tool_role` not begun."""
    assert ended.code == 3
    stopped, missing = (line for line in ended.err.splitlines() if why in line)
    assert "@low-t0.7) is not asked any more in this run: " in stopped
    assert missing.startswith(f"missing: {planned} dialogues unfinished, the same command asks again (")
    done = "SELECT mode, count(DISTINCT p.trial) FROM planned p JOIN verdicts v USING (trial) GROUP BY mode"
    assert command.ask(db, done) == [("user_role", planned)]


def test_llama_without_templates_takes_no_tools_which_is_said_once(tmp_path: Path, model: Path):
    with llama.serving(model, ALIAS, *llama.NOISE, "--no-tools") as address:
        ended = run(tmp_path, address, "--suite", toy(tmp_path), *BOTH, "--runs", "1")
    parked_once(ended, "tools param requires --jinja flag", tmp_path / "x.db", 3)


def calm(content: str, body: bytes | None) -> Said:
    """A plain completion."""
    choice = {"finish_reason": "stop", "message": {"role": "assistant", "content": content}}
    usage = between.usage(json.loads(body or b"{}"))
    return between.said({"id": "r", "model": "m", "choices": [choice], "usage": usage})


def listing(answer: Answer, *models: str) -> Answer:
    """The same server with a list of models."""
    listed = between.said({"object": "list", "data": [{"id": name} for name in models]})
    return lambda path, body: listed if body is None else answer(path, body)


@pytest.mark.parametrize("status", [400, 500])
def test_a_server_that_refuses_tools_costs_the_other_mode_nothing(tmp_path: Path, status: int):
    why = "registry/m:latest does not support tools"

    def answer(path: str, body: bytes | None) -> Said:
        return between.said({"error": {"message": why}}, status) if b'"tools"' in (body or b"") else calm(CALM, body)

    with between.serving(listing(answer, "m")) as tapped:
        ended = run(tmp_path, tapped.url, "--suite", toy(tmp_path), *BOTH, "--runs", "1", model="m")
    parked_once(ended, why, tmp_path / "x.db", 3)


@pytest.mark.deep
def test_random_weights_have_no_index(tmp_path: Path, address: str):
    ended = run(tmp_path, address, "--runs", "1")
    assert (ended.code, "no_answer" in ended.err) == (3, True), ended.err
    board = command.run("leaderboard", "--format", "json", "--db", "x.db", cwd=tmp_path).board
    assert [row["index"] for row in board["rows"]] == [None]
