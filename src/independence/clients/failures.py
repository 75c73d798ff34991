"""What went wrong and what to do about it: one decision for every status, error body and broken connection.

The order is the router's own advice: `error_type`, then `availability`, then the status. Suggested fallback models are
never followed: another model is another subject.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal, NamedTuple

from yarl import URL

from independence.clients.broken import explain
from independence.clients.signals import Signal, next_midnight, resets_at, retry_after, sentence
from independence.config.endpoints import Endpoint
from independence.errors import KeyRejected

Action = Literal["retry", "again", "park", "credit", "key", "blocked"]  # again: at once, without a parameter

LONGEST_WAIT_S: Final = 3600.0  # a limit that lifts later than this parks the model
_DAILY = re.compile(r"per[\s_-]?day|daily")
_TOOLLESS = re.compile(r"--jinja|not support tools")  # what llama.cpp without templates says with a 500
_RATE_STATUS = frozenset({429, 503, 529})
_UNBILLED_RETRIES = _RATE_STATUS | {402}  # nothing was served: refused at the door
_RETRIED_CLIENT_ERRORS = frozenset({408, 409, 425, 429})
_STATUS_OF_TYPE: Final[Mapping[str, int]] = {
    "authentication": 401,
    "payment_required": 402,
    "permission_denied": 403,
    "content_policy_violation": 403,
    "refusal": 403,
    "not_found": 404,
    "rate_limit_exceeded": 429,
    "provider_overloaded": 503,
    "provider_unavailable": 502,
    "server": 500,
    "unmapped": 500,
    "timeout": 504,
    "context_length_exceeded": 400,
    "max_tokens_exceeded": 400,
    "token_limit_exceeded": 400,
    "string_too_long": 400,
    "invalid_request": 400,
    "invalid_prompt": 400,
    "precondition_failed": 412,
    "payload_too_large": 413,
    "unprocessable": 422,
}
_SAME = ({503, 529}, {504, 408})  # one thing under two numbers: the one on the line is kept
_DECLINED = frozenset({"content_policy_violation", "refusal"})
_AT_CAPACITY = frozenset({"capacity_exhausted", "temporarily_unavailable"})


class Failure(NamedTuple):
    """An attempt without an answer."""

    action: Action
    kind: str  # "429", "timeout", "reset", ...
    detail: str = ""  # one printable line, free of keys
    retry_after: float | None = None  # seconds the server asked for
    overload: bool = False  # lower this endpoint's concurrency
    unbilled: bool = True  # certainly cost nothing; False: unknown
    status: int = 0


class Said(NamedTuple):
    """What the server answered instead of a reply."""

    status: int  # of HTTP; 200 for an error inside the body
    headers: Mapping[str, str]
    signal: Signal
    now: datetime
    key: str = ""  # to keep out of every text


def of_answer(said: Said) -> Failure:
    """Classify an error response, or an error found inside a 200."""
    status = _status(said)
    kind = str(status)
    detail = _detail(said, status)
    if 300 <= status < 400:
        return Failure("park", kind, sentence(_moved(said), said.key), status=status)
    if status == 401:
        return _refused_key(said, detail)
    if status == 402:
        return _payment(said, detail)
    if status == 403:
        return Failure("blocked" if _declined(said.signal) else "park", kind, detail, status=403)
    if status == 429 and _daily(said):
        return Failure("park", kind, _when(said, detail), status=429)
    if _heals(said.signal, status):
        wait = retry_after(said.headers, said.signal, said.now)
        if wait is not None and wait >= LONGEST_WAIT_S:
            return Failure("park", kind, _when(said, detail), wait, status=status)
        return Failure(
            "retry",
            kind,
            detail,
            wait,
            overload=status in _RATE_STATUS or said.signal.availability.get("code") in _AT_CAPACITY,
            unbilled=status in _UNBILLED_RETRIES,
            status=status,
        )
    return Failure("park", kind, detail, status=status)


def _status(said: Said) -> int:
    """The status that says what happened, which an error inside a 200 or a loose proxy does not send."""
    typed = _STATUS_OF_TYPE.get(said.signal.error_type)
    if typed is not None and {typed, said.status} not in _SAME:
        return typed
    if said.status >= 300:
        return said.status
    code = said.signal.code
    return code if code is not None and code >= 400 else 500


def _moved(said: Said) -> str:
    """Where a redirect leads. It is not followed: the key would go to whoever is there."""
    told = f"HTTP {said.status}: the server sends us to another address"
    try:
        there = URL(said.headers.get("Location", ""))
        host = there.origin() if there.absolute else None
    except ValueError:
        host = None
    return f"{told} ({host}); give that as the base URL if you trust it" if host else f"{told}; check the base URL"


def _detail(said: Said, status: int) -> str:
    code = said.signal.availability.get("code")
    named = f" ({code})" if isinstance(code, str) else ""
    return sentence(f"HTTP {status}{named}: {said.signal.message}".rstrip(": "), said.key)


def _refused_key(said: Said, detail: str) -> Failure:
    # Inside a 200 with a provider named, it is the provider's key at the router that failed, not ours.
    ours = said.status == 401 or "provider_name" not in said.signal.metadata
    return Failure("key" if ours else "park", "401", detail, status=401)


def _payment(said: Said, detail: str) -> Failure:
    in_flight = said.signal.metadata.get("limit_source") == "openrouter_in_flight_budget"
    if in_flight or "Retry-After" in said.headers:
        wait = retry_after(said.headers, said.signal, said.now)
        return Failure("retry", "402", detail, wait, status=402)
    return Failure("credit", "402", detail, status=402)


def _declined(signal: Signal) -> bool:
    """Moderation or a guardrail on this prompt, as opposed to a limit of the key."""
    return signal.error_type in _DECLINED or any(k in signal.metadata for k in ("reasons", "flagged_input", "patterns"))


def _daily(said: Said) -> bool:
    return bool(_DAILY.search(said.signal.text))


def _heals(signal: Signal, status: int) -> bool:
    if _TOOLLESS.search(signal.text):
        return False
    if not signal.error_type and isinstance(signal.availability.get("retryable"), bool):
        return bool(signal.availability["retryable"])
    return status in _RETRIED_CLIENT_ERRORS or status >= 500


def _when(said: Said, detail: str) -> str:
    reset = resets_at(said.headers, said.signal)
    if reset is not None and reset > said.now:
        return f"{detail}; resets at {reset:%Y-%m-%d %H:%M} UTC"
    if said.signal.metadata.get("limit_source") == "openrouter_free_tier_daily" or "free-models" in said.signal.text:
        return f"{detail}; resets at {next_midnight(said.now):%Y-%m-%d %H:%M} UTC"
    wait = retry_after(said.headers, said.signal, said.now)
    return f"{detail}; resets in {wait / 3600:.1f} h" if wait else f"{detail}; resets tomorrow"


def key_rejected(endpoint: Endpoint, failure: Failure) -> KeyRejected:
    """The one line for a refused key, naming where the key comes from and never the key."""
    where = f"check {endpoint.key_source}" if endpoint.key_source else "give it one with api_key_env"
    return KeyRejected(f"{endpoint.name}: the API key was refused ({failure.detail})", where)


def of_exception(error: Exception, key: str) -> Failure:
    """Classify what reading or the HTTP library raised."""
    broken = explain(error)
    action: Action = "retry" if broken.transient else "park"
    return Failure(action, broken.kind, sentence(broken.detail, key), unbilled=not broken.sent)
