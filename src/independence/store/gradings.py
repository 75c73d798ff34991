"""How much of an edition is there to be graded, and who graded."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from independence.store import queries
from independence.types import Where


def settings(connection: sqlite3.Connection, trials: Iterable[str]) -> list[tuple[str, str]]:
    """Who graded some of these dialogues: names with settings, by name."""
    sql = "SELECT DISTINCT judge, settings FROM verdicts WHERE trial IN (SELECT value FROM json_each(?)) ORDER BY 1, 2"
    return [(judge, own) for judge, own in connection.execute(sql, (queries.keys_json(trials),))]


def finished(connection: sqlite3.Connection, where: Where) -> int:
    """How many dialogues of an edition (and condition) are there to be graded."""
    clause, values = queries.planned_clause(where, None)
    sql = (
        "SELECT count(DISTINCT p.trial) FROM planned p JOIN dialogues d ON d.trial = p.trial AND d.answered = p.turns "
        f"AND NOT d.broken WHERE {clause}"
    )
    return int(queries.first(connection, sql, values))
