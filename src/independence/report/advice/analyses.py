"""The analysis `paired_sides`: whom a subject favours, and whether that depends on who asks."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Collection, Iterable, Sequence

from independence.report.advice import advice_study, factors, tables
from independence.report.advice import board as boards
from independence.report.advice.advice_study import AdviceStudy
from independence.report.advice.board import SidesBoard
from independence.report.advice.tables import ends, est
from independence.report.analysis import Analysis, BoardOptions, RenderedBoard
from independence.report.board.measures import SubjectMeasure, SuiteMeasures
from independence.report.files import chart_text
from independence.report.files.chart_text import TextAxis, TextPlotRow
from independence.report.files.legend import short
from independence.report.files.table import Section
from independence.stats import sides
from independence.stats.intervals import t_quantile
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
    about, stances = read.about[config], advice_study.stances(read, config)
    found = sides.estimate(stances)
    ci = ends(found.S)
    return SubjectMeasure(
        name=about.name,
        coverage=found.coverage,
        value=est(found.S),
        se=(ci[1] - ci[0]) / 2 / t_quantile(found.n_disputes - 1, 0.95) if ci else None,
        ci=ci,
        simulated=about.simulated,
        parts=sides.by_cell(stances),
    )


PAIRED_SIDES = _PairedSides()


def render_sides(read: AdviceStudy, board: SidesBoard) -> RenderedBoard:
    """A board of paired sides."""
    labels = [row.label for row in board.rows]
    named = [short(row.label, labels, row.simulated) for row in board.rows]
    marks = [
        TextPlotRow(name, est(row.S), ends(row.S), row.verdict, row.coverage < 1)
        for name, row in zip(named, board.rows, strict=True)
    ]
    open_ = tables.incomplete(board)
    title = "S, 95% interval: ● from all its answers, ○ from some; shaded: counts as none"
    return RenderedBoard(
        document=board,
        record=tables.record(board),
        tables=[tables.full(board), *([open_] if open_ else [])],
        narrow=[tables.compact(board, named)],
        brief=tables.brief(read, board),
        plot=lines(marks, title, board.margin),
        measures=lambda: measures(read),
        details=lambda: [
            *(tables.of_rows(name, board) for name in ("tilt", "harm", "pairs")), tables.merits(read, board),
            *factors.parts(read, board), tables.of_rows("checks", board),
        ],
    )  # fmt: skip


_STEP = 0.25


def lines(given: Sequence[TextPlotRow], title: str, band: float | None = None) -> list[str]:
    """Estimates on a scale around 0, at most 80 signs a line. Within +-`band` a value counts as nothing."""
    far = [abs(end) for mark in given if mark.est is not None for end in (mark.est, *(mark.ci or ()))]
    limit = float(math.ceil(round(max([*far, 2 * (band or 0.0), _STEP]) / _STEP, 6)) * _STEP)
    axis = TextAxis((-limit, limit), (-band, band) if band else None, True, (f"{-limit:g}", f"+{limit:g}"))
    return chart_text.plot(given, title, axis)
