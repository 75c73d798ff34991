"""The report on paired sides, section by section; and what every report on advice has."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence

from independence.report.advice import advice_study, factors, tables
from independence.report.advice import board as boards
from independence.report.advice.advice_study import AdviceStudy
from independence.report.advice.board import SidesBoard
from independence.report.advice.tables import spoken, the
from independence.report.board.board_data import VerdictData
from independence.report.board.rows import Board, Row
from independence.report.files import charts
from independence.report.files.charts import DrawnEstimate, IntervalRow, Intervals, LinePanel, Lines, Scale
from independence.report.files.table import Block, Prose, Section, Table, quoted, signed
from independence.report.judges import judge_validation
from independence.report.sections import runs, summary
from independence.stats.estimates import Estimate
from independence.store import queries, spending
from independence.store.scopes import BoardScope
from independence.types import Ends

_WORST = 5


def sides(
    connection: sqlite3.Connection,
    scope: BoardScope,
    judge: str | None,
    models: Collection[str],
) -> list[Section]:
    """The report on a suite of paired sides. `models`: only these labels or ids. Raises StoreError, UsageError."""
    everyone = advice_study.read(connection, scope, judge)
    board = boards.board(everyone, models)
    read = everyone.only(models)
    plot, open_ = slopes(read, board), tables.incomplete(board)
    made = [
        in_short(read, board, "S"),
        Section("board", "The board", [
            Prose(quoted(read.scope.suite.about.strip())), forest(board), tables.full(board),
            *filter(None, [open_]),
        ], folds=False),
        Section("tilt", "Tilt and merit", [
            *filter(None, [plot]), tables.of_rows("tilt", board), tables.of_rows("harm", board),
            *_filled(tables.merits(read, board)),
        ]),
        Section("pairs", "Pairs", [tables.of_rows("pairs", board)]),
        Section("parts", "Domains and phrasings", _filled(*factors.parts(read, board))),
        Section("checks", "Tests", [tables.of_rows("checks", board)]),
        *shared(connection, read),
        Section("thresholds", "Appendix: thresholds", tables.threshold_tables(read)),
    ]  # fmt: skip
    return [section for section in made if section.body]


def in_short(read: AdviceStudy, board: Board, what: str) -> Section:
    """How many subjects bend towards the asker, and who does most; `what`: the name of the main estimate."""
    rows = [(row.name, row.verdict, row.main.value) for row in board.rows]
    return summary.section(read, summary.leaning(rows, what), board)


def shared(connection: sqlite3.Connection, read: VerdictData) -> list[Section]:
    """What every report has, whatever its suite measures."""
    costs = runs.audit(read, read.planned, spending.by_subject(connection, read.scope.where))
    return [
        Section("judges", "Judges", _judges(connection, read)),
        Section("costs", "Costs", _filled(costs, runs.session_table(connection))),
        Section("health", "Run health", [runs.table(connection, read), *runs.tables(read)]),
    ]


def _judges(connection: sqlite3.Connection, read: VerdictData) -> list[Block]:
    scope = read.scope
    if len(queries.judges(connection, scope.where)) < 2:
        return []
    wanted = judge_validation.ValidationOptions(models=tuple(read.planned), worst=_WORST)
    return list(judge_validation.validate(connection, scope, wanted))


def _filled(*found: Table) -> list[Block]:
    return [table for table in found if table.rows]


def forest(board: SidesBoard) -> Intervals:
    """S, tilt and merit slope of every subject."""
    first, second = (the(party) for party in board.parties)
    margin = board.margin
    return panels(
        ("advice-forest", "Does advice bend towards the person who asks?",
         ("Sycophancy, tilt and merit slope with 95% intervals, in the order of |S|. Band: S that counts as no "
         "sycophancy; only an interval wholly inside it shows that there is none.")),
        (("Sycophancy S", "against the asker", "towards the asker"), ("Tilt B", f"to {second}", f"to {first}"),
         ("Merit slope", "against the facts", "with the facts")),
        [(row, tuple(estimated(row[name]) for name in ("S", "B", "merit_slope"))) for row in board.rows],
        (-margin, margin),
    )  # fmt: skip


def panels(
    named: tuple[str, str, str],
    heads: Sequence[tuple[str, str, str]],
    found: Sequence[tuple[Row, tuple[DrawnEstimate | None, ...]]],
    band: Ends | None = None,
) -> Intervals:
    """Quantities around 0 beside each other; incomplete subjects last. `named`: id, title, caption; `band`: of the
    first quantity; `heads`: what each is called, and what lies below and above 0.
    """
    rows = [
        IntervalRow(
            label=row.label, subject=row.config, simulated=row.simulated, partial=row.coverage < 1, values=values
        )
        for row, values in found
    ]
    rows.sort(key=lambda row: row.partial)
    scales = []
    for place, (head, low, high) in enumerate(heads):
        own = band if place == 0 else None
        span = charts.span_around_zero([values[place] for _, values in found], own)
        scales.append(Scale(head=head, kind="signed", digits=2, span=span, low=low, high=high, band=own, zero=True))
    id_, title, caption = named
    return Intervals(id=id_, title=title, caption=caption, scales=tuple(scales), rows=tuple(rows))


def slopes(read: AdviceStudy, board: SidesBoard) -> Lines | None:
    """Stance against merit by who asks; None where merit is not stated."""
    given = [panel for row in board.rows if (panel := _slope(read, row)).xs]
    if not given:
        return None
    first, second = (the(party) for party in board.parties)
    merits = [merit for panel in given for merit in panel.xs]
    return Lines(
        id="advice-slopes",
        title="Stance by merit",
        caption=f"Mean stance (+1 for {first}, -1 for {second}) by how far the facts favour {first}. The gap "
        "between the lines is sycophancy; the rise of their mean is the effect of merit.",
        x=Scale(head="merit", kind="signed", span=(min(merits), max(merits))),
        y=Scale(head="stance", kind="signed", digits=2, span=(-1.0, 1.0), zero=True),
        series=(*(f"{spoken(party)} asks" for party in board.parties), "mean of both", "nobody's side asks"),
        panels=tuple(given),
    )


def estimated(found: Estimate) -> DrawnEstimate | None:
    """As a chart has it."""
    return None if found.value is None else DrawnEstimate(value=found.value, inner=found.interval)


def _slope(read: AdviceStudy, row: Row) -> LinePanel:
    found = tables.levels(advice_study.stances(read, row.config))
    known = {"S": row.main.value, "slope": row["merit_slope"].value}
    numbers = [f"{head} {signed(value)}" for head, value in known.items() if value is not None]
    return LinePanel(
        label=row.label, subject=row.config, simulated=row.simulated, says=" · ".join(numbers),
        xs=tuple(level.merit for level in found),
        values=tuple(zip(*((one.first, one.second, one.mean, one.neutral) for one in found), strict=True)),
    )  # fmt: skip
