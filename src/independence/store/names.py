"""Names that subjects took: the answers they are read from, what was read, and what came with an import."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from independence.store.queries import UNDER, first, rows
from independence.store.records import now, to_json
from independence.types import Attempt, MissingReason, TakenName, Usage, Where

SIDECAR = "name_extraction.json"
_AMONG = "scenario IN (SELECT value FROM json_each(?))"


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
    sql = f"SELECT DISTINCT config_dir, run FROM planned WHERE {UNDER} AND {_AMONG} ORDER BY 1, 2"
    return rows(connection, lambda config_dir, run: (config_dir, run), sql, (*where.columns, to_json(scenarios)))


def first_answers(
    connection: sqlite3.Connection, where: Where, scenarios: Sequence[str]
) -> dict[RunKey, list[FirstAnswer]]:
    """First answers of scenarios that continue no other, in the order of `scenarios`; no missing or stale ones."""
    sql = (
        "SELECT config_dir, run, scenario, trial, after FROM planned JOIN calls USING (trial) WHERE turn = 0 AND "
        f"version = 0 AND {UNDER} AND {_AMONG} AND missing IS NULL AND context = trial ORDER BY 1, 2"
    )
    out: dict[RunKey, list[FirstAnswer]] = {}
    for config_dir, run, *answer in connection.execute(sql, (*where.columns, to_json(scenarios))):
        out.setdefault((config_dir, run), []).append(FirstAnswer._make(answer))
    for answers in out.values():
        answers.sort(key=lambda one: scenarios.index(one.scenario))
    return out


def text(connection: sqlite3.Connection, trial: str) -> str:
    """What was said in the first answer of a dialogue."""
    return str(first(connection, "SELECT text FROM calls WHERE trial = ? AND turn = 0 AND version = 0", (trial,)))


def add(connection: sqlite3.Connection, row: NamesRow) -> None:
    """Keep what was read. What the extractor had read of this run before is replaced; what that cost is kept."""
    attempts, usage = row.attempts, row.usage
    known = connection.execute(
        f"SELECT cost_usd, prompt_tokens, completion_tokens, attempts FROM names WHERE {UNDER} AND config_dir = ? "
        "AND run = ? AND extractor = ?",
        (*row.where.columns, row.config_dir, row.run, row.extractor),
    ).fetchone()
    if known is not None:
        cost, prompt, completion, before = known
        usage += Usage(prompt, completion, cost_usd=cost)
        attempts = msgspec.json.decode(before, type=tuple[Attempt, ...]) + attempts
    connection.execute(
        "INSERT OR REPLACE INTO names VALUES (" + ", ".join("?" * 19) + ")",
        (
            *row.where.columns, row.config_dir, row.run, row.extractor, row.source, row.missing, to_json(row.names),
            to_json(row.declined), row.primary, usage.cost_usd, sum(a.unknown_usd for a in attempts),
            usage.prompt_tokens, usage.completion_tokens, now(), row.raw, to_json(attempts),
        ),
    )  # fmt: skip


def stored(connection: sqlite3.Connection, where: Where) -> list[NamesRow]:
    """Everything read at a place, by extractor, subject and run; without the extractors' words and attempts."""
    sql = (
        "SELECT config_dir, run, extractor, source, missing, names, declined, primary_name, prompt_tokens, "
        f"completion_tokens, cost_usd FROM names WHERE {UNDER} ORDER BY extractor, config_dir, run"
    )
    out = []
    for config_dir, run, who, source, missing, names, refused, primary, prompt, completion, cost in connection.execute(
        sql, where.columns
    ):
        taken = msgspec.json.decode(names, type=tuple[TakenName, ...])
        declined = msgspec.json.decode(refused, type=tuple[str, ...])
        usage = Usage(prompt, completion, cost_usd=cost)
        out.append(NamesRow(where, config_dir, run, who, source, missing, taken, declined, primary, usage))
    return out


def imported(connection: sqlite3.Connection, where: Where, name: str = SIDECAR) -> dict[RunKey, bytes]:
    """Run -> the further file of that name that came with it, as it was published; by default its extraction."""
    sql = "SELECT config_dir, run, content FROM sidecars WHERE suite = ? AND edition = ? AND name = ? ORDER BY 1, 2"
    found = connection.execute(sql, (*where[:2], name))
    return {(config_dir, run): content for config_dir, run, content in found}
