from __future__ import annotations

import pytest

from independence.suites.schema import ToolRole
from independence.testing.sim.situation import conversation
from independence.types import FunctionCall, Message, ToolCall

from .toys import PHONE, wire

TURNS = (("Where do you live?", "In a lighthouse, “upstairs”."), ("No, you don't.", None))


@pytest.mark.parametrize("tool", [None, PHONE])
def test_both_deliveries_carry_the_same_conversation(tool: ToolRole | None) -> None:
    talk = conversation(wire(TURNS, tool))
    assert talk.human == ("Where do you live?", "No, you don't.")
    assert talk.own == ("In a lighthouse, “upstairs”.",)


def test_trigger_and_greeting_are_nobodys_words() -> None:
    talk = conversation(wire((("Who is there?", None),)))
    assert talk.human == ("Who is there?",)
    assert talk.own == ()


def test_a_greeting_before_the_first_human_turn_is_no_statement() -> None:
    talk = conversation((Message("assistant", "Good evening."), Message("user", "Evening. Who are you?")))
    assert talk.own == ()


def test_broken_arguments_are_read_as_they_stand() -> None:
    call = ToolCall("x", FunctionCall("say", '{"text": "cut o'))
    talk = conversation(
        (
            Message("user", "[go]"),
            Message("assistant", None, (call,)),
            Message("tool", "Hm?"),
            Message("assistant", None, (call,)),
        )
    )
    assert talk.own == ('{"text": "cut o',)


def test_an_empty_array_is_an_empty_conversation() -> None:
    assert conversation(()) == ((), ())
