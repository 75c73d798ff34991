"""Which verdicts beside those of an offline or hybrid judge were bought from a model, and with what probability."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Literal, NamedTuple

import msgspec

from independence.store.records import now
from independence.types import Grade, Missing, Scalar, Verdict

Way = Literal["offline", "unsure", "audit"]  # not bought; bought for its doubt; drawn


class Route(NamedTuple):
    """How one verdict is come by."""

    way: Way
    probability: float  # of being bought


class RouteRow(NamedTuple):
    """The route of one dialogue under an offline or hybrid judge."""

    verdict: str  # its key
    auditor: str
    trial: str
    route: Route


class Routed(NamedTuple):
    """One dialogue under an offline or hybrid judge; `route` and what follows are None where nothing was ever drawn."""

    config_dir: str
    scenario: str
    run: int
    rubric: str  # digest
    settings: str
    prediction: str  # JSON of what the offline judge said
    auditor: str | None
    route: Route | None
    bought: dict[str, Scalar] | None  # None: not bought, or came to nothing


def add(connection: sqlite3.Connection, rows: Iterable[RouteRow]) -> None:
    """Store routes; a known one is replaced: a larger audit has another probability."""
    at = now()
    connection.executemany(
        "INSERT INTO routes VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET route = excluded.route, "
        "probability = excluded.probability, routed_at = excluded.routed_at",
        [(row.verdict, row.auditor, row.trial, *row.route, at) for row in rows],
    )


def known(connection: sqlite3.Connection, keys: Iterable[str], auditor: str) -> dict[str, Route]:
    """Those of the verdicts that have a route with an auditor."""
    out = {}
    for key in keys:
        row = connection.execute(
            "SELECT route, probability FROM routes WHERE verdict = ? AND auditor = ?", (key, auditor)
        ).fetchone()
        if row is not None:
            out[key] = Route(*row)
    return out


def given(connection: sqlite3.Connection, keys: Iterable[str]) -> dict[str, Grade]:
    """Those of the verdicts that are stored, without what they cost: that is counted where they were bought."""
    out: dict[str, Grade] = {}
    for key in keys:
        row = connection.execute("SELECT missing, fields, reasoning FROM verdicts WHERE key = ?", (key,)).fetchone()
        if row is not None:
            missing, fields, reasoning = row
            values = msgspec.json.decode(fields, type=dict[str, Scalar])
            out[key] = Verdict(values, reasoning) if missing is None else Missing(missing)
    return out


def forget(connection: sqlite3.Connection, verdicts: Iterable[str]) -> None:
    """Delete the routes of verdicts."""
    connection.executemany("DELETE FROM routes WHERE verdict = ?", [(key,) for key in verdicts])


def routed(
    connection: sqlite3.Connection, suite: str, edition: str, condition: tuple[str, str], judge: str
) -> list[Routed]:
    """Every verdict of an offline or hybrid judge in a place, once for each auditor, the oldest first."""
    rows = connection.execute(
        "SELECT p.config_dir, p.scenario, p.run, v.rubric, v.settings, v.raw, r.auditor, r.route, r.probability, "
        "m.missing, m.fields FROM planned p JOIN verdicts v ON v.trial = p.trial AND v.judge = ?1 "
        "LEFT JOIN routes r ON r.verdict = v.key LEFT JOIN verdicts m ON m.trial = v.trial AND m.judge = r.auditor "
        "AND m.context = v.context AND m.rubric = v.rubric AND r.route <> 'offline' "
        "WHERE p.suite = ?2 AND p.edition = ?3 AND p.variant = ?4 AND p.mode = ?5 ORDER BY v.judged_at",
        (judge, suite, edition, *condition),
    )
    return [
        Routed(config, scenario, run, rubric, settings, raw, auditor, _route(way, chance), _fields(missing, fields))
        for config, scenario, run, rubric, settings, raw, auditor, way, chance, missing, fields in rows
    ]


def _route(way: Way | None, probability: float) -> Route | None:
    return None if way is None else Route(way, probability)


def _fields(missing: str | None, fields: str | None) -> dict[str, Scalar] | None:
    return None if fields is None or missing is not None else msgspec.json.decode(fields, type=dict[str, Scalar])
