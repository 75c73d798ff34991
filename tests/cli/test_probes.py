from __future__ import annotations

import json
import re
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


def test_calls_to_a_subject_are_made_in_its_configuration_and_in_our_own_protocol() -> None:
    requests, tool = probes.of_subject(SUBJECT), load("v2").suite.delivery.tool_role
    for request in requests.values():
        assert (request.model, request.sampling) == ("a/one", Sampling(1.0, "low", "host/int4"))
        assert request.max_tokens <= 512
    request = requests["tool call"]
    assert tool is not None
    assert request.tool is not None
    assert request.tool.name == tool.name
    assert " ".join(message.role for message in request.messages) == "system user assistant tool assistant tool"
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
    assert "reasoning effort left out" in probes.read("answer", "m", probed("x", marks=("effort_refused",))).found


@pytest.mark.parametrize(
    ("probe", "result", "verdict", "found", "fix"),
    [
        # What would spoil a run is a warning, and other flags are none.
        ("answer", probed("x", marks=(protocol.CACHE_HIT,)), "warn", protocol.CACHE_HIT, "."),
        ("answer", probed("x", marks=(protocol.TEMPLATE_TOKENS,)), "warn", protocol.TEMPLATE_TOKENS, "."),
        ("answer", probed("x", marks=(protocol.TOOL_SYNTAX,)), "warn", protocol.TOOL_SYNTAX, "."),
        ("answer", probed("x", marks=(protocol.RETRIED_LENGTH,)), "ok", "answered by", ""),
        # Reasoning alone may end in an answer given more tokens.
        ("answer", silent("no_answer"), "warn", "nothing came", "less effort"),
        ("answer", silent("blocked"), "fail", "nothing came", "less effort"),
        ("verdict", silent("no_answer"), "fail", "nothing came", "--judge cues"),
        # A refused replay names the mode without tools; other trouble does not blame them.
        *(("tool call", stopped("no thought_signature", code), "fail", "no thought_signature",
           "(?s)(?=.*--delivery user_role).*the general advice") for code in ("400", "404", "500")),
        ("tool call", stopped("slower", "429"), "fail", "slower", "^the general advice$"),
        ("tool call", probed("x", channel="tool"), "ok", "", ""),
        ("tool call", probed("x"), "warn", "", "--enable-auto-tool-choice"),
    ],
)  # fmt: skip
def test_what_a_probe_shows_is_told_with_what_to_do(
    probe: str, result: ProbeResult, verdict: str, found: str, fix: str
) -> None:
    finding = probes.read(probe, "m", result)
    assert finding.result == verdict
    assert found in finding.found
    assert re.search(fix, finding.fix)


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
