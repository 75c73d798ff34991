"""Which verdicts beside those of an offline or hybrid judge were bought from a model, and with what probability."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

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


class RoutedVerdict(NamedTuple):
    """One dialogue under an offline or hybrid judge; `auditor` and `route` are None where nothing was ever drawn."""

    verdict: str  # its key
    config_dir: str
    scenario: str
    run: int
    rubric: str  # digest
    settings: str
    prediction: str  # JSON of what the judge expected
    auditor: str | None
    routed_at: str
    route: VerdictRoute | None
    bought: dict[str, Scalar] | None  # None: not bought, not yet, or came to nothing
    answered: bool  # what was bought has come, if only to nothing


def add(connection: sqlite3.Connection, rows: Iterable[RouteRow]) -> None:
    """Store routes; a known one is replaced: a larger audit has another probability."""
    at = now("microseconds")
    own = (
        {"verdict": row.verdict, "auditor": row.auditor, "trial": row.trial, **row.route._asdict(), "routed_at": at}
        for row in rows
    )
    given = ({"route" if name == "way" else name: value for name, value in one.items()} for one in own)
    digests.insert(connection, "routes", given, dict.fromkeys(("route", "probability", "routed_at")))


def known(connection: sqlite3.Connection, keys: Iterable[str], auditor: str) -> dict[str, VerdictRoute]:
    """Those of the verdicts that have a route with an auditor."""
    out = {}
    for key in keys:
        row = connection.execute(
            "SELECT route, probability FROM routes WHERE verdict = ? AND auditor = ?", (key, auditor)
        ).fetchone()
        if row is not None:
            out[key] = VerdictRoute._make(row)
    return out


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


class PastDraws(NamedTuple):
    """Earlier draws of a scenario: how many dialogues were to be bought, of how many with a route."""

    drawn: int
    total: int


def past(connection: sqlite3.Connection, where: Where, judge: str) -> dict[str, PastDraws]:
    """Draws of a judge under a condition, by scenario."""
    rows = connection.execute(
        "SELECT p.scenario, sum(r.route <> 'offline'), count(*) FROM planned p JOIN verdicts v ON v.trial = p.trial "
        "AND v.judge = ? JOIN routes r ON r.verdict = v.key "
        "WHERE p.suite = ? AND p.edition = ? AND p.variant = ? AND p.mode = ? GROUP BY 1",
        (judge, *where.columns),
    )
    return {scenario: PastDraws(drawn, of) for scenario, drawn, of in rows}


def routed(connection: sqlite3.Connection, where: Where, judge: str, *, hybrid: bool) -> list[RoutedVerdict]:
    """Every verdict of an offline or hybrid judge in a place, once for each auditor, the oldest first.

    What was bought for a `hybrid` is its own verdict; for an offline judge it is the auditor's.
    """
    bought = "v" if hybrid else "m"
    found = connection.execute(
        "SELECT v.key, p.config_dir, p.scenario, p.run, v.rubric, v.settings, ifnull(v.prediction, ''), "
        f"r.auditor, ifnull(r.routed_at, ''), r.route, r.probability, {bought}.missing, {bought}.fields "
        "FROM planned p JOIN verdicts v ON v.trial = p.trial AND v.judge = ?1 "
        "LEFT JOIN routes r ON r.verdict = v.key LEFT JOIN verdicts m ON m.trial = v.trial AND m.judge = r.auditor "
        "AND m.context = v.context AND m.rubric = v.rubric "
        "WHERE p.suite = ?2 AND p.edition = ?3 AND p.variant = ?4 AND p.mode = ?5 ORDER BY v.judged_at",
        (judge, *where.columns),
    )
    return [_routed(*row) for row in found]


def _routed(*row: Any) -> RoutedVerdict:
    *head, way, chance, missing, fields = row
    asked = way not in (None, "offline") and fields is not None
    values = msgspec.json.decode(fields, type=dict[str, Scalar]) if asked and missing is None else None
    return RoutedVerdict._make((*head, VerdictRoute(way, chance) if way else None, values, asked))
