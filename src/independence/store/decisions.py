"""Decisions as they were planned: between whom, with which margin, and after how many runs at the latest.

Margin and end are written before the first look, and never changed: who could choose them after a look would find a
difference between equals more often than is said.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from independence.errors import UsageError
from independence.store import records
from independence.store.file import digests
from independence.store.file.database import transaction
from independence.store.queries import rows
from independence.types import Condition, Where


class Side(NamedTuple):
    """A subject under a condition."""

    config_dir: str
    condition: Condition


class PlannedDecision(NamedTuple):
    """A decision of an edition."""

    sides: str  # JSON: sorted array of [config_dir, variant, mode]
    margin: float  # index points
    runs: int  # at most of each side, in calls' worth
    planned_at: str = ""  # ISO 8601, to the millisecond
    below: str = "[]"  # JSON: array of [config_dir, variant, mode, stage after which it was surely not the best]

    @property
    def each(self) -> list[Side]:
        """The sides."""
        found = msgspec.json.decode(self.sides, type=list[tuple[str, str, str]])
        return [Side(config, Condition(*condition)) for config, *condition in found]

    @property
    def stages(self) -> dict[Side, int]:
        """After which stage sides were found to be surely not the best, and got no more runs."""
        found = msgspec.json.decode(self.below, type=list[tuple[str, str, str, int]])
        return {Side(config, Condition(*condition)): stage for config, *condition, stage in found}


def between(sides: Iterable[Side], margin: float, runs: int) -> PlannedDecision:
    """A decision that is to be planned. It is known by its sides, whatever their order."""
    return PlannedDecision(records.to_json(sorted((one.config_dir, *one.condition) for one in sides)), margin, runs)


def of_edition(connection: sqlite3.Connection, where: Where) -> list[PlannedDecision]:
    """Every decision that was planned of an edition, the oldest first."""
    columns = ", ".join(PlannedDecision._fields)
    sql = f"SELECT {columns} FROM decisions WHERE suite = ? AND edition = ? ORDER BY planned_at"
    return rows(connection, PlannedDecision, sql, where[:2])


def find(connection: sqlite3.Connection, where: Where, asked: PlannedDecision) -> PlannedDecision:
    """As it is stored, where it is. Raises UsageError where it was planned with another margin or end."""
    stored = next((one for one in of_edition(connection, where) if one.sides == asked.sides), asked)
    if (stored.margin, stored.runs) != (asked.margin, asked.runs):
        was = f"--within {stored.margin:g} --max-runs {stored.runs}"
        what = f"this decision was planned on {stored.planned_at[:10]} with {was}, and its error counts from there"
        raise UsageError(what, f"give {was}, or decide anew with fresh runs in another --db")
    return stored


def add(connection: sqlite3.Connection, where: Where, asked: PlannedDecision) -> None:
    """Write a plan; a known one stays as it is."""
    own = {"suite": where.suite, "edition": where.edition, **asked._asdict(), "planned_at": records.now("milliseconds")}
    digests.insert(connection, "decisions", [own])


def add_below(connection: sqlite3.Connection, where: Where, known: PlannedDecision, found: Mapping[Side, int]) -> None:
    """Keep after which stage further sides were found to be surely not the best."""
    below = [(side.config_dir, *side.condition, stage) for side, stage in {**known.stages, **found}.items()]
    digest = digests.expression("decisions", {"below": "?1"})
    sql = f"UPDATE decisions SET below = ?1, digest = {digest} WHERE suite = ?2 AND edition = ?3 AND sides = ?4"
    with transaction(connection):
        connection.execute(sql, (records.to_json(below), where.suite, where.edition, known.sides))
