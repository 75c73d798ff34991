"""What judges wrote before they graded: the outputs of a rubric's steps, one row each."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from independence.store import records
from independence.types import Answer, MissingReason, Reply, Where


class ArtefactRow(msgspec.Struct, frozen=True):
    """One settled step of one judge on one finished dialogue."""

    key: str
    trial: str
    judge: str
    step: str
    position: int  # of the step in its rubric, from 0
    wording: str  # digest of the step's prompt and the variables it quotes
    context: str
    settings: str
    output: Answer


class StepOutput(NamedTuple):
    """What a step came to."""

    text: str
    missing: MissingReason | None


class Artefact(NamedTuple):
    """A stored step; `text` is empty where `missing` says why."""

    judge: str
    step: str
    position: int
    wording: str
    text: str
    missing: MissingReason | None


class TrialArtefact(NamedTuple):
    """A step and the place of the dialogue it is about."""

    config_dir: str
    scenario: str
    run: int
    artefact: Artefact


class StepSpending(NamedTuple):
    """What one judge's steps on one subject took."""

    judge: str
    config_dir: str
    steps: int
    cost_usd: float
    unknown_usd: float
    tokens: int  # prompt and completion
    extra_attempts: int  # requests beyond the first of a step


def add(connection: sqlite3.Connection, row: ArtefactRow) -> None:
    """Store a step; the same key again stays as it is."""
    output, usage = row.output, row.output.usage
    said = output if isinstance(output, Reply) else None
    connection.execute(
        "INSERT OR IGNORE INTO artefacts VALUES (" + ", ".join("?" * 17) + ")",
        (
            row.key, row.trial, row.judge, row.step, row.position, row.wording, row.context,
            None if isinstance(output, Reply) else output.reason, usage.cost_usd,
            sum(attempt.unknown_usd for attempt in output.attempts), usage.prompt_tokens, usage.completion_tokens,
            records.now(), row.settings, said.text if said else "", output.raw,
            msgspec.json.encode(output.attempts).decode(),
        ),
    )  # fmt: skip


def known(connection: sqlite3.Connection, key: str) -> StepOutput | None:
    """What the step of that key came to; None where it is not stored."""
    row = connection.execute("SELECT text, missing FROM artefacts WHERE key = ?", (key,)).fetchone()
    return StepOutput._make(row) if row else None


_COLUMNS = "a.judge, a.step, a.position, a.wording, a.text, a.missing"
# `after` of a trial's last answer is the digest of the dialogue as it is now.
_CURRENT = "EXISTS (SELECT 1 FROM calls c WHERE c.trial = a.trial AND c.version = 0 AND c.after = a.context)"


def of_trial(connection: sqlite3.Connection, trial: str) -> list[Artefact]:
    """The steps on a dialogue as it is now, by judge and position; the newest of each wording.

    Editions that ask the same thing share a dialogue: `wording` tells whose step it is (`judge.steps.wording`).
    """
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM artefacts a WHERE a.trial = ? AND {_CURRENT} "
        "ORDER BY a.judge, a.position, a.written_at, a.key",
        (trial,),
    )
    return list({(own.judge, own.step, own.wording): own for own in map(Artefact._make, rows)}.values())


def of_condition(connection: sqlite3.Connection, where: Where) -> list[TrialArtefact]:
    """The same for every dialogue of a condition, by subject, scenario and run."""
    rows = connection.execute(
        f"SELECT p.config_dir, p.scenario, p.run, {_COLUMNS} FROM planned p JOIN artefacts a ON a.trial = p.trial "
        f"WHERE p.suite = ? AND p.edition = ? AND p.variant = ? AND p.mode = ? AND {_CURRENT} "
        "ORDER BY p.config_dir, p.scenario, p.run, a.judge, a.position, a.written_at, a.key",
        where.columns,
    )
    placed = (TrialArtefact(config_dir, scenario, run, Artefact._make(own)) for config_dir, scenario, run, *own in rows)
    return list({(*one[:3], *one.artefact[:2], one.artefact.wording): one for one in placed}.values())


def spending(connection: sqlite3.Connection, where: Where) -> list[StepSpending]:
    """What steps took in a condition, by judge and subject; those of older wordings and dialogues included."""
    rows = connection.execute(
        "SELECT a.judge, p.config_dir, count(*), sum(a.cost_usd), sum(a.unknown_usd), "
        "sum(a.prompt_tokens + a.completion_tokens), sum(max(json_array_length(a.attempts) - 1, 0)) "
        "FROM (SELECT DISTINCT config_dir, trial FROM planned WHERE suite = ? AND edition = ? AND variant = ? "
        "AND mode = ?) p JOIN artefacts a ON a.trial = p.trial GROUP BY 1, 2 ORDER BY 1, 2",
        where.columns,
    )
    return [StepSpending._make(row) for row in rows]


def forget(connection: sqlite3.Connection, verdicts: Iterable[str], *, broken: bool) -> None:
    """Delete the steps that verdicts rest on, by the verdicts' keys; with `broken` only those that came to nothing.

    Steps that another verdict of the same judge on the same dialogue rests on stay with it.
    """
    gone = list(verdicts)
    left = "SELECT 1 FROM verdicts o WHERE o.trial = v.trial AND o.judge = v.judge AND o.context = v.context"
    found = connection.execute(
        "SELECT v.trial, v.judge, v.context FROM verdicts v WHERE v.key IN (SELECT value FROM json_each(?1)) "
        f"AND (?2 OR NOT EXISTS ({left} AND o.key NOT IN (SELECT value FROM json_each(?1))))",
        (msgspec.json.encode(gone).decode(), broken),
    ).fetchall()
    only = " AND missing IS NOT NULL" if broken else ""
    connection.executemany(f"DELETE FROM artefacts WHERE trial = ? AND judge = ? AND context = ?{only}", found)
