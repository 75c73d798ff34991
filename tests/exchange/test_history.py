from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from independence.exchange.responses import EMPTY, SCRAMBLED, STALE, PublishedRequest, broken_history, published_request
from independence.suites.load import load
from independence.suites.schema import Suite
from independence.suites.script import DialogueSetting, Exchange, messages

_TURNS = ("q1", "q2", "q3")


def seen(*pairs: tuple[str, str], last: str) -> PublishedRequest:
    return PublishedRequest(exchanges=(*(Exchange(human, answer) for human, answer in pairs), Exchange(last)))


CURRENT = {"q1": seen(last="one?"), "q2": seen(("one?", "1"), last="two?"), "q3": seen(last="three?")}
STORED = {"q1": "1", "q2": "2", "q3": "3"}


def flags_of(request: PublishedRequest) -> list[str]:
    return broken_history(request, _TURNS[:2], CURRENT, STORED)


@given(st.lists(st.tuples(st.text(min_size=1), st.text(min_size=1)), max_size=4), st.text(min_size=1))
def test_a_request_in_either_mode_is_taken_apart_into_what_it_was_built_from(
    past: list[tuple[str, str]], question: str
) -> None:
    exchanges = (*(Exchange(human, answer) for human, answer in past), Exchange(question))
    tool = load("v2").suite.delivery.tool_role
    assert tool is not None
    in_tool = published_request(msgspec.json.encode(messages(DialogueSetting("Be.", tool=tool), exchanges)))
    assert in_tool == PublishedRequest(tool.name, tool.greeting, exchanges)
    assert published_request(msgspec.json.encode(messages(DialogueSetting("Be."), exchanges))) == PublishedRequest(
        "", "", exchanges
    )


def test_private_content_beside_a_replayed_message_is_not_part_of_it(suite: Suite) -> None:
    exchanges = (Exchange("one?", "1", "I ponder"), Exchange("two?"))
    request = msgspec.json.encode(messages(DialogueSetting("Be.", tool=suite.delivery.tool_role), exchanges))
    assert published_request(request).exchanges == (Exchange("one?", "1"), Exchange("two?"))


def test_what_was_said_beside_a_call_that_only_listens_is_the_answer() -> None:
    tool = load("v1").suite.delivery.tool_role
    assert tool is not None
    exchanges = (Exchange("one?", "1"), Exchange("two?"))
    request = msgspec.json.encode(messages(DialogueSetting("Be.", tool=tool), exchanges))
    assert published_request(request) == PublishedRequest(tool.name, "", exchanges)


@given(st.binary(max_size=200))
def test_a_request_that_cannot_be_read_shows_nothing(request: bytes) -> None:
    assert published_request(b"\xff" + request) == PublishedRequest()


def test_arguments_that_cannot_be_read_leave_an_empty_message() -> None:
    call = {"function": {"name": "say", "arguments": "{broken"}}
    request = [{"role": "assistant", "content": None, "tool_calls": [call]}, {"role": "tool", "content": "hm?"}]
    assert published_request(msgspec.json.encode(request)) == PublishedRequest("say", "", (Exchange("hm?"),))


def test_a_history_that_matches_what_is_stored_has_no_flags() -> None:
    assert flags_of(seen(("one?", "1"), ("two?", "2"), last="three?")) == []


def test_scripted_exchanges_are_not_judged() -> None:
    assert flags_of(seen(("hello", "scripted"), ("one?", "1"), ("two?", "2"), last="three?")) == []


def test_an_answer_that_was_replaced_since_makes_the_history_stale() -> None:
    assert flags_of(seen(("one?", "1"), ("two?", "something else"), last="three?")) == [STALE]


def test_white_space_around_a_replayed_answer_does_not_make_it_stale() -> None:
    assert flags_of(seen(("one?", "1\n"), ("two?", "2"), last="three?")) == []


def test_questions_in_another_order_are_scrambled() -> None:
    assert flags_of(seen(("two?", "2"), ("one?", "1"), last="three?")) == [SCRAMBLED]


def test_a_question_left_out_is_scrambled() -> None:
    assert flags_of(seen(("one?", "1"), last="three?")) == [SCRAMBLED]


def test_an_empty_replayed_answer_is_empty_and_stale() -> None:
    assert flags_of(seen(("one?", "1"), ("two?", ""), last="three?")) == [EMPTY, STALE]


def test_turns_without_a_file_are_not_judged() -> None:
    request = seen(("one?", "1"), ("two?", "whatever"), last="three?")
    assert broken_history(request, _TURNS[:2], {"q1": CURRENT["q1"]}, {"q1": "1"}) == []


def test_the_same_question_twice_is_matched_in_order() -> None:
    current = {"q1": seen(last="again?"), "q2": seen(last="again?")}
    request = seen(("again?", "1"), ("again?", "2"), last="three?")
    assert broken_history(request, ("q1", "q2"), current, {"q1": "1", "q2": "2"}) == []
