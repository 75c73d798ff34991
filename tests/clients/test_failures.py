"""One case a row of the error table, and what the table leaves open."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients.failures import (
    ErrorDetails,
    RequestFailure,
    key_rejected,
    of_exception,
    of_response,
    read_error,
    resets_at,
    retry_after,
    sentence,
)
from independence.clients.transport import HttpResponse
from independence.config.endpoints import Endpoint

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
KEY = "sk-or-v1-0123456789abcdef"


def classify(status: int, headers: dict[str, str] | None = None, **error: Any) -> RequestFailure:
    body = read_error({"error": {"message": "m", **error}})
    return of_response(HttpResponse(status, headers or {}, b""), body, KEY, NOW)


def typed(name: str, **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"error_type": name, **metadata}}


@pytest.mark.parametrize(
    ("failure", "action", "kind", "overload", "unbilled"),
    [
        (classify(429), "retry", "429", True, True),
        (classify(529, **typed("provider_overloaded")), "retry", "529", True, True),
        (classify(408, **typed("timeout")), "retry", "408", False, False),
        (classify(503), "retry", "503", True, True),
        (classify(529), "retry", "529", True, True),
        (classify(408), "retry", "408", False, False),
        (classify(500), "retry", "500", False, False),
        (classify(502), "retry", "502", False, False),
        (classify(504), "retry", "504", False, False),
        (classify(520), "retry", "520", False, False),
        (classify(402), "credit", "402", False, True),
        (classify(402, {"Retry-After": "3"}), "retry", "402", False, True),
        (classify(402, metadata={"limit_source": "openrouter_in_flight_budget"}), "retry", "402", False, True),
        (classify(402, metadata={"limit_source": "openrouter_key_limit"}), "credit", "402", False, True),
        (classify(401), "key", "401", False, True),
        (classify(403), "park", "403", False, True),
        (classify(403, metadata={"limit_source": "openrouter_key_limit"}), "park", "403", False, True),
        (classify(403, metadata={"reasons": ["violence"]}), "blocked", "403", False, True),
        (classify(404), "park", "404", False, True),
        (classify(400), "park", "400", False, True),
        (classify(413), "park", "413", False, True),
        (classify(422), "park", "422", False, True),
        (classify(302), "park", "302", False, True),
        (classify(200, code=429), "retry", "429", True, True),
        (classify(200, code=400), "park", "400", False, True),
        (classify(200), "retry", "500", False, False),
    ],
)
def test_a_status_decides_where_nothing_else_is_said(
    failure: RequestFailure, action: str, kind: str, overload: bool, unbilled: bool
) -> None:
    assert failure[:2] == (action, kind)
    assert (failure.overload, failure.unbilled) == (overload, unbilled)


@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("rate_limit_exceeded", "retry"),
        ("provider_overloaded", "retry"),
        ("provider_unavailable", "retry"),
        ("server", "retry"),
        ("unmapped", "retry"),
        ("timeout", "retry"),
        ("authentication", "key"),
        ("payment_required", "credit"),
        ("permission_denied", "park"),
        ("content_policy_violation", "blocked"),
        ("refusal", "blocked"),
        ("not_found", "park"),
        ("invalid_request", "park"),
        ("invalid_prompt", "park"),
        ("context_length_exceeded", "park"),
        ("payload_too_large", "park"),
        ("unprocessable", "park"),
    ],
)
@pytest.mark.parametrize("status", [200, 400, 502])
def test_the_error_type_comes_before_the_status(name: str, action: str, status: int) -> None:
    if (name, status) != ("authentication", 200):
        assert classify(status, **typed(name)).action == action


@pytest.mark.parametrize(
    ("code", "status", "retryable"),
    [
        ("capacity_exhausted", 429, True),
        ("temporarily_unavailable", 503, True),
        ("model_not_found", 400, False),
        ("no_endpoints", 404, False),
        ("model_deprecated", 404, False),
        ("privacy_restricted", 404, False),
        ("constraint_filtered", 404, False),
        ("free_variant_ended", 404, False),
        ("region_restricted", 403, False),
        ("something_new", 404, True),
        ("something_new", 503, False),
    ],
)
def test_availability_says_whether_to_retry(code: str, status: int, retryable: bool) -> None:
    failure = classify(status, availability={"code": code, "retryable": retryable})
    assert failure.action == ("retry" if retryable and status != 403 else "park")
    assert code in failure.detail


def test_a_providers_own_key_failing_inside_a_200_is_not_ours() -> None:
    assert classify(200, code=401).action == "key"
    assert classify(200, code=401, metadata={"provider_name": "Maker"}).action == "park"
    assert classify(401, metadata={"provider_name": "Maker"}).action == "key"


@pytest.mark.parametrize(
    ("error", "headers", "says"),
    [
        ({"message": "Rate limit exceeded: free-models-per-day."}, {}, "2026-11-22 00:00 UTC"),
        ({"metadata": {"limit_source": "openrouter_free_tier_daily"}}, {}, "2026-11-22 00:00 UTC"),
        ({"message": "tokens per day (TPD) reached"}, {"Retry-After": "9000"}, "in 2.5 h"),
        ({"message": "quota RequestsPerDayPerModel"}, {}, "tomorrow"),
        ({"message": "slow down"}, {"Retry-After": "7200"}, "in 2.0 h"),
        ({"message": "slow down"}, {"X-RateLimit-Reset": "1795305600000"}, "2026-11-22 00:00 UTC"),
    ],
)
def test_a_limit_that_lifts_hours_away_parks_and_says_when(
    error: dict[str, Any], headers: dict[str, str], says: str
) -> None:
    failure = classify(429, headers, **error)
    assert failure.action == "park"
    assert says in failure.detail


def test_a_limit_by_the_minute_is_waited_for() -> None:
    reset = {"X-RateLimit-Reset": str(int(NOW.timestamp() * 1000) + 40_000)}
    failure = classify(429, reset, message="Rate limit exceeded: free-models-per-min")
    assert (failure.action, failure.retry_after) == ("retry", 40.0)


@pytest.mark.parametrize(
    ("error", "action", "kind", "unbilled"),
    [
        (TimeoutError(), "retry", "timeout", False),
        (aiohttp.ServerTimeoutError(), "retry", "timeout", False),
        (aiohttp.ConnectionTimeoutError("x"), "retry", "connect", True),
        (aiohttp.ServerDisconnectedError(), "retry", "reset", False),
        (aiohttp.ClientPayloadError("cut"), "retry", "cut", False),
        (ConnectionResetError(104, "reset"), "retry", "reset", False),
        (aiohttp.InvalidURL("http//x"), "park", "connect", True),
    ],
)
def test_a_broken_connection_is_transient_and_its_cost_unknown(
    error: Exception, action: str, kind: str, unbilled: bool
) -> None:
    failure = of_exception(error, KEY)
    assert (failure.action, failure.kind, failure.unbilled) == (action, kind, unbilled)


def test_no_failure_carries_the_key() -> None:
    assert KEY not in repr(classify(400, message=f"header {KEY}"))
    assert KEY not in repr(of_exception(aiohttp.InvalidURL(f"http://{KEY}@x"), KEY))


@pytest.mark.parametrize(("source", "named"), [("LAB_KEY", "check LAB_KEY"), ("", "api_key_env")])
def test_a_rejected_key_is_traced_to_where_it_is_set(source: str, named: str) -> None:
    error = key_rejected(Endpoint("mine", "http://x/v1", "openrouter", KEY, key_source=source), classify(401))
    assert named in str(error)
    assert KEY not in str(error)
    assert error.exit_code == 2


@pytest.mark.parametrize(
    ("document", "message", "code"),
    [
        ({"error": {"code": 429, "message": "slow"}}, "slow", 429),
        ({"error": {"code": "429", "message": "slow"}}, "slow", 429),
        ({"error": {"code": "rate_limited", "http_status": 429, "message": "slow"}}, "slow", 429),
        ({"error": "model not found"}, "model not found", None),
        ({"object": "error", "message": "bad", "code": 400}, "bad", 400),
        ({"detail": "missing"}, "missing", None),
        ({"error": {"message": "Provider returned error", "metadata": {"raw": "too hot"}}},
         "Provider returned error: too hot", None),
        ({"error": []}, "", None),
        ([], "", None),
        (None, "", None),
    ],
)  # fmt: skip
def test_the_error_is_found_in_whatever_form_a_server_uses(document: object, message: str, code: int | None) -> None:
    signal = read_error(document)
    assert (signal.message, signal.code) == (message, code)


def test_the_error_type_is_read_from_either_place() -> None:
    assert read_error({"error": {"metadata": {"error_type": "server"}}}).error_type == "server"
    assert read_error({"error": {"error_type": "server"}}).error_type == "server"


def test_a_wait_may_be_a_date() -> None:
    headers = {"Retry-After": "Sat, 21 Nov 2026 12:01:30 GMT"}
    assert retry_after(headers, ErrorDetails(), NOW) == 90.0
    assert retry_after({"Retry-After": "Sat, 21 Nov 2020 12:00:00 GMT"}, ErrorDetails(), NOW) == 0.0


@pytest.mark.parametrize("value", ["soon", "-5", "nan", "inf", "", "99 Foo 2026"])
def test_a_wait_that_is_no_time_is_ignored(value: str) -> None:
    assert retry_after({"Retry-After": value}, ErrorDetails(), NOW) is None


def test_the_reset_of_a_limit_is_read_in_seconds_and_milliseconds() -> None:
    for stamp in ("1795305600", "1795305600000"):
        assert resets_at({"X-RateLimit-Reset": stamp}, ErrorDetails()) == datetime(2026, 11, 22, tzinfo=UTC)
    nested = ErrorDetails(metadata={"headers": {"X-RateLimit-Reset": "1795305600000"}})
    assert retry_after({}, nested, NOW) == 12 * 3600
    assert resets_at({"X-RateLimit-Reset": "30"}, ErrorDetails()) is None
    assert resets_at({"X-RateLimit-Reset": "1e300"}, ErrorDetails()) is None


@pytest.mark.parametrize(
    "text",
    [
        f"Incorrect API key provided: {KEY}.",
        f"Authorization: Bearer {KEY}",
        "key sk-proj-abcdef123456 is revoked",
        "Bearer some.other.token",
    ],
)
def test_nothing_that_could_be_a_key_is_ever_said(text: str) -> None:
    said = sentence(text, KEY)
    assert "[key]" in said
    assert not any(secret in said for secret in (KEY, "abcdef123456", "some.other"))


def test_a_sentence_is_one_short_printable_line() -> None:
    said = sentence("a\n\x1b[31mb\u202e" + "c" * 1000 + "\ud800", KEY)
    assert len(said) == 300
    assert said.isprintable()
    said.encode()


@given(st.text(), st.text(min_size=4, max_size=40))
def test_no_text_lets_a_key_through(text: str, key: str) -> None:
    said = sentence(f"{text} {key} {text}", f"@{key}@")
    assert f"@{key}@" not in said
    said.encode()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "code", "message", "metadata", "availability", "retry_after", "headers", "raw"])
            | st.text(max_size=5),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_json_can_be_read(document: object) -> None:
    signal = read_error(document)
    retry_after({}, signal, NOW)
    assert isinstance(signal.text, str)
