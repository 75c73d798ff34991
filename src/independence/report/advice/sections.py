"""The report on paired sides, section by section; and what every report on advice has."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from typing import Protocol

from independence.report import judge_validation, runs, summary
from independence.report.advice import advice_study, factors, tables
from independence.report.advice import board as boards
from independence.report.advice.advice_study import AdviceStudy
from independence.report.advice.board import SidesBoard, SidesRow
from independence.report.advice.tables import spoken, the
from independence.report.board_data import BoardRemarks
from independence.report.legend import short, subject_name
from independence.report.plots import advice as advice_plot
from independence.report.plots.advice import PanelRow, PointEstimate, QuantityScale, SlopePanel
from independence.report.plots.svg import FigureMeta
from independence.report.table import Block, Prose, Section, Svg, Table, quoted, signed
from independence.stats.comparison import Correction
from independence.stats.sides import EffectEstimate
from independence.store import queries, spending
from independence.store.scopes import BoardScope

_WORST = 5


def sides(
    connection: sqlite3.Connection,
    scope: BoardScope,
    judge: str | None,
    correction: Correction,
    models: Collection[str],
) -> list[Section]:
    """The report on a suite of paired sides. `models`: only these labels or ids. Raises StoreError, UsageError."""
    everyone = advice_study.read(connection, scope, judge)
    board = boards.board(everyone, correction, models)
    read = everyone.only(models)
    plot, open_ = slopes(read, board), tables.incomplete(board)
    made = [
        in_short(read, board, [(row, row.S) for row in board.rows], "S"),
        Section("board", "The board", [
            Prose(quoted(read.scope.suite.about.strip())), forest(board), tables.full(board),
            *_as_blocks(open_),
        ], folds=False),
        Section("tilt", "Tilt and merit", [
            *_as_blocks(plot), tables.of_rows("tilt", board), tables.of_rows("harm", board),
            *_filled(tables.merits(read, board)),
        ]),
        Section("pairs", "Pairs", [tables.of_rows("pairs", board)]),
        Section("parts", "Domains and phrasings", _filled(*factors.parts(read, board))),
        Section("checks", "Tests", [tables.of_rows("checks", board)]),
        *shared(connection, read),
        Section("thresholds", "Appendix: thresholds", tables.threshold_tables(read)),
    ]  # fmt: skip
    return [section for section in made if section.body]


class AdviceRow(Protocol):
    """A row of a board of advice."""

    @property
    def label(self) -> str:
        """Of its subject."""

    @property
    def simulated(self) -> bool:
        """Whether that is a program with known behaviour."""

    @property
    def verdict(self) -> str:
        """What its interval allows to say."""


def in_short(
    read: AdviceStudy, board: BoardRemarks, found: Sequence[tuple[AdviceRow, EffectEstimate | None]], what: str
) -> Section:
    """How many subjects bend towards the asker, and who does most; `found`: each row, and what `what` is of it."""
    rows = [(subject_name(row.label, row.simulated), row.verdict, own.est if own else None) for row, own in found]
    return summary.section(read, summary.leaning(rows, what), board, any(row.simulated for row, _ in found))


def shared(connection: sqlite3.Connection, read: AdviceStudy) -> list[Section]:
    """What every report has, whatever its suite measures."""
    costs = runs.audit(read, read.planned, spending.by_subject(connection, read.scope.where))
    return [
        Section("judges", "Judges", _judges(connection, read)),
        Section("costs", "Costs", _filled(costs, runs.session_table(connection))),
        Section("health", "Run health", [runs.table(connection, read), *runs.tables(read)]),
    ]


def _judges(connection: sqlite3.Connection, read: AdviceStudy) -> list[Block]:
    scope = read.scope
    if len(queries.judges(connection, scope.where)) < 2:
        return []
    wanted = judge_validation.ValidationOptions(models=tuple(read.planned), worst=_WORST)
    return list(judge_validation.validate(connection, scope, wanted))


def _as_blocks(block: Block | None) -> Sequence[Block]:
    return [] if block is None else [block]


def _filled(*found: Table) -> list[Block]:
    return [table for table in found if table.rows]


def forest(board: SidesBoard) -> Svg:
    """S, tilt and merit slope of every subject."""
    heads = [*_scales(board), QuantityScale("Merit slope", "against the facts", "with the facts")]
    rows = [
        PanelRow(
            named, (point_estimate(row.S), point_estimate(row.B), point_estimate(row.merit_slope)), row.simulated,
            row.coverage,
        )
        for named, row in zip(short_names(board.rows), board.rows, strict=True)
    ]  # fmt: skip
    caption = (
        "Sycophancy, tilt and merit slope with 95 % intervals, in the order of |S|. The band is what counts as not "
        "sycophantic: an interval wholly within it shows that there is none, one that only touches it does not."
    )
    meta = FigureMeta("advice-forest", "Does advice bend towards the person who asks?", caption)
    return Svg(meta.id, advice_plot.panels(rows, heads, meta), caption)


def slopes(read: AdviceStudy, board: SidesBoard) -> Svg | None:
    """Stance against merit by who asks; None where merit is not stated."""
    rows = zip(short_names(board.rows), board.rows, strict=True)
    given = [panel for named, row in rows if (panel := _slope(read, named, row)).points]
    if not given:
        return None
    first, second = (the(party) for party in board.parties)
    caption = (
        f"Mean stance (+1 for {first}, -1 for {second}) by how far the facts favour {first}. The gap "
        "between the lines is sycophancy; the rise of their mean is the effect of merit."
    )
    meta = FigureMeta("advice-slopes", "Stance by merit", caption)
    named = (spoken(board.parties[0]), spoken(board.parties[1]))
    return Svg(meta.id, advice_plot.slopes(given, named, meta), caption)


def short_names(rows: Sequence[AdviceRow]) -> list[str]:
    """Short ones: figures mark the simulated themselves."""
    labels = [row.label for row in rows]
    return [short(label, labels, simulated=False) for label in labels]


def _scales(board: SidesBoard) -> tuple[QuantityScale, QuantityScale]:
    first, second = (the(party) for party in board.parties)
    margin = board.margin
    return (
        QuantityScale("Sycophancy S", "against the asker", "towards the asker", (-margin, margin)),
        QuantityScale("Tilt B", f"to {second}", f"to {first}"),
    )


def point_estimate(value: EffectEstimate | None) -> PointEstimate | None:
    """As a figure has it."""
    return PointEstimate(value.est, value.ci) if value else None


def _slope(read: AdviceStudy, named: str, row: SidesRow) -> SlopePanel:
    found = tables.levels(advice_study.stances(read, row.config))
    numbers = [f"{head} {signed(value.est)}" for head, value in (("S", row.S), ("slope", row.merit_slope)) if value]
    return SlopePanel(named, tuple(found), " · ".join(numbers), row.simulated)
