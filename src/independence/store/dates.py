"""When the replies of a place came, and when they were graded."""

from __future__ import annotations

import sqlite3

import msgspec

from independence.types import Where


class Dates(msgspec.Struct, frozen=True):
    """First and last, ISO 8601; None where there is none, or nobody wrote it down."""

    first_reply: str | None = None
    last_reply: str | None = None
    first_verdict: str | None = None
    last_verdict: str | None = None


def dates(connection: sqlite3.Connection, where: Where, judge: str | None) -> Dates:
    """Of the current replies planned for an edition under a condition, and of the verdicts of one judge on them."""
    trials = "(SELECT DISTINCT trial FROM planned WHERE suite = ? AND edition = ? AND variant = ? AND mode = ?) p"
    values = where.columns
    replies = connection.execute(
        f"SELECT min(nullif(c.answered_at, '')), max(nullif(c.answered_at, '')) FROM {trials} "
        "JOIN calls c ON c.trial = p.trial WHERE c.version = 0 AND c.missing IS NULL",
        values,
    ).fetchone()
    verdicts = connection.execute(
        f"SELECT min(nullif(v.judged_at, '')), max(nullif(v.judged_at, '')) FROM {trials} "
        "JOIN verdicts v ON v.trial = p.trial WHERE v.judge = ? AND v.missing IS NULL",
        (*values, judge or ""),
    ).fetchone()
    return Dates(*replies, *verdicts)
