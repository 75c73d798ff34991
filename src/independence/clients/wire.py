"""Responses as they come: everything optional, unknown fields ignored, leaves of any type, read with care."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from independence.clients import pricing
from independence.types import Usage

_TOKENS_LIMIT = 10**9  # more is not a token count


class WireFunction(msgspec.Struct, gc=False):
    """The function half of a returned tool call; `arguments` may be text, an object, a list or nothing."""

    name: Any = None
    arguments: Any = None


class WireCall(msgspec.Struct, gc=False):
    """A returned tool call."""

    id: Any = None
    function: WireFunction | None = None


class WireMessage(msgspec.Struct, gc=False):
    """A returned message; reasoning goes by several names."""

    content: Any = None
    refusal: Any = None
    reasoning: Any = None
    reasoning_content: Any = None
    reasoning_details: Any = None
    thinking: Any = None
    tool_calls: list[WireCall] | None = None
    function_call: WireFunction | None = None  # the older form of a single tool call


class Choice(msgspec.Struct, gc=False):
    """One choice; only the first is ever asked for."""

    message: WireMessage | None = None
    finish_reason: Any = None
    error: Any = None


class WireUsage(msgspec.Struct, gc=False):
    """Tokens and cost as stated."""

    prompt_tokens: Any = None
    completion_tokens: Any = None
    completion_tokens_details: Any = None
    prompt_tokens_details: Any = None
    cost: Any = None
    cost_details: Any = None
    is_byok: Any = None


class Response(msgspec.Struct, gc=False):
    """The body of a 200."""

    id: Any = None
    model: Any = None
    provider: Any = None
    choices: list[Choice] | None = None
    usage: WireUsage | None = None
    error: Any = None
    openrouter_metadata: Any = None

    @property
    def choice(self) -> Choice | None:
        """The first choice, if it has a message."""
        first = self.choices[0] if self.choices else None
        return first if first is not None and first.message is not None else None


class Decoded(NamedTuple):
    """A response and whether its bytes had to be repaired."""

    response: Response
    repaired: bool


_DECODER = msgspec.json.Decoder(Response)


def decode(body: bytes) -> Decoded | None:
    """Read a body; None when it is not a JSON object of this shape (cut, malformed, a web page)."""
    try:
        return Decoded(_DECODER.decode(body), repaired=False)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        pass
    try:
        loose = json.loads(body.decode("utf-8-sig", "replace"), strict=False)
        return Decoded(msgspec.convert(loose, Response), repaired=not _is_utf8(body))
    except (ValueError, RecursionError):
        return None


def decode_any(body: bytes) -> object:
    """Read any JSON; None when it is none."""
    try:
        document: object = json.loads(body.decode("utf-8-sig", "replace"), strict=False)
    except (ValueError, RecursionError):
        return None
    return document


def _is_utf8(body: bytes) -> bool:
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_litellm(headers: Mapping[str, str]) -> bool:
    """Whether an answer was signed by a LiteLLM gateway.

    It is asked for `no-cache` in every body from then on, as only the body counts there; other servers may reject a
    field that they do not know.
    """
    return any(name.lower().startswith("x-litellm-") for name in headers)


def replayed(headers: Mapping[str, str]) -> bool:
    """Whether a gateway says that an answer comes from its cache. `headers` are case-insensitive.

    LiteLLM names the key of what it took from its cache; some of its versions say besides whether it did.
    """
    said = headers.get("x-litellm-cache-hit") or headers.get("cache_hit")
    if said:
        return said.lower() == "true"
    hit = headers.get("X-OpenRouter-Cache-Status", "").upper() == "HIT"
    return hit or headers.get("x-litellm-cache-key", "") not in ("", "None")


class Paid(NamedTuple):
    """What an attempt used; `known` is False where its cost cannot be told, and `usage.cost_usd` is then 0."""

    usage: Usage
    known: bool


NOTHING = Paid(Usage(), known=True)


def paid(usage: WireUsage | None, prices: pricing.Prices | None) -> Paid:
    """Tokens and dollars of a response: the stated cost, else tokens at list price."""
    free = prices == pricing.FREE
    if usage is None:
        return Paid(Usage(), known=free)
    cost = pricing.reported_cost(usage.cost, usage.is_byok, usage.cost_details)
    tokens = Usage(
        prompt_tokens=_tokens(usage.prompt_tokens),
        completion_tokens=_tokens(usage.completion_tokens),
        reasoning_tokens=_tokens(_field(usage.completion_tokens_details, "reasoning_tokens")),
        cached_tokens=_tokens(_field(usage.prompt_tokens_details, "cached_tokens")),
        cost_usd=cost or 0.0,
    )
    if cost is not None:
        return Paid(tokens, known=True)
    if prices is not None and (free or tokens.prompt_tokens or tokens.completion_tokens):
        return Paid(msgspec.structs.replace(tokens, cost_usd=pricing.listed_cost(tokens, prices)), known=True)
    return Paid(tokens, known=False)


def tokens_of(usage: WireUsage | None) -> int:
    """Completion tokens stated, 0 where none are."""
    return _tokens(usage.completion_tokens) if usage else 0


def _field(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None


def _tokens(value: object) -> int:
    if type(value) is int and 0 <= value < _TOKENS_LIMIT:
        return value
    count = pricing.number(value)
    return int(count) if count is not None and count < _TOKENS_LIMIT else 0


def text_of(value: object) -> str:
    """A string as it is, anything else as nothing."""
    return value if isinstance(value, str) else ""
