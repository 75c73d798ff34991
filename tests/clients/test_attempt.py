from __future__ import annotations

import json
from typing import Any

import pytest
from multidict import CIMultiDict

from independence.clients import flags
from independence.clients.failures import RequestFailure
from independence.clients.pricing import FREE, Prices
from independence.clients.transport import HttpResponse
from independence.clients.wire import AttemptCost, Outcome, ReceivedMessage, read

from .conftest import KEY, USAGE, completion

PRICES = Prices(1e-6, 2e-6)


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
    ("body", "action", "kind"),
    [
        ({"choices": None}, "retry", "no_choices"),
        ({"choices": []}, "retry", "no_choices"),
        ({"error": {"code": 502, "message": "x"}}, "retry", "502"),
        ({"error": {"code": 400, "message": "thought_signature missing"}}, "park", "400"),
        ({"error": {"code": 403, "message": "x", "metadata": {"reasons": ["y"]}}}, "blocked", "403"),
        (completion("", finish="error"), "retry", "error"),
        (completion("", finish="content_filter"), "blocked", "content_filter"),
        (completion("", error={"code": 429, "message": "x"}), "retry", "429"),
        (b"not json", "retry", "malformed"),
    ],
)
def test_a_200_can_hide_a_failure(body: Any, action: str, kind: str) -> None:
    outcome, _ = reading(body)
    assert isinstance(outcome, RequestFailure)
    assert (outcome.action, outcome.kind) == (action, kind)


def test_an_error_inside_the_choice_is_found() -> None:
    body = completion("", finish="error")
    body["choices"][0]["error"] = {"code": 503, "message": "gone", "metadata": {"error_type": "provider_overloaded"}}
    outcome, bill = reading(body)
    assert isinstance(outcome, RequestFailure)
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
    ("finish", "error", "mark"),
    [("error", None, flags.FINISH_ERROR), ("stop", {"code": 502}, flags.FINISH_ERROR),
     ("content_filter", None, flags.CONTENT_FILTER)],
)  # fmt: skip
def test_readable_text_survives_a_bad_ending_and_says_so(finish: str, error: Any, mark: str) -> None:
    outcome, _ = reading(completion("A thought.", finish=finish, error=error))
    assert isinstance(outcome, ReceivedMessage)
    assert outcome.flags == (mark,)


def test_a_replay_and_repaired_bytes_are_marked() -> None:
    outcome, _ = reading(completion("x"), X_OpenRouter_Cache_Status="hit")
    assert isinstance(outcome, ReceivedMessage)
    assert outcome.flags == (flags.CACHE_HIT,)
    outcome, _ = reading(json.dumps(completion("x")).encode().replace(b'"x"', b'"\xff"'))
    assert isinstance(outcome, ReceivedMessage)
    assert outcome.flags == (flags.BAD_TEXT,)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"upstream connect error", "HTTP 502: upstream connect error"),
        (b"<html><body>Bad gateway</body></html>", "HTTP 502"),
        (b"", "HTTP 502"),
        (b'{"error": "model is loading"}', "HTTP 502: model is loading"),
        (b'{"odd": true}', "HTTP 502"),
    ],
)
def test_the_servers_words_are_kept_where_they_are_words(body: bytes, says: str) -> None:
    outcome, _ = reading(body, 502)
    assert isinstance(outcome, RequestFailure)
    assert outcome.detail == says


def test_tool_calls_alone_say_something() -> None:
    outcome, _ = reading(completion(None, call='{"message": "Hi."}', finish=None, usage=USAGE))
    assert isinstance(outcome, ReceivedMessage)
    assert outcome.finish is None
