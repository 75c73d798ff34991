"""From a dialogue so far to the exact message array of a delivery mode.

Two rules of strict backends shape it: tool-call ids are 9 alphanumeric characters (Mistral), and a user message stands
before the first assistant message with no two neighbours of one role (Z.AI, GLM). Ids count within one array, so the
same dialogue always gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

from independence.suites.schema import ToolRole
from independence.types import FunctionCall, Message, Tool, ToolCall


class Exchange(NamedTuple):
    """What the human said and, once known, what was answered."""

    human: str
    answer: str | None = None
    thinking: str = ""  # the subject's own private content, replayed with its tool call


class DialogueSetting(NamedTuple):
    """What stands before the first exchange."""

    system: str
    context: str = ""  # a second system message
    tool: ToolRole | None = None  # None: `user_role`

    @property
    def opening(self) -> list[Message]:
        """The system messages."""
        return [Message("system", text) for text in (self.system, self.context) if text]


def messages(setting: DialogueSetting, exchanges: Sequence[Exchange]) -> tuple[Message, ...]:
    """The request for the next answer; the last exchange has no answer yet."""
    tool = setting.tool
    if tool is None:
        return _user_role(setting.opening, exchanges)
    speaks = tool.protocol == "speak"
    return _spoken(setting.opening, exchanges, tool) if speaks else _read(setting.opening, exchanges, tool)


def offered(tool: ToolRole) -> Tool:
    """The tool definition sent with every request of a `tool_role` dialogue."""
    return Tool(tool.name, tool.description, tool.parameter, tool.parameter_description)


def _user_role(opening: Sequence[Message], exchanges: Sequence[Exchange]) -> tuple[Message, ...]:
    out = list(opening)
    for exchange in exchanges:
        out.append(Message("user", exchange.human))
        if exchange.answer is not None:
            out.append(Message("assistant", exchange.answer))
    return tuple(out)


def _spoken(opening: Sequence[Message], exchanges: Sequence[Exchange], tool: ToolRole) -> tuple[Message, ...]:
    out = [*opening, Message("user", tool.trigger)]
    said, thinking = tool.greeting, ""
    for number, exchange in enumerate(exchanges, start=1):
        call_id = f"hmsg{number:05d}"
        call = ToolCall(call_id, FunctionCall(tool.name, _arguments(tool.parameter, said)))
        out.append(Message("assistant", thinking or None, tool_calls=(call,)))
        out.append(Message("tool", exchange.human, tool_call_id=call_id))
        said, thinking = exchange.answer or "", exchange.thinking
    return tuple(out)


def _read(opening: Sequence[Message], exchanges: Sequence[Exchange], tool: ToolRole) -> tuple[Message, ...]:
    out = [*opening, Message("user", tool.trigger)]
    said: str | None = None
    for number, exchange in enumerate(exchanges, start=1):
        call_id = f"hmsg{number:05d}"
        out.append(Message("assistant", said, tool_calls=(ToolCall(call_id, FunctionCall(tool.name, "{}")),)))
        out.append(Message("tool", exchange.human, tool_call_id=call_id))
        said = exchange.answer
    return tuple(out)


def _arguments(parameter: str, text: str) -> str:
    # ASCII escapes, as the published arrays have them: some templates break on raw non-ASCII in arguments.

    return json.dumps({parameter: text})
