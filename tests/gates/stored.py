"""What a store holds, by its keys."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

EVERY = 97
_ASKED = {
    "trials": "SELECT key, parent, turns, shape FROM trials ORDER BY key",
    "planned": "SELECT trial, suite, edition, variant, mode, config_dir, scenario, run, experiment FROM planned "
    "ORDER BY trial, suite, edition, variant, mode, config_dir, scenario, run",
    "contexts": "SELECT context, after, trial, turn, version, turn_id, missing, flags, cost_usd, unknown_usd "
    "FROM calls ORDER BY trial, turn, version",
    "replies": "SELECT text, raw, thinking, reasoning, tool_calls, channel, finish_reason, prompt_tokens, "
    "completion_tokens, reasoning_tokens FROM calls ORDER BY trial, turn, version",
    "verdicts": "SELECT key, trial, judge, pass, rubric, context, missing, fields, settings FROM verdicts ORDER BY key",
}
_SAMPLED = ("trials", "contexts", "verdicts")


def _digest(rows: Iterable[tuple[Any, ...]]) -> str:
    found = hashlib.sha256()
    for row in rows:
        found.update(repr(row).encode())
    return found.hexdigest()[:16]


def kept(db: Path) -> dict[str, Any]:
    """How many rows of each kind, a digest of them all, and the start of every 97th key."""
    with closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True)) as connection:
        rows = {name: connection.execute(asked).fetchall() for name, asked in _ASKED.items()}
        editions = connection.execute("SELECT suite, edition, document FROM editions ORDER BY 1, 2").fetchall()
    return {
        "editions": [[suite, edition, _digest([(document,)])] for suite, edition, document in editions],
        "rows": {name: [len(found), _digest(found)] for name, found in rows.items()},
        "keys": {name: [row[0][:20] for row in rows[name][::EVERY]] for name in _SAMPLED},
    }
