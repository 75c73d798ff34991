"""Token statistics of stored calls and verdicts: what an estimate can learn from. Means only, no texts."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple


class AnswerTokens(NamedTuple):
    """Mean tokens of the answers one subject gave to one turn under one condition, retries of a call summed."""

    config_dir: str
    variant: str
    mode: str
    scenario: str
    turn: int  # 0-based among generated turns
    here: bool  # asked in the words of the edition in question
    simulated: bool
    calls: int
    prompt: float
    completion: float


class VerdictTokens(NamedTuple):
    """Mean tokens of one judge's verdicts on one scenario."""

    judge: str
    scenario: str
    here: bool  # by the words of the edition in question
    verdicts: int
    prompt: float
    completion: float


def answers(connection: sqlite3.Connection, suite: str, edition: str) -> list[AnswerTokens]:
    """Every edition of a suite, imports included; answers whose tokens the endpoint did not count are left out."""
    rows = connection.execute(
        "SELECT p.config_dir, p.variant, p.mode, p.scenario, c.turn, p.here, "
        "count(*), avg(c.prompt_tokens), avg(c.completion_tokens) FROM "
        "(SELECT config_dir, variant, mode, scenario, trial, max(edition = ?2) AS here FROM planned WHERE suite = ?1 "
        "GROUP BY config_dir, variant, mode, scenario, trial) p "
        "JOIN calls c ON c.trial = p.trial WHERE c.completion_tokens > 0 "
        "GROUP BY p.config_dir, p.variant, p.mode, p.scenario, c.turn, p.here",
        (suite, edition),
    )
    planted = {name for (name,) in connection.execute("SELECT DISTINCT config_dir FROM subjects WHERE simulated")}
    return [
        AnswerTokens(config, variant, mode, scenario, turn, bool(here), config in planted, calls, prompt, completion)
        for config, variant, mode, scenario, turn, here, calls, prompt, completion in rows
    ]


def verdicts(connection: sqlite3.Connection, suite: str, edition: str) -> list[VerdictTokens]:
    """Every edition of a suite; verdicts that took no tokens (the rule judge's) are left out."""
    rows = connection.execute(
        "SELECT v.judge, p.scenario, p.here, count(*), avg(v.prompt_tokens), avg(v.completion_tokens) FROM "
        "(SELECT scenario, trial, max(edition = ?2) AS here FROM planned WHERE suite = ?1 GROUP BY scenario, trial) p "
        "JOIN verdicts v ON v.trial = p.trial WHERE v.completion_tokens > 0 GROUP BY v.judge, p.scenario, p.here",
        (suite, edition),
    )
    return [VerdictTokens(judge, scenario, bool(here), *numbers) for judge, scenario, here, *numbers in rows]
