from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients import flags
from independence.clients.extract import extract
from independence.clients.wire import WireCall, WireFunction, WireMessage
from independence.types import Tool

from .conftest import TOOL

SAID = "I am here. Are you?"


def call(arguments: Any = None, name: Any = TOOL.name, call_id: Any = "c1") -> WireCall:
    return WireCall(call_id, WireFunction(name, json.dumps({"message": SAID}) if arguments is None else arguments))


def test_a_tool_message_is_the_answer_and_content_beside_it_private() -> None:
    found = extract(WireMessage(content="I shall be brief.", tool_calls=[call()]), TOOL)
    assert (found.text, found.channel, found.thinking, found.raw, found.flags) == (
        SAID, "tool", "I shall be brief.", "", ()
    )  # fmt: skip
    assert found.tool_calls[0].function.arguments == json.dumps({"message": SAID})


def test_content_is_the_answer_where_no_tool_was_called() -> None:
    found = extract(WireMessage(content=f"\n{SAID} "), TOOL)
    assert (found.text, found.channel, found.raw, found.thinking) == (SAID, "content", "", "")


def test_the_first_readable_message_wins_and_several_are_flagged() -> None:
    calls = [call('{"message": ""}'), call(), call('{"message": "More."}')]
    found = extract(WireMessage(tool_calls=calls), TOOL)
    assert (found.text, found.flags, len(found.tool_calls)) == (SAID, (flags.SEVERAL_CALLS,), 3)


def test_an_empty_second_call_is_not_a_second_message() -> None:
    assert extract(WireMessage(tool_calls=[call(), call('{"message": ""}')]), TOOL).flags == ()


@pytest.mark.parametrize("name", ["send_mesage_to_human", "", None, 7])
def test_a_foreign_name_with_our_message_is_accepted_and_flagged(name: Any) -> None:
    found = extract(WireMessage(tool_calls=[call(name=name)]), TOOL)
    assert (found.text, found.channel, found.flags) == (SAID, "tool", (flags.FOREIGN_TOOL,))


def test_a_call_of_something_else_is_no_answer() -> None:
    found = extract(WireMessage(content=SAID, tool_calls=[call('{"query": "weather"}', "web_search")]), TOOL)
    assert (found.text, found.channel) == (SAID, "content")
    assert extract(WireMessage(tool_calls=[call('{"query": "weather"}', "web_search")]), TOOL).text == ""


def test_an_empty_call_leaves_content_the_answer_but_a_lone_brace_does_not() -> None:
    assert extract(WireMessage(content=SAID, tool_calls=[call('{"message": ""}')]), TOOL).text == SAID
    stub = extract(WireMessage(content="Let me try the tool.", tool_calls=[call('{"message": "}"}')]), TOOL)
    assert (stub.text, stub.channel, stub.thinking) == ("}", "tool", "Let me try the tool.")


def test_cut_and_odd_arguments_keep_their_raw_form() -> None:
    cut = extract(WireMessage(tool_calls=[call('{"message": "I am he')]), TOOL)
    assert (cut.text, cut.raw, cut.flags) == ("I am he", '{"message": "I am he', (flags.CUT_ARGUMENTS,))
    odd = extract(WireMessage(tool_calls=[call({"message": "é"})]), TOOL)
    assert (odd.text, odd.raw, odd.flags) == ("é", '{"message": "é"}', (flags.ODD_ARGUMENTS,))


def test_a_call_that_leaked_into_content_is_taken_out_and_the_channel_stays_content() -> None:
    text = f'First I think. {TOOL.name}{{"message": "{SAID}"}}'
    found = extract(WireMessage(content=text), TOOL)
    assert (found.text, found.channel, found.thinking) == (SAID, "content", "First I think.")
    assert (found.raw, found.flags) == (text, (flags.TOOL_SYNTAX,))


def test_private_content_is_never_mistaken_for_a_call() -> None:
    draft = f'{TOOL.name}{{"message": "A draft."}}'
    found = extract(WireMessage(content=draft, tool_calls=[call()]), TOOL)
    assert (found.text, found.thinking, found.flags) == (SAID, draft, ())


@pytest.mark.parametrize(
    "fields",
    [
        {"reasoning": "Hm."},
        {"reasoning_content": "Hm."},
        {"reasoning": None, "reasoning_content": " Hm. "},
        {"reasoning": "", "reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]},
        {"reasoning_details": [{"type": "reasoning.summary", "summary": "Hm."}, {"type": "reasoning.encrypted"}]},
        {"thinking": "Hm."},
        {"content": f"<think>Hm.</think>{SAID}"},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}, {"text": SAID}]},
    ],
)
def test_reasoning_is_found_under_any_name(fields: dict[str, Any]) -> None:
    found = extract(WireMessage(**{"content": SAID, **fields}), None)
    assert (found.text, found.reasoning) == (SAID, "Hm.")


def test_the_first_name_for_reasoning_wins() -> None:
    message = WireMessage(content=SAID, reasoning="A.", reasoning_content="B.", reasoning_details=[{"text": "C."}])
    assert extract(message, None).reasoning == "A."


def test_reasoning_is_never_promoted_to_an_answer() -> None:
    found = extract(WireMessage(content="", reasoning="I would say hello."), TOOL)
    assert (found.text, found.reasoning) == ("", "I would say hello.")


@pytest.mark.parametrize(
    ("content", "text"),
    [(None, ""), ([], ""), ([{"type": "text", "text": "A."}, "B."], "A.\n\nB."), ({"text": "A."}, "A."), (7, "")],
)
def test_content_may_come_in_parts(content: Any, text: str) -> None:
    assert extract(WireMessage(content=content), TOOL).text == text


def test_a_refusal_in_its_own_field_is_an_answer() -> None:
    found = extract(WireMessage(content=None, refusal="I will not."), TOOL)
    assert (found.text, found.flags) == ("I will not.", (flags.REFUSAL_FIELD,))


def test_the_older_form_of_a_single_call_is_understood() -> None:
    found = extract(WireMessage(function_call=WireFunction(TOOL.name, f'{{"message": "{SAID}"}}')), TOOL)
    assert (found.text, found.channel) == (SAID, "tool")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(), max_size=10) | st.just('{"message": "x"'),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["message", "text", "type", "thinking"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(content=JSON, reasoning=JSON, arguments=JSON, name=JSON, offered=st.booleans())
def test_any_message_can_be_read_and_all_its_text_encoded(
    content: Any, reasoning: Any, arguments: Any, name: Any, offered: bool
) -> None:
    message = WireMessage(
        content=content, reasoning=reasoning, tool_calls=[WireCall(name, WireFunction(name, arguments))]
    )
    found = extract(message, TOOL if offered else None)
    for text in (found.text, found.raw, found.thinking, found.reasoning, *(
        t for c in found.tool_calls for t in (c.id, c.function.name, c.function.arguments)
    )):  # fmt: skip
        text.encode()
        assert "\x00" not in text


def test_nesting_without_end_does_no_harm() -> None:
    deep: Any = "x"
    for _ in range(900):
        deep = [deep]
    extract(WireMessage(content=deep, reasoning=deep, tool_calls=[call(deep), call({"message": deep})]), TOOL)


def test_a_tool_that_only_hears_carries_no_answer() -> None:
    listening = Tool("listen", "Hear the human.", "", "")
    message = WireMessage(
        content="I stay with the sea.",
        tool_calls=[WireCall(function=WireFunction(name="listen", arguments='{"text": "not this"}'))],
    )
    found = extract(message, listening)
    assert (found.text, found.channel) == ("I stay with the sea.", "content")
