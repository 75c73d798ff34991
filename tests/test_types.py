from __future__ import annotations

import json

import msgspec
import pytest

from independence.types import Attempt, FunctionCall, Message, Missing, Reply, ToolCall, Usage


@pytest.mark.parametrize(
    ("message", "wire"),
    [
        (Message("user", "hi"), {"role": "user", "content": "hi"}),
        (Message("assistant", None), {"role": "assistant", "content": None}),
        (Message("tool", "hi", tool_call_id="x"), {"role": "tool", "content": "hi", "tool_call_id": "x"}),
        (
            Message("assistant", None, (ToolCall("x", FunctionCall("f", "{}")),)),
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [{"id": "x", "function": {"name": "f", "arguments": "{}"}, "type": "function"}],
            },
        ),
    ],
)
def test_a_message_is_on_the_wire_as_it_is(message: Message, wire: object) -> None:
    assert json.loads(msgspec.json.encode(message)) == wire


def test_usages_add_up() -> None:
    assert Usage(1, 2, 3, 4, 0.5) + Usage(10, 20, 30, 40, 0.25) == Usage(11, 22, 33, 44, 0.75)


def test_a_missing_answer_used_what_its_attempts_used() -> None:
    attempts = (Attempt("429", 1.0), Attempt("empty", 2.0, Usage(5, cost_usd=0.5)), Attempt("empty", 1.0, Usage(5)))
    assert Missing("no_answer", attempts=attempts).usage == Usage(10, cost_usd=0.5)


def test_a_reply_took_as_long_as_its_attempts() -> None:
    assert Reply("x", "tool", attempts=(Attempt("429", 1.5), Attempt("ok", 2.0))).seconds == 3.5
