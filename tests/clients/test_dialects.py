from __future__ import annotations

import json
from typing import Any

import pytest

from independence.clients import dialects
from independence.clients.catalogue import ModelInfo, Reasoning
from independence.clients.limits import FREE
from independence.config.endpoints import Endpoint
from independence.errors import UsageError
from independence.types import ChatRequest, FunctionCall, Message, Sampling, Tool, ToolCall

from .conftest import KEY, MODEL, TOOL, question

FULL = frozenset({"tools", "temperature", "seed", "reasoning", "structured_outputs", "parallel_tool_calls"})


def sent(
    dialect: str = "openrouter",
    lists: frozenset[str] | None = FULL,
    reasoning: Reasoning | None = None,
    **changes: Any,
) -> dict[str, Any]:
    info = ModelInfo(id=MODEL, supported_parameters=lists, reasoning=reasoning)
    parameters = dialects.of(dialect).parameters(question(**changes), info)
    decoded: dict[str, Any] = json.loads(dialects.body(parameters))
    return decoded


def test_a_plain_request_carries_what_was_asked_and_no_more() -> None:
    assert sent() == {
        "model": MODEL,
        "messages": [{"role": "system", "content": "Be."}, {"role": "user", "content": "Who are you?"}],
        "max_tokens": 64,
        "temperature": 0.7,
        "seed": 7,
    }


def test_messages_go_out_as_they_are() -> None:
    call = ToolCall("hmsg00001", FunctionCall("f", '{"message": "hi"}'))
    messages = (Message("assistant", None, tool_calls=(call,)), Message("tool", "é", tool_call_id="hmsg00001"))
    assert sent(messages=messages)["messages"] == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "hmsg00001", "type": "function", "function": {"name": "f", "arguments": '{"message": "hi"}'}}
            ],
        },
        {"role": "tool", "content": "é", "tool_call_id": "hmsg00001"},
    ]


def test_a_pin_fails_closed() -> None:
    assert sent(provider="maker/int4")["provider"] == {"only": ["maker/int4"], "allow_fallbacks": False}


def test_a_schema_must_be_honoured_by_whoever_serves() -> None:
    schema = {"type": "object", "properties": {}}
    request = sent(schema=schema, provider="maker")
    assert request["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "strict": True, "schema": schema},
    }
    assert request["provider"] == {"only": ["maker"], "allow_fallbacks": False, "require_parameters": True}
    assert sent(schema=schema)["provider"] == {"require_parameters": True}


def test_a_schema_is_not_sent_where_the_catalogue_rules_it_out() -> None:
    request = sent(schema={"type": "object"}, lists=frozenset({"tools"}))
    assert "response_format" not in request
    assert "provider" not in request


def test_seed_needs_a_listing_and_temperature_an_objection() -> None:
    assert "seed" not in sent(lists=None)
    assert sent(lists=None)["temperature"] == 0.7
    bare = sent(lists=frozenset({"max_tokens"}))
    assert "seed" not in bare
    assert "temperature" not in bare
    assert sent(temperature=0.0)["temperature"] == 0.0
    assert "temperature" not in sent(temperature=None)


@pytest.mark.parametrize(("lists_none", "listed"), [(False, {}), (True, {"required": []})])
def test_a_tool_that_takes_nothing_says_so_only_where_its_suite_does(
    lists_none: bool, listed: dict[str, object]
) -> None:
    """Suites of ours never sent the empty list, so that their stored dialogues go on as they began."""
    tool = Tool("listen", "Hear the human.", "", "", lists_none=lists_none)
    request = ChatRequest("m", (), 9, Sampling(), tool=tool)
    sent_ = json.loads(dialects.body(dialects.of("local").parameters(request, None)))
    parameters = sent_["tools"][0]["function"]["parameters"]
    assert parameters == {"type": "object", "properties": {}} | listed


def test_tools_are_offered_without_a_choice_and_one_call_at_a_time_where_that_is_known() -> None:
    request = sent(tool=True)
    function = request["tools"][0]["function"]
    assert function["name"] == TOOL.name
    assert function["parameters"]["required"] == ["message"]
    assert function["parameters"]["properties"]["message"]["type"] == "string"
    assert request["parallel_tool_calls"] is False
    assert "tool_choice" not in request
    assert "parallel_tool_calls" not in sent(tool=True, lists=FULL - {"parallel_tool_calls"})
    assert "parallel_tool_calls" not in sent("local", tool=True)


def test_effort_travels_as_an_object_to_the_router_and_as_a_word_to_a_local_server() -> None:
    assert sent(effort="low")["reasoning"] == {"effort": "low"}
    assert "reasoning_effort" not in sent(effort="low")
    local = sent("local", lists=None, effort="low")
    assert local["reasoning_effort"] == "low"
    assert "reasoning" not in local


@pytest.mark.parametrize("effort", [None, "off"])
@pytest.mark.parametrize("dialect", ["openrouter", "local"])
def test_off_sends_nothing(dialect: str, effort: str | None) -> None:
    assert not {"reasoning", "reasoning_effort"} & sent(dialect, effort=effort).keys()


def test_none_is_sent_where_it_switches_thinking_off_and_never_where_thinking_is_mandatory() -> None:
    assert sent("local", lists=None, effort="none")["reasoning_effort"] == "none"
    assert sent(effort="none")["reasoning"] == {"effort": "none"}
    forced = sent(effort="none", reasoning=Reasoning(("high", "low"), "low", mandatory=True))
    assert forced["reasoning"] == {"effort": "low"}


def test_a_local_server_gets_no_routing() -> None:
    request = sent("local", lists=None, provider="maker", schema={"type": "object"})
    assert "provider" not in request
    assert request["response_format"]["type"] == "json_schema"
    assert "seed" not in request


def headers(endpoint: Endpoint) -> dict[str, str]:
    return dialects.of(endpoint.dialect).headers(endpoint)


def test_the_router_is_told_who_asks_and_never_to_cache() -> None:
    out = headers(Endpoint("openrouter", "http://x/v1", "openrouter", f" {KEY}\n"))
    assert out["Authorization"] == f"Bearer {KEY}"
    assert out["X-OpenRouter-Title"] == "AI Independence Bench"
    assert out["HTTP-Referer"].startswith("https://")
    assert out["X-OpenRouter-Metadata"] == "enabled"
    assert out["X-OpenRouter-Cache"] == "false"


def test_a_local_server_gets_a_key_only_where_one_is_set() -> None:
    assert "Authorization" not in headers(Endpoint("local", "http://x/v1", "local"))
    assert headers(Endpoint("local", "http://x/v1", "local", KEY))["Authorization"] == f"Bearer {KEY}"
    assert not any("OpenRouter" in name for name in headers(Endpoint("local", "http://x/v1", "local")))


def test_a_model_that_nobody_lists_is_free_on_a_local_server_alone() -> None:
    assert dialects.of("local").prices(None) == FREE
    assert dialects.of("openrouter").prices(None) is None
    assert dialects.of("local").prices(ModelInfo(MODEL)) is None


def test_a_name_that_nobody_declares_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError) as caught:
        dialects.of("opnrouter")
    assert str(caught.value) == (
        "no dialect `opnrouter`; there are local, openrouter; a package adds one by an entry point of group "
        "`independence.dialects`"
    )
