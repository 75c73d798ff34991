"""What is sent: a scenario under a condition, and the exact message array of a dialogue so far.

Two rules of strict backends shape it: tool-call ids are 9 alphanumeric characters (Mistral), and a user message stands
before the first assistant message with no two neighbours of one role (Z.AI, GLM). Ids count within one array, so the
same dialogue always gives the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

import msgspec

from independence.suites.persona_file import is_own
from independence.suites.schema import Scenario, Suite, ToolRole, Turn
from independence.suites.template import fill
from independence.types import CallExtra, Condition, FunctionCall, Message, Tool, ToolCall


class DialogueScript(msgspec.Struct, frozen=True, dict=True):
    """A scenario under a condition: everything that is sent, shared by all subjects and runs."""

    scenario: Scenario
    condition: Condition
    system: str
    turns: tuple[Turn, ...]  # its own, filled, without those of the scenario it follows
    tool: ToolRole | None
    max_tokens: int
    context: str = ""  # a second system message

    @cached_property
    def generated(self) -> int:
        """How many turns the subject answers."""
        return sum(turn.reply is None for turn in self.turns)


def compose(suite: Suite, scenario: Scenario, condition: Condition) -> DialogueScript:
    """A scenario under a condition, every variable filled. Raises KeyError for a slot that nothing fills."""
    known = {**suite.vars, **scenario.vars}
    tool = suite.delivery.tool_role if condition.mode == "tool_role" else None
    shared = [suite.variants[condition.variant], suite.closing, tool.suffix if tool else ""]
    own = is_own(condition.variant, shared[0])  # a user's prompt is sent as it is, braces too
    parts = [*((part, suite.vars) for part in shared[own:]), (scenario.system, known)]
    system = "\n\n".join(shared[:own] + [fill(part, names).strip() for part, names in parts if part])

    def filled(text: str) -> str:
        return fill(text, known).strip()

    def turn(own: Turn) -> Turn:
        reply = None if own.reply is None else filled(own.reply)
        return msgspec.structs.replace(own, human=filled(own.human), reply=reply)

    return DialogueScript(
        scenario,
        condition,
        system=system,
        turns=tuple(turn(own) for own in scenario.turns),
        tool=tool,
        max_tokens=suite.delivery.max_tokens,
        context=filled(scenario.context),
    )


class Exchange(NamedTuple):
    """What the human said and, once known, what was answered."""

    human: str
    answer: str | None = None
    thinking: str = ""  # the subject's own private content, replayed with its tool call
    signature: CallExtra | None = None  # what its model wants back with that call


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
    tool, out = setting.tool, setting.opening
    if tool is None:
        for exchange in exchanges:
            out.append(Message("user", exchange.human))
            if exchange.answer is not None:
                out.append(Message("assistant", exchange.answer))
        return tuple(out)
    speaks = tool.protocol == "speak"
    said, thinking, signature = tool.greeting if speaks else None, "", None
    out.append(Message("user", tool.trigger))
    for number, exchange in enumerate(exchanges, start=1):
        call_id = f"hmsg{number:05d}"
        arguments = _arguments(tool.parameter, said or "") if speaks else "{}"
        call = ToolCall(call_id, FunctionCall(tool.name, arguments), extra_content=signature or msgspec.UNSET)
        out.append(Message("assistant", (thinking or None) if speaks else said, tool_calls=(call,)))
        out.append(Message("tool", exchange.human, tool_call_id=call_id))
        said, thinking, signature = exchange.answer, exchange.thinking, exchange.signature
    return tuple(out)


@lru_cache(maxsize=1024)  # of a turn, they are in the request of every later one
def _arguments(parameter: str, said: str) -> str:
    # ASCII escapes, as the published arrays have them: some templates break on raw non-ASCII in arguments.
    return json.dumps({parameter: said})


def offered(tool: ToolRole) -> Tool:
    """The tool definition sent with every request of a `tool_role` dialogue."""
    listed = tool.required is not msgspec.UNSET
    return Tool(tool.name, tool.description, tool.parameter, tool.parameter_description, lists_none=listed)
