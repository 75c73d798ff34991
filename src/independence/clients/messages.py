"""A message that a model returned, as it comes over the wire: whole, or in the pieces of a stream."""

from __future__ import annotations

from typing import Any, Final

import msgspec

# Fields of a message that are texts, or lists of parts with texts.
TEXTS: Final = ("content", "refusal", "reasoning", "reasoning_content", "reasoning_details", "thinking")


class WireFunction(msgspec.Struct, gc=False):
    """The function half of a returned tool call; `arguments` may be text, an object, a list or nothing."""

    name: Any = None
    arguments: Any = None


class WireCall(msgspec.Struct, gc=False):
    """A returned tool call."""

    id: Any = None
    function: WireFunction | None = None
    extra_content: Any = None  # what some models want back with the call


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
