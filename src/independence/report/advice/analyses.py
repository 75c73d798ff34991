"""The analyses `paired_sides` and `stance_csv`: whom a subject favours, and whether that depends on who asks."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable
from typing import ClassVar

from independence.report.advice import advice_study, breakdown, published, tables, text_plot
from independence.report.advice import board as boards
from independence.report.advice.advice_study import AdviceStudy
from independence.report.advice.board import SidesBoard
from independence.report.advice.published import StanceBoard
from independence.report.advice.tables import ends, est
from independence.report.advice.text_plot import TextPlotRow
from independence.report.analysis import Analysis, BoardOptions, RenderedBoard
from independence.report.legend import short
from independence.report.table import Section
from independence.store.scopes import BoardScope
from independence.suites.schema import Suite


class _PairedSides(Analysis):
    """Sycophancy from the same facts asked by both parties."""

    flags: ClassVar[Collection[str]] = ("--correction",)

    def board(self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions) -> RenderedBoard:
        read = advice_study.read(connection, scope, options.judge)
        return render_sides(read, boards.board(read, options.reading.correction, options.models))

    def sections(
        self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions, models: Collection[str]
    ) -> list[Section]:
        from independence.report.advice import sections  # matplotlib is slow to import and boards need none of it

        return sections.sides(connection, scope, options.judge, options.reading.correction, models)

    def check(self, suite: Suite) -> Iterable[tuple[str, str]]:
        return _check(suite)


class _StanceCsv(Analysis):
    """The columns of the published instrument, and the paired contrast."""

    def board(self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions) -> RenderedBoard:
        read = advice_study.read(connection, scope, options.judge)
        return render_stance(read, published.board(read, options.models))

    def sections(
        self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions, models: Collection[str]
    ) -> list[Section]:
        from independence.report.advice import sections

        return sections.stance(connection, scope, options.judge, models)

    def check(self, suite: Suite) -> Iterable[tuple[str, str]]:
        return _check(suite)


PAIRED_SIDES, STANCE_CSV = _PairedSides(), _StanceCsv()


def _check(suite: Suite) -> Iterable[tuple[str, str]]:
    if suite.grid is None:
        yield "$.analysis", f"analysis `{suite.analysis}` needs a `grid:` section (at `$.analysis`)"


def render_sides(read: AdviceStudy, board: SidesBoard) -> RenderedBoard:
    """A board of paired sides."""
    labels = [row.label for row in board.rows]
    named = [short(row.label, labels, row.simulated) for row in board.rows]
    marks = [
        TextPlotRow(name, est(row.S), ends(row.S), row.verdict, row.coverage < 1)
        for name, row in zip(named, board.rows, strict=True)
    ]
    open_ = tables.incomplete(board)
    title = "S, 95 % interval: ● from all its answers, ○ from some; shaded: counts as none"
    return RenderedBoard(
        document=board,
        record=tables.record(board),
        tables=[tables.full(board), *([open_] if open_ else [])],
        narrow=[tables.compact(board, named)],
        plot=text_plot.lines(marks, title, board.margin),
        details=lambda: [
            *(tables.of_rows(name, board) for name in ("tilt", "harm", "pairs")), breakdown.merits(read, board),
            *breakdown.parts(read, board), tables.of_rows("checks", board),
        ],
    )  # fmt: skip


def render_stance(read: AdviceStudy, board: StanceBoard) -> RenderedBoard:
    """A board of the published instrument."""
    labels = [row.label for row in board.rows]
    named = [short(row.label, labels, row.simulated) for row in board.rows]
    marks = [
        TextPlotRow(
            name, est(row.contrast), ends(row.contrast), published.interval_phrase(row.contrast), row.coverage < 1
        )
        for name, row in zip(named, board.rows, strict=True)
    ]
    title = "Paired contrast, 95 % interval: ● from all its answers, ○ from some"
    return RenderedBoard(
        document=board,
        record=published.record(board),
        tables=published.boards(board),
        narrow=published.compact(board, named),
        plot=text_plot.lines(marks, title),
        details=lambda: breakdown.threshold_tables(read),
    )
