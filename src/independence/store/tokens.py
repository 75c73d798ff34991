"""Tokens of stored calls, verdicts and steps of verdicts: what a cost estimate can learn from. No texts."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

_EVERY_CALL = """
WITH place AS (
    SELECT config_dir, edition, variant, mode, scenario, run, trial FROM planned WHERE suite = ?
    GROUP BY config_dir, variant, mode, scenario, trial
), call (who, edition, scenario, run, turn, prompt, completion) AS (
    SELECT config_dir, edition, scenario, run, turn, prompt_tokens, completion_tokens
    FROM place JOIN calls USING (trial) WHERE version = 0
    UNION ALL
    SELECT judge, edition, scenario, run, '', prompt_tokens, completion_tokens
    FROM place JOIN verdicts USING (trial)
    UNION ALL
    SELECT judge, edition, scenario, run, step, prompt_tokens, completion_tokens
    FROM place JOIN artefacts USING (trial)
)"""


class CallTokens(NamedTuple):
    """Mean tokens of the calls of one subject or judge at one place; retries of a call summed."""

    who: str  # config_dir, or name of the judge
    scenario: str
    turn: int | str  # of an answer, counted from 0; the step of a rubric that was written; "" for a verdict
    simulated: bool
    calls: int
    prompt: float
    completion: float


class RunTokens(NamedTuple):
    """Tokens of one run of one subject or judge, and what the same calls took in its mean run."""

    who: str
    calls: int
    prompt: float
    completion: float
    mean_prompt: float
    mean_completion: float


def calls(connection: sqlite3.Connection, suite: str) -> list[CallTokens]:
    """Over every edition and condition of a suite, imports included; calls without known tokens are left out."""
    rows = connection.execute(
        f"{_EVERY_CALL} SELECT who, scenario, turn, who LIKE 'sim/%' OR who IN "
        "(SELECT config_dir FROM subjects WHERE simulated), count(*), avg(prompt), avg(completion) "
        "FROM call WHERE completion > 0 GROUP BY who, scenario, turn",
        (suite,),
    )
    return [CallTokens._make(row) for row in rows]


def runs(connection: sqlite3.Connection, suite: str) -> list[RunTokens]:
    """The same by run. Runs of each edition are beside their own means."""
    rows = connection.execute(
        f"{_EVERY_CALL} SELECT who, count(*), sum(prompt), sum(completion), sum(mean_prompt), sum(mean_completion) "
        "FROM (SELECT who, run, edition, prompt, completion, avg(prompt) OVER own AS mean_prompt, "
        "avg(completion) OVER own AS mean_completion FROM call WHERE completion > 0 "
        "WINDOW own AS (PARTITION BY who, edition, scenario, turn)) GROUP BY who, edition, run",
        (suite,),
    )
    return [RunTokens._make(row) for row in rows]
