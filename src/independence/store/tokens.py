"""Tokens of stored calls, verdicts and steps of verdicts: what a cost estimate can learn from. No texts."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from independence.types import Where

_EVERY_CALL = """
WITH place AS (
    SELECT config_dir, variant || '/' || mode AS condition, scenario, run, trial, max(edition = ?2) AS here
    FROM planned WHERE suite = ?1 GROUP BY config_dir, variant, mode, scenario, trial
), call (who, condition, scenario, run, here, turn, prompt, completion) AS (
    SELECT config_dir, condition, scenario, run, here, turn, prompt_tokens, completion_tokens
    FROM place JOIN calls USING (trial) WHERE version = 0
    UNION ALL
    SELECT judge, '', scenario, run, here, '', prompt_tokens, completion_tokens
    FROM place JOIN verdicts USING (trial)
    UNION ALL
    SELECT judge, '', scenario, run, here, step, prompt_tokens, completion_tokens
    FROM place JOIN artefacts USING (trial)
)"""


class CallTokens(NamedTuple):
    """Mean tokens of the calls of one subject or judge at one place; retries of a call summed."""

    who: str  # config_dir, or name of the judge
    condition: str  # of an answer
    scenario: str
    turn: int | str  # of an answer, counted from 0; the step of a rubric that was written; "" for a verdict
    here: bool  # asked in the words of the edition in question
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


def calls(connection: sqlite3.Connection, where: Where) -> list[CallTokens]:
    """Over every edition of a suite, imports included; calls whose tokens the endpoint did not count are left out."""
    rows = connection.execute(
        f"{_EVERY_CALL} SELECT who, condition, scenario, turn, here, who LIKE 'sim/%' OR who IN "
        "(SELECT config_dir FROM subjects WHERE simulated), count(*), avg(prompt), avg(completion) "
        "FROM call WHERE completion > 0 GROUP BY who, condition, scenario, turn, here",
        (where.suite, where.edition),
    )
    return [CallTokens._make(row) for row in rows]


def runs(connection: sqlite3.Connection, where: Where) -> list[RunTokens]:
    """The same by run. Runs of other editions are beside their own means."""
    rows = connection.execute(
        f"{_EVERY_CALL} SELECT who, count(*), sum(prompt), sum(completion), sum(mean_prompt), sum(mean_completion) "
        "FROM (SELECT who, run, here, prompt, completion, avg(prompt) OVER own AS mean_prompt, "
        "avg(completion) OVER own AS mean_completion FROM call WHERE completion > 0 "
        "WINDOW own AS (PARTITION BY who, condition, scenario, turn, here)) GROUP BY who, here, run",
        (where.suite, where.edition),
    )
    return [RunTokens._make(row) for row in rows]


class PaidCalls(NamedTuple):
    """Calls that cost something, their tokens and their dollars."""

    calls: int
    tokens: int  # prompt and completion
    usd: float


def of_models(connection: sqlite3.Connection) -> dict[tuple[str, str], PaidCalls]:
    """(endpoint, model id there) -> what its answers cost. Imports do not say where they were asked."""
    rows = connection.execute(
        "SELECT json_extract(t.shape, '$.endpoint'), json_extract(t.shape, '$.model'), count(*), "
        "sum(c.prompt_tokens + c.completion_tokens), sum(c.cost_usd) FROM calls c JOIN trials t ON t.key = c.trial "
        "WHERE c.cost_usd > 0 AND json_valid(t.shape) AND json_extract(t.shape, '$.model') IS NOT NULL GROUP BY 1, 2"
    )
    return {(endpoint, model): PaidCalls._make(paid) for endpoint, model, *paid in rows}


def of_judges(connection: sqlite3.Connection) -> dict[str, PaidCalls]:
    """Judge -> what its verdicts cost."""
    rows = connection.execute(
        "SELECT judge, count(*), sum(prompt_tokens + completion_tokens), sum(cost_usd) FROM verdicts "
        "WHERE cost_usd > 0 GROUP BY judge"
    )
    return {judge: PaidCalls._make(paid) for judge, *paid in rows}
