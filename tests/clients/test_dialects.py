from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from independence.clients import dialects
from independence.clients.catalogue import Catalogue, ModelInfo, Reasoning
from independence.clients.limits import FREE
from independence.clients.listing import check
from independence.config.endpoints import Endpoint
from independence.errors import UsageError
from independence.types import ChatRequest, FunctionCall, Message, Sampling, Tool, ToolCall
from tests import plugin

from .conftest import FINE, KEY, MODEL, TOOL, Connect, Scripted, Step, answered, question

FULL = frozenset({"tools", "temperature", "seed", "reasoning", "structured_outputs", "parallel_tool_calls"})
SCHEMA = {"type": "object", "properties": {}}


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
    system, user = {"role": "system", "content": "Be."}, {"role": "user", "content": "Who are you?"}
    bare = {"model": MODEL, "messages": [system, user], "max_tokens": 64}
    assert sent() == bare | {"temperature": 0.7, "seed": 7}
    assert sent(temperature=0.0)["temperature"] == 0.0
    for nothing in (sent(lists=frozenset({"max_tokens"})), sent(temperature=None, seed=None)):
        assert nothing == bare
    assert sent(lists=None) == bare | {"temperature": 0.7}  # a seed needs a listing, a temperature an objection


def test_messages_go_out_as_they_are() -> None:
    call = ToolCall("hmsg00001", FunctionCall("f", '{"message": "hi"}'))
    messages = (Message("assistant", None, tool_calls=(call,)), Message("tool", "é", tool_call_id="hmsg00001"))
    function = {"name": "f", "arguments": '{"message": "hi"}'}
    written = [{"id": "hmsg00001", "type": "function", "function": function}]
    assert sent(messages=messages)["messages"] == [
        {"role": "assistant", "content": None, "tool_calls": written},
        {"role": "tool", "content": "é", "tool_call_id": "hmsg00001"},
    ]


def test_a_pin_fails_closed_and_a_schema_must_be_honoured_by_whoever_serves() -> None:
    pin = {"only": ["maker/int4"], "allow_fallbacks": False}
    assert sent(provider="maker/int4")["provider"] == pin
    request = sent(schema=SCHEMA, provider="maker/int4")
    assert request["provider"] == pin | {"require_parameters": True}
    form = {"name": "reply", "strict": True, "schema": SCHEMA}
    assert request["response_format"] == {"type": "json_schema", "json_schema": form}
    assert sent(schema=SCHEMA)["provider"] == {"require_parameters": True}
    assert "response_format" in sent(schema=SCHEMA, lists=frozenset({"response_format"}))
    refused = sent(schema=SCHEMA, lists=frozenset({"tools"}))
    assert {"response_format", "provider"}.isdisjoint(refused)


def test_a_local_server_gets_no_routing() -> None:
    request = sent("local", lists=None, provider="maker", schema=SCHEMA)
    assert request["response_format"]["type"] == "json_schema"
    assert {"provider", "seed"}.isdisjoint(request)


def test_tools_are_offered_without_a_choice_and_one_call_at_a_time_where_that_is_known() -> None:
    request = sent(tool=True)
    (tool,) = request["tools"]
    said = {"type": "string", "description": TOOL.parameter_description}
    parameters = {"type": "object", "properties": {"message": said}, "required": ["message"]}
    assert tool["function"] == {"name": TOOL.name, "description": TOOL.description, "parameters": parameters}
    assert request["parallel_tool_calls"] is False
    assert "tool_choice" not in request
    assert "parallel_tool_calls" not in sent(tool=True, lists=FULL - {"parallel_tool_calls"})
    assert "parallel_tool_calls" not in sent("local", tool=True)


@pytest.mark.parametrize(("lists_none", "listed"), [(False, {}), (True, {"required": []})])
def test_a_tool_that_takes_nothing_says_so_only_where_its_suite_does(
    lists_none: bool, listed: dict[str, object]
) -> None:
    """Suites of ours never sent the empty list, so that their stored dialogues go on as they began."""
    tool = Tool("listen", "Hear the human.", "", "", lists_none=lists_none)
    request = ChatRequest("m", (), 9, Sampling(), tool=tool)
    (offered,) = json.loads(dialects.body(dialects.of("local").parameters(request, None)))["tools"]
    assert offered["function"]["parameters"] == {"type": "object", "properties": {}} | listed


def test_effort_travels_as_an_object_to_the_router_and_as_a_word_to_a_local_server() -> None:
    def effort(*where: Any, **asked: Any) -> dict[str, Any]:
        request = sent(*where, **asked)
        return {name: request[name] for name in ("reasoning", "reasoning_effort") if name in request}

    for word in ("low", "none"):
        assert effort(effort=word) == {"reasoning": {"effort": word}}
        assert effort("local", None, effort=word) == {"reasoning_effort": word}
    for silent in (None, "off"):
        assert effort(effort=silent) == effort("local", effort=silent) == {}
    forced = Reasoning(("high", "low"), "low", mandatory=True)
    assert effort(effort="none", reasoning=forced) == {"reasoning": {"effort": "low"}}


def headers(dialect: str, key: str = "") -> dict[str, str]:
    return dialects.of(dialect).headers(Endpoint(dialect, "http://x/v1", dialect, key))


def test_the_router_is_told_who_asks_and_never_to_cache_and_a_local_server_gets_a_key_where_one_is_set() -> None:
    router = headers("openrouter", f" {KEY}\n")
    assert router["HTTP-Referer"].startswith("https://")
    assert {name: router[name] for name in router if name not in ("Content-Type", "Accept", "HTTP-Referer")} == {
        "Authorization": f"Bearer {KEY}",
        "X-OpenRouter-Title": "AI Independence Bench",
        "X-OpenRouter-Metadata": "enabled",
        "X-OpenRouter-Cache": "false",
        "Cache-Control": "no-cache",
    }
    assert not any("OpenRouter" in name or name == "Authorization" for name in headers("local"))
    assert headers("local", KEY)["Authorization"] == f"Bearer {KEY}"


def test_a_model_that_nobody_lists_is_free_on_a_local_server_alone_and_some_are_waited_for_longer() -> None:
    router, own = dialects.of("openrouter"), dialects.of("local")
    assert (own.prices(None), router.prices(None), own.prices(ModelInfo(MODEL))) == (FREE, None, None)
    assert [one.is_slow("nvidia/m") for one in (router, own)] == [True, False]
    assert not router.is_slow("maker/nvidia")


def test_a_name_that_nobody_declares_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="no dialect `opnrouter`; did you mean `openrouter`"):
        dialects.of("opnrouter")
    with pytest.raises(UsageError, match=r"are local, openai, openrouter, python; .*group `independence.dialects`"):
        dialects.of("carrier pigeon")


TOY = """
from independence.clients.catalogue import ModelInfo
from independence.clients.dialects import Dialect


class Toy(Dialect):
    chat_path = "/talk"
    free = True

    def headers(self, endpoint):
        return super().headers(endpoint) | {"X-Toy-Key": endpoint.api_key}

    def parameters(self, request, info):
        out = super().parameters(request, info)
        out["max_completion_tokens"] = out.pop("max_tokens")
        out["random_seed"] = request.seed
        return out

    def models(self, document):
        return [ModelInfo(name) for name in document["toys"]]


DIALECT, NO_DIALECT = Toy(), 7
"""
DECLARED = """
toy = toy_package:DIALECT
number = toy_package:NO_DIALECT
gone = toy_package:NOTHING
away = another_package:DIALECT
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(plugin.install(tmp_path, "toy_package", TOY, dialects=DECLARED))
    yield
    sys.modules.pop("toy_package", None)
    dialects.of.cache_clear()


@pytest.mark.usefixtures("installed")
async def test_a_call_goes_out_as_the_dialect_of_another_package_says(server: Scripted, connect: Connect) -> None:
    server.says(Step(body=FINE))
    reply = await answered(connect("toy", info=None))
    assert reply.text == "I am myself."
    (seen,) = server.seen
    assert seen.path == "/v1/talk"
    assert seen.headers["X-Toy-Key"] == KEY
    assert (seen.body["max_completion_tokens"], seen.body["random_seed"]) == (64, 7)
    assert "max_tokens" not in seen.body


@pytest.mark.usefixtures("installed")
async def test_its_models_are_read_as_it_says(
    server: Scripted, session: aiohttp.ClientSession, endpoint: Callable[..., Endpoint]
) -> None:
    server.serves("/models", Step(body={"toys": ["duck"]}))
    there = endpoint("toy")
    assert (await check(there, {"duck": True}, session)).listed == Catalogue({"duck": ModelInfo("duck")})
    with pytest.raises(UsageError, match="toy has no model `goose`; it has toy/duck"):
        await check(there, {"goose": True}, session)
    assert dialects.of("toy").prices(None) == FREE


@pytest.mark.usefixtures("installed")
def test_a_package_that_keeps_no_promise_is_named() -> None:
    for name, says in {
        "number": "dialect `number`: toy_package:NO_DIALECT is no Dialect",
        "gone": "dialect `gone`: toy_package:NOTHING cannot be loaded",
        "away": "dialect `away`: another_package:DIALECT cannot be loaded",
    }.items():
        with pytest.raises(UsageError, match=says):
            dialects.of(name)
