"""What was planned, and when."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from independence.store.queries import UNDER, rows
from independence.types import Where


class PlannedTrial(NamedTuple):
    """A planned trial."""

    config_dir: str
    scenario: str
    run: int
    shape: str  # JSON of what the key was made of
    planned_at: str


def planned_trials(connection: sqlite3.Connection, where: Where) -> list[PlannedTrial]:
    """Every planned trial of an edition under a condition (variant, mode), by subject, scenario and run."""
    sql = (
        "SELECT config_dir, scenario, run, shape, planned_at FROM planned p JOIN trials t ON t.key = p.trial "
        f"WHERE {UNDER} ORDER BY 1, 2, 3"
    )
    return rows(connection, PlannedTrial, sql, where.columns)


def unequal(connection: sqlite3.Connection, where: Where) -> list[str]:
    """The config_dirs of subjects with more planned runs of some scenarios than of others, in order."""
    sql = (
        f"SELECT config_dir FROM (SELECT config_dir, count(*) AS runs FROM planned WHERE {UNDER} "
        "GROUP BY config_dir, scenario, variant, mode) GROUP BY 1 HAVING min(runs) < max(runs) ORDER BY 1"
    )
    return [config for (config,) in connection.execute(sql, where.columns)]


def planned_times(connection: sqlite3.Connection, where: Where) -> dict[str, dict[tuple[str, int], str]]:
    """When each (scenario, run) was planned, by config_dir, of subjects whose runs were not all planned at once."""
    sql = (
        f"SELECT config_dir, scenario, run, planned_at FROM planned WHERE {UNDER} AND config_dir IN (SELECT config_dir "
        f"FROM planned WHERE {UNDER} GROUP BY 1 HAVING count(DISTINCT planned_at) > 1)"
    )
    found: dict[str, dict[tuple[str, int], str]] = {}
    for config, scenario, run, at in connection.execute(sql, (*where.columns, *where.columns)):
        found.setdefault(config, {})[scenario, run] = at
    return found


class PlannedStage(NamedTuple):
    """Trials of one scenario that were planned for a subject at one time."""

    config_dir: str
    planned_at: str
    scenario: str
    trials: int
    turns: int  # generated in each


def planned_stages(connection: sqlite3.Connection, where: Where) -> list[PlannedStage]:
    """When what was planned, of an edition under a condition, by subject and time."""
    sql = (
        "SELECT config_dir, planned_at, scenario, count(*), max(turns) FROM planned "
        f"WHERE {UNDER} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3"
    )
    return rows(connection, PlannedStage, sql, where.columns)
