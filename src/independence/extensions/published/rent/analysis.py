"""The analysis `stance_csv`: the columns of the published instrument, and the paired contrast."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from independence.extensions.published.rent import stance_board
from independence.extensions.published.rent.stance_board import StanceBoard
from independence.report.advice import advice_study, tables
from independence.report.advice.advice_study import AdviceStudy
from independence.report.advice.analyses import AdviceAnalysis, measures
from independence.report.analysis import BoardOptions, RenderedBoard
from independence.report.board import plots
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
    title = "Paired contrast, 95% interval: ● from all its answers, ○ from some"
    return RenderedBoard(
        document=board,
        record=stance_board.record(board),
        tables=stance_board.boards(board),
        narrow=stance_board.compact(board, plots.names(board)),
        brief=stance_board.brief(read, board),
        plot=plots.plot(board, title),
        details=lambda: tables.threshold_tables(read),
        measures=lambda: measures(read),
    )


STANCE_CSV = _StanceCsv()
