"""The whole report on one place of a store, section by section."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence

from independence import __version__
from independence.errors import UsageError
from independence.report import (
    audit,
    board,
    details,
    difficulty,
    figures,
    health,
    items,
    matrix,
    names,
    providers,
    purchase,
    quality,
    ranking,
    rates,
    study,
    variance,
)  # fmt: skip
from independence.report.board import Board, Reading
from independence.report.judges import validation
from independence.report.place import Place, independent
from independence.report.section import Block, Prose, Section
from independence.report.study import Study
from independence.report.tables import escaped
from independence.store import queries
from independence.store.spending import Spent

_WORST = 5


def title(place: Place) -> str:
    """What the report is called."""
    return f"{place.suite.title}: report"


def sections(
    connection: sqlite3.Connection,
    place: Place,
    judge: str | None = None,
    reading: Reading = board.DEFAULT,
    models: Collection[str] = (),
) -> list[Section]:
    """Every section that has something to say, in reading order.

    `models`: only these labels or ids. Raises UsageError for a suite without an index, StoreError for an unknown name.
    """
    if place.suite.index is None:
        raise UsageError(f"suite {place.suite.suite} declares no index, so it has no report of this kind")
    read = study.read(connection, place, judge).only(models)
    spent = audit.spent_by(connection, place)
    costs = queries.costs(connection, place.suite.suite, place.edition, (place.variant, place.mode))
    built = board.of(read, costs, reading=reading)
    others = [study.read(connection, place, other).only(models) for other in _other_judges(connection, read)]
    made = [
        _board(read, built),
        _intervals(built),
        _costs(read, built, spent),
        _scenarios(read, built),
        Section("measurement", "Where the uncertainty comes from", [
            *variance.tables(read, others), *purchase.tables(read, purchase.spend(connection, read), others),
        ]),
        Section("conditions", "Prompt and delivery", matrix.tables(
            connection, place.suite, place.edition, read.judge,
        )),
        Section("providers", "Same model, other hosts", providers.tables(read)),
        Section("judges", "Judges", _judges(connection, read, others)),
        Section("names", "Chosen names", names.tables(connection, place, only=list(read.planned))),
        Section("rates", "Yes-or-no fields", rates.tables(read)),
        Section("health", "Run health", [health.table(connection, read), *quality.tables(read)]),
        Section("subjects", "Every subject", details.subjects(read, built)),
    ]  # fmt: skip
    return [section for section in made if section.body]


def _board(read: Study, built: Board) -> Section:
    index = read.place.suite.index
    assert index is not None
    ranked, estimated = ranking.ranked(built, index), ranking.estimated(built)
    # Who has no index has an estimate or bounds: an empty board above those says nothing.
    tables = [ranked if ranked.rows or estimated is None else None, ranking.incomplete(built), estimated]
    return Section(
        "board", "The board",
        [_about(read, built), figures.forest(built), *filter(None, tables), ranking.legend(index)],
        folds=False,
    )  # fmt: skip


def _about(read: Study, built: Board) -> Prose:
    suite = read.place.suite
    planned = [cell for own in read.planned.values() for cell in own]
    valid = sum(cell.values is not None for cell in planned)
    what = (
        f"Edition `{built.suite}@{built.edition}`, condition `{built.condition}`, judge "
        f"{escaped(built.judge or 'none')}, scoring {built.scoring}: {len(read.planned)} subjects, "
        f"{valid:,} of {len(planned):,} planned verdicts valid. Intervals and tiers are about {built.generalises_to}. "
        f"Made by ai-independence-bench {__version__}."
    )
    told = [escaped(suite.about.strip()), what]
    if any(row.simulated for row in built.rows):
        told.append("Subjects marked simulated have planted behaviour; no model was asked.")
    return Prose("\n\n".join(told))


def _intervals(built: Board) -> Section:
    table = details.runs(built)
    return Section("runs", "Runs and intervals", [figures.strips(built), table] if table.rows else [])


def _costs(read: Study, built: Board, spent: Mapping[str, Spent]) -> Section:
    free = frozenset(config for config, own in spent.items() if not own.answers_usd)
    rows = {row.config: row for row in built.rows}
    per_run = {config: audit.per_run(rows[config], own) for config, own in spent.items() if config in rows}
    plot = figures.cost(built, per_run, free)
    tables = audit.tables(read, built, spent)
    return Section("costs", "Costs", [*([plot] if plot else []), *(table for table in tables if table.rows)])


def _scenarios(read: Study, built: Board) -> Section:
    body: list[Block] = [figures.heatmap(read, built), *difficulty.tables(read), *items.tables(read)]
    return Section("scenarios", "Scenarios", body)


def _other_judges(connection: sqlite3.Connection, read: Study) -> list[str]:
    place = read.place
    verdicts = queries.verdicts(connection, place.suite.suite, place.edition, (place.variant, place.mode))
    there = independent(verdicts)
    return [name for name in there if name != read.judge] if read.judge in there else []


def _judges(connection: sqlite3.Connection, read: Study, others: Sequence[Study]) -> list[Block]:
    if not others:
        return []
    wanted = validation.Wanted(models=tuple(read.planned), worst=_WORST)
    return list(validation.validate(connection, read.place, wanted))
