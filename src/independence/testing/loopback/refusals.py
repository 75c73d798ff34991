"""Responses that are not 200: what OpenRouter says when it does not answer."""

from __future__ import annotations

import time
from typing import NamedTuple

import msgspec

from independence.testing.loopback.catalogue import PROVIDER
from independence.testing.sim import panel

_DAILY_RESET_S = 6 * 3600


class Refusal(NamedTuple):
    """A response without an answer."""

    status: int
    body: bytes
    headers: dict[str, str]


class _RefusalReason(NamedTuple):
    status: int
    message: str
    metadata: dict[str, object]
    code: str = ""  # of `error.availability`, where the model cannot be served
    retryable: bool = False
    after: bool = False  # says when to come back


_REASONS = {
    "401": _RefusalReason(401, "This API key is not known here.", {"error_type": "authentication"}),
    "402": _RefusalReason(
        402,
        "There is no credit left on this account.",
        {"error_type": "insufficient_credits", "limit_source": "openrouter_credits"},
    ),
    "402-after": _RefusalReason(
        402,
        "Requests in flight have reserved what credit there is. Come back when they have settled.",
        {
            "error_type": "insufficient_credits",
            "limit_source": "openrouter_in_flight_budget",
            "reason": "in_flight_budget_exhausted",
        },
        after=True,
    ),
    "403": _RefusalReason(
        403,
        "This key has reached its spending limit.",
        {"error_type": "permission", "limit_source": "openrouter_key_limit"},
    ),
    "moderation": _RefusalReason(
        403,
        "The input was flagged by moderation.",
        {"error_type": "content_policy_violation", "reasons": ["harassment"], "provider_name": PROVIDER},
    ),
    "404": _RefusalReason(404, "No endpoint serves this request.", {"error_type": "not_found"}, "no_endpoints"),
    "unknown": _RefusalReason(
        404, "There is no model of this name here.", {"error_type": "not_found"}, "model_not_found"
    ),
    "408": _RefusalReason(408, "The request took too long.", {"error_type": "timeout"}),
    "429": _RefusalReason(
        429,
        "Too many requests for this provider at the moment.",
        {
            "error_type": "rate_limit_exceeded",
            "limit_source": "upstream_provider_shared_pool",
            "provider_name": PROVIDER,
        },
    ),
    "429-after": _RefusalReason(
        429,
        "All providers of this model are at capacity.",
        {"error_type": "rate_limit_exceeded", "provider_name": PROVIDER},
        "capacity_exhausted",
        retryable=True,
        after=True,
    ),
    "daily": _RefusalReason(
        429,
        "Rate limit exceeded: free-models-per-day. The quota comes back with the reset.",
        {"error_type": "rate_limit_exceeded", "limit_source": "openrouter_free_tier_daily"},
    ),
    "500": _RefusalReason(500, "Something went wrong inside.", {"error_type": "server"}),
    "502": _RefusalReason(502, "The provider gave no valid response.", {"error_type": "provider_unavailable"}),
    "503": _RefusalReason(
        503,
        "No provider of this model is available at the moment.",
        {"error_type": "provider_overloaded"},
        "temporarily_unavailable",
        retryable=True,
    ),
    "504": _RefusalReason(504, "The provider took too long.", {"error_type": "timeout"}),
    "529": _RefusalReason(529, "The provider is overloaded.", {"error_type": "provider_overloaded"}),
}
KINDS = frozenset(_REASONS)


def refusal(kind: str, model: str, question: str, retry_after_s: float) -> Refusal:
    """The response of that kind, to a request for `model`; `question` is the input that moderation quotes."""
    reason = _REASONS[kind]
    metadata, headers = dict(reason.metadata), {}
    error: dict[str, object] = {"code": reason.status, "message": reason.message, "metadata": metadata}
    if reason.after:
        headers["Retry-After"] = f"{retry_after_s:g}"
        metadata["retry_after"] = retry_after_s
    if reason.code:
        error["availability"] = _availability(reason, model, retry_after_s)
    if kind == "moderation":
        metadata.update(flagged_input=question[:100], model_slug=model)
    if kind == "daily":
        headers.update(_daily_headers())
        metadata["headers"] = dict(headers)
    return Refusal(reason.status, msgspec.json.encode({"error": error}), headers)


def invalid(message: str) -> Refusal:
    """A 400: the request itself is wrong."""
    return _bare(400, message, "invalid_request")


def nothing_there() -> Refusal:
    """A 404 for a path that is not served."""
    return _bare(404, "There is nothing at this path. Try /v1/models, /v1/key or /v1/chat/completions.", "not_found")


def _bare(status: int, message: str, error_type: str) -> Refusal:
    error = {"code": status, "message": message, "metadata": {"error_type": error_type}}
    return Refusal(status, msgspec.json.encode({"error": error}), {})


def _availability(reason: _RefusalReason, model: str, retry_after_s: float) -> dict[str, object]:
    # The offered fallback answers, so that a client which follows it is found out in the log.

    return {
        "code": reason.code,
        "retryable": reason.retryable,
        "retry_after": retry_after_s if reason.after else None,
        "requested_models": [model],
        "fallback_models": [next(iter(panel.PANEL))],
    }


def _daily_headers() -> dict[str, str]:
    reset_ms = int((time.time() + _DAILY_RESET_S) * 1000)
    return {"X-RateLimit-Limit": "50", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(reset_ms)}
