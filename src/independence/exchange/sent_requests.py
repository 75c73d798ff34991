"""A request that others sent, as it was stored with an imported answer, taken apart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import msgspec

from independence.suites.script import Exchange
from independence.types import FunctionCall, ToolCall


class PublishedFunction(msgspec.Struct, frozen=True, gc=False):
    """The function of a tool call; models may leave out its name or its arguments."""

    name: str | None = None
    arguments: str | None = None


class PublishedCall(msgspec.Struct, frozen=True, gc=False):
    """A tool call as it was stored."""

    id: str | None = None
    function: PublishedFunction = PublishedFunction()

    def typed(self) -> ToolCall:
        """The call as a type of ours, absent parts as empty text."""
        return ToolCall(self.id or "", FunctionCall(self.function.name or "", self.function.arguments or ""))


class PublishedMessage(msgspec.Struct, frozen=True, gc=False):
    """One message of a published request."""

    role: str
    content: str | None = None
    tool_calls: tuple[PublishedCall, ...] | None = None


class PublishedRequest(NamedTuple):
    """A request, taken apart. The last exchange has no answer yet."""

    tool: str = ""  # name of the tool the subject speaks through; empty in `user_role`
    greeting: str = ""  # scripted first message; empty in `user_role`
    exchanges: tuple[Exchange, ...] = ()

    @property
    def question(self) -> str:
        """What the human said last."""
        return self.exchanges[-1].human if self.exchanges else ""


_MESSAGES = msgspec.json.Decoder(tuple[PublishedMessage, ...])
_ARGUMENTS = msgspec.json.Decoder(dict[str, Any])


def published_request(request: bytes) -> PublishedRequest:
    """Read a published request; empty where it cannot be read."""
    try:
        messages = _MESSAGES.decode(request)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return PublishedRequest()
    calls = [(one.tool_calls[0], one.content or "") for one in messages if one.role == "assistant" and one.tool_calls]
    if not calls:
        return PublishedRequest(exchanges=_paired(_texts(messages, "user"), _texts(messages, "assistant")))
    answers = [_message(call, content) for call, content in calls]
    return PublishedRequest(calls[0][0].function.name or "", answers[0], _paired(_texts(messages, "tool"), answers[1:]))


def _texts(messages: Sequence[PublishedMessage], role: str) -> list[str]:
    return [message.content or "" for message in messages if message.role == role]


def _paired(humans: list[str], answers: list[str]) -> tuple[Exchange, ...]:
    pairs = zip_longest(humans, answers[: len(humans)])
    return tuple(Exchange(human, answer) for human, answer in pairs)


def _message(call: PublishedCall, content: str) -> str:
    """The text a scripted or replayed tool call carries: its one string argument.

    In a call without arguments, by which a subject only listens, the text is the content of the message.
    """
    try:
        arguments = _ARGUMENTS.decode(call.function.arguments or "{}")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    return next((value for value in arguments.values() if isinstance(value, str)), "") if arguments else content
