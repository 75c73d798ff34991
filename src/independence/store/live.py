"""How far a store is, counted for who watches it, and the texts of it that hold some words."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from independence.store import leases
from independence.store.queries import UNDER, rows
from independence.types import UNGIVEN, Where


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
    run: int  # to look at: one in progress, of those one with answers first, else one that failed, else the first


def counts(connection: sqlite3.Connection, where: Where) -> list[CellCounts]:
    """Of an edition under a condition, by subject and scenario. Answers to a replaced history count as well."""
    sql = (
        "SELECT config_dir, scenario, count(*), sum(running), sum(done), sum(done AND verdicts > 0), "
        "sum(NOT running AND NOT done AND failed), sum(answers), sum(verdicts), "
        "coalesce(min(iif(running AND answers > 0, run, NULL)), min(iif(running, run, NULL)), "
        "min(iif(NOT done AND failed, run, NULL)), min(run)) FROM ("
        # A process keeps what is complete until it begins something else.
        "SELECT p.config_dir, p.scenario, p.run, coalesce(l.owner IN (SELECT value FROM json_each(?)), 0) "
        "AND NOT (coalesce(c.answers, 0) >= t.turns AND v.trial IS NOT NULL) AS running, "
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


class UnansweredCall(NamedTuple):
    """A call that has no answer, or a verdict that was not given."""

    config_dir: str
    scenario: str
    run: int
    what: str  # id of a turn; of a verdict the judge
    kind: str  # of error, where it is asked again; else why it is missing
    detail: str
    at: str


def unanswered(connection: sqlite3.Connection, where: Where) -> list[UnansweredCall]:
    """Of an edition under a condition, the newest first: what failed and was not answered later, and what is missing.

    Left out is what nobody was asked for, because what comes before it is missing.
    """
    sql = (
        "WITH p AS (SELECT * FROM planned p WHERE " + UNDER + ") "
        "SELECT config_dir, scenario, run, what, kind, detail, failed_at AS at FROM p JOIN failures f USING (trial) "
        "WHERE NOT EXISTS (SELECT 1 FROM calls c WHERE c.trial = f.trial AND c.version = 0 AND c.turn_id = f.what) "
        "AND NOT EXISTS (SELECT 1 FROM verdicts v WHERE v.trial = f.trial AND v.judge = f.what) "
        "UNION ALL SELECT config_dir, scenario, run, turn_id, missing, detail, answered_at FROM p "
        "JOIN calls USING (trial) WHERE version = 0 AND missing <> 'parent_missing' "
        "UNION ALL SELECT config_dir, scenario, run, judge, missing, detail, judged_at FROM p "
        "JOIN verdicts USING (trial) WHERE missing IN (SELECT value FROM json_each(?)) ORDER BY at DESC"
    )
    return rows(connection, UnansweredCall, sql, (*where.columns, msgspec.json.encode(UNGIVEN).decode()))


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
