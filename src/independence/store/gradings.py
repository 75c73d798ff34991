"""How much of an edition is there to be graded, and how often a judge quotes what is nowhere."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import msgspec

from independence.store import queries
from independence.types import Where


class QuotationCounts(msgspec.Struct, frozen=True):
    """How often one judge was to quote what was said, and how often that is not to be found."""

    asked: int
    not_found: int

    def __add__(self, other: QuotationCounts) -> QuotationCounts:
        return QuotationCounts(self.asked + other.asked, self.not_found + other.not_found)


def quotations(connection: sqlite3.Connection, where: Where, judge: str) -> QuotationCounts:
    """Over the verdicts of a judge on dialogues of an edition (and condition)."""
    clause, values = queries.planned_clause(where, None)
    sql = (
        "SELECT count(v.quote_found), ifnull(sum(v.quote_found = 0), 0) FROM planned p CROSS JOIN verdicts v ON "
        f"v.trial = p.trial AND v.judge = ? WHERE {clause}"
    )
    return queries.rows(connection, QuotationCounts, sql, (judge, *values))[0]


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
