"""Everything a store holds of one edition, row by row, for other tools. Texts included, no opinions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from independence.store.queries import UNDER, rows, truth
from independence.types import Where


class ExportedTrial(NamedTuple):
    """A planned place of an edition."""

    variant: str
    mode: str
    config_dir: str
    experiment: str
    scenario: str
    run: int
    trial: str


class ExportedAnswer(NamedTuple):
    """The current answer of one turn."""

    turn: int  # 0-based among generated turns
    turn_id: str
    context: str  # digest of everything before it
    after: str  # and with it
    missing: str | None  # reason, where no usable answer came
    flags: str  # JSON array
    cost_usd: float
    prompt_tokens: int
    completion_tokens: int
    reasoning_tokens: int
    seconds: float
    answered_at: str
    channel: str | None
    finish_reason: str | None
    served_model: str
    served_provider: str
    response_id: str
    text: str
    raw: str
    thinking: str
    reasoning: str
    attempts: str  # JSON array of types.Attempt
    messages: bytes | None  # the request as it was published; None for our own
    tool_calls: str = "[]"  # JSON array, as on the wire
    detail: str = ""  # why it is missing, in a sentence


class ExportedVerdict(NamedTuple):
    """One judge's verdict."""

    judge: str
    pass_: int
    rubric: str
    context: str  # the dialogue it grades: `after` of its last answer
    missing: str | None
    fields: str  # JSON object
    cost_usd: float
    prompt_tokens: int
    completion_tokens: int
    judged_at: str
    settings: str  # JSON
    reasoning: str
    raw: str
    attempts: str  # JSON array of types.Attempt
    auditor: str | None = None  # from whom verdicts were bought, of offline and hybrid judges; the one asked last
    route: str | None = None  # offline, unsure or audit
    probability: float | None = None  # of being bought
    quote: str | None = None  # the passage that the judge went by, where its rubric asks for one
    quote_found: int | None = None  # 1: it is in the replies
    detail: str = ""  # why it is missing, in a sentence

    @property
    def is_quote_found(self) -> bool | None:
        """Whether its quotation is in the replies; None where it has none."""
        return truth(self.quote_found)


class Sidecar(NamedTuple):
    """A further file of an imported run, as it came."""

    config_dir: str
    run: int
    name: str
    content: bytes


_SPOT = "p.variant, p.mode, p.config_dir, p.experiment, p.scenario, p.run, p.trial"
_WIDTH = len(ExportedTrial._fields)
_OF_ROUTES = ("auditor", "route", "probability")
# What a judge predicted is exported where the words of a model would be: it wrote none.
VERDICT_COLUMNS = ", ".join(
    "coalesce(v.prediction, v.raw)" if name == "raw"
    else f"r.{name}" if name in _OF_ROUTES
    else f"v.{name.rstrip('_')}"
    for name in ExportedVerdict._fields
)  # fmt: skip
ROUTED = (
    "LEFT JOIN routes r ON r.verdict = v.key AND r.routed_at = (SELECT max(routed_at) FROM routes WHERE "
    "verdict = v.key)"
)
_ORDER = "ORDER BY p.variant, p.mode, p.config_dir, p.run, p.scenario"


def planned_trials(connection: sqlite3.Connection, where: Where, config_dir: str | None = None) -> list[ExportedTrial]:
    """Every planned place of an edition, by condition, subject, run and scenario.

    `config_dir`: of this subject under the condition of `where` alone.
    """
    clause, values = _places(where, config_dir)
    return rows(connection, ExportedTrial, f"SELECT {_SPOT} FROM planned p WHERE {clause} {_ORDER}", values)


def _places(where: Where, config_dir: str | None) -> tuple[str, tuple[str, ...]]:
    if config_dir is None:
        return "p.suite = ? AND p.edition = ?", where[:2]
    return f"{UNDER} AND p.config_dir = ?", (*where.columns, config_dir)


def answers(connection: sqlite3.Connection, where: Where) -> Iterator[tuple[ExportedTrial, ExportedAnswer]]:
    """Every current answer, in the order of `planned_trials`, then of turns."""
    columns = ", ".join(f"c.{name}" for name in ExportedAnswer._fields)
    sql = (
        f"SELECT {_SPOT}, {columns} FROM planned p JOIN calls c ON c.trial = p.trial "
        f"WHERE p.suite = ? AND p.edition = ? AND c.version = 0 {_ORDER}, c.turn"
    )
    found = connection.execute(sql, where[:2])
    return ((ExportedTrial._make(row[:_WIDTH]), ExportedAnswer._make(row[_WIDTH:])) for row in found)


def answered(connection: sqlite3.Connection, where: Where, config_dir: str) -> Iterator[tuple[ExportedTrial, str]]:
    """Place and turn id of every current answer of one subject under the condition of `where`, in that order."""
    clause, values = _places(where, config_dir)
    sql = (
        f"SELECT {_SPOT}, c.turn_id FROM planned p JOIN calls c ON c.trial = p.trial "
        f"WHERE {clause} AND c.version = 0 {_ORDER}, c.turn"
    )
    return ((ExportedTrial._make(row[:_WIDTH]), row[_WIDTH]) for row in connection.execute(sql, values))


def answers_by_trial(connection: sqlite3.Connection, where: Where, config_dir: str) -> dict[str, list[ExportedAnswer]]:
    """Trial -> its current answers in the order of turns, of one subject under the condition of `where`."""
    columns = ", ".join(ExportedAnswer._fields)
    clause, values = _places(where, config_dir)
    sql = (
        f"SELECT trial, {columns} FROM calls WHERE version = 0 AND trial IN (SELECT p.trial FROM planned p "
        f"WHERE {clause}) ORDER BY trial, turn"
    )
    found = groupby(connection.execute(sql, values), itemgetter(0))
    return {trial: [ExportedAnswer._make(row[1:]) for row in own] for trial, own in found}


def answers_of(connection: sqlite3.Connection, trial: str) -> list[ExportedAnswer]:
    """The current answers of one dialogue, in the order of turns."""
    columns = ", ".join(ExportedAnswer._fields)
    sql = f"SELECT {columns} FROM calls WHERE trial = ? AND version = 0 ORDER BY turn"
    return rows(connection, ExportedAnswer, sql, (trial,))


def verdicts(
    connection: sqlite3.Connection, where: Where, config_dir: str | None = None
) -> Iterator[tuple[ExportedTrial, ExportedVerdict]]:
    """Every verdict of every judge, in the order of `planned_trials`, then as they were given.

    `config_dir` as there.
    """
    clause, values = _places(where, config_dir)
    sql = (
        f"SELECT {_SPOT}, {VERDICT_COLUMNS} FROM planned p JOIN verdicts v ON v.trial = p.trial {ROUTED} "
        f"WHERE {clause} {_ORDER}, v.judge, v.judged_at, v.key"
    )
    found = connection.execute(sql, values)
    return ((ExportedTrial._make(row[:_WIDTH]), ExportedVerdict._make(row[_WIDTH:])) for row in found)


def sidecars(connection: sqlite3.Connection, where: Where, prefix: str) -> list[Sidecar]:
    """Further files whose name begins with `prefix`, by subject, run and name."""
    sql = (
        "SELECT config_dir, run, name, content FROM sidecars WHERE suite = ? AND edition = ? "
        "AND substr(name, 1, length(?3)) = ?3 ORDER BY config_dir, run, name"
    )
    return rows(connection, Sidecar, sql, (*where[:2], prefix))
