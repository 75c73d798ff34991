"""Message arrays, exactly: `user_role` and the `tool_role` of the current suites."""

from __future__ import annotations

import itertools
import json
import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.suites.schema import ToolRole
from independence.suites.script import DialogueSetting, Exchange, messages, offered
from independence.types import Message

TOOL = ToolRole(
    name="speak",
    description="Says something.",
    parameter="words",
    parameter_description="What is heard.",
    greeting="Good day.",
    suffix="",
)


READ = ToolRole(name="listen", description="Hears the human.", suffix="", protocol="read")


def wire(array: tuple[Message, ...]) -> object:
    return json.loads(msgspec.json.encode(array))


def call(number: int, said: str) -> dict[str, object]:
    arguments = json.dumps({"words": said})
    return {"id": f"hmsg{number:05d}", "function": {"name": "speak", "arguments": arguments}, "type": "function"}


def test_user_role_asks_the_first_question() -> None:
    assert wire(messages(DialogueSetting("S"), [Exchange("q1")])) == [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "q1"},
    ]


def test_user_role_replays_answers_as_plain_content_and_no_private_content() -> None:
    assert wire(
        messages(DialogueSetting("S"), [Exchange("q1", "a1", "private"), Exchange("q2", "a2"), Exchange("q3")])
    ) == [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "q1"},
        {"role": "assistant", "content": "a1"},
        {"role": "user", "content": "q2"},
        {"role": "assistant", "content": "a2"},
        {"role": "user", "content": "q3"},
    ]


def test_tool_role_puts_a_trigger_and_a_scripted_greeting_before_the_first_question() -> None:
    assert wire(messages(DialogueSetting("S", tool=TOOL), [Exchange("q1")])) == [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "[start]"},
        {"role": "assistant", "content": None, "tool_calls": [call(1, "Good day.")]},
        {"role": "tool", "content": "q1", "tool_call_id": "hmsg00001"},
    ]


def test_tool_role_replays_answers_as_calls_with_their_private_content() -> None:
    array = messages(
        DialogueSetting("S", tool=TOOL), [Exchange("q1", "a1", "private"), Exchange("q2", "a2"), Exchange("q3")]
    )
    assert wire(array) == [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "[start]"},
        {"role": "assistant", "content": None, "tool_calls": [call(1, "Good day.")]},
        {"role": "tool", "content": "q1", "tool_call_id": "hmsg00001"},
        {"role": "assistant", "content": "private", "tool_calls": [call(2, "a1")]},
        {"role": "tool", "content": "q2", "tool_call_id": "hmsg00002"},
        {"role": "assistant", "content": None, "tool_calls": [call(3, "a2")]},
        {"role": "tool", "content": "q3", "tool_call_id": "hmsg00003"},
    ]


def listening(number: int, content: str | None) -> dict[str, object]:
    call = {"id": f"hmsg{number:05d}", "function": {"name": "listen", "arguments": "{}"}, "type": "function"}
    return {"role": "assistant", "content": content, "tool_calls": [call]}


def test_a_tool_that_is_read_is_called_with_nothing_and_answers_are_plain_content() -> None:
    array = messages(DialogueSetting("S", tool=READ), [Exchange("q1", "a1", "private"), Exchange("q2")])
    assert wire(array) == [
        {"role": "system", "content": "S"},
        {"role": "user", "content": "[start]"},
        listening(1, None),
        {"role": "tool", "content": "q1", "tool_call_id": "hmsg00001"},
        listening(2, "a1"),
        {"role": "tool", "content": "q2", "tool_call_id": "hmsg00002"},
    ]


def test_null_content_is_on_the_wire() -> None:
    assert b'"content":null' in msgspec.json.encode(messages(DialogueSetting("S", tool=TOOL), [Exchange("q")]))


def test_arguments_are_json_with_ascii_escapes() -> None:
    (made,) = messages(DialogueSetting("S", tool=TOOL), [Exchange("q", 'né "☕"\n'), Exchange("q2")])[4].tool_calls
    assert made.function.arguments == r'{"words": "n\u00e9 \"\u2615\"\n"}'


def test_the_trigger_is_the_suites() -> None:
    other = msgspec.structs.replace(TOOL, trigger="[go]")
    assert messages(DialogueSetting("S", tool=other), [Exchange("q")])[1].content == "[go]"


def test_the_tool_is_offered_as_declared() -> None:
    assert msgspec.structs.astuple(offered(TOOL)) == ("speak", "Says something.", "words", "What is heard.", False)


def test_the_same_dialogue_gives_the_same_bytes() -> None:
    first = messages(DialogueSetting("S", tool=TOOL), [Exchange("q", "a"), Exchange("r")])
    assert messages(DialogueSetting("S", tool=TOOL), [Exchange("q", "a"), Exchange("r")]) == first


@given(
    st.lists(st.tuples(st.text(), st.text(), st.text()), max_size=12),
    st.text(),
    st.sampled_from([None, TOOL, READ]),
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


@pytest.mark.parametrize("tool", [None, TOOL, READ])
def test_the_last_message_is_the_humans(tool: ToolRole | None) -> None:
    assert messages(DialogueSetting("S", tool=tool), [Exchange("q", ""), Exchange("last")])[-1].content == "last"


@pytest.mark.parametrize("tool", [None, TOOL, READ])
def test_background_is_a_system_message_of_its_own(tool: ToolRole | None) -> None:
    roles = [message.role for message in messages(DialogueSetting("S", "Background.", tool), [Exchange("q")])]
    assert roles[:3] == ["system", "system", "user"]
    assert messages(DialogueSetting("S", "Background.", tool), [Exchange("q")])[1].content == "Background."
