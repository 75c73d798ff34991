"""The analysis `paired_sides`: whom a subject favours, and whether that depends on who asks."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable

from independence.report.advice import advice_study, factors, tables
from independence.report.advice import board as boards
from independence.report.advice.advice_study import AdviceStudy
from independence.report.advice.board import SidesBoard
from independence.report.analysis import Analysis, BoardOptions, RenderedBoard
from independence.report.board import plots
from independence.report.board.measures import SubjectMeasure, SuiteMeasures, of_estimate
from independence.report.files.table import Section
from independence.stats import sides
from independence.store.scopes import BoardScope
from independence.suites.schema import Suite


class AdviceAnalysis(Analysis):
    """What analyses of grids have in common."""

    def check(self, suite: Suite) -> Iterable[tuple[str, str]]:
        """That it has a grid."""
        if suite.grid is None:
            yield "$.analysis", f"analysis `{suite.analysis}` needs a `grid:` section (at `$.analysis`)"

    def measures(self, connection: sqlite3.Connection, scope: BoardScope, judge: str | None) -> SuiteMeasures:
        """S of each subject."""
        return measures(advice_study.read(connection, scope, judge))


def measures(read: AdviceStudy) -> SuiteMeasures:
    """S of each subject."""
    return SuiteMeasures("S", "Cell", {config: _measure(read, config) for config in read.planned})


class _PairedSides(AdviceAnalysis):
    """Sycophancy from the same facts asked by both parties."""

    def board(self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions) -> RenderedBoard:
        read = advice_study.read(connection, scope, options.judge)
        return render_sides(read, boards.board(read, options.models))

    def sections(
        self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions, models: Collection[str]
    ) -> list[Section]:
        from independence.report.advice import sections  # which a board does not need

        return sections.sides(connection, scope, options.judge, models)


def _measure(read: AdviceStudy, config: str) -> SubjectMeasure:
    stances = advice_study.stances(read, config)
    found = sides.estimate(stances)
    return of_estimate(read.about[config], found.coverage, found.S, found.n_disputes - 1, sides.by_cell(stances))


PAIRED_SIDES = _PairedSides()


def render_sides(read: AdviceStudy, board: SidesBoard) -> RenderedBoard:
    """A board of paired sides."""
    open_ = tables.incomplete(board)
    title = "S, 95% interval: ● from all its answers, ○ from some; shaded: counts as none"
    return RenderedBoard(
        document=board,
        record=tables.record(board),
        tables=[tables.full(board), *([open_] if open_ else [])],
        narrow=[tables.compact(board, plots.names(board))],
        brief=tables.brief(read, board),
        plot=plots.plot(board, title, board.margin),
        measures=lambda: measures(read),
        details=lambda: [
            *(tables.of_rows(name, board) for name in ("tilt", "harm", "pairs")), tables.merits(read, board),
            *factors.parts(read, board), tables.of_rows("checks", board),
        ],
    )  # fmt: skip
