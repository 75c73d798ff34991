"""What was spent on whom, and how often it had to be tried."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

import msgspec

from independence.types import Where


class SubjectSpending(NamedTuple):
    """One subject's calls and dollars in a place."""

    calls: int
    answers_usd: float
    verdicts: int
    verdicts_usd: float  # what judges wrote before them included
    failed_usd: float  # calls that were never settled
    unknown_usd: float  # reserved for attempts whose cost never came back
    extra_attempts: int  # requests beyond the first of a call, and those of calls never settled
    tokens: int  # prompt and completion, answers and verdicts
    runs: int = 0  # that any of it was spent on, complete or not


class RunTimes(NamedTuple):
    """When the first and the last answer of a run came, ISO 8601."""

    first: str
    last: str


_TRIALS = (
    "(SELECT DISTINCT config_dir, trial FROM planned WHERE suite = ? AND edition = ? AND variant = ? AND mode = ?) p"
)


def spending(connection: sqlite3.Connection, where: Where) -> dict[str, SubjectSpending]:
    """config_dir -> what was spent, replaced answers and every judge included."""
    columns = where.columns
    out: dict[str, SubjectSpending] = {}
    for config, *values in connection.execute(
        "SELECT p.config_dir, count(*), sum(c.cost_usd), sum(c.unknown_usd), "
        "sum(max(json_array_length(c.attempts) - 1, 0)), sum(c.prompt_tokens + c.completion_tokens) "
        f"FROM {_TRIALS} JOIN calls c ON c.trial = p.trial GROUP BY p.config_dir",
        columns,
    ):
        calls, usd, unknown, extra, tokens = values
        out[config] = _NOTHING._replace(
            calls=calls, answers_usd=usd, unknown_usd=unknown, extra_attempts=extra, tokens=tokens
        )
    for table, counted in (("verdicts", 1), ("artefacts", 0)):  # a step is part of the verdict it is written for
        for config, count, usd, unknown, tokens in connection.execute(
            "SELECT p.config_dir, count(*), sum(v.cost_usd), sum(v.unknown_usd), "
            "sum(v.prompt_tokens + v.completion_tokens) "
            f"FROM {_TRIALS} JOIN {table} v ON v.trial = p.trial GROUP BY p.config_dir",
            columns,
        ):
            own = out.get(config, _NOTHING)
            out[config] = own._replace(
                verdicts=own.verdicts + counted * count,
                verdicts_usd=own.verdicts_usd + usd,
                unknown_usd=own.unknown_usd + unknown,
                tokens=own.tokens + tokens,
            )
    for config, usd, unknown, attempts in connection.execute(
        "SELECT p.config_dir, sum(f.cost_usd), sum(f.unknown_usd), sum(json_array_length(f.attempts)) "
        f"FROM {_TRIALS} JOIN failures f ON f.trial = p.trial GROUP BY p.config_dir",
        columns,
    ):
        own = out.get(config, _NOTHING)
        out[config] = own._replace(
            failed_usd=usd, unknown_usd=own.unknown_usd + unknown, extra_attempts=own.extra_attempts + attempts
        )
    for config, runs in connection.execute(
        "SELECT p.config_dir, count(DISTINCT p.run) FROM planned p WHERE suite = ? AND edition = ? AND variant = ? "
        "AND mode = ? AND (EXISTS (SELECT 1 FROM calls c WHERE c.trial = p.trial) "
        "OR EXISTS (SELECT 1 FROM failures f WHERE f.trial = p.trial)) GROUP BY p.config_dir",
        columns,
    ):
        out[config] = out[config]._replace(runs=runs)
    return out


_NOTHING = SubjectSpending(
    0, 0.0, verdicts=0, verdicts_usd=0.0, failed_usd=0.0, unknown_usd=0.0, extra_attempts=0, tokens=0
)


def times(connection: sqlite3.Connection, where: Where) -> dict[tuple[str, int], RunTimes]:
    """(config_dir, run) -> when its current answers came."""
    rows = connection.execute(
        "SELECT p.config_dir, p.run, min(c.answered_at), max(c.answered_at) FROM planned p JOIN calls c "
        "ON c.trial = p.trial WHERE c.version = 0 AND p.suite = ? AND p.edition = ? AND p.variant = ? AND p.mode = ? "
        "GROUP BY p.config_dir, p.run",
        where.columns,
    )
    return {(config, run): RunTimes(first, last) for config, run, first, last in rows}


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
