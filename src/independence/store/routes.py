"""Which verdicts beside those of an offline or hybrid judge were bought from a model, and with what probability."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Literal, NamedTuple

import msgspec

from independence.store import digests
from independence.store.queries import truth
from independence.store.records import now
from independence.types import Grade, Missing, Scalar, Verdict, Where

Way = Literal["offline", "unsure", "audit"]  # not bought; bought for its doubt; drawn


class VerdictRoute(NamedTuple):
    """How one verdict is come by."""

    way: Way
    probability: float  # of being bought


class RouteRow(NamedTuple):
    """The route of one dialogue under an offline or hybrid judge."""

    verdict: str  # its key
    auditor: str
    trial: str
    route: VerdictRoute


def add(connection: sqlite3.Connection, rows: Iterable[RouteRow]) -> None:
    """Store routes; a known one is replaced: a larger audit has another probability."""
    at = now("microseconds")
    own = (
        {"verdict": row.verdict, "auditor": row.auditor, "trial": row.trial, **row.route._asdict(), "routed_at": at}
        for row in rows
    )
    given = ({"route" if name == "way" else name: value for name, value in one.items()} for one in own)
    digests.insert(connection, "routes", given, dict.fromkeys(("route", "probability", "routed_at")))


def stored_keys(connection: sqlite3.Connection, keys: Iterable[str]) -> dict[str, Grade]:
    """Those of the verdicts that are stored, without what they cost: that is counted where they were bought."""
    out: dict[str, Grade] = {}
    for key in keys:
        sql = "SELECT missing, detail, fields, reasoning, quote, quote_found FROM verdicts WHERE key = ?"
        row = connection.execute(sql, (key,)).fetchone()
        if row is not None:
            missing, detail, fields, reasoning, quote, there = row
            values = msgspec.json.decode(fields, type=dict[str, Scalar])
            verdict = Verdict(values, reasoning, quote=quote, quote_found=truth(there))
            out[key] = verdict if missing is None else Missing(missing, detail)
    return out


def unbought(
    connection: sqlite3.Connection, where: Where, judge: str, *, hybrid: bool
) -> dict[tuple[str, str, str], str]:
    """(trial, dialogue, rubric) -> JSON of what was predicted, where that is the judge's own and not a bought verdict.

    It stands beside a verdict, which rounds it, or beside none, where the judge was too unsure to give one.
    """
    found = connection.execute(
        "SELECT v.trial, v.context, v.rubric, v.prediction FROM planned p JOIN verdicts v ON v.trial = p.trial "
        "WHERE p.suite = ? AND p.edition = ? AND v.judge = ? AND v.prediction IS NOT NULL "
        "AND (v.missing IS NULL OR v.missing = 'unsure') "
        "AND (NOT ? OR EXISTS (SELECT 1 FROM routes r WHERE r.verdict = v.key AND r.route = 'offline')) "
        "ORDER BY v.judged_at",
        (where.suite, where.edition, judge, hybrid),
    )
    return {(trial, dialogue, rubric): prediction for trial, dialogue, rubric, prediction in found}


def awaited(connection: sqlite3.Connection, auditor: str) -> set[str]:
    """Trials that were drawn for an auditor who has given no verdict on them."""
    sql = (
        "SELECT DISTINCT trial FROM routes WHERE auditor = ?1 AND route <> 'offline' "
        "AND trial NOT IN (SELECT trial FROM verdicts WHERE judge = ?1)"
    )
    return {trial for (trial,) in connection.execute(sql, (auditor,))}


def forget(connection: sqlite3.Connection, verdicts: Iterable[str]) -> None:
    """Delete the routes of verdicts."""
    connection.executemany("DELETE FROM routes WHERE verdict = ?", [(key,) for key in verdicts])
