"""What a store knows of draws: which verdicts a trained judge drew for its auditor, and what came of them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from independence.store.routes import VerdictRoute
from independence.types import Scalar, Where


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
