"""What went wrong and what to do about it: one decision for every status, error body and broken connection.

Error bodies come from OpenRouter, vLLM, llama.cpp, LM Studio, Ollama and proxies. The order is the router's own advice:
`error_type`, then `availability`, then the status. Suggested fallback models are never followed: another model is
another subject.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

import aiohttp
from yarl import URL

from independence.clients import limits
from independence.clients.transport import LARGEST, BodyTooLarge, HttpResponse
from independence.config import documents
from independence.config.endpoints import Endpoint
from independence.errors import KeyRejected

Action = Literal["retry", "again", "park", "credit", "key", "blocked"]  # again: at once, without a parameter

LONGEST_WAIT_S: Final = 3600.0  # a limit that lifts later than this parks the model
_DAILY = re.compile(r"per[\s_-]?day|daily")
_FREE_TIER = re.compile(r"openrouter_free_tier_daily|free-models")
_TOOLLESS = re.compile(r"--jinja|not support tools")  # what llama.cpp without templates says with a 500
_RATE_STATUS = frozenset({429, 503, 529})
_UNBILLED_RETRIES = _RATE_STATUS | {402}  # nothing was served: refused at the door
_RETRIED_CLIENT_ERRORS = frozenset({408, 409, 425, 429})
_TYPES: Final = Path(__file__).with_name("error_types.yaml")
_SAME = ({503, 529}, {504, 408})  # one thing under two numbers: the one on the line is kept
_DECLINED = frozenset({"content_policy_violation", "refusal"})
_AT_CAPACITY = frozenset({"capacity_exhausted", "temporarily_unavailable"})

_SENTENCE = 300
_READ = 4000  # signs of a message that are looked at
_KEYS = re.compile(r"\b(?:sk|pk|gsk|xai|hf|nvapi|csk|fw)[-_][\w\-*.]{6,}|(?<=Bearer )\S+", re.IGNORECASE)
_QUERY = re.compile(
    r"(?<=[?&;])([\w.~-]{0,40}(?:key|token|secret|sig|password|auth|code)[\w.~-]{0,40})=[^&;\s\"'<>]+", re.IGNORECASE
)
_NOT_PRINTED = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")
_MS_EPOCH = 10_000_000_000  # an epoch above this counts milliseconds
_SHORTEST_SECRET = 4


class ErrorDetails(NamedTuple):
    """The parts of an error object that decide what to do. Empty where the body says nothing."""

    code: int | None = None
    message: str = ""
    error_type: str = ""
    metadata: Mapping[str, object] = {}
    availability: Mapping[str, object] = {}

    @property
    def text(self) -> str:
        """All its texts together, in lower case, for matching."""
        raw = self.metadata.get("raw")
        source = self.metadata.get("limit_source")
        return f"{self.message} {raw if isinstance(raw, str) else ''} {source or ''}".lower()


class RequestFailure(NamedTuple):
    """An attempt without an answer."""

    action: Action
    kind: str  # "429", "timeout", "reset", ...
    detail: str = ""  # one printable line, free of keys
    retry_after: float | None = None  # seconds the server asked for
    overload: bool = False  # lower this endpoint's concurrency
    unbilled: bool = True  # certainly cost nothing; False: unknown
    status: int = 0


def of_response(answer: HttpResponse, body: ErrorDetails, key: str, now: datetime | None = None) -> RequestFailure:
    """Classify an error response, or an error found inside a 200. `key` is kept out of every text."""
    now = now or datetime.now(UTC)
    status = _status(answer.status, body)
    kind = str(status)
    detail = _detail(body, status, key)
    if 300 <= status < 400:
        return RequestFailure("park", kind, sentence(_moved(answer), key), status=status)
    if status == 401:
        # Inside a 200 with a provider named, it is the provider's key at the router that failed, not ours.
        ours = answer.status == 401 or "provider_name" not in body.metadata
        return RequestFailure("key" if ours else "park", "401", detail, status=401)
    if status == 402:
        return _payment(answer, body, now, detail)
    if status == 403:
        return RequestFailure("blocked" if _declined(body) else "park", kind, detail, status=403)
    if status == 429 and _DAILY.search(body.text):
        return RequestFailure("park", kind, _when(answer.headers, body, now, detail), status=429)
    if _heals(body, status):
        wait = retry_after(answer.headers, body, now)
        if wait is not None and wait >= LONGEST_WAIT_S:
            return RequestFailure("park", kind, _when(answer.headers, body, now, detail), wait, status=status)
        overload = status in _RATE_STATUS or body.availability.get("code") in _AT_CAPACITY
        unbilled = status in _UNBILLED_RETRIES
        return RequestFailure("retry", kind, detail, wait, overload=overload, unbilled=unbilled, status=status)
    return RequestFailure("park", kind, detail, status=status)


def _status(sent: int, body: ErrorDetails) -> int:
    """The status that says what happened: an error inside a 200, and some proxies, send another one."""
    typed = _status_of_type().get(body.error_type)
    if typed is not None and {typed, sent} not in _SAME:
        return typed
    if sent >= 300:
        return sent
    return body.code if body.code is not None and body.code >= 400 else 500


@cache
def _status_of_type() -> dict[str, int]:
    return documents.convert(documents.read(_TYPES), dict[str, int])


def _moved(answer: HttpResponse) -> str:
    """Where a redirect leads. It is not followed: the key would go to whoever is there."""
    what = f"HTTP {answer.status}: the server sends us to another address"
    try:
        there = URL(answer.headers.get("Location", ""))
        host = there.origin() if there.absolute else None
    except ValueError:
        host = None
    return f"{what} ({host}); give that as the base URL if you trust it" if host else f"{what}; check the base URL"


def _detail(body: ErrorDetails, status: int, key: str) -> str:
    code = body.availability.get("code")
    named = f" ({code})" if isinstance(code, str) else ""
    return sentence(f"HTTP {status}{named}: {body.message}".rstrip(": "), key)


def _payment(answer: HttpResponse, body: ErrorDetails, now: datetime, detail: str) -> RequestFailure:
    in_flight = body.metadata.get("limit_source") == "openrouter_in_flight_budget"
    if in_flight or "Retry-After" in answer.headers:
        return RequestFailure("retry", "402", detail, retry_after(answer.headers, body, now), status=402)
    return RequestFailure("credit", "402", detail, status=402)


def _declined(body: ErrorDetails) -> bool:
    """Moderation or a guardrail on this prompt, as opposed to a limit of the key."""
    return body.error_type in _DECLINED or any(k in body.metadata for k in ("reasons", "flagged_input", "patterns"))


def _heals(body: ErrorDetails, status: int) -> bool:
    if _TOOLLESS.search(body.text):
        return False
    if not body.error_type and isinstance(body.availability.get("retryable"), bool):
        return bool(body.availability["retryable"])
    return status in _RETRIED_CLIENT_ERRORS or status >= 500


def _when(headers: Mapping[str, str], body: ErrorDetails, now: datetime, detail: str) -> str:
    reset = resets_at(headers, body)
    if reset is not None and reset > now:
        return f"{detail}; resets at {reset:%Y-%m-%d %H:%M} UTC"
    if _FREE_TIER.search(body.text):
        return f"{detail}; resets at {now + timedelta(days=1):%Y-%m-%d} 00:00 UTC"
    wait = retry_after(headers, body, now)
    return f"{detail}; resets in {wait / 3600:.1f} h" if wait else f"{detail}; resets tomorrow"


def key_rejected(endpoint: Endpoint, failure: RequestFailure) -> KeyRejected:
    """The error for a refused key. It names where the key comes from, never the key."""
    where = f"check {endpoint.key_source}" if endpoint.key_source else "give it one with api_key_env"
    return KeyRejected(f"{endpoint.name}: the API key was refused ({failure.detail})", where)


_TOO_LARGE: Final = f"the answer is larger than {LARGEST // 2**20} MB, decompressed; the rest was not read"
# What the HTTP library or reading a body raises, the most special first: its kind, what it means, whether trying again
# may help, and whether the request may have arrived, so that it may cost something.
_FAULTS: Final[tuple[tuple[type[Exception], str, str, bool, bool], ...]] = (
    (BodyTooLarge, "too_large", _TOO_LARGE, True, True),
    (aiohttp.InvalidURL, "connect", "the address cannot be read", False, False),
    (aiohttp.ConnectionTimeoutError, "connect", "no connection in time", True, False),
    (aiohttp.ClientConnectorCertificateError, "tls", "its TLS certificate is not trusted ({why})", False, False),
    (aiohttp.ClientConnectorSSLError, "tls", "it does not speak TLS on this port", False, False),
    (aiohttp.ClientProxyConnectionError, "connect", "the proxy {at} of the environment does not answer", True, False),
    (aiohttp.ClientConnectorDNSError, "connect", "the name {error.host} is not known", True, False),
    (aiohttp.ClientConnectorError, "connect", "{why}", True, False),
    (TimeoutError, "timeout", "no complete answer in time", True, True),
    (aiohttp.ClientPayloadError, "cut", "the answer breaks off{why}", True, True),
    (aiohttp.ClientHttpProxyError, "connect", "the proxy refuses with HTTP {error.status}", True, False),
    (aiohttp.ClientResponseError, "reset", "{why}", True, True),
    (aiohttp.ServerDisconnectedError, "reset", "the server closed the connection without an answer", True, True),
    (OSError, "reset", "the connection broke ({why})", True, True),
    (Exception, "reset", "the connection broke", True, True),
)


def of_exception(error: Exception, key: str) -> RequestFailure:
    """Classify what the HTTP library or reading the body raised; class names of a library tell nobody what to do."""
    kind, detail, transient, sent = next(row[1:] for row in _FAULTS if isinstance(error, row[0]))
    at = f"{getattr(error, 'host', '')}:{getattr(error, 'port', '')}"
    said = sentence(detail.format(error=error, at=at, why=_why(error)), key)
    return RequestFailure("retry" if transient else "park", kind, said, unbilled=not sent)


def _why(error: Exception) -> str:
    """What the library says of it, in words that hold no addresses and no names of its own."""
    text = str(getattr(error, "message", error)).lower()
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return "self-signed, expired, or of another name"
    if isinstance(error, aiohttp.ClientPayloadError):
        return ": its compression is broken" if "content-encoding" in text else ""
    if isinstance(error, aiohttp.ClientResponseError):
        if "content-encoding" in text:
            return "its compression is one that was not asked for"
        long = "more than" in text or "too long" in text
        return "a header of the answer is longer than 8 kB" if long else "what came is no HTTP"
    return _strerror(error) if isinstance(error, OSError) else ""


def _strerror(error: OSError) -> str:
    inner = getattr(error, "os_error", None) or error
    if isinstance(error, ssl.SSLError):
        return "TLS failed"
    if isinstance(inner, ConnectionResetError | BrokenPipeError):
        return "reset by the server"
    text = (inner.strerror or "").lower()
    refused = not text or isinstance(inner, ConnectionRefusedError) or "connect call failed" in text
    return "connection refused" if refused else text


def read_error(document: object) -> ErrorDetails:
    """Find the error in a JSON body: `{"error": {...}}` or `"..."`, or a bare `message` or `detail`."""
    whole = _mapping(document)
    found = whole.get("error") or whole
    if isinstance(found, str):
        return ErrorDetails(message=found)
    error = _mapping(found)
    metadata = _mapping(error.get("metadata"))
    kind = metadata.get("error_type") or error.get("error_type")
    return ErrorDetails(
        code=_code(error.get("code")) or _code(error.get("http_status")),
        message=_first_text(error.get("message"), error.get("detail"), metadata.get("raw")),
        error_type=kind if isinstance(kind, str) else "",
        metadata=metadata,
        availability=_mapping(error.get("availability")),
    )


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _code(value: object) -> int | None:
    code = limits.number(value)
    return int(code) if code is not None and 100 <= code < 600 else None


def _first_text(*candidates: object) -> str:
    """The first candidate that is text; a message that only says a provider failed is followed by why."""
    texts = [c for c in candidates if isinstance(c, str) and c.strip()]
    if len(texts) > 1 and "provider returned error" in texts[0].lower():
        return f"{texts[0]}: {texts[1]}"
    return texts[0] if texts else ""


def sentence(text: str, key: str) -> str:
    """One printable line of at most 300 characters, without anything that could be an API key."""
    text = _NOT_PRINTED.sub(" ", text).strip()
    if len(text) > _READ:
        text = text[:_READ].rpartition(" ")[0]  # half a key would not be known as one
    if len(key) >= _SHORTEST_SECRET:
        text = text.replace(key, "[key]")
    text = _QUERY.sub(r"\1=[key]", _KEYS.sub("[key]", text))
    return text if len(text) <= _SENTENCE else text[: _SENTENCE - 1] + "…"


def retry_after(headers: Mapping[str, str], body: ErrorDetails, now: datetime) -> float | None:
    """Seconds the server asks to wait, from wherever it says so; None when it does not."""
    nested = _mapping(body.metadata.get("headers"))
    for value in (
        headers.get("Retry-After"),
        body.availability.get("retry_after"),
        body.metadata.get("retry_after"),
        body.metadata.get("retry_after_seconds"),
        nested.get("Retry-After"),
    ):
        seconds = _seconds(value, now)
        if seconds is not None:
            return seconds
    reset = resets_at(headers, body)
    return max(0.0, (reset - now).total_seconds()) if reset else None


def resets_at(headers: Mapping[str, str], body: ErrorDetails) -> datetime | None:
    """When the limit that was hit is lifted (`X-RateLimit-Reset`, epoch in seconds or milliseconds)."""
    nested = _mapping(body.metadata.get("headers"))
    stamp = limits.number(headers.get("X-RateLimit-Reset")) or limits.number(nested.get("X-RateLimit-Reset"))
    if stamp is None:
        return None
    seconds = stamp / 1000 if stamp > _MS_EPOCH else stamp
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    # Some servers send seconds to wait under this name; as an epoch that is long past.
    return moment if moment.year > 2000 else None


def _seconds(value: object, now: datetime) -> float | None:
    seconds = limits.number(value)
    if seconds is not None or not isinstance(value, str):
        return seconds
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())
