"""How far a store is, counted for who watches it, and the texts of it that hold some words."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from independence.store import leases
from independence.store.queries import UNDER, rows
from independence.types import Where


class CellCounts(NamedTuple):
    """Dialogues of one subject with one scenario."""

    config_dir: str
    scenario: str
    planned: int
    running: int
    done: int
    judged: int
    failed: int
    answers: int
    verdicts: int


def counts(connection: sqlite3.Connection, where: Where) -> list[CellCounts]:
    """Of an edition under a condition, by subject and scenario. Answers to a replaced history count as well."""
    sql = (
        "SELECT config_dir, scenario, count(*), sum(running), sum(done), sum(done AND verdicts > 0), "
        "sum(NOT running AND NOT done AND failed), sum(answers), sum(verdicts) FROM ("
        "SELECT p.config_dir, p.scenario, coalesce(l.owner IN (SELECT value FROM json_each(?)), 0) AS running, "
        "coalesce(c.answers, 0) AS answers, coalesce(c.answers, 0) >= t.turns AS done, "
        "coalesce(c.missing, 0) > 0 OR f.trial IS NOT NULL AS failed, coalesce(v.verdicts, 0) AS verdicts "
        "FROM planned p JOIN trials t ON t.key = p.trial LEFT JOIN leases l ON l.trial = p.trial "
        "LEFT JOIN (SELECT trial, count(*) - count(missing) AS answers, count(missing) AS missing FROM calls "
        "WHERE version = 0 GROUP BY trial) c ON c.trial = p.trial "
        "LEFT JOIN (SELECT trial, count(*) - count(missing) AS verdicts FROM verdicts GROUP BY trial) v "
        "ON v.trial = p.trial LEFT JOIN (SELECT DISTINCT trial FROM failures) f ON f.trial = p.trial "
        f"WHERE {UNDER}) GROUP BY config_dir, scenario ORDER BY config_dir, scenario"
    )
    held = msgspec.json.encode(leases.holders(connection)).decode()
    return rows(connection, CellCounts, sql, (held, *where.columns))


class FoundText(NamedTuple):
    """A text of a dialogue."""

    config_dir: str
    scenario: str
    run: int
    judge: str  # empty for what a subject wrote
    text: str


_COLUMNS = {"answer": "text", "thinking": "thinking", "reasoning": "reasoning"}


def find(connection: sqlite3.Connection, where: Where, words: re.Pattern[str] | None, role: str) -> Iterator[FoundText]:
    """Texts of an edition under a condition that the pattern matches, or all, by subject, scenario and run.

    They are read while they are iterated over. `role`: answer, thinking (private words), reasoning (native) or judge
    (the reasons of verdicts).
    """
    connection.create_function("holds", 1, lambda text: bool(text) and (words is None or bool(words.search(text))))
    if role == "judge":
        texts, order = "x.judge, x.reasoning FROM planned p JOIN verdicts x ON x.trial = p.trial", "x.judge, x.key"
        wanted = "x.missing IS NULL AND holds(x.reasoning)"
    else:
        texts = f"'', x.{_COLUMNS[role]} FROM planned p JOIN calls x ON x.trial = p.trial AND x.version = 0"
        wanted, order = f"holds(x.{_COLUMNS[role]})", "x.turn"
    sql = (
        f"SELECT p.config_dir, p.scenario, p.run, {texts} WHERE {UNDER} AND {wanted} "
        f"ORDER BY p.config_dir, p.scenario, p.run, {order}"
    )
    return map(FoundText._make, connection.execute(sql, where.columns))
