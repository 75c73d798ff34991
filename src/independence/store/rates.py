"""What calls of models and verdicts of judges cost so far, whatever suite they were for."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple


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
    return {(endpoint, model): PaidCalls(*paid) for endpoint, model, *paid in rows}


def of_judges(connection: sqlite3.Connection) -> dict[str, PaidCalls]:
    """Judge -> what its verdicts cost."""
    rows = connection.execute(
        "SELECT judge, count(*), sum(prompt_tokens + completion_tokens), sum(cost_usd) FROM verdicts "
        "WHERE cost_usd > 0 GROUP BY judge"
    )
    return {judge: PaidCalls(*paid) for judge, *paid in rows}
