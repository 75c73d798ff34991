"""What an error body says, whoever wrote it: OpenRouter, vLLM, llama.cpp, LM Studio, Ollama, a proxy."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from independence.clients import pricing

_SENTENCE = 300
_READ = 4000  # signs of a message that are looked at
_KEYS = re.compile(r"\b(?:sk|pk|gsk|xai|hf|nvapi|csk|fw)[-_][\w\-*.]{6,}|(?<=Bearer )\S+", re.IGNORECASE)
_QUERY = re.compile(
    r"(?<=[?&;])([\w.~-]{0,40}(?:key|token|secret|sig|password|auth|code)[\w.~-]{0,40})=[^&;\s\"'<>]+", re.IGNORECASE
)
_NOT_PRINTED = re.compile(r"[\x00-\x20\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]+")
_MS_EPOCH = 10_000_000_000  # an epoch above this counts milliseconds
_SHORTEST_SECRET = 4


class Signal(NamedTuple):
    """The parts of an error object that decide what to do. Empty where the body says nothing."""

    code: int | None = None
    message: str = ""
    error_type: str = ""
    metadata: Mapping[str, object] = {}
    availability: Mapping[str, object] = {}

    @property
    def text(self) -> str:
        """Everything it says in words, lower case, for matching."""
        raw = self.metadata.get("raw")
        source = self.metadata.get("limit_source")
        return f"{self.message} {raw if isinstance(raw, str) else ''} {source or ''}".lower()


def read_signal(document: object) -> Signal:
    """Find the error in a JSON body: `{"error": {...}}` or `"..."`, or a bare `message` or `detail`."""
    if not isinstance(document, dict):
        return Signal()
    error = document.get("error")
    if error is None:
        error = document
    if isinstance(error, str):
        return Signal(message=error)
    if not isinstance(error, dict):
        return Signal()
    metadata = _mapping(error.get("metadata"))
    kind = metadata.get("error_type") or error.get("error_type")
    return Signal(
        code=_code(error.get("code")) or _code(error.get("http_status")),
        message=_words(error.get("message"), error.get("detail"), metadata.get("raw")),
        error_type=kind if isinstance(kind, str) else "",
        metadata=metadata,
        availability=_mapping(error.get("availability")),
    )


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _code(value: object) -> int | None:
    code = pricing.number(value)
    return int(code) if code is not None and 100 <= code < 600 else None


def _words(*candidates: object) -> str:
    """The first candidate that is text; a message that only says a provider failed is followed by why."""
    said = [c for c in candidates if isinstance(c, str) and c.strip()]
    if len(said) > 1 and "provider returned error" in said[0].lower():
        return f"{said[0]}: {said[1]}"
    return said[0] if said else ""


def sentence(text: str, key: str) -> str:
    """One printable line of at most 300 characters, without anything that could be an API key."""
    text = _NOT_PRINTED.sub(" ", text).strip()
    if len(text) > _READ:
        text = text[:_READ].rpartition(" ")[0]  # half a key would not be known as one
    if len(key) >= _SHORTEST_SECRET:
        text = text.replace(key, "[key]")
    text = _QUERY.sub(r"\1=[key]", _KEYS.sub("[key]", text))
    return text if len(text) <= _SENTENCE else text[: _SENTENCE - 1] + "…"


def retry_after(headers: Mapping[str, str], signal: Signal, now: datetime) -> float | None:
    """Seconds the server asks to wait, from wherever it says so; None when it does not."""
    nested = _mapping(signal.metadata.get("headers"))
    for value in (
        headers.get("Retry-After"),
        signal.availability.get("retry_after"),
        signal.metadata.get("retry_after"),
        signal.metadata.get("retry_after_seconds"),
        nested.get("Retry-After"),
    ):
        seconds = _seconds(value, now)
        if seconds is not None:
            return seconds
    reset = resets_at(headers, signal)
    return max(0.0, (reset - now).total_seconds()) if reset else None


def resets_at(headers: Mapping[str, str], signal: Signal) -> datetime | None:
    """When the limit that was hit is lifted (`X-RateLimit-Reset`, epoch in seconds or milliseconds)."""
    nested = _mapping(signal.metadata.get("headers"))
    stamp = pricing.number(headers.get("X-RateLimit-Reset")) or pricing.number(nested.get("X-RateLimit-Reset"))
    if stamp is None:
        return None
    seconds = stamp / 1000 if stamp > _MS_EPOCH else stamp
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    # Some servers send seconds to wait under this name; as an epoch that is long past.
    return moment if moment.year > 2000 else None


def next_midnight(now: datetime) -> datetime:
    """00:00 UTC of the next day."""
    return (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)


def _seconds(value: object, now: datetime) -> float | None:
    seconds = pricing.number(value)
    if seconds is not None or not isinstance(value, str):
        return seconds
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())
