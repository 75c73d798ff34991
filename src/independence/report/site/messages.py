"""The messages of a request in short: what was said by whom, and which of it is an answer of this dialogue.

Ids of tool calls and what stood beside them are left out: they follow from the delivery and the answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from independence.report.site.dialogue_schema import SentMessage
from independence.suites import script
from independence.suites.schema import Suite
from independence.suites.script import DialogueScript, DialogueSetting, Exchange
from independence.types import Condition

Sent = tuple[SentMessage | str, ...]
"""A request; a text stands for the subject's own answer of the turn with that id."""

_MARK = "\x00"  # before the id of a turn, where its answer would stand


def sent(request: bytes, answers: Mapping[str, str]) -> Sent:
    """A request as JSON, empty where it is no array; `answers`: text, stripped of white space -> id of its turn."""
    try:
        messages = msgspec.json.decode(request)
    except (msgspec.DecodeError, RecursionError):
        return ()
    if not isinstance(messages, list):
        return ()
    return tuple(_message(message, answers) for message in messages if isinstance(message, dict))


def _message(message: Mapping[str, Any], answers: Mapping[str, str]) -> SentMessage | str:
    role, content = str(message.get("role", "")), _text(message.get("content"))
    call, words = _call(message) if role == "assistant" else ("", "")
    said = words or content
    if role == "assistant" and said.strip() in answers:
        return answers[said.strip()]
    return SentMessage(role, said, call)


def _call(message: Mapping[str, Any]) -> tuple[str, str]:
    """The tool that a message calls, and the words in the call; both empty where it calls none."""
    calls = message.get("tool_calls")
    if not isinstance(calls, list) or not calls or not isinstance(calls[0], dict):
        return "", ""
    function = calls[0].get("function") or {}
    arguments = str(function.get("arguments", ""))
    try:
        values = msgspec.json.decode(arguments).values()
    except (msgspec.DecodeError, AttributeError, RecursionError):
        return str(function.get("name", "")), arguments
    return str(function.get("name", "")), "\n\n".join(value for value in values if isinstance(value, str))


def _text(content: object) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    return msgspec.json.encode(content).decode()


def scripts(suite: Suite, condition: Condition) -> dict[str, Sent]:
    """SCENARIO/TURN -> what is sent for that answer; empty where the suite does not have the system prompt."""
    if condition.variant not in suite.variants:
        return {}
    composed = {one.id: script.compose(suite, one, condition) for one in suite.scenarios}
    return {key: request for one in composed.values() for key, request in _requests(one, composed)}


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
