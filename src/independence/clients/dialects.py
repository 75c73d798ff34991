"""What differs between endpoints: headers, and which parameters a body may carry.

openrouter  Parameters follow the catalogue, because unsupported ones are dropped silently: `seed` and
            `parallel_tool_calls` only where listed, `temperature` unless known to be unsupported. A pin fails closed
            (`only` without fallbacks). A schema brings `require_parameters`, so that it is not dropped either. The
            response cache is refused in every request: a replayed reply is not an independent one.
local       LM Studio, Ollama, vLLM, llama.cpp: no `provider`, no `reasoning` object, no `plugins`. A configured effort
            travels as `reasoning_effort`, `none` included, since that is Ollama's only switch for thinking. Schemas are
            sent as `json_schema` (LM Studio knows no other). What a server rejects is left out from then on.

A gateway that signs its answers as LiteLLM does is asked for `no-cache` in every body from then on, as only the body
counts there; other servers may reject a field that they do not know. Everybody gets the header that HTTP has for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, Literal

import msgspec

from independence.clients.catalogue import ModelInfo, resolve_effort
from independence.config.endpoints import Dialect, Endpoint
from independence.types import ChatRequest, Message, Tool

TITLE: Final = "AI Independence Bench"
HOMEPAGE: Final = "https://ai-independence-bench.example"  # how OpenRouter tells applications apart; no page is needed

Refusable = Literal["response_format", "reasoning_effort", "cache"]
_LITELLM: Final = "x-litellm-"


class _Provider(msgspec.Struct, omit_defaults=True, gc=False):
    only: tuple[str, ...] = ()
    allow_fallbacks: bool | None = None
    require_parameters: bool | None = None


class _Reasoning(msgspec.Struct, gc=False):
    effort: str


class _JsonSchema(msgspec.Struct):
    name: str
    strict: bool
    schema: dict[str, Any]


class _ResponseFormat(msgspec.Struct):
    type: str
    json_schema: _JsonSchema


class _Cache(msgspec.Struct, rename={"no_cache": "no-cache"}):
    no_cache: bool = True


class Body(msgspec.Struct, omit_defaults=True, gc=False):
    """A chat completion request as sent."""

    model: str
    messages: tuple[Message, ...]
    max_tokens: int
    temperature: float | None = None
    seed: int | None = None
    tools: msgspec.Raw | None = None
    parallel_tool_calls: bool | None = None
    response_format: _ResponseFormat | None = None
    provider: _Provider | None = None
    reasoning: _Reasoning | None = None
    reasoning_effort: str | None = None
    cache: _Cache | None = None


_ENCODER = msgspec.json.Encoder()


def headers(endpoint: Endpoint) -> dict[str, str]:
    """The headers of every request to an endpoint."""
    out = {"Content-Type": "application/json", "Accept": "application/json", "Cache-Control": "no-cache"}
    if endpoint.api_key.strip():
        out["Authorization"] = f"Bearer {endpoint.api_key.strip()}"
    if endpoint.dialect == "openrouter":
        out |= {
            "HTTP-Referer": HOMEPAGE,
            "X-OpenRouter-Title": TITLE,
            "X-OpenRouter-Metadata": "enabled",
            "X-OpenRouter-Cache": "false",
        }
    return out


def is_litellm(headers: Mapping[str, str]) -> bool:
    """Whether an answer was signed by a LiteLLM gateway."""
    return any(name.lower().startswith(_LITELLM) for name in headers)


def replayed(headers: Mapping[str, str]) -> bool:
    """Whether a gateway says that an answer comes from its cache. `headers` are case-insensitive.

    LiteLLM names the key of what it took from its cache; some of its versions say besides whether it did.
    """
    said = headers.get("x-litellm-cache-hit") or headers.get("cache_hit")
    if said:
        return said.lower() == "true"
    hit = headers.get("X-OpenRouter-Cache-Status", "").upper() == "HIT"
    return hit or headers.get("x-litellm-cache-key", "") not in ("", "None")


def body(
    request: ChatRequest,
    dialect: Dialect,
    info: ModelInfo | None,
    without: frozenset[Refusable],
    *,
    no_cache: bool = False,
) -> bytes:
    """Encode a request for an endpoint, leaving out what the model does not take and what was rejected before."""
    out = Body(request.model, request.messages, request.max_tokens)
    if no_cache and "cache" not in without:
        out.cache = _Cache()
    if not (info and info.rejects("temperature")):
        out.temperature = request.sampling.temperature
    if info is not None and info.lists("seed"):
        out.seed = request.seed
    if request.tool is not None:
        out.tools = _tools(request.tool)
        if dialect == "openrouter" and info is not None and info.lists("parallel_tool_calls"):
            out.parallel_tool_calls = False
    if sends_schema(request, info) and "response_format" not in without:
        assert request.schema is not None
        out.response_format = _ResponseFormat("json_schema", _JsonSchema("reply", strict=True, schema=request.schema))
    _route(out, request, dialect)
    _reason(out, resolve_effort(request.sampling.effort, info), dialect, without)
    return _ENCODER.encode(out)


def sends_schema(request: ChatRequest, info: ModelInfo | None) -> bool:
    """Whether the request's schema may be sent at all."""
    refused = info is not None and info.rejects("structured_outputs") and info.rejects("response_format")
    return request.schema is not None and not refused


def _route(out: Body, request: ChatRequest, dialect: Dialect) -> None:
    if dialect != "openrouter":
        return
    provider = _Provider(require_parameters=True if out.response_format else None)
    if request.sampling.provider:
        provider.only = (request.sampling.provider,)
        provider.allow_fallbacks = False
    if provider.only or provider.require_parameters:
        out.provider = provider


def _reason(out: Body, effort: str | None, dialect: Dialect, without: frozenset[Refusable]) -> None:
    if effort is None or "reasoning_effort" in without:
        return
    if dialect == "openrouter":
        out.reasoning = _Reasoning(effort)
    else:
        out.reasoning_effort = effort


@lru_cache(maxsize=64)
def _tools(tool: Tool) -> msgspec.Raw:
    schema: dict[str, Any] = {"type": "object", "properties": {}}
    if tool.parameter:
        schema["properties"] = {tool.parameter: {"type": "string", "description": tool.parameter_description}}
        schema["required"] = [tool.parameter]
    function = {"name": tool.name, "description": tool.description, "parameters": schema}
    return msgspec.Raw(_ENCODER.encode([{"type": "function", "function": function}]))
