"""The messages of a request in short: what was said by whom, and which of it is an answer of this dialogue.

Ids of tool calls and what stood beside them are left out: they follow from the delivery and the answers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from independence.report.pages.dialogue_schema import SentMessage
from independence.suites import script
from independence.suites.schema import Suite
from independence.suites.script import DialogueScript, DialogueSetting, Exchange
from independence.types import Condition

Sent = tuple[SentMessage | str, ...]
"""A request; a text stands for the subject's own answer of the turn with that id."""

_MARK = "\x00"  # before the id of a turn, where its answer would stand


class SentCall(NamedTuple):
    """The first tool call of a message."""

    tool: str
    id: str
    arguments: str  # as sent
    words: Sequence[str]  # the texts in the arguments; where those cannot be read, what was sent


def decoded(request: bytes) -> list[Mapping[str, Any]]:
    """The messages of a request as JSON; none where it is no array."""
    try:
        messages = msgspec.json.decode(request)
    except (msgspec.DecodeError, RecursionError):
        return []
    return [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []


def content(message: Mapping[str, Any]) -> str:
    """The text of a message beside its tool calls; content in parts as JSON."""
    held = message.get("content")
    return (held or "") if held is None or isinstance(held, str) else msgspec.json.encode(held).decode()


def tool_call(message: Mapping[str, Any]) -> SentCall | None:
    """The tool that the subject calls in a message, if it calls one."""
    calls = message.get("tool_calls")
    if message.get("role") != "assistant" or not (isinstance(calls, list) and calls and isinstance(calls[0], dict)):
        return None
    function = calls[0].get("function") or {}
    arguments = str(function.get("arguments", ""))
    try:
        words = [value for value in msgspec.json.decode(arguments).values() if isinstance(value, str)]
    except (msgspec.DecodeError, AttributeError, RecursionError):
        words = [arguments]
    return SentCall(str(function.get("name", "")), str(calls[0].get("id", "")), arguments, words)


def sent(request: bytes, answers: Mapping[str, str]) -> Sent:
    """A request as JSON, empty where it is no array; `answers`: text, stripped of white space -> id of its turn."""
    out = list[SentMessage | str]()
    for message in decoded(request):
        role, call = str(message.get("role", "")), tool_call(message)
        said = ("\n\n".join(call.words) if call else "") or content(message)
        own = answers.get(said.strip()) if role == "assistant" else None
        out.append(SentMessage(role, said, call.tool if call else "") if own is None else own)
    return tuple(out)


def scripts(suite: Suite, condition: Condition, scenarios: Collection[str]) -> dict[str, Sent]:
    """SCENARIO/TURN -> what is sent for that answer; empty where the suite does not have the system prompt."""
    if condition.variant not in suite.variants:
        return {}
    composed = {one.id: script.compose(suite, one, condition) for one in suite.scenarios}
    return {
        key: request for name in composed if name in scenarios for key, request in _requests(composed[name], composed)
    }


def _requests(one: DialogueScript, composed: Mapping[str, DialogueScript]) -> Iterator[tuple[str, Sent]]:
    """The request for each turn of a dialogue that the subject answers."""
    setting = DialogueSetting(one.system, one.context, one.tool)
    before = _exchanges(composed[one.scenario.follows], composed) if one.scenario.follows else []
    own = _own(one)
    marks = {exchange.answer: turn for exchange in [*before, *own] if (turn := _turn(exchange))}
    for at, exchange in enumerate(own):
        if turn := _turn(exchange):
            asked = script.messages(setting, [*before, *own[:at], Exchange(exchange.human)])
            yield f"{one.scenario.id}/{turn}", sent(msgspec.json.encode(asked), {str(k): v for k, v in marks.items()})


def _exchanges(one: DialogueScript, composed: Mapping[str, DialogueScript]) -> list[Exchange]:
    before = _exchanges(composed[one.scenario.follows], composed) if one.scenario.follows else []
    return [*before, *_own(one)]


def _own(one: DialogueScript) -> list[Exchange]:
    return [Exchange(turn.human, _MARK + turn.id if turn.reply is None else turn.reply) for turn in one.turns]


def _turn(exchange: Exchange) -> str:
    """The id of the turn whose answer stands here; empty for one that the suite wrote."""
    answer = exchange.answer or ""
    return answer.removeprefix(_MARK) if answer.startswith(_MARK) else ""
