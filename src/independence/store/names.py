"""Names that subjects took: the answers they are read from, what was read, and what came with an import."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from independence.store import records
from independence.types import Attempt, MissingReason, TakenName, Usage, Where

SIDECAR = "name_extraction.json"


RunKey = tuple[str, int]  # config_dir, run


class FirstAnswer(NamedTuple):
    """A usable first answer of one dialogue."""

    scenario: str
    trial: str
    digest: str  # of the dialogue up to and with it


class NamesRow(msgspec.Struct, frozen=True):
    """What one extractor read out of one run. Where `missing` says why not, there are no names and no refusals."""

    where: Where
    config_dir: str
    run: int
    extractor: str
    source: str  # digest of the answers and of how they were read
    missing: MissingReason | None = None
    names: tuple[TakenName, ...] = ()
    declined: tuple[str, ...] = ()
    primary: str | None = None
    usage: Usage = Usage()
    raw: str = ""
    attempts: tuple[Attempt, ...] = ()


def runs(connection: sqlite3.Connection, where: Where, scenarios: Sequence[str]) -> list[RunKey]:
    """Every run that has one of the scenarios planned, by subject and number."""
    rows = connection.execute(
        "SELECT DISTINCT config_dir, run FROM planned WHERE suite = ? AND edition = ? AND variant = ? AND mode = ? "
        f"AND scenario IN ({_slots(scenarios)}) ORDER BY 1, 2",
        (*where.columns, *scenarios),
    )
    return [(str(config_dir), int(run)) for config_dir, run in rows]


def first_answers(
    connection: sqlite3.Connection, where: Where, scenarios: Sequence[str]
) -> dict[RunKey, list[FirstAnswer]]:
    """First answers of scenarios that continue no other, in the order of `scenarios`; no missing or stale ones."""
    rows = connection.execute(
        "SELECT p.config_dir, p.run, p.scenario, p.trial, c.after FROM planned p JOIN calls c "
        "ON c.trial = p.trial AND c.turn = 0 AND c.version = 0 "
        "WHERE p.suite = ? AND p.edition = ? AND p.variant = ? AND p.mode = ? "
        f"AND p.scenario IN ({_slots(scenarios)}) AND c.missing IS NULL AND c.context = p.trial ORDER BY 1, 2",
        (*where.columns, *scenarios),
    )
    out: dict[RunKey, list[FirstAnswer]] = {}
    for config_dir, run, *answer in rows:
        out.setdefault((config_dir, run), []).append(FirstAnswer._make(answer))
    for answers in out.values():
        answers.sort(key=lambda one: scenarios.index(one.scenario))
    return out


def text(connection: sqlite3.Connection, trial: str) -> str:
    """What was said in the first answer of a dialogue."""
    row = connection.execute("SELECT text FROM calls WHERE trial = ? AND turn = 0 AND version = 0", (trial,)).fetchone()
    return str(row[0])


def add(connection: sqlite3.Connection, row: NamesRow) -> None:
    """Keep what was read. What the extractor had read of this run before is replaced; what that cost is kept."""
    spent, attempts = _spent_before(connection, row)
    attempts += row.attempts
    usage = spent + row.usage
    connection.execute(
        "INSERT OR REPLACE INTO names VALUES (" + ", ".join("?" * 19) + ")",
        (
            *row.where.columns, row.config_dir, row.run, row.extractor, row.source, row.missing, _json(row.names),
            _json(row.declined), row.primary, usage.cost_usd, sum(a.unknown_usd for a in attempts),
            usage.prompt_tokens, usage.completion_tokens, records.now(), row.raw, _json(attempts),
        ),
    )  # fmt: skip


def _spent_before(connection: sqlite3.Connection, row: NamesRow) -> tuple[Usage, tuple[Attempt, ...]]:
    known = connection.execute(
        "SELECT cost_usd, prompt_tokens, completion_tokens, attempts FROM names WHERE suite = ? AND edition = ? "
        "AND variant = ? AND mode = ? AND config_dir = ? AND run = ? AND extractor = ?",
        (*row.where.columns, row.config_dir, row.run, row.extractor),
    ).fetchone()
    if known is None:
        return Usage(), ()
    cost, prompt, completion, attempts = known
    return Usage(prompt, completion, cost_usd=cost), msgspec.json.decode(attempts, type=tuple[Attempt, ...])


def stored(connection: sqlite3.Connection, where: Where) -> list[NamesRow]:
    """Everything read at a place, by extractor, subject and run; without the extractors' words and attempts."""
    rows = connection.execute(
        "SELECT config_dir, run, extractor, source, missing, names, declined, primary_name, prompt_tokens, "
        "completion_tokens, cost_usd FROM names WHERE suite = ? AND edition = ? AND variant = ? AND mode = ? "
        "ORDER BY extractor, config_dir, run",
        where.columns,
    )
    return [
        NamesRow(
            where,
            config_dir,
            run=run,
            extractor=extractor,
            source=source,
            missing=missing,
            names=msgspec.json.decode(names, type=tuple[TakenName, ...]),
            declined=msgspec.json.decode(declined, type=tuple[str, ...]),
            primary=primary,
            usage=Usage(prompt, completion, cost_usd=cost),
        )
        for config_dir, run, extractor, source, missing, names, declined, primary, prompt, completion, cost in rows
    ]


def imported(connection: sqlite3.Connection, where: Where) -> dict[RunKey, bytes]:
    """Run -> the extraction that came with it, as it was published."""
    rows = connection.execute(
        "SELECT config_dir, run, content FROM sidecars WHERE suite = ? AND edition = ? AND name = ? ORDER BY 1, 2",
        (where.suite, where.edition, SIDECAR),
    )
    return {(str(config_dir), int(run)): bytes(content) for config_dir, run, content in rows}


def _slots(values: Iterable[str]) -> str:
    return ", ".join("?" for _ in values)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
