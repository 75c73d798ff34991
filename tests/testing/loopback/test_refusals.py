from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from independence.testing.loopback.server import serving
from independence.testing.loopback.settings import LoopbackSettings

Body = Callable[..., dict[str, Any]]


async def one(post: Any, body: dict[str, Any], **settings: Any) -> Any:
    async with serving(LoopbackSettings(**settings)) as server:
        answer = await post(server, body)
        assert server.ledger.billed_usd == 0
        return answer


@pytest.mark.parametrize(
    ("kind", "status", "error_type"),
    [
        ("429", 429, "rate_limit_exceeded"),
        ("429-after", 429, "rate_limit_exceeded"),
        ("402-after", 402, "insufficient_credits"),
        ("408", 408, "timeout"),
        ("500", 500, "server"),
        ("502", 502, "provider_unavailable"),
        ("503", 503, "provider_overloaded"),
        ("504", 504, "timeout"),
        ("529", 529, "provider_overloaded"),
        ("401", 401, "authentication"),
        ("402", 402, "insufficient_credits"),
        ("403", 403, "permission"),
        ("moderation", 403, "content_policy_violation"),
        ("404", 404, "not_found"),
        ("daily", 429, "rate_limit_exceeded"),
    ],
)
async def test_a_refusal_names_its_status_twice_and_its_type(
    post: Any, plain: Body, kind: str, status: int, error_type: str
) -> None:
    answer = await one(post, plain(), faults=kind)
    error = answer.body["error"]
    assert (answer.status, error["code"], error["metadata"]["error_type"]) == (status, status, error_type)
    assert error["message"].endswith(".")
    assert ("Retry-After" in answer.headers) == kind.endswith("-after")


@pytest.mark.parametrize("kind", ["429-after", "402-after"])
async def test_a_refusal_that_says_when_to_come_back_says_it_in_header_and_body(
    post: Any, plain: Body, kind: str
) -> None:
    answer = await one(post, plain(), faults=kind, retry_after_s=0.25)
    assert answer.headers["Retry-After"] == "0.25"
    assert answer.body["error"]["metadata"]["retry_after"] == 0.25


async def test_402_tells_a_reserved_budget_from_an_empty_account(post: Any, plain: Body) -> None:
    sources = [
        (await one(post, plain(), faults=kind)).body["error"]["metadata"]["limit_source"]
        for kind in ("402-after", "402")
    ]
    assert sources == ["openrouter_in_flight_budget", "openrouter_credits"]


async def test_availability_says_whether_to_try_again(post: Any, plain: Body) -> None:
    said = {}
    for kind in ("429-after", "503", "404"):
        availability = (await one(post, plain(), faults=kind)).body["error"]["availability"]
        said[kind] = (availability["code"], availability["retryable"], availability["requested_models"])
    assert said == {
        "429-after": ("capacity_exhausted", True, ["half"]),
        "503": ("temporarily_unavailable", True, ["half"]),
        "404": ("no_endpoints", False, ["half"]),
    }


async def test_moderation_quotes_what_it_flagged(post: Any, plain: Body) -> None:
    metadata = (await one(post, plain(question="Say something vile."), faults="moderation")).body["error"]["metadata"]
    assert metadata["reasons"]
    assert metadata["flagged_input"] == "Say something vile."


async def test_the_daily_quota_comes_back_hours_later(post: Any, plain: Body) -> None:
    answer = await one(post, plain("half:free"), faults="daily")
    assert "free-models-per-day" in answer.body["error"]["message"]
    assert answer.headers["X-RateLimit-Remaining"] == "0"
    hours = (int(answer.headers["X-RateLimit-Reset"]) / 1000 - time.time()) / 3600
    assert 5 < hours < 7


async def test_tools_for_a_model_without_them_find_no_endpoint(post: Any, plain: Body, tooled: Body) -> None:
    refused = await one(post, tooled("half:no-tools"))
    assert (refused.status, refused.body["error"]["availability"]["code"]) == (404, "no_endpoints")
    async with serving(LoopbackSettings()) as server:
        assert (await post(server, plain("half:no-tools"))).status == 200


@pytest.mark.parametrize(
    ("provider", "status"),
    [
        ({"only": ["nowhere"]}, 404),
        ({"only": ["nowhere/fp8"], "allow_fallbacks": False}, 404),
        ({"order": ["nowhere"], "allow_fallbacks": False}, 404),
        ({"order": ["nowhere"]}, 200),
        ({"only": ["loopback"]}, 200),
        ({"only": ["loopback/fp8"], "allow_fallbacks": False}, 200),
    ],
)
async def test_a_pin_fails_closed(post: Any, plain: Body, provider: dict[str, Any], status: int) -> None:
    async with serving(LoopbackSettings()) as server:
        assert (await post(server, plain(provider=provider))).status == status
