"""When a server wants to be asked again: every form in which servers say it, read as seconds from now.

A moment is measured by the server's own clock, the `Date` of the same response, where it says what that shows. What
cannot be read is ignored, as a wrong guess costs more than none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final, NamedTuple

from independence.clients import bodies, limits
from independence.clients.bodies import ErrorDetails

LONGEST_WAIT_S: Final = 600.0  # a limit that lifts later than this is not waited for
_ABSURD_S: Final = 366 * 86_400.0  # a mistake, or another unit
_EPOCH: Final = 946_684_800  # the year 2000: a number from here on is a moment, in seconds since 1970
_MS_EPOCH: Final = 10_000_000_000  # and from here on in milliseconds
_SECONDS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_NUMBER: Final = r"\d+(?:\.\d+)?"
_UNIT: Final = r"(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)(?![a-z])"
_SPAN: Final = rf"(?:{_NUMBER}\s*{_UNIT}[\s,]*(?:and\s+)?)+"
_PART = re.compile(rf"({_NUMBER})\s*({_UNIT})", re.IGNORECASE)
# "Please try again in 6m0s", "retry after 3 minutes", "wait 20 seconds"; never "20 requests in 60 seconds".
_WORDS = re.compile(rf"\b(?:again|retry|retrying|wait|back|resets?)\b[^.\d]{{0,30}}({_SPAN})", re.IGNORECASE)
_ITEM = re.compile(r"\b(remaining|reset|r|t)=(\d+)")


class Reset(NamedTuple):
    """When one of the limits of a server lifts."""

    seconds: float
    left: float | None  # of what it counts; None: not said


def told(headers: Mapping[str, object], body: ErrorDetails, now: datetime, *, limited: bool = True) -> float | None:
    """Seconds that a refusal asks to wait, from wherever it says so; None where it does not.

    `limited`: it refuses for a limit. Others carry the same headers about limits, which are not why they refuse.
    """
    said = _lower(bodies.mapping(body.metadata.get("headers"))) | _lower(headers)
    clock = _clock(said, now)
    in_body = (body.availability.get("retry_after"), *map(body.metadata.get, ("retry_after", "retry_after_seconds")))
    stated = [seconds_of(value, clock) for value in (said.get("retry-after"), *in_body, body.retry_delay)]
    for seconds in (seconds_of(said.get("retry-after-ms"), clock, 0.001), *stated):
        if seconds is not None:
            return seconds
    resets = list(_resets(said, clock)) if limited else []
    if spent := [one.seconds for one in resets if one.left == 0]:
        return max(spent)
    if words := _WORDS.search(body.text):
        return seconds_of(words[1], clock)
    # Which of them was hit is not said: the longest, unless that ends the run where a shorter one may be meant.
    waited = [one.seconds for one in resets if one.seconds <= LONGEST_WAIT_S]
    return max(waited) if waited else min((one.seconds for one in resets), default=None)


def until_reset(headers: Mapping[str, object], now: datetime | None = None) -> float:
    """Seconds in which a server that has answered takes no more, as it says itself; 0 where it may take some.

    A limit that lifts later than is waited for is left to the refusal, which says more of it.
    """
    said = _lower(headers)
    if "ratelimit" not in said and not any("remaining" in name and value == "0" for name, value in said.items()):
        return 0.0
    spent = (one.seconds for one in _resets(said, _clock(said, now or datetime.now(UTC))) if one.left == 0)
    return max((seconds for seconds in spent if seconds <= LONGEST_WAIT_S), default=0.0)


def seconds_of(value: object, clock: datetime, unit: float = 1.0) -> float | None:
    """Seconds to wait from a number of them, a duration or a moment; one that has passed is no wait."""
    text, amount = bodies.text_of(value).strip(), limits.number(value)
    if amount is not None:
        stamp = amount / 1000 if amount >= _MS_EPOCH else amount
        seconds = stamp - clock.timestamp() if stamp >= _EPOCH else amount * unit
    elif re.fullmatch(_SPAN, text, re.IGNORECASE):
        seconds = _length(text)
    elif moment := _moment(text):
        seconds = (moment - clock).total_seconds()
    elif text.startswith("-") and limits.number(text[1:]) is not None:
        return 0.0
    else:
        return None
    return max(0.0, seconds) if seconds <= _ABSURD_S else None


def _length(text: str) -> float:
    """Seconds of a duration."""
    parts = ((float(number), unit.lower()) for number, unit in _PART.findall(text))
    return sum(number * _SECONDS["ms" if unit.startswith(("ms", "mill")) else unit[0]] for number, unit in parts)


def _moment(text: str) -> datetime | None:
    """A date as HTTP or ISO 8601 has it."""
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(text)
        except (ValueError, OverflowError):
            continue
        if moment.tzinfo is None and "GMT" in text:  # a zone that was not understood
            return None
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return None


def _clock(said: Mapping[str, object], now: datetime) -> datetime:
    """What the server's clock shows."""
    return _moment(bodies.text_of(said.get("date"))) or now


def _lower(headers: Mapping[str, object]) -> dict[str, object]:
    return {name.lower(): value for name, value in headers.items()}


def _resets(said: Mapping[str, object], clock: datetime) -> Iterator[Reset]:
    """Every limit that is still to lift: of requests, of tokens, by the minute, as each server names them."""
    for name, value in said.items():
        if "reset" in name and ("ratelimit" in name or "rate-limit" in name):
            yield from _reset(value, said.get(name.replace("reset", "remaining")), clock)
    text = bodies.text_of(said.get("ratelimit"))  # drafts of the IETF, up to 7 and from 8 on
    for item in text.split(",") if ";" in text else [text]:
        found = dict(_ITEM.findall(item))
        yield from _reset(found.get("reset", found.get("t")), found.get("remaining", found.get("r")), clock)


def _reset(value: object, left: object, clock: datetime) -> Iterator[Reset]:
    seconds = seconds_of(value, clock)
    if seconds:  # 0 is also what says nothing
        yield Reset(seconds, limits.number(left))
