"""What a failed attempt is about, and what a call makes of it: status, type, availability, words, waits, exceptions."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients import waits
from independence.clients.bodies import read_error
from independence.clients.failures import (
    Failure,
    key_rejected,
    of_exception,
    of_response,
    sentence,
)
from independence.clients.protocol import Policy
from independence.clients.transport import HttpResponse
from independence.config.endpoints import Endpoint

from .conftest import FINE, KEY, MODEL, SAID, USAGE, Came, Step, ask, completion, failing

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
LATER = {"Retry-After": "20"}


def waited(came: Came) -> float:
    """Seconds before its second request."""
    return came.sent[1] - came.sent[0] if came.asked > 1 else 0.0


def typed(name: str, **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"error_type": name, **metadata}}


def limited(source: str) -> dict[str, Any]:
    return {"metadata": {"limit_source": f"openrouter_{source}"}}


def unavailable(code: str, retryable: bool, **more: Any) -> dict[str, Any]:
    return {"availability": {"code": code, "retryable": retryable, **more}}


def hidden(code: int, message: str = "no", **error: Any) -> Step:
    """An error in the body of a 200."""
    return Step(body={"id": "gen-0", "error": {"code": code, "message": message, **error}})


# Every row of the table of signals that the gateway documents: what it answers, what the call comes to where the next
# answer is a good one, after how many requests, and the least that is waited before the second.
DOCUMENTED: dict[str, tuple[Step, str, int, float]] = {
    "429, and when to come back": (failing(429, headers=LATER, **typed("rate_limit_exceeded")), SAID, 2, 20),
    "429, when to come back in the body": (failing(429, metadata={"retry_after_seconds": 20}), SAID, 2, 20),
    "429, at capacity": (failing(429, **unavailable("capacity_exhausted", True, retry_after=20)), SAID, 2, 20),
    "a free model, by the minute": (failing(429, "Rate limit exceeded: free-models-per-min"), SAID, 2, 0),
    "a free model, by the day": (failing(429, "Rate limit exceeded: free-models-per-day"), "Parked", 1, 0),
    "402": (failing(402, "Insufficient credits"), "OutOfCredit", 1, 0),
    "402, and when to come back": (failing(402, headers=LATER, **limited("in_flight_budget")), SAID, 2, 20),
    "402 of a budget in flight": (failing(402, **limited("in_flight_budget")), SAID, 2, 0),
    "403, moderated": (failing(403, metadata={"reasons": ["violence"], "flagged_input": "..."}), "blocked", 1, 0),
    "403, a guardrail's pattern": (failing(403, metadata={"patterns": ["ignore"]}), "blocked", 1, 0),
    "403, the limit of a key": (failing(403, "Key limit exceeded", **limited("key_limit")), "OutOfCredit", 1, 0),
    "403": (failing(403), "Refused", 1, 0),
    "408": (failing(408), SAID, 2, 0),
    "500": (failing(500), SAID, 2, 0),
    "502": (failing(502), SAID, 2, 0),
    "503": (failing(503), SAID, 2, 0),
    "504": (failing(504), SAID, 2, 0),
    "529": (failing(529), SAID, 2, 0),
    **{
        f"404, {code}": (failing(404, **unavailable(code, False, fallback_models=["b/c"])), "Refused", 1, 0)
        for code in (
            "no_endpoints", "constraint_filtered", "privacy_restricted", "model_deprecated", "free_variant_ended",
        )
    },
    "nothing came": (Step(body=completion("", finish=None, usage={"completion_tokens": 0})), SAID, 2, 0),
    "reasoning alone": (Step(body=completion("", message={"reasoning": "Hm."})), SAID, 2, 0),
    "at the limit of its length": (Step(body=completion("I am", finish="length")), SAID, 2, 0),
    "a 200 with an error": (hidden(502, "Provider disconnected", **typed("provider_unavailable")), SAID, 2, 0),
    "a 200 that ended in an error": (Step(body=completion("", finish="error")), SAID, 2, 0),
    "a 200 without choices": (Step(body={"id": "x", "choices": None, "usage": USAGE}), SAID, 2, 0),
    "a 200 with a 400": (hidden(400, "missing a thought_signature"), "Refused", 1, 0),
    "a body that breaks off": (Step(body=b'{"id": "x", "choices": [{"mess'), SAID, 2, 0),
}  # fmt: skip


def test_every_documented_signal_is_acted_upon() -> None:
    wrong = {}
    for name, (step, end, asked, least) in DOCUMENTED.items():
        came = ask(step, FINE)
        most = least + 0.25 if least else 1.0
        if (came.end, came.asked) != (end, asked) or not least <= waited(came) <= most:
            wrong[name] = came
    assert wrong == {}


def test_suggested_fallback_models_are_never_followed() -> None:
    came = ask(failing(404, "retired", **unavailable("model_deprecated", False, fallback_models=["maker/model-two"])))
    assert "model_deprecated" in came.line
    assert "retired" in came.line
    assert [body["model"] for body in came.bodies] == [MODEL]


# What is refused five times before a good answer: how the call ends, the kind of an attempt, whether the window is
# narrowed, and whether such an attempt costs nothing for certain.
STATUSES: list[tuple[Step, str, str, bool, bool]] = [
    (failing(429), SAID, "429", True, True),
    (failing(503), SAID, "503", True, True),
    (failing(529), SAID, "529", True, True),
    (failing(529, **typed("provider_overloaded")), SAID, "529", True, True),
    (failing(408), SAID, "408", False, False),
    (failing(408, **typed("timeout")), SAID, "408", False, False),
    (failing(409), SAID, "409", False, False),
    (failing(425), SAID, "425", False, False),
    (failing(500), SAID, "500", False, False),
    (failing(502), SAID, "502", False, False),
    (failing(504), SAID, "504", False, False),
    (failing(520), SAID, "520", False, False),
    (failing(402, headers={"Retry-After": "0"}), SAID, "402", False, True),
    (failing(402, **limited("in_flight_budget")), SAID, "402", False, True),
    (failing(402, **limited("key_limit")), "OutOfCredit", "402", False, True),
    (failing(401), "KeyRejected", "401", False, True),
    (failing(403), "Refused", "403", False, True),
    (failing(403, **limited("key_limit")), "OutOfCredit", "403", False, True),
    (failing(404), "Refused", "404", False, True),
    (failing(400), "Refused", "400", False, True),
    (failing(422), "Refused", "422", False, True),
    (failing(413), "too_long", "413", False, True),
    (failing(307), "Refused", "307", False, True),
    (hidden(429), SAID, "429", True, True),
    (hidden(400), "Refused", "400", False, True),
    (hidden(401), "KeyRejected", "401", False, True),
    (hidden(401, metadata={"provider_name": "Maker"}), "Refused", "401", False, True),  # not a key of ours
    (failing(401, metadata={"provider_name": "Maker"}), "KeyRejected", "401", False, True),
    (Step(body={"error": {"message": "no"}}), SAID, "500", False, False),
]


def test_a_status_decides_where_nothing_else_is_said() -> None:
    wrong = {}
    for step, end, kind, narrowed, unbilled in STATUSES:
        came = ask(*[step] * 5, FINE, policy=Policy())
        kinds = (kind,) * 5 + ("ok",) if end == SAID else (kind,)
        found = (came.end, came.kinds, came.window < 16, not came.answer.attempts[0].unknown_usd)
        if found != (end, kinds, narrowed, unbilled):
            wrong[str(step)] = found
    assert wrong == {}


def classify(status: int, headers: dict[str, str] | None = None, **error: Any) -> Failure:
    body = read_error({"error": {"message": "m", **error}})
    return of_response(HttpResponse(status, headers or {}, b""), body, (KEY,), NOW)


TYPES = {
    "rate_limit_exceeded": SAID, "provider_overloaded": SAID, "provider_unavailable": SAID, "server": SAID,
    "unmapped": SAID, "timeout": SAID, "authentication": "KeyRejected", "payment_required": "OutOfCredit",
    "permission_denied": "Refused", "content_policy_violation": "blocked", "refusal": "blocked", "not_found": "Refused",
    "invalid_request": "Refused", "invalid_prompt": "Refused", "context_length_exceeded": "too_long",
    "max_tokens_exceeded": "too_long", "token_limit_exceeded": "too_long", "string_too_long": "too_long",
    "payload_too_large": "too_long", "precondition_failed": "Refused", "unprocessable": "Refused",
}  # fmt: skip


def test_the_error_type_comes_before_the_status_and_availability_before_it_too() -> None:
    found = {
        (name, status): ask(failing(status, **typed(name)), FINE).end for name in TYPES for status in (200, 400, 502)
    }
    assert {key: end for key, end in found.items() if end != TYPES[key[0]]} == {}
    rows = {
        ("capacity_exhausted", 429, True): SAID,
        ("temporarily_unavailable", 503, True): SAID,
        ("model_not_found", 400, False): "Refused",
        ("region_restricted", 403, False): "Refused",
        ("something_new", 404, True): SAID,
        ("something_new", 503, False): "Refused",
    }
    for (code, status, retryable), end in rows.items():
        assert ask(failing(status, **unavailable(code, retryable)), FINE).end == end, (code, status)
    assert "something_new" in classify(404, **unavailable("something_new", True)).detail
    assert ask(*[failing(404, **unavailable("capacity_exhausted", True))] * 4, FINE, policy=Policy()).window < 16


def test_faults_that_outlast_the_retries_give_up_with_all_attempts_and_each_waits_longer() -> None:
    came = ask(failing(502, "upstream fell over"), policy=Policy())
    assert (came.end, came.kinds) == ("GaveUp", ("502",) * 7)
    assert "502 after 7 attempts: HTTP 502: upstream fell over" in came.line
    assert {body["seed"] for body in came.bodies} == {7}  # the same question
    policy = Policy(base_backoff_s=0.5, cap_s=60)
    for retried, ceiling in [(0, 0.5), (1, 1.0), (4, 8.0), (7, 60.0), (500, 60.0)]:
        drawn = [policy.pause(retried, None) for _ in range(400)]
        assert 0 <= min(drawn) < 0.2 * ceiling
        assert 0.8 * ceiling < max(drawn) <= ceiling
    assert max(Policy().pause(0, None) for _ in range(400)) <= 0.5
    assert 40 < max(Policy().pause(20, None) for _ in range(400)) <= 60
    asked_for = {policy.pause(3, 20.0) for _ in range(50)}
    assert 20.0 <= min(asked_for) <= max(asked_for) <= 20.5
    assert len(asked_for) > 40  # callers do not come back at once


def test_a_limit_that_lifts_hours_away_parks_and_says_when() -> None:
    rows: list[tuple[dict[str, Any], dict[str, str], str]] = [
        ({"message": "Rate limit exceeded: free-models-per-day."}, {}, "2026-11-22 00:00 UTC"),
        ({"metadata": {"limit_source": "openrouter_free_tier_daily"}}, {}, "2026-11-22 00:00 UTC"),
        ({"message": "tokens per day (TPD) reached"}, {"Retry-After": "9000"}, "in 2.5 h"),
        ({"message": "quota RequestsPerDayPerModel"}, {}, "tomorrow"),
        ({"message": "slow down"}, {"Retry-After": "7200"}, "in 2.0 h"),
        ({"message": "slow down"}, {"Retry-After": "3600"}, "in 1.0 h"),
        ({"message": "slow down"}, {"Retry-After": "660"}, "in 11 min, at 2026-11-21 12:11 UTC"),
        ({"message": "slow down"}, {"X-RateLimit-Reset": "1795305600000"}, "2026-11-22 00:00 UTC"),
    ]
    for error, headers, says in rows:
        failure = classify(429, headers, **error)
        assert (failure.kind, failure.lasting, says in failure.detail) == ("daily", True, True), failure
    assert classify(429, {"Retry-After": "600"}, message="slow down").lasting is False
    reset = {"X-RateLimit-Reset": str(int(NOW.timestamp() * 1000) + 40_000)}
    by_the_minute = classify(429, reset, message="Rate limit exceeded: free-models-per-min")
    assert (by_the_minute.lasting, by_the_minute.retry_after) == (False, 40.0)


def test_a_broken_connection_passes_and_only_one_that_was_never_made_certainly_cost_nothing() -> None:
    rows: list[tuple[Exception, bool, str, bool]] = [
        (TimeoutError(), False, "timeout", False),
        (aiohttp.ServerTimeoutError(), False, "timeout", False),
        (aiohttp.ConnectionTimeoutError("x"), False, "connect", True),
        (aiohttp.ServerDisconnectedError(), False, "reset", False),
        (aiohttp.ClientPayloadError("cut"), False, "cut", False),
        (ConnectionResetError(104, "reset"), False, "reset", False),
        (aiohttp.InvalidURL(f"http://{KEY}@x"), True, "connect", True),
    ]
    found = [(of_exception(error, (KEY,)), row) for error, *row in rows]
    assert [[one.lasting, one.kind, one.unbilled] for one, _ in found] == [row for _, row in found]
    assert KEY not in repr(found[-1])


@pytest.mark.parametrize(("source", "named"), [("LAB_KEY", "check LAB_KEY"), ("", "api_key_env")])
def test_a_rejected_key_is_traced_to_where_it_is_set_and_not_repeated(source: str, named: str) -> None:
    failure = classify(401, message=f"Incorrect API key provided: {KEY}")
    error = key_rejected(Endpoint("mine", "http://x/v1", "openrouter", KEY, key_source=source), failure)
    assert named in str(error)
    assert "the API key was refused" in str(error)
    assert KEY not in repr(error)
    assert error.exit_code == 2


def test_the_error_is_found_in_whatever_form_a_server_uses() -> None:
    raw = {"error": {"message": "Provider returned error", "metadata": {"raw": "too hot"}}}
    rows: list[tuple[object, str, int | None]] = [
        ({"error": {"code": 429, "message": "slow"}}, "slow", 429),
        ({"error": {"code": "429", "message": "slow"}}, "slow", 429),
        ({"error": {"code": "rate_limited", "http_status": 429, "message": "slow"}}, "slow", 429),
        ({"error": "model not found"}, "model not found", None),
        ({"object": "error", "message": "bad", "code": 400}, "bad", 400),
        ({"detail": "missing"}, "missing", None),
        (raw, "Provider returned error: too hot", None),
        ({"error": []}, "", None),
        ([], "", None),
        (None, "", None),
    ]
    found = [(read_error(document).message, read_error(document).code) for document, *_ in rows]
    assert found == [(message, code) for _, message, code in rows]
    assert read_error({"error": {"error_type": "server"}}).error_type == "server"


def test_the_servers_words_are_kept_where_they_are_words() -> None:
    rows = {
        b"upstream connect error": "HTTP 502: upstream connect error",
        b"<html><body>Bad gateway</body></html>": "HTTP 502: Bad gateway",
        b"": "HTTP 502",
        b'{"error": "the disk is full"}': "HTTP 502: the disk is full",
        b'{"odd": true}': "HTTP 502",
    }

    found = {body: ask(Step(502, body)).answer.attempts[0].detail for body in rows}
    assert found == rows


def test_nothing_that_could_be_a_key_is_ever_said() -> None:
    secrets = (KEY, "abcdef123456", "some.other")
    for text in (
        f"Incorrect API key provided: {KEY}.",
        f"Authorization: Bearer {KEY}",
        "key sk-proj-abcdef123456 is revoked",
        "Bearer some.other.token",
    ):
        said = sentence(text, (KEY,))
        assert "[key]" in said
        assert not any(secret in said for secret in secrets), said
    assert KEY not in repr(classify(400, message=f"header {KEY}"))


def test_a_sentence_is_one_short_printable_line() -> None:
    said = sentence("a\n\x1b[31mb\u202e" + "c" * 1000 + "\ud800", (KEY,))
    assert len(said) == 300
    assert said.isprintable()
    said.encode()


@given(st.text(), st.text(min_size=4, max_size=40))
def test_no_text_lets_a_key_through(text: str, key: str) -> None:
    said = sentence(f"{text} {key} {text}", (f"@{key}@",))
    assert f"@{key}@" not in said
    said.encode()


NAMES = ["error", "code", "message", "metadata", "availability", "retry_after", "headers", "raw"]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_can_be_read(document: object) -> None:
    signal = read_error(document)
    waits.told({}, signal, NOW)
    assert isinstance(signal.text, str)


def test_whoever_ends_a_call_what_it_tried_is_kept() -> None:
    for last, end in ((failing(402), "OutOfCredit"), (failing(401), "KeyRejected"), (failing(404), "Refused")):
        assert (ask(failing(502), last).end, ask(failing(502), last).kinds) == (end, ("502", str(last.status)))


def test_a_refusal_of_a_prompt_quotes_what_was_said_of_it() -> None:
    assert "flagged" in ask(failing(403, "flagged", metadata={"reasons": ["violence"]})).line
