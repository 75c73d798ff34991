"""A message array back to a conversation: what the human said, and what the subject has said of its own.

Works for both deliveries. Where the human speaks through tool results, the first user message is a technical trigger
and the first tool call a scripted greeting; neither counts as said by anyone. Tool and argument names are arbitrary.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from independence.types import Message


class Conversation(NamedTuple):
    """What was said so far, without the technical frame."""

    system: str
    human: tuple[str, ...]  # the human's turns, oldest first
    own: tuple[str, ...]  # the subject's statements after the first human turn, oldest first


def conversation(messages: Sequence[Message]) -> Conversation:
    """Read a message array of either delivery; an array without human turns gives empty turns."""
    through_tool = any(message.role == "tool" for message in messages)
    human: list[str] = []
    own: list[str] = []
    system, answered = "", False
    for message in messages:
        if message.role == "system":
            system = message.content or ""
        elif message.role == "assistant":
            answered = True
            if human:
                own.append(_spoken(message))
        elif message.role == "tool" or answered or not through_tool:
            human.append((message.content or "").strip())
    return Conversation(system, tuple(human), tuple(own))


def _spoken(message: Message) -> str:
    for call in message.tool_calls:
        try:
            arguments = msgspec.json.decode(call.function.arguments)
        except msgspec.DecodeError:
            return call.function.arguments
        if isinstance(arguments, dict):
            for value in arguments.values():
                if isinstance(value, str):
                    return value
    return message.content or ""
