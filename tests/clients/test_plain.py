"""The short way for plain answers gives what the general way gives, and is taken by nearly all of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients import wire
from independence.clients.extract import Cleaned, Extracted, _pass, extract, masked, secret_in, suspicious, without_key
from independence.clients.plain import plain
from independence.clients.wire import WireCall, WireFunction, WireMessage, longest, shorten
from independence.types import Tool

from .conftest import KEY, TOOL, completion

MUTE = Tool("hang_up", "End.", "", "")
MOST = 64
WHOLE = ["I am.", "  Nö, “never”.\n", "3", "Call me [later] please", "🙂", "x" * 64_000]
ODD = ["", " ", "{", "?!", "a\0b", "\ud800", "<think>no</think>Yes", 'Said."}', f"my {KEY}", TOOL.name, "x" * 64_001]
texts = st.sampled_from(WHOLE + ODD) | st.text(max_size=20)
odd_values: Any = st.sampled_from([None, "", 1, [], {}, [{"type": "text", "text": "Hi"}], "thought"])
objects = st.dictionaries(st.sampled_from([TOOL.parameter, "other"]), texts | odd_values, max_size=2)
spelled = st.builds(json.dumps, objects, ensure_ascii=st.booleans())
broken = st.builds(lambda text, end: text[:end], spelled, st.integers(0, 12))
functions = st.builds(
    WireFunction, st.sampled_from([TOOL.name] * 6 + ["other", "", None, 4]), spelled | broken | texts | odd_values
)
calls = st.builds(WireCall, st.sampled_from(["c1", None, 7, f"c {KEY}", "\ud800"]), functions | st.none())
messages = st.builds(
    WireMessage,
    content=texts | odd_values,
    refusal=st.none() | texts,
    reasoning=st.none() | texts | odd_values,
    reasoning_content=st.none() | texts | odd_values,
    thinking=st.none() | st.none() | texts | odd_values,
    reasoning_details=st.none() | odd_values,
    tool_calls=st.none() | st.lists(calls, max_size=2),
    function_call=st.none() | functions,
)


def general(message: WireMessage, tool: Tool | None, key: str) -> tuple[Extracted, bool]:
    short, cut = shorten(message, MOST)
    return masked(extract(short, tool), without_key(key)), cut


def short_way(message: WireMessage, tool: Tool | None, key: str = KEY) -> Extracted | None:
    return plain(message, tool, longest(MOST), secret_in(key))


@given(
    st.builds(WireMessage, content=texts)
    | st.builds(WireMessage, tool_calls=calls.map(lambda call: [call]))
    | messages,
    st.sampled_from([TOOL, MUTE, None]),
    st.sampled_from([KEY, "", "Yes"]),
)
def test_what_is_plain_is_what_the_general_way_makes_of_it(message: WireMessage, tool: Tool | None, key: str) -> None:
    found = short_way(message, tool, key)
    expected = general(message, tool, key)  # which never raises
    assert found is None or (found, False) == expected


@given(st.text(alphabet='{}[]"ab:,) \n', max_size=30))
def test_what_is_closed_is_not_changed_by_cleaning(text: str) -> None:
    bare = Cleaned(text.strip())
    assert suspicious(text, None) or _pass(bare, None) == bare


@pytest.mark.parametrize("text", ['{"score": 3}', '{"a": {"b": "c"}}\n', 'He said "no"'])
def test_json_without_a_tool_is_plain(text: str) -> None:
    assert short_way(WireMessage(content=text), None) == Extracted(text.strip())
    assert short_way(WireMessage(content=text), TOOL) is None


@pytest.mark.parametrize("text", WHOLE)
@pytest.mark.parametrize("tool", [TOOL, MUTE, None])
def test_text_in_the_content_is_plain(text: str, tool: Tool | None) -> None:
    message = WireMessage(content=text)
    found = short_way(message, tool)
    assert found == Extracted(text.strip())
    assert general(message, tool, KEY) == (found, False)


@pytest.mark.parametrize("text", WHOLE[:-1])
@pytest.mark.parametrize("content", [None, "", "I had better ring."])
def test_one_call_of_the_tool_is_plain(text: str, content: str | None) -> None:
    received = wire.decode(json.dumps(completion(content, call=json.dumps({"message": text}))).encode())
    assert received is not None
    assert received.completion.choice is not None
    message = received.completion.choice.message
    assert message is not None
    found = short_way(message, TOOL)
    assert found is not None
    assert (found.text, found.thinking, found.flags) == (text.strip(), content or "", ())
    assert general(message, TOOL, KEY) == (found, False)


@pytest.mark.parametrize("text", ODD)
@pytest.mark.parametrize("tool", [TOOL, None])
def test_what_has_to_be_cut_cleaned_or_asked_again_is_not_plain(text: str, tool: Tool | None) -> None:
    called = WireCall("c1", WireFunction(TOOL.name, json.dumps({"message": text})))
    if tool is not None:
        assert short_way(WireMessage(tool_calls=[called]), tool) is None
    if text != TOOL.name and text not in ("{", "?!"):
        assert short_way(WireMessage(content=text), tool) is None


DETAILS = [{"type": "reasoning.text", "text": "Hm.", "signature": "x"}]


@pytest.mark.parametrize(
    "fields",
    [
        {"reasoning": " Hm.\n"},
        {"reasoning_content": "Hm."},
        {"reasoning": "Hm.", "reasoning_content": "Hm.", "reasoning_details": DETAILS, "refusal": ""},
    ],
)
def test_reasoning_beside_an_answer_is_plain(fields: dict[str, Any]) -> None:
    called = WireCall("c1", WireFunction(TOOL.name, '{"message": "I am."}'))
    for message in (WireMessage("I am.", **fields), WireMessage(tool_calls=[called], **fields)):
        found = short_way(message, TOOL)
        assert found is not None
        assert (found.text, found.reasoning) == ("I am.", "Hm.")
        assert general(message, TOOL, KEY) == (found, False)


@pytest.mark.parametrize(
    "fields",
    [
        {"refusal": "No."},
        {"reasoning": f"It is {KEY}."},
        {"reasoning": ["Hm."]},
        {"reasoning": "x" * 64_001},
        {"reasoning": "Hm.", "reasoning_details": [{"text": "x" * 64_000}]},
        {"reasoning_details": DETAILS},
        {"thinking": "Hm."},
    ],
)
def test_what_is_told_in_other_ways_goes_the_general_way(fields: dict[str, Any]) -> None:
    assert short_way(WireMessage("I am.", **fields), TOOL) is None
