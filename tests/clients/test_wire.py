from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from multidict import CIMultiDict

from independence.clients import protocol
from independence.clients.bodies import decode_any
from independence.clients.failures import Failure
from independence.clients.limits import FREE, Prices
from independence.clients.transport import HttpResponse
from independence.clients.wire import (
    AttemptCost,
    Outcome,
    ReceivedMessage,
    WireCall,
    WireChoice,
    WireFunction,
    WireMessage,
    WireUsage,
    cost_of,
    decode,
    longest,
    read,
    shorten,
    text_of,
    tokens_of,
)
from independence.types import Usage

from .conftest import KEY, USAGE, completion

PRICES = Prices(1e-6, 2e-6)


def test_unknown_fields_are_ignored_and_everything_is_optional() -> None:
    decoded = decode(b'{"choices": [{"message": {"content": "x", "annotations": []}, "logprobs": null}], "object": 1}')
    assert decoded is not None
    choice = decoded.completion.choice
    assert choice.message is not None
    assert choice.message.content == "x"
    empty = decode(b"{}")
    assert empty is not None
    assert empty.completion.choice == WireChoice()


@pytest.mark.parametrize("arguments", ['"{}"', "{}", "[1]", "null", "7", '{"a": {"b": []}}'])
def test_tool_arguments_may_be_anything(arguments: str) -> None:
    call = {"function": {"name": None, "arguments": json.loads(arguments)}}
    decoded = decode(json.dumps({"choices": [{"message": {"tool_calls": [call]}}]}).encode())
    assert decoded is not None
    choice = decoded.completion.choice
    assert choice.message is not None
    assert choice.message.tool_calls is not None
    function = choice.message.tool_calls[0].function
    assert function is not None
    assert function.arguments == json.loads(arguments)


@pytest.mark.parametrize("null", ["choices", "usage", "error", "id", "provider"])
def test_fields_may_be_null(null: str) -> None:
    assert decode(json.dumps({null: None}).encode()) is not None


@pytest.mark.parametrize("choices", ["null", "[]", "[{}]", '[{"message": null}]'])
def test_without_a_message_there_is_an_empty_choice(choices: str) -> None:
    decoded = decode(b'{"choices": %s}' % choices.encode())
    assert decoded is not None
    assert decoded.completion.choice == WireChoice()


@pytest.mark.parametrize(
    ("content", "repaired"),
    [
        (b'"a\\ud800b"', False),  # a lone surrogate, written as an escape
        (b'"a\nb"', False),  # a raw control character
        (b'"a\xffb"', True),  # invalid UTF-8
    ],
)
def test_broken_text_is_read_all_the_same(content: bytes, repaired: bool) -> None:
    decoded = decode(b'{"choices": [{"message": {"content": %s}}]}' % content)
    assert decoded is not None
    assert decoded.repaired is repaired


def test_padding_before_the_body_is_no_harm() -> None:
    assert decode(b"\n\n  \xef\xbb\xbf{}".replace(b"\xef\xbb\xbf", b"")) is not None
    assert decode(b"\xef\xbb\xbf{}") is not None


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"x"', b"<html>", b'{"choices": 1}', b"[" * 99_999])
def test_what_is_no_completion_is_none(body: bytes) -> None:
    assert decode(body) is None


@given(st.binary(max_size=200))
def test_decoding_never_raises(body: bytes) -> None:
    decode(body)
    decode_any(body)
    decode(b'{"choices": [{"message": {"content": "' + body + b'"}}]}')


def test_a_stated_cost_wins_over_list_prices() -> None:
    bill = cost_of(WireUsage(prompt_tokens=10, completion_tokens=5, cost="0.25"), PRICES)
    assert bill == (Usage(10, 5, 0, 0, 0.25), True)


def test_list_prices_stand_in_for_a_cost_that_is_no_number() -> None:
    assert cost_of(WireUsage(prompt_tokens=10, completion_tokens=5, cost=True), PRICES).usage.cost_usd == pytest.approx(
        20e-6
    )


def test_a_cost_that_cannot_be_told_is_unknown_and_its_tokens_are_kept() -> None:
    assert cost_of(None, PRICES) == (Usage(), False)
    assert cost_of(WireUsage(), PRICES) == (Usage(), False)
    assert cost_of(WireUsage(prompt_tokens=10), None) == (Usage(10), False)


def test_what_is_free_is_known_to_be() -> None:
    assert cost_of(None, FREE).known
    assert cost_of(WireUsage(), FREE) == (Usage(), True)


@pytest.mark.parametrize("count", [True, -1, "many", None, 1e300, 10**400, [], "12.5x"])
def test_token_counts_that_are_none_count_as_zero(count: object) -> None:
    assert tokens_of(WireUsage(completion_tokens=count)) == 0
    assert cost_of(WireUsage(prompt_tokens=count, completion_tokens_details=count), FREE).usage == Usage()


def test_only_strings_are_text() -> None:
    assert [text_of(v) for v in ("a", None, 1, [])] == ["a", "", "", ""]


def reading(
    body: Any, status: int = 200, prices: Prices | None = PRICES, **headers: str
) -> tuple[Outcome, AttemptCost]:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = CIMultiDict({name.replace("_", "-"): value for name, value in headers.items()})
    return read(HttpResponse(status, named, raw), prices, KEY)


def test_a_completion_is_taken_with_its_bill() -> None:
    outcome, bill = reading(completion("Yes."))
    assert isinstance(outcome, ReceivedMessage)
    assert (outcome.finish, outcome.flags) == ("stop", ())
    assert bill.known
    assert bill.usage.cost_usd == 0.001


@pytest.mark.parametrize(
    ("body", "lasting", "kind"),
    [
        ({"choices": None}, False, "no_choices"),
        ({"choices": []}, False, "no_choices"),
        ({"error": {"code": 502, "message": "x"}}, False, "502"),
        ({"error": {"code": 400, "message": "thought_signature missing"}}, True, "400"),
        ({"error": {"code": 403, "message": "x", "metadata": {"reasons": ["y"]}}}, True, "403"),
        (completion("", finish="error"), False, "error"),
        (completion("", finish="content_filter"), True, "content_filter"),
        (completion("", error={"code": 429, "message": "x"}), False, "429"),
        (b"not json", False, "malformed"),
    ],
)
def test_a_200_can_hide_a_failure(body: Any, lasting: bool, kind: str) -> None:
    outcome, _ = reading(body)
    assert isinstance(outcome, Failure)
    assert (outcome.lasting, outcome.kind) == (lasting, kind)


def test_an_error_inside_the_choice_is_found() -> None:
    body = completion("", finish="error")
    body["choices"][0]["error"] = {"code": 503, "message": "gone", "metadata": {"error_type": "provider_overloaded"}}
    outcome, bill = reading(body)
    assert isinstance(outcome, Failure)
    assert (outcome.kind, outcome.overload) == ("503", True)
    assert bill.usage.cost_usd == 0.001  # what is billed is billed


def test_a_failure_in_a_body_without_usage_is_of_unknown_cost() -> None:
    assert not reading({"error": {"code": 502, "message": "x"}})[1].known
    assert not reading(b"{")[1].known
    assert reading(b"{", prices=FREE)[1].known
    assert reading({"error": {"code": 429, "message": "x"}})[1].known


@pytest.mark.parametrize(
    ("status", "known"), [(429, True), (400, True), (404, True), (503, True), (502, False), (500, False)]
)
def test_only_a_request_that_was_let_in_can_have_cost_something(status: int, known: bool) -> None:
    assert reading({"error": {"code": status, "message": "x"}}, status)[1].known is known


@pytest.mark.parametrize(
    ("finish", "error", "reason"),
    [("error", None, None), ("stop", {"code": 502}, None), ("content_filter", None, "blocked"), ("gone", None, None)],
)
def test_readable_text_with_a_bad_ending_is_a_failure_that_keeps_it(
    finish: str, error: Any, reason: str | None
) -> None:
    outcome, bill = reading(completion("A thought.", finish=finish, error=error))
    assert isinstance(outcome, Failure)
    assert (outcome.reason, outcome.raw, outcome.unbilled) == (reason, "A thought.", False)
    assert bill.usage.cost_usd == 0.001


def test_a_replay_and_repaired_bytes_are_marked() -> None:
    outcome, _ = reading(completion("x"), X_OpenRouter_Cache_Status="hit")
    assert isinstance(outcome, ReceivedMessage)
    assert outcome.flags == (protocol.CACHE_HIT,)
    outcome, _ = reading(json.dumps(completion("x")).encode().replace(b'"x"', b'"\xff"'))
    assert isinstance(outcome, ReceivedMessage)
    assert outcome.flags == (protocol.BAD_TEXT,)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"upstream connect error", "HTTP 502: upstream connect error"),
        (b"<html><body>Bad gateway</body></html>", "HTTP 502: Bad gateway"),
        (b"", "HTTP 502"),
        (b'{"error": "model is loading"}', "HTTP 502: model is loading"),
        (b'{"odd": true}', "HTTP 502"),
    ],
)
def test_the_servers_words_are_kept_where_they_are_words(body: bytes, says: str) -> None:
    outcome, _ = reading(body, 502)
    assert isinstance(outcome, Failure)
    assert outcome.detail == says


def test_tool_calls_alone_say_something() -> None:
    outcome, _ = reading(completion(None, call='{"message": "Hi."}', finish=None, usage=USAGE))
    assert isinstance(outcome, ReceivedMessage)
    assert (outcome.finish, outcome.flags) == (None, (protocol.UNSTATED_END,))


LONG = "a" * (longest(1) + 1)
PARTS = st.sampled_from([None, "", "ab", "ab" * 32_000, LONG, [], ["a"], [{"type": "text", "text": LONG}], 7])
FUNCTIONS = st.one_of(st.none(), st.builds(WireFunction, PARTS, PARTS))
MESSAGES = st.builds(
    WireMessage,
    content=PARTS,
    refusal=PARTS,
    reasoning=PARTS,
    reasoning_details=PARTS,
    tool_calls=st.one_of(st.none(), st.lists(st.builds(WireCall, PARTS, FUNCTIONS), max_size=70)),
    function_call=FUNCTIONS,
)


@given(MESSAGES)
def test_a_message_is_cut_once_and_says_so_where_that_changed_it(message: WireMessage) -> None:
    short, cut = shorten(message, 1)
    assert cut is (short != message)
    assert shorten(short, 1) == (short, False)
