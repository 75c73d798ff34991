from __future__ import annotations

import json
from typing import Any

import pytest

from independence.cli import probes
from independence.cli.probes import ProbeResult
from independence.clients import protocol
from independence.config.subjects import Subject
from independence.judge.model import ModelJudge
from independence.suites.load import load
from independence.types import Attempt, Reply, Sampling, Usage

SUBJECT = Subject("a/one", "openrouter", "a/one", Sampling(1.0, "low", "host/int4"))
VERDICT = {"reasoning": "It stays.", "kept": True, "firmness": 9}


def probed(text: str = "", *, channel: Any = "content", marks: tuple[str, ...] = ()) -> ProbeResult:
    attempts = (Attempt("ok", 1.5, Usage(cost_usd=0.25)),)
    return ProbeResult(attempts, Reply(text, channel, flags=marks, served_provider="Host"))


def stopped(problem: str, outcome: str) -> ProbeResult:
    return ProbeResult((Attempt(outcome, 0.5),), problem=problem, fix="the general advice")


def silent(reason: Any) -> ProbeResult:
    attempts = (Attempt(reason, 0.5),)
    return ProbeResult(attempts, problem="nothing came", fix="less effort", missing=reason)


def test_calls_to_a_subject_are_made_in_its_configuration() -> None:
    for request in probes.of_subject(SUBJECT).values():
        assert (request.model, request.sampling) == ("a/one", Sampling(1.0, "low", "host/int4"))
        assert request.max_tokens <= 512


def test_the_tool_call_is_the_next_turn_of_a_dialogue_in_our_own_protocol() -> None:
    request, tool = probes.of_subject(SUBJECT)["tool call"], load("v2").suite.delivery.tool_role
    assert tool is not None
    assert request.tool is not None
    assert request.tool.name == tool.name
    assert [message.role for message in request.messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
        "tool",
    ]
    first, second = (message.tool_calls[0].function for message in request.messages if message.tool_calls)
    assert json.loads(first.arguments) == {tool.parameter: tool.greeting}
    assert "ice house" in json.loads(second.arguments)[tool.parameter]


def test_the_verdict_is_asked_for_as_runs_ask_for_it() -> None:
    request = probes.of_judge(ModelJudge("j/udge", endpoint="openrouter", model="j/udge"))["verdict"]
    assert (request.sampling, request.tool) == (Sampling(0.0, "none"), None)
    assert request.schema is not None
    assert list(request.schema["properties"]) == ["reasoning", "kept", "firmness"]
    (message,) = request.messages
    assert "<quoted " in str(message.content)


def test_an_answer_is_told_with_who_gave_it() -> None:
    finding = probes.read("answer", "a/one", probed("Boats."))
    assert finding == ("answer", "a/one", "ok", "answered by Host in 1.5 s", "", 0.25)
    assert (
        "reasoning effort left out" in probes.read("answer", "m", probed("x", marks=("effort_refused",))).found
    )


@pytest.mark.parametrize("flag", [protocol.CACHE_HIT, protocol.TEMPLATE_TOKENS, protocol.TOOL_SYNTAX])
def test_what_would_spoil_a_run_is_a_warning(flag: str) -> None:
    finding = probes.read("answer", "m", probed("x", marks=(flag,)))
    assert finding.result == "warn"
    assert flag in finding.found
    assert finding.fix


def test_a_flag_that_spoils_nothing_is_none() -> None:
    assert probes.read("answer", "m", probed("x", marks=(protocol.RETRIED_LENGTH,))).result == "ok"


def test_reasoning_alone_may_end_in_an_answer_given_more_tokens() -> None:
    assert probes.read("answer", "m", silent("no_answer")).result == "warn"
    assert probes.read("answer", "m", silent("blocked")).result == "fail"
    assert probes.read("verdict", "m", silent("no_answer")).result == "fail"


@pytest.mark.parametrize("outcome", ["400", "404", "500"])
def test_a_refused_replay_names_the_mode_without_tools(outcome: str) -> None:
    finding = probes.read("tool call", "m", stopped("missing a thought_signature", outcome))
    assert (finding.result, finding.found) == ("fail", "missing a thought_signature")
    assert "--delivery user_role" in finding.fix
    assert "the general advice" in finding.fix


def test_trouble_that_has_nothing_to_do_with_tools_does_not_blame_them() -> None:
    assert probes.read("tool call", "m", stopped("slower", "429")).fix == "the general advice"


def test_speaking_beside_the_tool_is_a_warning() -> None:
    assert probes.read("tool call", "m", probed("x", channel="tool")).result == "ok"
    beside = probes.read("tool call", "m", probed("x"))
    assert beside.result == "warn"
    assert "--enable-auto-tool-choice" in beside.fix


@pytest.mark.parametrize(
    ("text", "result", "says"),
    [
        (json.dumps(VERDICT), "ok", "complete"),
        ("Let me see. " + json.dumps(VERDICT), "ok", "complete"),
        ("I would say it held.", "fail", "no JSON object found"),
        (json.dumps(VERDICT | {"firmness": 11}), "fail", "`firmness` is 11, outside 0 to 10"),
        (json.dumps({"kept": True}), "fail", "`firmness` is missing"),
    ],
)
def test_a_judge_is_good_when_its_verdict_is_complete(text: str, result: str, says: str) -> None:
    finding = probes.read("verdict", "j", probed(text))
    assert finding.result == result
    assert says in finding.found
    assert result == "ok" or "--judge cues" in finding.fix


def test_a_judge_whose_endpoint_takes_no_schema_is_good_all_the_same() -> None:
    finding = probes.read("verdict", "j", probed(json.dumps(VERDICT), marks=("schema_refused",)))
    assert finding.result == "ok"
    assert "rejects JSON schemas" in finding.found
