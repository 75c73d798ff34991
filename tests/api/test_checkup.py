"""What `doctor` reaches, asks and makes of the answers."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from independence.api import probes
from independence.api.catalogue import EndpointLookup
from independence.api.probes import ProbeResult
from independence.clients import protocol
from independence.config.entries import EndpointEntry
from independence.config.registry import Registry
from independence.config.subjects import Subject
from independence.judge.model import ModelJudge
from independence.suites.load import load
from independence.types import Attempt, Reply, Sampling, Usage

LAB = EndpointEntry(name="lab", base_url="http://10.0.0.5:8000/v1/", api_key_env="LAB_KEY")
KNOWN = Registry(endpoints=(LAB,))


@pytest.mark.parametrize(
    ("name", "env", "found", "missing"),
    [
        ("lab", {}, ("http://10.0.0.5:8000/v1", "", "LAB_KEY"), "LAB_KEY"),  # it can still be reached
        ("lab", {"LAB_KEY": "k-1"}, ("http://10.0.0.5:8000/v1", "k-1", "LAB_KEY"), None),
        ("openrouter", {"OPENROUTER_API_KEY": "your-key-here"}, (None, "", "OPENROUTER_API_KEY"), "placeholder"),
        ("local", {}, None, "--local-url"),
        ("typo", {}, None, "endpoint `typo`: .*is no address: its port"),
    ],
)
def test_what_keeps_an_endpoint_from_being_reached_is_told(
    name: str, env: dict[str, str], found: tuple[str | None, str, str] | None, missing: str | None
) -> None:
    typo = EndpointEntry(name="typo", base_url="http://10.0.0.5:80000/v1")
    endpoint, told = EndpointLookup(Registry(endpoints=(LAB, typo)), env, None).find(name)
    assert (told is None) == (missing is None)
    assert re.search(missing or "", str(told))
    assert (endpoint is None) == (found is None)
    if endpoint is not None and found is not None:
        assert (found[0] or endpoint.base_url, endpoint.api_key, endpoint.key_source) == (endpoint.base_url, *found[1:])


def test_nobody_waits_ten_minutes_for_a_local_server() -> None:
    endpoint, _ = EndpointLookup(KNOWN, {}, "http://127.0.0.1:1234").find("local")
    assert endpoint is not None
    assert endpoint.timeout_s == 180


@pytest.mark.parametrize(
    ("known", "env", "local_url", "names"),
    [
        (Registry(), {}, None, ["openrouter"]),
        (Registry(), {"OPENROUTER_KEY": "k"}, None, ["openrouter"]),
        (Registry(), {"LOCAL_MODEL_URL": "http://127.0.0.1:1"}, None, ["local"]),
        (Registry(), {"OPENROUTER_API_KEY": "k"}, "http://127.0.0.1:1", ["openrouter", "local"]),
        (KNOWN, {}, None, ["lab"]),
        (Registry((Subject("a/b", "openrouter", "a/b"),), (LAB,)), {}, None, ["openrouter", "lab"]),
        (Registry((Subject("a/b", "openrouter", "a/b", active=False),), (LAB,)), {}, None, ["lab"]),
    ],
)
def test_the_endpoints_that_are_spoken_of_are_looked_at(
    known: Registry, env: dict[str, str], local_url: str | None, names: list[str]
) -> None:
    assert EndpointLookup(known, env, local_url).configured() == names


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
    assert "without a reasoning effort" in probes.read("answer", "m", probed("x", marks=("effort_refused",))).found


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
    assert "takes no JSON schema" in finding.found
