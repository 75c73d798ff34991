"""What is planned already, read back."""

from __future__ import annotations

import sqlite3

from independence.types import Where


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
