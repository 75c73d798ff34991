"""What is sent: `{{name}}` templates and message arrays, exactly."""

from __future__ import annotations

import itertools
import json
import re

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from independence.suites.schema import ToolRole
from independence.suites.script import DialogueSetting, Exchange, messages, offered
from independence.suites.template import fill, slots

SPEAK = ToolRole(
    name="speak", description="Says something.", parameter="words", parameter_description="What is heard.",
    greeting="Good day.", suffix="",
)  # fmt: skip
READ = ToolRole(name="listen", description="Hears the human.", suffix="", protocol="read")
LISTS = msgspec.structs.replace(READ, required=())
OPENED = [{"role": "system", "content": "S"}, {"role": "user", "content": "[start]"}]


def sent(tool: ToolRole | None, *exchanges: Exchange) -> object:
    """A request as it is on the wire."""
    return json.loads(msgspec.json.encode(messages(DialogueSetting("S", tool=tool), exchanges)))


def called(number: int, content: str | None, said: str | None = None) -> dict[str, object]:
    """A call of the tool that speaks, or of the one that listens."""
    name, arguments = ("listen", "{}") if said is None else ("speak", json.dumps({"words": said}))
    call = {"id": f"hmsg{number:05d}", "function": {"name": name, "arguments": arguments}, "type": "function"}
    return {"role": "assistant", "content": content, "tool_calls": [call]}


def heard(number: int, text: str) -> dict[str, object]:
    return {"role": "tool", "content": text, "tool_call_id": f"hmsg{number:05d}"}


PAST = (Exchange("q1", "a1", "private"), Exchange("q2", "a2"))
ARRAYS = {
    "user_role asks": (None, (Exchange("q1"),), [OPENED[0], {"role": "user", "content": "q1"}]),
    "user_role replays answers as plain content, nothing private": (
        None, (*PAST, Exchange("q3")),
        [OPENED[0], *({"role": role, "content": text} for role, text in
         (("user", "q1"), ("assistant", "a1"), ("user", "q2"), ("assistant", "a2"), ("user", "q3")))],
    ),
    "a tool that speaks: a trigger and a scripted greeting come first": (
        SPEAK, (Exchange("q1"),), [*OPENED, called(1, None, "Good day."), heard(1, "q1")],
    ),
    "answers are replayed as calls with their private content": (
        SPEAK, (*PAST, Exchange("q3")),
        [*OPENED, called(1, None, "Good day."), heard(1, "q1"), called(2, "private", "a1"), heard(2, "q2"),
         called(3, None, "a2"), heard(3, "q3")],
    ),
    "a tool that is read is called with nothing, and answers are plain content": (
        READ, (PAST[0], Exchange("q2")), [*OPENED, called(1, None), heard(1, "q1"), called(2, "a1"), heard(2, "q2")],
    ),
    "the trigger is the suite's": (
        msgspec.structs.replace(READ, trigger="[go]"), (Exchange("q"),),
        [OPENED[0], {"role": "user", "content": "[go]"}, called(1, None), heard(1, "q")],
    ),
}  # fmt: skip


def test_message_arrays_are_exactly_these() -> None:
    assert {name: sent(tool, *said) for name, (tool, said, _) in ARRAYS.items()} == {
        name: array for name, (_, _, array) in ARRAYS.items()
    }
    spoken = msgspec.json.encode(messages(DialogueSetting("S", tool=SPEAK), [Exchange("q")]))
    assert b'"content":null' in spoken


def test_arguments_are_json_with_ascii_escapes() -> None:
    said = [Exchange("q", 'né "☕"\n'), Exchange("q2")]
    (made,) = messages(DialogueSetting("S", tool=SPEAK), said)[4].tool_calls
    assert made.function.arguments == r'{"words": "n\u00e9 \"\u2615\"\n"}'


def test_the_tool_is_offered_as_declared() -> None:
    assert msgspec.structs.astuple(offered(SPEAK)) == ("speak", "Says something.", "words", "What is heard.", False)
    assert [offered(tool).lists_none for tool in (READ, LISTS)] == [False, True]


@settings(max_examples=50)
@given(
    st.lists(st.tuples(st.text(), st.text(), st.text()), max_size=12),
    st.text(),
    st.sampled_from([None, SPEAK, READ]),
)
def test_strict_backends_take_every_array(
    past: list[tuple[str, str, str]], question: str, tool: ToolRole | None
) -> None:
    array = messages(DialogueSetting("S", tool=tool), [*(Exchange(*exchange) for exchange in past), Exchange(question)])
    roles = [message.role for message in array]
    assert all(one != other for one, other in itertools.pairwise(roles))
    assert "assistant" not in roles or roles.index("user") < roles.index("assistant")
    ids = [one.id for message in array for one in message.tool_calls]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[A-Za-z0-9]{9}", one) for one in ids)
    for before, message in itertools.pairwise(array):
        if message.role == "tool":
            assert message.tool_call_id == before.tool_calls[0].id
    assert array[-1].content == question


@pytest.mark.parametrize("tool", [None, SPEAK, READ])
def test_background_is_a_system_message_of_its_own(tool: ToolRole | None) -> None:
    roles = [message.role for message in messages(DialogueSetting("S", "Background.", tool), [Exchange("q")])]
    assert roles[:3] == ["system", "system", "user"]
    assert messages(DialogueSetting("S", "Background.", tool), [Exchange("q")])[1].content == "Background."


def test_slots_come_in_order_of_appearance_and_other_braces_are_none() -> None:
    assert slots("{{b}} and {{ a }} and {{b}}") == ["b", "a", "b"]
    for text in ("{a}", "{{}}", "{{1a}}", "{{a b}}", "{{a\n}}", "{ {a}}"):
        assert (slots(text), fill(text, {})) == ([], text)
    with pytest.raises(KeyError, match="nobody"):
        fill("{{nobody}}", {"somebody": "x"})


@given(st.text(max_size=40))
def test_a_value_is_never_expanded_again(value: str) -> None:
    assert fill("<{{a}}|{{b}}>", {"a": "{{b}}" + value, "b": "x"}) == f"<{{{{b}}}}{value}|x>"
