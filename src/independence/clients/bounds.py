"""An answer as it may be kept: no longer than its token budget can explain, and without the key it was asked with."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import msgspec

from independence.clients import flags
from independence.clients.clean import union
from independence.clients.extract import Extracted
from independence.clients.wire import WireCall, WireFunction, WireMessage
from independence.types import FunctionCall, ToolCall

_PER_TOKEN: Final = 64  # signs; text has about 4 of them, white space up to some 20 times as many
_LEAST: Final = 64_000
_MOST_CALLS: Final = 64
_SHORTEST_KEY: Final = 8
_LONG_KEY: Final = 20
_FIELDS: Final = ("content", "refusal", "reasoning", "reasoning_content", "reasoning_details", "thinking")


def longest(max_tokens: int) -> int:
    """How many signs of each part of an answer are kept."""
    return max(_LEAST, _PER_TOKEN * max_tokens)


def shorten(message: WireMessage, max_tokens: int) -> tuple[WireMessage, bool]:
    """The message with every part cut to the length a budget can explain, and whether one had to be.

    A server that ignores `max_tokens` would otherwise fill the store, and every later turn, with one answer.
    """
    limit = longest(max_tokens)
    changed = {name: _cut(getattr(message, name), limit) for name in _FIELDS}
    calls = message.tool_calls
    short = [_cut_call(call, limit) for call in calls[:_MOST_CALLS]] if calls else calls
    function = _cut_function(message.function_call, limit)
    out = msgspec.structs.replace(message, **changed, tool_calls=short, function_call=function)
    return (out, True) if out != message else (message, False)


def _cut(value: Any, limit: int) -> Any:
    """Text is cut; of anything else that is too long nothing is kept, because half of it is broken."""
    if isinstance(value, str):
        return value[:limit]
    if isinstance(value, dict | list):
        return _cut_parts(value, limit) if len(msgspec.json.encode(value)) > limit else value
    return value


def _cut_parts(value: Any, limit: int) -> Any:
    """Content in parts: the texts are cut together."""
    kept, left = [], limit
    for part in value if isinstance(value, list) else ():
        text = part.get("text") if isinstance(part, dict) else None
        if left > 0 and isinstance(text, str):
            kept.append({"type": "text", "text": text[:left]})
            left -= len(text)
    return kept


def _cut_call(call: WireCall, limit: int) -> WireCall:
    return WireCall(call.id, _cut_function(call.function, limit))


def _cut_function(function: WireFunction | None, limit: int) -> WireFunction | None:
    return None if function is None else WireFunction(_cut(function.name, limit), _cut(function.arguments, limit))


def without_key(key: str) -> Callable[[str], str]:
    """What takes a key out of a text that is to be kept. A key that is an ordinary word is no secret and stays."""
    secret = len(key) >= _LONG_KEY or (len(key) >= _SHORTEST_KEY and re.search(r"\d", key) is not None)
    return (lambda text: text.replace(key, "[key]")) if secret else (lambda text: text)


def masked(found: Extracted, clean: Callable[[str], str]) -> Extracted:
    """The answer with every text cleaned, and flagged where that changed it."""
    calls = tuple(
        ToolCall(clean(call.id), FunctionCall(clean(call.function.name), clean(call.function.arguments)))
        for call in found.tool_calls
    )
    out = found._replace(
        text=clean(found.text),
        raw=clean(found.raw),
        thinking=clean(found.thinking),
        reasoning=clean(found.reasoning),
        tool_calls=calls,
    )
    return out if out == found else out._replace(flags=union(found.flags, (flags.KEY_REMOVED,)))
