"""The whole report on one place of a store, section by section."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from statistics import fmean, stdev

import msgspec

from independence.errors import UsageError
from independence.report import (
    board,
    board_data,
    board_tables,
    declared,
    difficulty,
    judge_validation,
    matrix,
    names,
    provider_tables,
    runs,
    summary,
)
from independence.report.board import STRICT, Board, InferenceOptions
from independence.report.board_data import BoardData
from independence.report.board_rows import BoardRow
from independence.report.legend import short, subject_name, words
from independence.report.notes import PLACED
from independence.report.plots import board as board_plot
from independence.report.plots import scatter
from independence.report.plots.board import ForestRow, HeatRow
from independence.report.plots.scatter import CostPoint
from independence.report.plots.svg import FigureMeta
from independence.report.table import Block, Prose, Section, Svg, Table, Value, quoted
from independence.stats.index_uncertainty import LIKE_THESE, THESE
from independence.stats.intervals import wilson
from independence.stats.subject_points import Leverage, leverage
from independence.store import queries, spending
from independence.store.scopes import BoardScope
from independence.store.spending import SubjectSpending

_WORST = 5
_STRICT_ALONE = {"scenarios", "conditions", "providers", "judges"}
_STRICT_NOTE = (
    "Published rules have no intervals of this kind. This section uses strict scoring: subjects without missing "
    "verdicts."
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
    read = board_data.read(connection, scope, judge).only(models)
    spent = scope.by_key(lambda where: spending.by_subject(connection, where))
    own = scope.editions[0]
    others = [other.only(models) for other in board_data.under_other_judges(connection, read)]
    built = board.of_data(read, others, scoring, reading)
    made = [
        summary.of_index(read, built),
        _board(read, built),
        _runs(read, built),
        _costs(read, built, spent, runs.session_table(connection)),
        _scenarios(read, built),
        Section("conditions", "Prompt and delivery", matrix.tables(
            connection, scope.suite, scope.edition, read.judge,
        )),
        Section("providers", "Same model, other hosts", provider_tables.tables(read)),
        Section("judges", "Judges", _judges(connection, read, others)),
        Section("names", "Chosen names", names.tables(
            connection, own, only=list(read.planned), ranks={row.config: row.rank for row in built.rows},
        )),
        Section("rates", "Yes-or-no fields", rates(read)),
        Section("health", "Run health", [runs.table(connection, read), *runs.tables(read)]),
        Section("subjects", "Every subject", subjects(read, built)),
    ]  # fmt: skip
    kept = [section for section in made if section.body]
    return kept if scoring == STRICT else [_under_strict(section) for section in kept]


def _under_strict(section: Section) -> Section:
    """The section, saying so where it rests on strict scoring although the board is under a published rule."""
    if section.id not in _STRICT_ALONE:
        return section
    return section._replace(body=[Prose(_STRICT_NOTE), *section.body])


def _board(read: BoardData, built: Board) -> Section:
    index = read.scope.suite.index
    assert index is not None
    ranked, estimated = board_tables.ranked(built, index), board_tables.estimates(built)
    # Who has no index has an estimate or bounds: an empty board above those says nothing.
    tables = [ranked if ranked.rows or estimated is None else None, board_tables.incomplete(built, index), estimated]
    return Section(
        "board", "The board",
        [
            Prose(quoted(read.scope.suite.about.strip())), forest(built), *filter(None, tables),
            board_tables.legend(index, built, ranked),
        ],
        folds=False,
    )  # fmt: skip


def _runs(read: BoardData, built: Board) -> Section:
    index = read.scope.suite.index
    assert index is not None
    table = board_tables.runs(built, index)
    return Section("runs", "Runs and intervals", [table] if table.rows else [])


def _costs(read: BoardData, built: Board, spent: Mapping[str, SubjectSpending], sessions: Table) -> Section:
    free = frozenset(config for config, own in spent.items() if not own.answers_usd)
    per_run = {config: runs.per_run(own) for config, own in spent.items()}
    plot = cost(built, per_run, free)
    tables = [*runs.cost_tables(read, built, spent), sessions]
    return Section("costs", "Costs", [*([plot] if plot else []), *(table for table in tables if table.rows)])


def _scenarios(read: BoardData, built: Board) -> Section:
    return Section("scenarios", "Scenarios", [heatmap(read, built), *difficulty.tables(read)])


def _graded(read: BoardData) -> set[tuple[str, str, int]]:
    """Dialogues with a verdict."""
    return {(c.config_dir, c.scenario, c.run) for own in read.planned.values() for c in own if c.values is not None}


def _judges(connection: sqlite3.Connection, read: BoardData, others: Sequence[BoardData]) -> list[Block]:
    if not any(_graded(read) & _graded(other) for other in others):
        return []
    own = read.scope.editions[0]
    models = tuple(config for config in read.planned if config in queries.subjects(connection, own.where))
    wanted = judge_validation.ValidationOptions(models=models, worst=_WORST)
    return list(judge_validation.validate(connection, own, wanted))


def subjects(read: BoardData, board: Board) -> list[Table]:
    """One table a subject, in the board's order: every field of every experiment."""
    return [_subject(read, row) for row in board.rows]


def _subject(read: BoardData, row: BoardRow) -> Table:
    rows: list[tuple[Value, ...]] = []
    for experiment in read.scope.suite.experiments:
        cells = [cell.values for cell in read.planned[row.config] if cell.experiment == experiment]
        given = [values for values in cells if values is not None]
        for field in dict.fromkeys(name for values in given for name in values):
            numbers = [float(values[field]) for values in given if field in values]
            spread = stdev(numbers) if len(numbers) > 1 else None
            rows.append((experiment, field, fmean(numbers), spread, len(numbers)))
    known = ", ".join(f"{words(name)} {value:.2f}" for name, value in row.dimensions.items() if value is not None)
    absent = ", ".join(words(name) for name, value in row.dimensions.items() if value is None)
    text = [f"{what}: {named}." for what, named in (("Dimensions", known), ("Incomplete", absent)) if named]
    slug = "".join(sign if sign.isalnum() else "-" for sign in row.config.lower()).strip("-")
    return declared.made("index/subject", rows, text, slug=slug, subject=subject_name(row.label, row.simulated))


def rates(read: BoardData) -> list[Table]:
    """One table a yes-or-no field: how often it was true of each subject. Empty where no rubric has one."""
    suite = read.scope.suite
    fields = {
        name: field.type
        for scenario in suite.scenarios
        for name, field in suite.rubrics[scenario.rubric].fields.items()
        if field.type == "boolean"
    }
    tables = []
    for field in fields:
        found: list[tuple[float, str, int, int]] = []
        for config, planned in read.planned.items():
            seen = [cell.values[field] >= 0.5 for cell in planned if cell.values is not None and field in cell.values]
            if seen:
                found.append((-sum(seen) / len(seen), read.about[config].name, sum(seen), len(seen)))
        rows = [(name, true / n, wilson(true, n), n) for _, name, true, n in sorted(found)]
        tables.append(declared.made("index/rate", rows, slug=field.replace("_", "-"), field=words(field)))
    return tables


def forest(board: Board) -> Svg:
    """Every subject with both intervals, tiers as bands; under a published rule with its own interval."""
    strict = board.scoring == STRICT
    rows = [
        ForestRow(
            label=row.label,
            index=row.index,
            placed=row.placed,
            inner=row.intervals.get(THESE) if strict else row.ci,
            outer=row.intervals.get(LIKE_THESE),
            tier=row.tier,
            simulated=row.simulated,
            coverage=row.coverage,
            bounds=row.bounds,
        )
        for row in board.rows
    ]
    caption = (
        "Index with its 95 % intervals: thick for more runs of these scenarios, thin for other scenarios like these. "
        "Bands are tiers. An open bar shows the possible index of an incomplete subject."
    )
    if any(row.placed for row in rows):
        caption += f" {PLACED} has a rank although verdicts are missing: its intervals hold whatever they would be."
    if not strict:
        caption = "Index by the published rule, with its bootstrap interval, which from few runs covers less than 95 %."
    meta = FigureMeta("board-forest", "The board", caption)
    labels = [row.label for row in rows]
    shorter = _marked(rows, [short(row.label, labels, row.simulated) for row in rows])
    narrow = board_plot.forest(shorter, meta._replace(id="board-forest-narrow"), narrow=True)
    return Svg(meta.id, board_plot.forest(_marked(rows, labels), meta), caption, narrow)


def _marked(rows: Sequence[ForestRow], labels: Sequence[str]) -> list[ForestRow]:
    """Under these labels, those that have a rank without an index with their mark."""
    return [
        msgspec.structs.replace(row, label=f"{label} {PLACED}" if row.placed else label)
        for row, label in zip(rows, labels, strict=True)
    ]


def cost(board: Board, per_run: Mapping[str, float | None], free: frozenset[str]) -> Svg | None:
    """Index against dollars of a run; None where no ranked subject has a price."""
    points = [
        CostPoint(row.label, row.index, 0.0 if row.config in free else dollars, row.simulated)
        for row in board.rows
        if row.index is not None and (dollars := per_run.get(row.config)) is not None
    ]
    if not any(point.dollars for point in points):
        return None
    caption = "Index against what a run costs, judging included. The line joins subjects that no cheaper subject beats."
    meta = FigureMeta("index-cost", "Index against cost", caption)
    return Svg(meta.id, scatter.cost(points, meta), caption)


def heatmap(read: BoardData, board: Board) -> Svg:
    """How much of each scenario's scale every subject keeps."""
    scenarios = [scenario for scenario in read.scope.suite.scenarios if _scored(read, scenario.id)]
    experiments = {scenario.id: scenario.experiment for scenario in scenarios}
    lever = leverage(read.frame)
    rows = [
        HeatRow(row.label, tuple(_kept_share(read, lever, row.config, one.id) for one in scenarios), row.simulated)
        for row in board.rows
    ]
    caption = "The share of each scenario's scale that a subject keeps. Hatched where a verdict is missing."
    meta = FigureMeta("scenario-heatmap", "Subjects by scenario", caption)
    return Svg(meta.id, board_plot.heatmap(rows, experiments, meta), caption)


def _kept_share(read: BoardData, lever: Leverage, config: str, scenario: str) -> float | None:
    return lever.share_kept(scenario, [cell.values for cell in read.planned[config] if cell.scenario == scenario])


def _scored(read: BoardData, scenario: str) -> bool:
    return any(scenario in members for members in read.frame.members.values())
