"""What several judges left behind: what each cost, and the words on both sides of a verdict."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from independence.store.queries import PUBLISHED, REREAD
from independence.types import Where


class JudgeSpending(NamedTuple):
    """One judge's work on one subject in one condition."""

    judge: str
    config_dir: str
    verdicts: int  # missing ones included
    missing: int
    published: int  # given under the published rubric texts
    cost_usd: float  # failed calls included


class TurnAnswer(NamedTuple):
    """One generated turn."""

    turn_id: str
    text: str


def spending(connection: sqlite3.Connection, where: Where) -> list[JudgeSpending]:
    """What every judge did, by judge and subject. Calls that failed count as cost alone."""
    trials = (
        "(SELECT DISTINCT config_dir, trial FROM planned WHERE suite = ? AND edition = ? AND variant = ? AND mode = ?)"
    )
    values = where.columns
    rows = connection.execute(
        "WITH failed AS (SELECT t.config_dir, f.what, sum(f.cost_usd) AS cost "
        f"FROM {trials} t JOIN failures f ON f.trial = t.trial GROUP BY 1, 2), "
        "written AS (SELECT t.config_dir, a.judge, sum(a.cost_usd) AS cost "
        f"FROM {trials} t JOIN artefacts a ON a.trial = t.trial GROUP BY 1, 2) "
        "SELECT v.judge, t.config_dir, count(*), sum(v.missing IS NOT NULL), sum(v.rubric IN (?, ?)), "
        "sum(v.cost_usd) + coalesce((SELECT cost FROM failed WHERE what = v.judge AND config_dir = t.config_dir), 0) "
        "+ coalesce((SELECT cost FROM written w WHERE w.judge = v.judge AND w.config_dir = t.config_dir), 0) "
        f"FROM {trials} t JOIN verdicts v ON v.trial = t.trial GROUP BY 1, 2 ORDER BY 1, 2",
        (*values, *values, PUBLISHED, REREAD, *values),
    )
    return [JudgeSpending._make(row) for row in rows]


def answers(connection: sqlite3.Connection, trial: str) -> list[TurnAnswer]:
    """The current answers of a trial in turn order."""
    rows = connection.execute(
        "SELECT turn_id, text FROM calls WHERE trial = ? AND version = 0 AND missing IS NULL ORDER BY turn", (trial,)
    )
    return [TurnAnswer._make(row) for row in rows]


def reasoning(connection: sqlite3.Connection, trial: str, judge: str, rubric: str) -> str:
    """What a judge gave as its reasons, under that rubric or the published one, on the dialogue as it is now."""
    row = connection.execute(
        "SELECT reasoning FROM verdicts WHERE trial = ? AND judge = ? AND rubric IN (?, ?, ?) AND missing IS NULL "
        "AND context = (SELECT after FROM calls WHERE trial = verdicts.trial AND version = 0 "
        "ORDER BY turn DESC LIMIT 1) ORDER BY rubric <> ?, judged_at DESC",
        (trial, judge, rubric, PUBLISHED, REREAD, rubric),
    ).fetchone()
    return str(row[0]) if row else ""


def trial_key(connection: sqlite3.Connection, where: Where, config_dir: str, scenario: str, run: int) -> str:
    """Key of the trial at a place. Raises KeyError where nothing is planned."""
    row = connection.execute(
        "SELECT trial FROM planned WHERE suite = ? AND edition = ? AND variant = ? AND mode = ? AND config_dir = ? "
        "AND scenario = ? AND run = ?",
        (*where.columns, config_dir, scenario, run),
    ).fetchone()
    if row is None:
        raise KeyError((config_dir, scenario, run))
    return str(row[0])
