"""The analysis `stance_csv`: the columns of the published instrument, and the paired contrast."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from independence.extensions.published.rent import stance_board
from independence.extensions.published.rent.stance_board import StanceBoard
from independence.report.advice import advice_study, tables
from independence.report.advice.advice_study import AdviceStudy
from independence.report.advice.analyses import AdviceAnalysis, lines, measures
from independence.report.advice.tables import ends, est
from independence.report.analysis import BoardOptions, RenderedBoard
from independence.report.files.chart_text import TextPlotRow
from independence.report.files.legend import short
from independence.report.files.table import Section
from independence.store.scopes import BoardScope


class _StanceCsv(AdviceAnalysis):
    """The columns of the published instrument, and the paired contrast."""

    def board(self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions) -> RenderedBoard:
        read = advice_study.read(connection, scope, options.judge)
        return render_stance(read, stance_board.board(read, options.models))

    def sections(
        self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions, models: Collection[str]
    ) -> list[Section]:
        from independence.extensions.published.rent import stance_report  # which a board does not need

        return stance_report.sections(connection, scope, options.judge, models)


def render_stance(read: AdviceStudy, board: StanceBoard) -> RenderedBoard:
    """A board of the published instrument."""
    labels = [row.label for row in board.rows]
    named = [short(row.label, labels, row.simulated) for row in board.rows]
    marks = [
        TextPlotRow(name, est(row.contrast), ends(row.contrast), row.verdict, row.coverage < 1)
        for name, row in zip(named, board.rows, strict=True)
    ]
    title = "Paired contrast, 95% interval: ● from all its answers, ○ from some"
    return RenderedBoard(
        document=board,
        record=stance_board.record(board),
        tables=stance_board.boards(board),
        narrow=stance_board.compact(board, named),
        brief=stance_board.brief(read, board),
        plot=lines(marks, title),
        details=lambda: tables.threshold_tables(read),
        measures=lambda: measures(read),
    )


STANCE_CSV = _StanceCsv()
