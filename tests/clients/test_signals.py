from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients.failures import ErrorDetails, next_midnight, read_error, resets_at, retry_after, sentence

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
KEY = "sk-or-v1-0123456789abcdef"


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


def test_the_next_midnight_is_tomorrow() -> None:
    assert next_midnight(NOW) == datetime(2026, 11, 22, tzinfo=UTC)


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
