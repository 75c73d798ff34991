"""Completions and their messages as they come over the wire: whole, or in the pieces of a stream."""

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


class WireChoice(msgspec.Struct, gc=False):
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


NO_CHOICE: Final = WireChoice()


class ChatCompletion(msgspec.Struct, gc=False):
    """The body of a response with status 200."""

    id: Any = None
    model: Any = None
    provider: Any = None
    choices: list[WireChoice] | None = None
    usage: WireUsage | None = None
    error: Any = None
    openrouter_metadata: Any = None
    promptFeedback: Any = None  # noqa: N815 - of Google, where a filter let the prompt not through

    @property
    def choice(self) -> WireChoice:
        """The first choice; an empty one where there is none."""
        return self.choices[0] if self.choices else NO_CHOICE
