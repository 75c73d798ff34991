"""The words of every dialogue of a condition at once."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from independence.types import Where


class LastAnswer(NamedTuple):
    """The last answer of one dialogue."""

    config_dir: str
    scenario: str
    run: int
    text: str


def last_answers(connection: sqlite3.Connection, where: Where) -> list[LastAnswer]:
    """Current last answers by subject, scenario and run; dialogues that are not finished are left out."""
    rows = connection.execute(
        "SELECT p.config_dir, p.scenario, p.run, c.text FROM planned p JOIN trials t ON t.key = p.trial "
        "JOIN calls c ON c.trial = p.trial AND c.version = 0 AND c.turn = t.turns - 1 AND c.missing IS NULL "
        "WHERE p.suite = ? AND p.edition = ? AND p.variant = ? AND p.mode = ? "
        "ORDER BY p.config_dir, p.scenario, p.run",
        where.columns,
    )
    return [LastAnswer._make(row) for row in rows]
