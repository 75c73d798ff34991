"""The whole report on one place of a store, section by section."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence

from independence.errors import UsageError
from independence.report import (
    audit,
    board,
    details,
    difficulty,
    figures,
    headline,
    health,
    index_tables,
    matrix,
    names,
    precision_costs,
    providers,
    study,
    variance,
)
from independence.report.board import STRICT, Board, InferenceOptions
from independence.report.judge_choice import independent
from independence.report.judges import validation
from independence.report.study import Study
from independence.report.table import Block, Prose, Section, Table
from independence.report.table_formats import quoted
from independence.store import queries
from independence.store.scopes import BoardScope
from independence.store.spending import SubjectSpending

_WORST = 5
_STRICT_ALONE = {"measurement", "scenarios", "conditions", "providers", "judges"}
_STRICT_NOTE = (
    "Published rules have no intervals of this kind. This section uses strict scoring: subjects without missing "
    "verdicts."
)


def title(scope: BoardScope) -> str:
    """What the report is called."""
    return (
        f"{scope.suite.title}, as published: report"
        if queries.imported(scope.edition)
        else f"{scope.suite.title}: report"
    )


def sections(
    connection: sqlite3.Connection,
    scope: BoardScope,
    judge: str | None = None,
    reading: InferenceOptions = board.DEFAULT,
    models: Collection[str] = (),
    scoring: str = STRICT,
) -> list[Section]:
    """Every section that has something to say, in reading order.

    `models`: only these labels or ids. Raises UsageError for a suite without an index, StoreError for an unknown name.
    """
    if scope.suite.index is None:
        raise UsageError(f"suite {scope.suite.suite} declares no index, so it has no report of this kind")
    read = study.read(connection, scope, judge).only(models)
    spent = audit.spent_by(connection, scope)
    costs = queries.costs(connection, scope.where)
    built = board.board_of_study(read, costs, scoring, reading)
    others = [study.read(connection, scope, other).only(models) for other in _other_judges(connection, read)]
    made = [
        headline.of_index(read, built),
        _board(read, built),
        _runs(read, built),
        _costs(read, built, spent, audit.table(connection)),
        _scenarios(read, built),
        Section("measurement", "Where the uncertainty comes from", [
            *variance.tables(read, others),
            *precision_costs.tables(read, precision_costs.spend(connection, read), others),
        ]),
        Section("conditions", "Prompt and delivery", matrix.tables(
            connection, scope.suite, scope.edition, read.judge,
        )),
        Section("providers", "Same model, other hosts", providers.tables(read)),
        Section("judges", "Judges", _judges(connection, read, others)),
        Section("names", "Chosen names", names.tables(
            connection, scope, only=list(read.planned), ranks={row.config: row.rank for row in built.rows},
        )),
        Section("rates", "Yes-or-no fields", details.tables(read)),
        Section("health", "Run health", [health.table(connection, read), *health.tables(read)]),
        Section("subjects", "Every subject", details.subjects(read, built)),
    ]  # fmt: skip
    kept = [section for section in made if section.body]
    return kept if scoring == STRICT else [_under_strict(section) for section in kept]


def _under_strict(section: Section) -> Section:
    """The section, saying so where it rests on strict scoring although the board is under a published rule."""
    if section.id not in _STRICT_ALONE:
        return section
    return section._replace(body=[Prose(_STRICT_NOTE), *section.body])


def _board(read: Study, built: Board) -> Section:
    index = read.scope.suite.index
    assert index is not None
    ranked, estimated = index_tables.ranked(built, index), index_tables.estimates(built)
    # Who has no index has an estimate or bounds: an empty board above those says nothing.
    tables = [ranked if ranked.rows or estimated is None else None, index_tables.incomplete(built, index), estimated]
    return Section(
        "board", "The board",
        [
            Prose(quoted(read.scope.suite.about.strip())), figures.forest(built), *filter(None, tables),
            index_tables.legend(index, ranked),
        ],
        folds=False,
    )  # fmt: skip


def _runs(read: Study, built: Board) -> Section:
    index = read.scope.suite.index
    assert index is not None
    table = index_tables.runs(built, index)
    return Section("runs", "Runs and intervals", [table] if table.rows else [])


def _costs(read: Study, built: Board, spent: Mapping[str, SubjectSpending], sessions: Table) -> Section:
    free = frozenset(config for config, own in spent.items() if not own.answers_usd)
    per_run = {config: audit.per_run(own) for config, own in spent.items()}
    plot = figures.cost(built, per_run, free)
    tables = [*audit.tables(read, built, spent), sessions]
    return Section("costs", "Costs", [*([plot] if plot else []), *(table for table in tables if table.rows)])


def _scenarios(read: Study, built: Board) -> Section:
    body: list[Block] = [figures.heatmap(read, built), *difficulty.tables(read), *difficulty.item_tables(read)]
    return Section("scenarios", "Scenarios", body)


def _other_judges(connection: sqlite3.Connection, read: Study) -> list[str]:
    scope = read.scope
    verdicts = queries.verdicts(connection, scope.where)
    there = independent(verdicts)
    return [name for name in there if name != read.judge] if read.judge in there else []


def _graded(read: Study) -> set[tuple[str, str, int]]:
    """Dialogues with a verdict."""
    return {(c.config_dir, c.scenario, c.run) for own in read.planned.values() for c in own if c.values is not None}


def _judges(connection: sqlite3.Connection, read: Study, others: Sequence[Study]) -> list[Block]:
    if not any(_graded(read) & _graded(other) for other in others):
        return []
    wanted = validation.ValidationOptions(models=tuple(read.planned), worst=_WORST)
    return list(validation.validate(connection, read.scope, wanted))
