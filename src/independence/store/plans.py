"""What is planned already, read back."""

from __future__ import annotations

import sqlite3


def planned_runs(
    connection: sqlite3.Connection, suite: str, edition: str, condition: tuple[str, str]
) -> dict[str, dict[str, int]]:
    """config_dir -> scenario -> highest run planned."""
    out: dict[str, dict[str, int]] = {}
    for config, scenario, run in connection.execute(
        "SELECT config_dir, scenario, max(run) FROM planned "
        "WHERE suite = ? AND edition = ? AND variant = ? AND mode = ? GROUP BY config_dir, scenario",
        (suite, edition, *condition),
    ):
        out.setdefault(config, {})[scenario] = run
    return out
