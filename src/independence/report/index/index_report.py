"""The whole report on one place of a store, section by section."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from statistics import fmean, stdev

from independence.errors import UsageError
from independence.report.analysis import DEFAULT_OPTIONS, BoardOptions
from independence.report.board import board, board_data, index_tables, notes, verdict_frame
from independence.report.board.board import IndexBoard
from independence.report.board.board_data import BoardData
from independence.report.board.index_rows import DIMENSIONS
from independence.report.board.rows import STRICT, Row
from independence.report.board.verdict_frame import PlannedVerdict
from independence.report.comparing import provider_tables
from independence.report.files import charts, table_layouts
from independence.report.files.charts import (
    DrawnEstimate,
    Heat,
    HeatColumn,
    HeatRow,
    IntervalRow,
    Intervals,
    Scale,
    Scatter,
    ScatterPoint,
)
from independence.report.files.legend import subject_name, words
from independence.report.files.table import Block, Prose, Section, Table, Value, quoted, without_empty_columns
from independence.report.index import matrix
from independence.report.judges import judge_validation
from independence.report.sections import difficulty, names, quotations, runs, summary
from independence.report.sections import models as models_tables
from independence.stats.index_uncertainty import LIKE_THESE, THESE
from independence.stats.intervals import Interval, wilson
from independence.stats.subject_points import leverage
from independence.store import queries, spending
from independence.store.scopes import BoardScope
from independence.store.spending import SubjectSpending
from independence.types import grouped

_WORST = 5
_STRICT_ALONE = {"scenarios", "conditions", "judges"}
_OF_ONE_CONDITION = {"costs", "judges", "names", "rates", "health"}
_STRICT_NOTE = (
    "Published rules have no intervals of this kind. This section uses strict scoring: subjects without missing "
    "verdicts."
)


def sections(
    connection: sqlite3.Connection,
    scope: BoardScope,
    options: BoardOptions = DEFAULT_OPTIONS,
    models: Collection[str] = (),
) -> list[Section]:
    """Every section that has something to say, in reading order; of pooled conditions those that can be about several.

    `models`: only these labels or ids. Raises UsageError for a suite without an index, or with one condition alone
    that is to be pooled, StoreError for an unknown name.
    """
    if scope.suite.index is None:
        raise UsageError(f"suite {scope.suite.suite} declares no index, so it has no report of this kind")
    index = scope.suite.index
    read, built = _read(connection, scope, options, models)
    ruled = None if options.scoring == STRICT else {row.config: row for row in built.rows}
    ranked = index_tables.ranked(built, index)
    spent = scope.by_key(lambda where: spending.by_subject(connection, where))
    costs = [*runs.cost_tables(read, built, spent), runs.session_table(connection)]
    conditions = matrix.tables(connection, scope.suite, scope.edition, read.judge)
    hosts, judges = provider_tables.tables(read), _judges(connection, read)
    ruled_hosts = hosts if ruled is None else provider_tables.tables(read, ruled=ruled)
    made = [
        summary.of_index(read, built),
        quotations.section(connection, read, built),
        Section("board", "The board", [
            Prose(quoted(scope.suite.about.strip())), forest(built), ranked,
            *filter(None, [index_tables.incomplete(built, index)]), index_tables.legend(index, built, ranked),
        ], folds=False),
        Section("runs", "Runs and intervals", _filled([index_tables.runs(built, index)])),
        Section("tested", "Tested models", [
            models_tables.tested(read, scope.by_key(lambda where: queries.configurations(connection, where)), spent),
        ]),
        Section("costs", "Costs", [*cost(built, spent), *_filled(costs)]),
        Section("scenarios", "Scenarios", [heatmap(read, built), *difficulty.tables(read)]),
        Section("conditions", "Prompt and delivery", conditions),
        Section("providers", "Same model, other hosts and settings",
                [without_empty_columns(one) for one in ruled_hosts]),
        Section("judges", "Judges", judges),
        Section("names", "Chosen names", names.tables(
            connection, scope.editions[0], only=list(read.planned),
            ranks={row.config: row.standing.rank for row in built.rows},
        )),
        Section("rates", "Yes-or-no fields", rates(read)),
        Section("health", "Run health", [runs.table(connection, read), *runs.tables(read)]),
        Section("subjects", "Every subject", subjects(read, built)),
    ]  # fmt: skip
    # Some sections rest on strict scoring although the board is under a published rule, and say so.
    noted = set() if options.scoring == STRICT else _STRICT_ALONE
    left_out = _OF_ONE_CONDITION if options.pooled else set()
    return [
        section._replace(body=[Prose(_STRICT_NOTE), *section.body]) if section.id in noted else section
        for section in made
        if section.body and section.id not in left_out
    ]


def _read(
    connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions, models: Collection[str]
) -> tuple[BoardData, IndexBoard]:
    """What a report is about, and the board."""
    if options.pooled:
        pool = matrix.pooled(connection, scope, options.scoring, options.judge)
        pool = pool._replace(read=pool.read.only(models))
        return pool.read, pool.board(options.scoring, options.reading)
    read = board_data.read(connection, scope, options.judge).only(models)
    return read, board.of_data(read, options.scoring, options.reading)


def _filled(found: Sequence[Table]) -> list[Table]:
    return [table for table in found if table.rows]


def _judges(connection: sqlite3.Connection, read: BoardData) -> list[Block]:
    others = (verdict_frame.read(connection, read.scope, one).planned for one in read.other_judges)
    graded, *by_others = (
        {(c.config_dir, c.scenario, c.run) for own in planned.values() for c in own if c.values is not None}
        for planned in (read.planned, *others)
    )
    if not any(graded & also for also in by_others):
        return []
    own = read.scope.editions[0]
    models = tuple(config for config in read.planned if config in queries.subjects(connection, own.where))
    return [
        *judge_validation.validate(connection, own, judge_validation.ValidationOptions(models=models, worst=_WORST))
    ]


def subjects(read: BoardData, board: IndexBoard) -> list[Table]:
    """One table a subject, in the board's order: every field of every experiment."""
    return [_subject(read, row) for row in board.rows]


def _subject(read: BoardData, row: Row) -> Table:
    rows: list[tuple[Value, ...]] = []
    for experiment in read.scope.suite.experiments:
        cells = [cell for cell in read.planned[row.config] if cell.experiment == experiment]
        for field in dict.fromkeys(name for cell in cells for name in cell.values or ()):
            found = _by_scenario(cells, field)
            numbers = [value for own in found for value in own]
            spread = stdev(numbers) if len(numbers) > 1 else None
            rows.append((experiment, field, fmean(map(fmean, found)), spread, len(numbers)))
    dimensions = row.group(DIMENSIONS)
    known = ", ".join(f"{words(name)} {value:.2f}" for name, value in dimensions.items() if value is not None)
    absent = ", ".join(words(name) for name, value in dimensions.items() if value is None)
    text = [f"{what}: {named}." for what, named in (("Dimensions", known), ("Incomplete", absent)) if named]
    slug = "".join(sign if sign.isalnum() else "-" for sign in row.config.lower()).strip("-")
    return table_layouts.made("index/subject", rows, text, slug=slug, subject=subject_name(row.label, row.simulated))


def _by_scenario(cells: Sequence[PlannedVerdict], field: str) -> list[list[float]]:
    """The values of a field, scenario by scenario: each counts by its mean, however many runs it has."""
    there = [cell for cell in cells if cell.values is not None and field in cell.values]
    return [
        [float((cell.values or {})[field]) for cell in own]
        for own in grouped(there, lambda cell: cell.scenario).values()
    ]


def rates(read: BoardData) -> list[Table]:
    """One table a yes-or-no field: how often it was true of each subject. Empty where no rubric has one."""
    suite = read.scope.suite
    fields = dict.fromkeys(
        name
        for scenario in suite.scenarios
        for name, field in suite.rubrics[scenario.rubric].fields.items()
        if field.type == "boolean"
    )
    tables = []
    for field in fields:
        rows = list[tuple[str, float, Interval, int]]()
        for config, planned in read.planned.items():
            if seen := _by_scenario(planned, field):
                rate = fmean(fmean(value >= 0.5 for value in own) for own in seen)
                # Of equal runs that is the share of all of them; else as many as its variance is worth.
                worth = len(seen) ** 2 / sum(1 / len(own) for own in seen)
                rows.append((read.about[config].name, rate, wilson(rate * worth, worth), sum(map(len, seen))))
        rows.sort(key=lambda row: (-row[1], row[0]))
        tables.append(table_layouts.made("index/rate", rows, slug=field.replace("_", "-"), field=words(field)))
    return tables


def forest(board: IndexBoard) -> Intervals:
    """Every subject with both intervals, best on top, tiers as bands; under a published rule with its own interval.

    A subject without an index stands where its worst possible one puts it, in the tier above it.
    """
    strict, tier, rows = board.scoring == STRICT, None, []
    for row in sorted(board.rows, key=lambda row: -(row.main.ends or (0.0, 0.0))[0]):
        index, tier = row.main, row.standing.tier or tier
        found = DrawnEstimate(
            value=index.value,
            inner=row.intervals.get(THESE) if strict else index.interval,
            outer=row.intervals.get(LIKE_THESE),
            bounds=index.bounds if index.value is None else None,
        )
        rows.append(
            IntervalRow(
                label=row.label, subject=row.config, simulated=row.simulated, partial=index.value is None, tier=tier,
                values=(found,),
            )
        )  # fmt: skip
    caption = (
        "Index with its 95% intervals: thick for more runs of these scenarios, thin for other scenarios like these. "
        "Bands are tiers. An open bar shows the possible index of an incomplete subject."
    )
    caption = " ".join([caption, *notes.few_scenarios(board)])
    if not strict:
        caption = "Index by the published rule, with its bootstrap interval, which from few runs covers less than 95%."
    every = [row.values[0] for row in rows if row.values[0]]
    span = charts.index_span(_shown_ends([one for one in every if one.value is not None]) or _shown_ends(every))
    scale = Scale(head="Index", kind="index", span=span)
    return Intervals(id="board-forest", title="The board", caption=caption, scales=(scale,), rows=tuple(rows))


def _shown_ends(own: Sequence[DrawnEstimate]) -> list[float]:
    """What the scale must show: all but the widest tenth of the outer intervals, which would flatten the rest."""
    needed = [end for one in own for end in (*(one.inner or ()), *(() if one.value is None else (one.value,)))]
    outer = sorted((one.outer or one.bounds or (100.0,))[0] for one in own)
    return needed + outer[len(outer) // 10 :]


def cost(board: IndexBoard, spent: Mapping[str, SubjectSpending]) -> list[Scatter]:
    """Index against dollars of a run; nothing where no ranked subject has a price."""
    per_run = {config: runs.per_run(own) for config, own in spent.items()}
    points = tuple(
        ScatterPoint(
            label=row.label, x=dollars if spent[row.config].answers_usd else 0.0, y=row.main.value, subject=row.config,
            simulated=row.simulated,
        )
        for row in board.rows
        if row.main.value is not None and (dollars := per_run.get(row.config)) is not None
    )  # fmt: skip
    paid = [point.x for point in points if point.x]
    if not paid:
        return []
    return [
        Scatter(
            id="index-cost", title="Index against cost", points=points, log=True, at_zero="free or local",
            caption="Index against what a run costs, judging included. The line joins subjects that no cheaper subject "
            "beats.",
            x=Scale(head="Dollars per run, logarithmic", kind="dollars", span=(min(paid), max(paid)), digits=4),
            y=Scale(head="Index", kind="index", span=charts.index_span([point.y for point in points])),
            frontier=charts.frontier(points),
        )
    ]  # fmt: skip


def heatmap(read: BoardData, board: IndexBoard) -> Heat:
    """How much of each scenario's scale every subject keeps; scenarios by experiment."""
    scored = set().union(*read.frame.members.values())
    known = [one for one in read.scope.suite.scenarios if one.id in scored]
    order = list(dict.fromkeys(one.experiment for one in known))
    known.sort(key=lambda one: order.index(one.experiment))
    lever = leverage(read.frame)
    rows = []
    for row in board.rows:
        runs_of = grouped(read.planned[row.config], lambda cell: cell.scenario)
        kept = tuple(lever.share_kept(one.id, [cell.values for cell in runs_of.get(one.id, ())]) for one in known)
        rows.append(HeatRow(label=row.label, values=kept, subject=row.config, simulated=row.simulated))
    return Heat(
        id="scenario-heatmap", title="Subjects by scenario", colours="kept",
        caption="The share of each scenario's scale that a subject keeps, in percent: the stronger the colour, the "
        "more it lost. Struck out where a verdict is missing.",
        scale=Scale(head="share of the scale kept", kind="percent", span=(0.0, 1.0)),
        columns=tuple(HeatColumn(label=one.id, group=one.experiment, scenario=one.id) for one in known),
        rows=tuple(rows),
    )  # fmt: skip
