"""What comes in: a chat completion request, read only as far as an answer depends on it."""

from __future__ import annotations

import struct
from collections.abc import Callable
from hashlib import blake2b, sha256
from typing import Any, Literal, NamedTuple

import msgspec

from independence.types import Message

_SEPARATOR = "\x1e"
CHARACTERS_PER_TOKEN = 4


class _Parameters(msgspec.Struct, frozen=True):
    properties: dict[str, msgspec.Raw] = {}
    required: list[str] = []


class _Function(msgspec.Struct, frozen=True):
    name: str
    description: str | None = None
    parameters: _Parameters = _Parameters()


class _RequestTool(msgspec.Struct, frozen=True):
    function: _Function


class _RequestForm(msgspec.Struct, frozen=True):
    json_schema: dict[str, Any] | None = None


class _RequestProvider(msgspec.Struct, frozen=True):
    only: list[str] | None = None
    order: list[str] | None = None
    allow_fallbacks: bool | None = None


class CompletionBody(msgspec.Struct, frozen=True):
    """The fields that matter here; all others are accepted and ignored, as OpenRouter does."""

    model: str
    messages: tuple[Message, ...]
    max_tokens: int | None = None
    max_completion_tokens: int | None = None
    seed: int | None = None
    stream: bool | None = None
    stream_options: dict[str, Any] | None = None
    tools: list[_RequestTool] | None = None
    tool_choice: Literal["none", "auto", "required"] | dict[str, Any] | None = None
    response_format: _RequestForm | None = None
    provider: _RequestProvider | None = None


class OfferedTool(NamedTuple):
    """The tool an answer goes through: its name and its one parameter; without one, answers come as content."""

    name: str
    parameter: str
    forced: bool


class ParsedRequest(NamedTuple):
    """A request, understood."""

    model: str
    messages: tuple[Message, ...]
    seed: int  # mixed with the server's, 0..2**31-1
    digest: str  # SHA-256 of the whole body, hex
    conversation: str  # SHA-256 of (model, messages, seed), hex
    prompt: str  # what the model reads: tool definitions, then every message under its role
    question: str  # last human text
    budget: int | None  # max_tokens
    tool: OfferedTool | None
    schema: dict[str, Any] | None
    pins: tuple[str, ...]  # the only providers allowed; empty: any
    raw: bytes  # the whole body
    stream: bool = False  # the answer is to come as it is written
    with_usage: bool = False  # with a last chunk that tells the usage


class BadRequest(Exception):
    """The body is not a chat completion request this server can answer; the message says why."""


_decoder = msgspec.json.Decoder(CompletionBody)


def read(raw: bytes, server_seed: int, seen: Callable[[CompletionBody], CompletionBody] | None = None) -> ParsedRequest:
    """A request from its body; `seen` gives what the model gets to see of it. Raises BadRequest."""
    body = _body(raw)
    if not body.messages:
        raise BadRequest("messages must not be empty")
    if body.stream_options is not None and not body.stream:
        raise BadRequest("stream_options is only allowed with stream")
    body = seen(body) if seen else body
    texts = []  # of every message its role and number of calls, each in a character, and its text; then its calls
    for message in body.messages:
        texts.append(f"{message.role[0]}{len(message.tool_calls) % 10}{message.content or ''}")
        texts.extend(call.function.arguments for call in message.tool_calls)
    seed = mixed_seed(body.seed, server_seed)
    told = _SEPARATOR.join((body.model, str(seed), *texts))
    form, provider = body.response_format, body.provider or _RequestProvider()
    schema = form.json_schema.get("schema") if form and form.json_schema else None
    return ParsedRequest(
        model=body.model,
        messages=body.messages,
        seed=seed,
        digest=sha256(raw).hexdigest(),
        conversation=sha256(told.encode()).hexdigest(),
        prompt=defined(body) + "".join(map(rendered, body.messages)),
        question=next((one.content or "" for one in reversed(body.messages) if one.role in ("user", "tool")), ""),
        budget=body.max_completion_tokens or body.max_tokens,
        tool=_tool(body),
        schema=schema if isinstance(schema, dict) else None,
        pins=tuple(provider.only or (() if provider.allow_fallbacks is not False else provider.order or ())),
        raw=raw,
        stream=bool(body.stream),
        with_usage=bool((body.stream_options or {}).get("include_usage")),
    )


def _body(raw: bytes) -> CompletionBody:
    """The body, also in other clients' spellings: content in parts or left out beside calls, the developer role."""
    try:
        return _decoder.decode(raw)
    except msgspec.ValidationError:
        pass
    except msgspec.DecodeError as error:
        raise BadRequest(f"the body is not JSON: {error}") from None
    try:
        loose = msgspec.json.decode(raw)
        for message in loose["messages"]:
            content = message.get("content")
            if isinstance(content, list):
                content = "".join(part.get("text", "") for part in content)
            role = "system" if message["role"] == "developer" else message["role"]
            message |= {"role": role, "content": content, "tool_calls": message.get("tool_calls") or []}
        return _decoder.decode(msgspec.json.encode(loose))
    except (msgspec.ValidationError, KeyError, TypeError, AttributeError) as error:
        raise BadRequest(f"not a chat completion request: {error}") from None


def tokens(characters: int) -> int:
    """Characters in tokens, rounded up."""
    return -(-characters // CHARACTERS_PER_TOKEN)


def concerns(named: str, model_id: str) -> bool:
    """Whether a model that a rule names is the one asked for, whatever its variant and vendor; "" names every model."""
    return named in ("", model_id, model_id.partition(":")[0], model_id.rpartition("/")[2])


def rendered(message: Message) -> str:
    """A message as a chat template writes it: its role, its text and its tool calls."""
    calls = "".join(f"{call.function.name}{call.function.arguments}" for call in message.tool_calls)
    return f"<|{message.role}|>{message.content or ''}{calls}\n"


def defined(body: CompletionBody) -> str:
    """The offered tools as a chat template writes them: name, description and parameters."""
    functions = [tool.function for tool in body.tools or ()]
    return "".join(
        f"{function.name}\n{function.description or ''}\n"
        + "".join(f"{name}: {bytes(text).decode()}\n" for name, text in function.parameters.properties.items())
        for function in functions
    )


def _tool(body: CompletionBody) -> OfferedTool | None:
    if not body.tools or body.tool_choice == "none":
        return None
    function = body.tools[0].function
    names = function.parameters.required or list(function.parameters.properties)
    forced = body.tool_choice is not None and body.tool_choice != "auto"
    return OfferedTool(function.name, names[0] if names else "", forced)


SEEDS = 2**31
_WEYL = 0x9E3779B1  # odd, so that every server seed below 2**31 shifts by another amount; seed 0 shifts by nothing


class Uniforms(NamedTuple):
    """Four independent uniform numbers, each strictly between 0 and 1."""

    a: float
    b: float
    c: float
    d: float


def uniforms(*parts: str | int) -> Uniforms:
    """Four numbers from a hash of `parts`; the order of the parts counts."""
    digest = blake2b("\x1f".join(map(str, parts)).encode(), digest_size=32).digest()
    return Uniforms._make(((word >> 11) + 0.5) / 2**53 for word in struct.unpack("<4Q", digest))


def mixed_seed(request_seed: int | None, server_seed: int) -> int:
    """The seed a reply is drawn with, 0..2**31-1: the request's, moved along by the server's. No request seed is 0."""
    return ((request_seed or 0) + server_seed * _WEYL) % SEEDS
