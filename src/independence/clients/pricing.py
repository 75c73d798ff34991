"""What a call may cost at most, and what it did cost."""

from __future__ import annotations

import math
from collections.abc import Mapping

import msgspec

from independence.types import ChatRequest, Message, Tool, Usage

_BYTES_PER_TOKEN = 3.5
_TOKENS_PER_MESSAGE = 8
_DEAREST_CALL = 1e6  # dollars; what claims to cost more is a mistake
_TOKENS_PER_TOOL = 350  # the JSON around a tool's texts, and the hidden instructions that vendors put before it
_PROMPT_MARGIN = 1.3  # tokenizers differ; text that is not Latin takes more tokens a byte


class Prices(msgspec.Struct, frozen=True):
    """Dollars per token, and per request; where a price depends on size or hour, the highest."""

    prompt: float = 0.0
    completion: float = 0.0
    request: float = 0.0
    internal_reasoning: float = 0.0


FREE = Prices()


def prompt_tokens(request: ChatRequest) -> float:
    """Estimated prompt tokens of a request: bytes / 3.5, 8 a message, and the tool's schema."""
    size = sum(_size(message) for message in request.messages)
    if request.schema is not None:
        size += len(msgspec.json.encode(request.schema))
    tokens = size / _BYTES_PER_TOKEN + _TOKENS_PER_MESSAGE * len(request.messages)
    return tokens + (_tool_tokens(request.tool) if request.tool else 0.0)


def _size(message: Message) -> int:
    size = len((message.content or "").encode("utf-8", "replace"))
    return size + sum(len(c.function.arguments) + len(c.function.name) for c in message.tool_calls)


def _tool_tokens(tool: Tool) -> float:
    size = sum(len(text.encode()) for text in (tool.name, tool.description, tool.parameter, tool.parameter_description))
    return size / _BYTES_PER_TOKEN + _TOKENS_PER_TOOL


def reservation(request: ChatRequest, prices: Prices) -> float:
    """Dollars to hold before sending: the estimated prompt with its margin, and `max_tokens` at the dearer price."""
    if prices == FREE:
        return 0.0
    dearest = max(prices.completion, prices.internal_reasoning)
    return prompt_tokens(request) * _PROMPT_MARGIN * prices.prompt + request.max_tokens * dearest + prices.request


def number(value: object) -> float | None:
    """A finite, non-negative number, given as one or as a numeric string; booleans are not numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        result = float(value)
    except (ValueError, OverflowError):
        return None
    return result if math.isfinite(result) and result >= 0 else None


def reported_cost(cost: object, is_byok: object, details: object) -> float | None:
    """The dollars a usage object states: its cost and, with one's own provider key, what the provider takes."""
    stated = _dollars(cost)
    if is_byok is True and isinstance(details, Mapping):
        upstream = _dollars(details.get("upstream_inference_cost"))
        if upstream is not None:
            return (stated or 0.0) + upstream
    return stated


def _dollars(value: object) -> float | None:
    usd = number(value)
    return usd if usd is not None and usd < _DEAREST_CALL else None


def listed_cost(usage: Usage, prices: Prices) -> float:
    """Dollars by list price, for endpoints that do not state a cost."""
    reasoning = min(usage.reasoning_tokens, usage.completion_tokens)
    return (
        usage.prompt_tokens * prices.prompt
        + (usage.completion_tokens - reasoning) * prices.completion
        + reasoning * max(prices.completion, prices.internal_reasoning)
        + prices.request
    )
