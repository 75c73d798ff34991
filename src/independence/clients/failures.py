"""What a failed attempt is about: whom it concerns, whether it lasts, and whether it was billed.

Read from status, code, type, parameter and words of an error body in whatever shape it comes, from a body that is no
chat completion, and from what the HTTP library raises. What words say is a table, `refusals.yaml`.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Final, Literal, NamedTuple

import aiohttp
import msgspec
from yarl import URL

from independence.clients import bodies, tls, waits
from independence.clients.bodies import ErrorDetails
from independence.clients.streams import CutShort
from independence.clients.transport import LARGEST, BodyTooLarge, HttpResponse
from independence.clients.waits import LONGEST_WAIT_S
from independence.config import documents
from independence.config.endpoints import Endpoint
from independence.errors import KeyRejected
from independence.types import MissingReason

Secrets = Collection[str]  # keys, and what else stands for one: `Endpoint.secrets`
Scope = Literal["request", "model", "key", "account", "server"]

LOADING: Final = "loading"  # kind of a failure of a server that is not ready yet
SWAPPED: Final = "other_weights"  # kind of a failure of a server that has loaded others since the run began
ENDING: Final = "ending"  # kind of a failure in which an answer was broken off
_DAILY = re.compile(r"per[\s_-]?day|daily")
_FREE_TIER = re.compile(r"openrouter_free_tier_daily|free-models")
_RATE_STATUS = frozenset({429, 503, 529})
_UNBILLED_RETRIES = _RATE_STATUS | {402}  # nothing was served: refused at the door
_PASSING_CLIENT_ERRORS = frozenset({408, 409, 425, 429})
_TYPES: Final = Path(__file__).with_name("error_types.yaml")
_ROWS: Final = Path(__file__).with_name("refusals.yaml")
_SAME = ({503, 529}, {504, 408})  # one thing under two numbers: the one on the line is kept
_DECLINED = frozenset({"content_policy_violation", "refusal"})
_GUARDED = frozenset({"reasons", "flagged_input", "patterns"})  # of the metadata
_AT_CAPACITY = frozenset({"capacity_exhausted", "temporarily_unavailable"})
# Words of a 500 that say nothing of the request: the next attempt may succeed.
_GENERIC = re.compile(
    r"\A\W*\Z|internal.{0,8}error|something went wrong|try again|tempora|overload|unavailable|time.?out|upstream|"
    r"bad gateway|crash|server error|provider returned error",
    re.IGNORECASE,
)
_READ = 4000  # signs of a message that are looked at
_SENTENCE = 300
_KEYS = re.compile(r"\b(?:sk|pk|gsk|xai|hf|nvapi|csk|fw)[-_][\w\-*.]{6,}|(?<=Bearer )\S+", re.IGNORECASE)
_QUERY = re.compile(
    r"(?<=[?&;])([\w.~-]{0,40}(?:key|token|secret|sig|password|auth|code)[\w.~-]{0,40})=[^&;\s\"'<>]+", re.IGNORECASE
)
_NOT_PRINTED = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")
_SHORTEST_SECRET = 4


class Failure(NamedTuple):
    """An attempt without an answer that can be used."""

    kind: str  # status as text, or "timeout", "reset", "loading", ...
    detail: str = ""  # one printable line, free of keys
    fix: str = ""  # what helps, where that is known
    scope: Scope = "server"
    lasting: bool = False  # asking again does not help
    reason: MissingReason | None = None  # of a lasting one that is certainly about this request alone
    repeats: bool = False  # taken for lasting where different requests keep getting it
    retry_after: float | None = None  # seconds the server asked for
    overload: bool = False  # lower this endpoint's concurrency
    unbilled: bool = True  # certainly cost nothing; False: unknown
    status: int = 0
    named: str = ""  # the words in which a refusal may name a part of the request
    raw: str = ""  # what came of an answer that was broken off
    again: bool = False  # the next attempt is written otherwise: it is sent at once, and uses up no retry

    @property
    def told_wait(self) -> float:
        """Seconds after which a limit lifts that it was refused for; 0 where that is not said, or too late."""
        return self.retry_after or 0.0 if self.status == 429 and not self.lasting else 0.0

    @property
    def line(self) -> str:
        """What happened and what helps, in one line."""
        return f"{self.detail.rstrip('.')}; {self.fix}" if self.fix else self.detail


class _RefusalRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    about: str
    words: str
    scope: Scope
    status: frozenset[int] = frozenset()
    lasting: bool = True
    reason: MissingReason | None = None
    form: bool = True
    fix: str = ""


@cache
def _rows() -> list[tuple[re.Pattern[str], _RefusalRow]]:
    rows = documents.packaged(_ROWS, list[_RefusalRow])
    return [(re.compile(row.words, re.IGNORECASE | re.DOTALL), row) for row in rows]


def _row(text: str, status: int) -> _RefusalRow | None:
    """What the words say; None where they say nothing that is known."""
    for pattern, row in _rows():
        if (not row.status or status in row.status) and pattern.search(text):
            return row
    return None


def advice(about: str) -> str:
    """What helps, by the name of a row."""
    return next(row.fix for _, row in _rows() if row.about == about)


def of_response(answer: HttpResponse, body: ErrorDetails, secrets: Secrets, now: datetime | None = None) -> Failure:
    """Classify an error response, or an error found inside a 200. `secrets` are kept out of every text."""
    now = now or datetime.now(UTC)
    status = _status(answer.status, body)
    code = body.availability.get("code")
    named = f" ({code})" if isinstance(code, str) else ""
    detail = sentence(f"HTTP {status}{named}: {body.message}".rstrip(": "), secrets)
    words = _without(secrets, body.named[:_READ])
    base = Failure(str(status), detail, lasting=True, scope="model", status=status, named=words)
    if 300 <= status < 400:
        return base._replace(detail=sentence(_moved(answer), secrets), scope="server")
    if status == 401:
        # Inside a 200 with a provider named, it is the provider's key at the router that failed, not ours.
        ours = answer.status == 401 or "provider_name" not in body.metadata
        return base._replace(scope="key" if ours else "model")
    wait = waits.told(answer.headers, body, now, limited=status == 429)
    if status == 429 and _DAILY.search(body.text):
        return base._replace(kind="daily", detail=_when(wait, body, now, base.detail))
    if status == 402:
        passing = body.metadata.get("limit_source") == "openrouter_in_flight_budget" or "Retry-After" in answer.headers
        return base._replace(lasting=not passing, scope="account", retry_after=wait)
    # Moderation or a guardrail on this prompt, as opposed to a limit of the key.
    if status == 403 and (body.error_type in _DECLINED or not _GUARDED.isdisjoint(body.metadata)):
        return base._replace(scope="request", reason="blocked")
    found = _row(body.text, status)
    if found is not None and _counts(found, status, body, wait):
        return base._replace(
            kind=LOADING if found.about == LOADING else base.kind, scope=found.scope, lasting=found.lasting,
            reason=found.reason, fix=found.fix, retry_after=wait, named=base.named if found.form else "",
        )  # fmt: skip
    if status == 413:
        return base._replace(scope="request", reason="too_long")
    retryable = body.availability.get("retryable")
    passing = status in _PASSING_CLIENT_ERRORS or status >= 500
    if not (retryable if isinstance(retryable, bool) and not body.error_type else passing):
        return base
    if wait is not None and wait > LONGEST_WAIT_S:
        return base._replace(kind="daily", detail=_when(wait, body, now, base.detail), retry_after=wait)
    return base._replace(
        scope="server",
        lasting=False,
        repeats=status in (500, 501) and not _GENERIC.search(body.message),
        retry_after=wait,
        overload=status in _RATE_STATUS or body.availability.get("code") in _AT_CAPACITY,
        unbilled=status in _UNBILLED_RETRIES,
    )


def _counts(row: _RefusalRow, status: int, body: ErrorDetails, wait: float | None) -> bool:
    """Whether words say more than a status that asks to come back: a limit by the minute is called a quota, too."""
    if status not in _RATE_STATUS:
        return True
    return row.scope == "server" or (row.scope in ("key", "account") and (wait is None or "insufficient" in body.text))


def of_foreign_body(response: HttpResponse, secrets: Secrets) -> Failure:
    """Classify a response with a good status whose body is no chat completion, by what it is."""
    found = bodies.describe(response.body, response.headers.get("Content-Type", ""))
    status = "" if response.status == 200 else f"HTTP {response.status}: "
    row = _row(found.text, 400) if found.text else None
    fix = found.fix or (row.fix if row else "")
    failure = Failure("malformed", sentence(f"{status}{found.what}", secrets), fix, scope="model", unbilled=False)
    lasting = found.lasting or (row is not None and row.lasting)
    return failure._replace(lasting=lasting, repeats=bool(response.body), reason=row.reason if row else None)


def _status(sent: int, body: ErrorDetails) -> int:
    """The status that says what happened: an error inside a 200, and some proxies, send another one."""
    typed = _statuses().get(body.error_type)
    if typed is not None and {typed, sent} not in _SAME:
        return typed
    if sent >= 300:
        return sent
    return body.code if body.code is not None and body.code >= 400 else 500


@cache
def _statuses() -> dict[str, int]:
    return documents.packaged(_TYPES, dict[str, int])


def _moved(answer: HttpResponse) -> str:
    """Where a redirect leads. It is not followed: the key would go to whoever is there."""
    what = f"HTTP {answer.status}: the server sends us to another address"
    try:
        there = URL(answer.headers.get("Location", ""))
        host = there.origin() if there.absolute else None
    except ValueError:
        host = None
    return f"{what} ({host}); give that as the base URL if you trust it" if host else f"{what}; check the base URL"


def _when(wait: float | None, body: ErrorDetails, now: datetime, detail: str) -> str:
    if _FREE_TIER.search(body.text) and (wait or 0.0) <= LONGEST_WAIT_S:
        return f"{detail}; resets at {now + timedelta(days=1):%Y-%m-%d} 00:00 UTC"
    if not wait:
        return f"{detail}; resets tomorrow"
    length = f"{wait / 3600:.1f} h" if wait >= 3600 else f"{wait / 60:.0f} min"
    return f"{detail}; resets in {length}, at {now + timedelta(seconds=wait):%Y-%m-%d %H:%M} UTC"


def key_rejected(endpoint: Endpoint, failure: Failure) -> KeyRejected:
    """The error for a refused key. It names where the key comes from, never the key."""
    wants = "check" if endpoint.api_key else "set"
    where = f"{wants} {endpoint.key_source}" if endpoint.key_source else "give it one with api_key_env"
    what = "the API key was refused" if endpoint.api_key else "an API key is required"
    return KeyRejected(f"{endpoint.name}: {what} ({failure.detail})", where)


_UNASKED: Final = "its compression is one that was not asked for"
_TOO_LARGE: Final = f"the answer is larger than {LARGEST // 2**20} MB, decompressed; the rest was not read"
# What the HTTP library or reading a body raises, the most special first: its kind, what it means, whether trying again
# may help, and whether the request may have arrived, so that it may cost something.
_FAULTS: Final[tuple[tuple[type[Exception], str, str, bool, bool], ...]] = (
    (BodyTooLarge, "too_large", _TOO_LARGE, True, True),
    (aiohttp.InvalidURL, "connect", "the address cannot be read", False, False),
    (aiohttp.ConnectionTimeoutError, "connect", "no connection in time", True, False),
    (aiohttp.ClientSSLError, "tls", "", False, False),
    (aiohttp.ClientProxyConnectionError, "connect", "the proxy {at} of the environment does not answer", True, False),
    (aiohttp.ClientConnectorDNSError, "connect", "the name {error.host} is not known", True, False),
    (aiohttp.ClientConnectorError, "connect", "{why}", True, False),
    (TimeoutError, "timeout", "no complete answer in time", True, True),
    (CutShort, "cut", "the answer breaks off: {error}", True, True),
    (aiohttp.ClientPayloadError, "cut", "the answer breaks off{why}", True, True),
    (aiohttp.ClientHttpProxyError, "connect", "the proxy refuses with HTTP {error.status}", True, False),
    (aiohttp.ClientResponseError, "reset", "{why}", True, True),
    (aiohttp.ServerDisconnectedError, "reset", "the server closed the connection without an answer", True, True),
    (OSError, "reset", "the connection broke ({why})", True, True),
    (Exception, "reset", "the connection broke", True, True),
)


def of_exception(error: Exception, secrets: Secrets) -> Failure:
    """Classify what the HTTP library or reading the body raised; class names of a library tell nobody what to do."""
    kind, detail, passing, sent = next(row[1:] for row in _FAULTS if isinstance(error, row[0]))
    if isinstance(error, aiohttp.ClientSSLError):
        detail, fix = tls.problem(error)
        return Failure(kind, detail, fix, lasting=True)
    at = f"{getattr(error, 'host', '')}:{getattr(error, 'port', '')}"
    why = _why(error)
    said = sentence(detail.format(error=error, at=at, why=why), secrets)
    if why == _UNASKED:  # a proxy that packs everything does so again
        return Failure(
            kind, said, "let the proxy before it pack nothing, or with gzip", "model", lasting=True, unbilled=False
        )
    return Failure(kind, said, lasting=not passing, unbilled=not sent)


def _why(error: Exception) -> str:
    """What the library says of it, in words that hold no addresses and no names of its own."""
    text = str(getattr(error, "message", error)).lower()
    if isinstance(error, aiohttp.ClientPayloadError):
        return ": its compression is broken" if "content-encoding" in text else ""
    if isinstance(error, aiohttp.ClientResponseError):
        if "content-encoding" in text:
            return _UNASKED
        long = "more than" in text or "too long" in text
        return "a header of the answer is longer than 8 kB" if long else "what came is no HTTP"
    if not isinstance(error, OSError):
        return ""
    inner = getattr(error, "os_error", None) or error
    said = (inner.strerror or "").lower()
    if isinstance(error, ssl.SSLError):
        return "TLS failed"
    if isinstance(inner, ConnectionResetError | BrokenPipeError):
        return "reset by the server"
    if said.startswith("[ssl: "):
        return said.partition("] ")[2].partition(" (")[0]
    refused = not said or isinstance(inner, ConnectionRefusedError) or "connect call failed" in said
    return "connection refused" if refused else said


def sentence(text: str, secrets: Secrets) -> str:
    """One printable line of at most 300 characters, without secrets and anything that could be an API key."""
    text = _NOT_PRINTED.sub(" ", text).strip()
    if len(text) > _READ:
        text = text[:_READ].rpartition(" ")[0]  # half a key would not be known as one
    text = _without(secrets, text)
    text = _QUERY.sub(r"\1=[key]", _KEYS.sub("[key]", text))
    return text if len(text) <= _SENTENCE else text[: _SENTENCE - 1] + "…"


def _without(secrets: Secrets, text: str) -> str:
    for secret in secrets:
        text = text.replace(secret, "[key]") if len(secret) >= _SHORTEST_SECRET else text
    return text
