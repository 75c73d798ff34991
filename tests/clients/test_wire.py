from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients.pricing import FREE, Prices
from independence.clients.wire import WireUsage, cost_of, decode, decode_any, text_of, tokens_of
from independence.types import Usage

PRICES = Prices(1e-6, 2e-6)


def test_unknown_fields_are_ignored_and_everything_is_optional() -> None:
    decoded = decode(b'{"choices": [{"message": {"content": "x", "annotations": []}, "logprobs": null}], "object": 1}')
    assert decoded is not None
    choice = decoded.completion.choice
    assert choice is not None
    assert choice.message is not None
    assert choice.message.content == "x"
    empty = decode(b"{}")
    assert empty is not None
    assert empty.completion.choice is None


@pytest.mark.parametrize("arguments", ['"{}"', "{}", "[1]", "null", "7", '{"a": {"b": []}}'])
def test_tool_arguments_may_be_anything(arguments: str) -> None:
    call = {"function": {"name": None, "arguments": json.loads(arguments)}}
    decoded = decode(json.dumps({"choices": [{"message": {"tool_calls": [call]}}]}).encode())
    assert decoded is not None
    choice = decoded.completion.choice
    assert choice is not None
    assert choice.message is not None
    assert choice.message.tool_calls is not None
    function = choice.message.tool_calls[0].function
    assert function is not None
    assert function.arguments == json.loads(arguments)


@pytest.mark.parametrize("null", ["choices", "usage", "error", "id", "provider"])
def test_fields_may_be_null(null: str) -> None:
    assert decode(json.dumps({null: None}).encode()) is not None


@pytest.mark.parametrize("choices", ["null", "[]", "[{}]", '[{"message": null}]'])
def test_without_a_message_there_is_no_choice(choices: str) -> None:
    decoded = decode(b'{"choices": %s}' % choices.encode())
    assert decoded is not None
    assert decoded.completion.choice is None


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
