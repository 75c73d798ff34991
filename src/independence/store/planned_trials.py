"""Which trial stands at which place of an edition, and what its key was made of."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from independence.types import Where


class PlannedTrial(NamedTuple):
    """A planned trial."""

    config_dir: str
    scenario: str
    run: int
    shape: str  # JSON of what the key was made of
    planned_at: str


def trials(connection: sqlite3.Connection, where: Where) -> list[PlannedTrial]:
    """Every planned trial of an edition under a condition (variant, mode), by subject, scenario and run."""
    rows = connection.execute(
        "SELECT p.config_dir, p.scenario, p.run, t.shape, p.planned_at FROM planned p JOIN trials t ON t.key = p.trial "
        "WHERE p.suite = ? AND p.edition = ? AND p.variant = ? AND p.mode = ? ORDER BY 1, 2, 3",
        where.columns,
    )
    return [PlannedTrial._make(row) for row in rows]


def planned_runs(connection: sqlite3.Connection, where: Where) -> dict[str, dict[str, int]]:
    """config_dir -> scenario -> highest run planned."""
    out: dict[str, dict[str, int]] = {}
    for config, scenario, run in connection.execute(
        "SELECT config_dir, scenario, max(run) FROM planned "
        "WHERE suite = ? AND edition = ? AND variant = ? AND mode = ? GROUP BY config_dir, scenario",
        where.columns,
    ):
        out.setdefault(config, {})[scenario] = run
    return out
