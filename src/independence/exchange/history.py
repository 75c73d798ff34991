"""What a subject was shown before it answered, read back from the published request, and whether it still holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import msgspec

from independence.exchange.records import PublishedCall
from independence.suites.delivery import Exchange

SCRAMBLED = "scrambled_history"
EMPTY = "empty_history"
STALE = "stale_history"


class PublishedMessage(msgspec.Struct, frozen=True, gc=False):
    """One message of a published request."""

    role: str
    content: str | None = None
    tool_calls: tuple[PublishedCall, ...] | None = None


class Shown(NamedTuple):
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


def shown(request: bytes) -> Shown:
    """Take a published request apart. One that cannot be read shows nothing."""
    try:
        messages = _MESSAGES.decode(request)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Shown()
    calls = [message.tool_calls[0] for message in messages if message.role == "assistant" and message.tool_calls]
    if not calls:
        return Shown(exchanges=_paired(_said(messages, "user"), _said(messages, "assistant")))
    answers = [_message(call, content) for call, content in zip(calls, _beside(messages), strict=True)]
    return Shown(calls[0].function.name or "", answers[0], _paired(_said(messages, "tool"), answers[1:]))


def broken(seen: Shown, before: Sequence[str], current: Mapping[str, Shown], stored: Mapping[str, str]) -> list[str]:
    """Flags for a history that does not match what is stored now.

    `before` are the ids of the turns that should have been shown, in order; `current` and `stored` hold, by turn id,
    the request and the answer of every file of the same dialogue. Turns without a file are not judged.
    """
    expected = [turn for turn in before if turn in stored]
    asked: dict[str, list[str]] = {}
    for turn in expected:
        asked.setdefault(current[turn].question, []).append(turn)
    replayed = [(asked[past.human].pop(0), past.answer or "") for past in seen.exchanges[:-1] if asked.get(past.human)]
    flags = []
    if [turn for turn, _ in replayed] != expected:
        flags.append(SCRAMBLED)
    if any(not answer.strip() for _, answer in replayed):
        flags.append(EMPTY)
    if any(answer.strip() != stored[turn] for turn, answer in replayed):
        flags.append(STALE)
    return flags


def _said(messages: Sequence[PublishedMessage], role: str) -> list[str]:
    return [message.content or "" for message in messages if message.role == role]


def _paired(humans: list[str], answers: list[str]) -> tuple[Exchange, ...]:
    pairs = zip_longest(humans, answers[: len(humans)])
    return tuple(Exchange(human, answer) for human, answer in pairs)


def _beside(messages: Sequence[PublishedMessage]) -> list[str]:
    """The plain content of every assistant message that calls a tool."""
    return [message.content or "" for message in messages if message.role == "assistant" and message.tool_calls]


def _message(call: PublishedCall, content: str) -> str:
    """The text a scripted or replayed tool call carries: its one string argument.

    A call without arguments says nothing, it listens: what the subject said stands in the content beside it.
    """
    try:
        arguments = _ARGUMENTS.decode(call.function.arguments or "{}")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    return next((value for value in arguments.values() if isinstance(value, str)), "") if arguments else content
