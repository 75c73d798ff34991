"""Dates as boards and reports say them."""

from __future__ import annotations

from datetime import UTC, datetime

from independence.store.spending import Dates


def today() -> str:
    """The day a report is made, UTC."""
    return datetime.now(UTC).date().isoformat()


def replies(dates: Dates) -> str:
    """The days of the first and the last reply; empty where none is known."""
    return _days(dates.first_reply, dates.last_reply)


def verdicts(dates: Dates) -> str:
    """The days of the first and the last verdict; empty where none is known."""
    return _days(dates.first_verdict, dates.last_verdict)


def line(dates: Dates | None) -> list[str]:
    """Both in one line below a board; none where nothing is known."""
    if dates is None:
        return []
    parts = [f"replies of {replies(dates)}"] * bool(replies(dates))
    parts += [f"verdicts of {verdicts(dates)}"] * bool(verdicts(dates))
    return [", ".join(parts)] * bool(parts)


def _days(first: str | None, last: str | None) -> str:
    days = list(dict.fromkeys(at[:10] for at in (first, last) if at))
    return " to ".join(days)
