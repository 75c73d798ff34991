"""One case a row of the error table, and what the table leaves open."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import aiohttp
import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients.bodies import ErrorDetails, read_error
from independence.clients.failures import (
    Failure,
    key_rejected,
    of_exception,
    of_response,
    resets_at,
    retry_after,
    sentence,
)
from independence.clients.transport import HttpResponse
from independence.config.endpoints import Endpoint

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
KEY = "sk-or-v1-0123456789abcdef"


def classify(status: int, headers: dict[str, str] | None = None, **error: Any) -> Failure:
    body = read_error({"error": {"message": "m", **error}})
    return of_response(HttpResponse(status, headers or {}, b""), body, KEY, NOW)


def typed(name: str, **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"error_type": name, **metadata}}


def limited(source: str) -> dict[str, Any]:
    return {"metadata": {"limit_source": f"openrouter_{source}"}}


PASSES, LASTS = False, True


@pytest.mark.parametrize(
    ("failure", "scope", "lasting", "kind", "overload", "unbilled"),
    [
        (classify(429), "server", PASSES, "429", True, True),
        (classify(529, **typed("provider_overloaded")), "server", PASSES, "529", True, True),
        (classify(408, **typed("timeout")), "server", PASSES, "408", False, False),
        (classify(503), "server", PASSES, "503", True, True),
        (classify(529), "server", PASSES, "529", True, True),
        (classify(408), "server", PASSES, "408", False, False),
        (classify(500), "server", PASSES, "500", False, False),
        (classify(502), "server", PASSES, "502", False, False),
        (classify(504), "server", PASSES, "504", False, False),
        (classify(520), "server", PASSES, "520", False, False),
        (classify(402), "account", LASTS, "402", False, True),
        (classify(402, {"Retry-After": "3"}), "account", PASSES, "402", False, True),
        (classify(402, **limited("in_flight_budget")), "account", PASSES, "402", False, True),
        (classify(402, **limited("key_limit")), "account", LASTS, "402", False, True),
        (classify(401), "key", LASTS, "401", False, True),
        (classify(403), "model", LASTS, "403", False, True),
        (classify(403, **limited("key_limit")), "account", LASTS, "403", False, True),
        (classify(403, metadata={"reasons": ["violence"]}), "request", LASTS, "403", False, True),
        (classify(404), "model", LASTS, "404", False, True),
        (classify(400), "model", LASTS, "400", False, True),
        (classify(413), "request", LASTS, "413", False, True),
        (classify(422), "model", LASTS, "422", False, True),
        (classify(302), "server", LASTS, "302", False, True),
        (classify(200, code=429), "server", PASSES, "429", True, True),
        (classify(200, code=400), "model", LASTS, "400", False, True),
        (classify(200), "server", PASSES, "500", False, False),
    ],
)
def test_a_status_decides_where_nothing_else_is_said(
    failure: Failure, scope: str, lasting: bool, kind: str, overload: bool, unbilled: bool
) -> None:
    assert (failure.scope, failure.lasting, failure.kind) == (scope, lasting, kind)
    assert (failure.overload, failure.unbilled) == (overload, unbilled)


@pytest.mark.parametrize(
    ("name", "scope", "lasting", "reason"),
    [
        ("rate_limit_exceeded", "server", PASSES, None),
        ("provider_overloaded", "server", PASSES, None),
        ("provider_unavailable", "server", PASSES, None),
        ("server", "server", PASSES, None),
        ("unmapped", "server", PASSES, None),
        ("timeout", "server", PASSES, None),
        ("authentication", "key", LASTS, None),
        ("payment_required", "account", LASTS, None),
        ("permission_denied", "model", LASTS, None),
        ("content_policy_violation", "request", LASTS, "blocked"),
        ("refusal", "request", LASTS, "blocked"),
        ("not_found", "model", LASTS, None),
        ("invalid_request", "model", LASTS, None),
        ("invalid_prompt", "model", LASTS, None),
        ("context_length_exceeded", "request", LASTS, "too_long"),
        ("payload_too_large", "request", LASTS, "too_long"),
        ("unprocessable", "model", LASTS, None),
    ],
)
@pytest.mark.parametrize("status", [200, 400, 502])
def test_the_error_type_comes_before_the_status(
    name: str, scope: str, lasting: bool, reason: str | None, status: int
) -> None:
    failure = classify(status, **typed(name))
    assert (failure.scope, failure.lasting, failure.reason) == (scope, lasting, reason)


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
    assert failure.lasting is not (retryable and status != 403)
    assert code in failure.detail


def test_a_providers_own_key_failing_inside_a_200_is_not_ours() -> None:
    assert classify(200, code=401).scope == "key"
    assert classify(200, code=401, metadata={"provider_name": "Maker"}).scope == "model"
    assert classify(401, metadata={"provider_name": "Maker"}).scope == "key"


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
    assert (failure.kind, failure.lasting) == ("daily", True)
    assert says in failure.detail


def test_a_limit_by_the_minute_is_waited_for() -> None:
    reset = {"X-RateLimit-Reset": str(int(NOW.timestamp() * 1000) + 40_000)}
    failure = classify(429, reset, message="Rate limit exceeded: free-models-per-min")
    assert (failure.lasting, failure.retry_after) == (False, 40.0)


@pytest.mark.parametrize(
    ("error", "lasting", "kind", "unbilled"),
    [
        (TimeoutError(), PASSES, "timeout", False),
        (aiohttp.ServerTimeoutError(), PASSES, "timeout", False),
        (aiohttp.ConnectionTimeoutError("x"), PASSES, "connect", True),
        (aiohttp.ServerDisconnectedError(), PASSES, "reset", False),
        (aiohttp.ClientPayloadError("cut"), PASSES, "cut", False),
        (ConnectionResetError(104, "reset"), PASSES, "reset", False),
        (aiohttp.InvalidURL("http//x"), LASTS, "connect", True),
    ],
)
def test_a_broken_connection_is_transient_and_its_cost_unknown(
    error: Exception, lasting: bool, kind: str, unbilled: bool
) -> None:
    failure = of_exception(error, KEY)
    assert (failure.lasting, failure.kind, failure.unbilled) == (lasting, kind, unbilled)


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
