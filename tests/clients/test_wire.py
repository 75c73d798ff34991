"""A response as bytes: what it holds, what it cost, and whether it is a failure."""

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
    ChatCompletion,
    Outcome,
    ReceivedMessage,
    WireChoice,
    WireUsage,
    cost_of,
    decode,
    read,
    tokens_of,
)
from independence.types import Usage

from .conftest import KEY, USAGE, completion

PRICES = Prices(0.25, 0.5)


def decoded(body: Any) -> ChatCompletion:
    found = decode(body if isinstance(body, bytes) else json.dumps(body).encode())
    assert found is not None
    return found


def test_unknown_fields_are_ignored_and_everything_is_optional() -> None:
    body = {"choices": [{"message": {"content": "x", "annotations": []}, "logprobs": None}], "object": 1}
    message = decoded(body).choice.message
    assert message is not None
    assert message.content == "x"
    for empty in ({}, {"choices": None}, {"choices": []}, {"choices": [{}]}, {"choices": [{"message": None}]}):
        assert decoded(empty).choice == WireChoice()
    assert all(decoded({null: None}) for null in ("choices", "usage", "error", "id", "provider"))
    for padded in (b"\n\n  {}", b"\xef\xbb\xbf{}"):
        assert decoded(padded)


def test_tool_arguments_may_be_anything() -> None:
    for arguments in ("{}", {}, [1], None, 7, {"a": {"b": []}}):
        call = {"function": {"name": None, "arguments": arguments}}
        message = decoded({"choices": [{"message": {"tool_calls": [call]}}]}).choice.message
        assert message is not None
        assert message.tool_calls is not None
        assert message.tool_calls[0].function is not None
        assert message.tool_calls[0].function.arguments == arguments


def test_broken_text_is_read_all_the_same_and_what_is_no_completion_is_none() -> None:
    texts = {b'"a\\ud800b"': False, b'"a\nb"': False, b'"a\xffb"': True}  # half a character, a control sign, no UTF-8
    for text, replaced in texts.items():
        outcome, _ = read(HttpResponse(200, {}, b'{"choices": [{"message": {"content": %s}}]}' % text), PRICES, (KEY,))
        assert isinstance(outcome, ReceivedMessage)
        assert (protocol.BAD_TEXT in outcome.flags) is replaced
    for body in (b"", b"{", b"[]", b'"x"', b"<html>", b'{"choices": 1}', b"[" * 99_999):
        assert decode(body) is None


@given(st.binary(max_size=200))
def test_decoding_never_raises(body: bytes) -> None:
    decode(body)
    decode_any(body)
    decode(b'{"choices": [{"message": {"content": "' + body + b'"}}]}')


def test_a_stated_cost_wins_over_list_prices_and_what_cannot_be_told_is_unknown() -> None:
    ten = {"prompt_tokens": 10, "completion_tokens": 5}
    rows: list[tuple[WireUsage | None, Prices | None, Usage, bool]] = [
        (WireUsage(**ten, cost="0.25"), PRICES, Usage(10, 5, 0, 0, 0.25), True),
        (WireUsage(**ten, cost=True), PRICES, Usage(10, 5, 0, 0, 5.0), True),
        (WireUsage(completion_tokens=5), PRICES, Usage(0, 5, 0, 0, 2.5), True),
        (None, PRICES, Usage(), False),
        (WireUsage(), PRICES, Usage(), False),
        (WireUsage(prompt_tokens=10), None, Usage(10), False),
        (None, FREE, Usage(), True),
        (WireUsage(), FREE, Usage(), True),
    ]
    for usage, prices, used, known in rows:
        assert cost_of(usage, prices) == (used, known), (usage, prices)
    for count in (True, -1, "many", None, 1e300, 10**9, 10**400, [], "12.5x"):
        assert tokens_of(WireUsage(completion_tokens=count)) == 0
        assert cost_of(WireUsage(prompt_tokens=count, completion_tokens_details=count), FREE).usage == Usage()
    assert tokens_of(WireUsage(completion_tokens="12")) == 12


def reading(
    body: Any, status: int = 200, prices: Prices | None = PRICES, **headers: str
) -> tuple[Outcome, AttemptCost]:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = CIMultiDict({name.replace("_", "-"): value for name, value in headers.items()})
    return read(HttpResponse(status, named, raw), prices, KEY)


def test_a_completion_is_taken_with_its_bill_and_its_marks() -> None:
    rows: list[tuple[Any, dict[str, str], tuple[str, ...]]] = [
        (completion("x"), {}, ()),
        (completion("x"), {"X_OpenRouter_Cache_Status": "hit"}, (protocol.CACHE_HIT,)),
        (json.dumps(completion("x")).encode().replace(b'"x"', b'"\xff"'), {}, (protocol.BAD_TEXT,)),
        (completion(None, call='{"message": "Hi."}', finish=None), {}, (protocol.UNSTATED_END,)),
    ]
    for body, headers, flags in rows:
        outcome, bill = reading(body, **headers)
        assert isinstance(outcome, ReceivedMessage)
        assert (outcome.flags, bill.known, bill.usage.cost_usd) == (flags, True, USAGE["cost"])


def test_a_failure_in_a_body_is_billed_as_it_says_and_else_of_unknown_cost() -> None:
    unbilled: list[tuple[Any, Prices | None, bool]] = [
        ({"error": {"code": 502, "message": "x"}}, PRICES, False),
        ({"error": {"code": 429, "message": "x"}}, PRICES, True),
        (b"{", PRICES, False),
        (b"{", FREE, True),
    ]
    assert [reading(body, prices=prices)[1].known for body, prices, _ in unbilled] == [known for *_, known in unbilled]
    bad = {"error": ("error", None), "stop": ("stop", {"code": 502}), "gone": ("gone", None)}
    for finish, error in bad.values():
        outcome, bill = reading(completion("A thought.", finish=finish, error=error))
        assert isinstance(outcome, Failure)
        assert (outcome.reason, outcome.raw, outcome.unbilled) == (None, "A thought.", False)
        assert bill.usage.cost_usd == pytest.approx(0.001)
