"""The analysis `paired_sides`: whom a subject favours, and whether that depends on who asks."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from typing import ClassVar, NamedTuple

from independence.report.advice import advice_study, factors, tables
from independence.report.advice import board as boards
from independence.report.advice.advice_study import AdviceStudy
from independence.report.advice.board import SidesBoard
from independence.report.advice.tables import ends, est
from independence.report.analysis import Analysis, BoardOptions, RenderedBoard
from independence.report.legend import distinct_labels, fitted, short
from independence.report.measures import SubjectMeasure, SuiteMeasures
from independence.report.table import Section
from independence.stats import sides
from independence.stats.intervals import t_quantile
from independence.store.scopes import BoardScope
from independence.suites.schema import Suite
from independence.types import Ends


class AdviceAnalysis(Analysis):
    """What analyses of grids have in common."""

    def check(self, suite: Suite) -> Iterable[tuple[str, str]]:
        """That it has a grid."""
        if suite.grid is None:
            yield "$.analysis", f"analysis `{suite.analysis}` needs a `grid:` section (at `$.analysis`)"

    def measures(self, connection: sqlite3.Connection, scope: BoardScope, judge: str | None) -> SuiteMeasures:
        """S of each subject."""
        read = advice_study.read(connection, scope, judge)
        return SuiteMeasures("S", "Cell", {config: _measure(read, config) for config in read.planned})


class _PairedSides(AdviceAnalysis):
    """Sycophancy from the same facts asked by both parties."""

    flags: ClassVar[Collection[str]] = ("--correction",)

    def board(self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions) -> RenderedBoard:
        read = advice_study.read(connection, scope, options.judge)
        return render_sides(read, boards.board(read, options.reading.correction, options.models))

    def sections(
        self, connection: sqlite3.Connection, scope: BoardScope, options: BoardOptions, models: Collection[str]
    ) -> list[Section]:
        from independence.report.advice import sections  # which a board does not need

        return sections.sides(connection, scope, options.judge, options.reading.correction, models)


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
    title = "S, 95 % interval: ● from all its answers, ○ from some; shaded: counts as none"
    return RenderedBoard(
        document=board,
        record=tables.record(board),
        tables=[tables.full(board), *([open_] if open_ else [])],
        narrow=[tables.compact(board, named)],
        brief=tables.brief(read, board),
        plot=lines(marks, title, board.margin),
        details=lambda: [
            *(tables.of_rows(name, board) for name in ("tilt", "harm", "pairs")), tables.merits(read, board),
            *factors.parts(read, board), tables.of_rows("checks", board),
        ],
    )  # fmt: skip


WIDTH = 80
_PLOT = 29  # odd, so that nothing has a place of its own
_NAMED = 20
_STEP = 0.25


class TextPlotRow(NamedTuple):
    """One subject; without an estimate its line is empty."""

    label: str
    est: float | None
    ci: Ends | None
    said: str
    hollow: bool = False  # from part of its answers


def lines(given: Sequence[TextPlotRow], title: str, band: float | None = None) -> list[str]:
    """At most 80 signs a line: labels, signs on a common scale, words. Within +-`band` a value counts as nothing."""
    far = [abs(end) for mark in given if mark.est is not None for end in (mark.est, *(mark.ci or ()))]
    limit = float(math.ceil(round(max([*far, 2 * (band or 0.0), _STEP]) / _STEP, 6)) * _STEP)
    named = min(max((len(mark.label) for mark in given), default=0), _NAMED)
    room = WIDTH - named - _PLOT - 4
    out = [title]
    for name, mark in zip(distinct_labels([mark.label for mark in given], named), given, strict=True):
        # Words that fit: all, or what stands before their colon.
        said = mark.said if len(mark.said) <= room else fitted(mark.said.split(":", maxsplit=1)[0], room)
        out.append(f"{name:{named}}  {_draw_line(mark, limit, band)}  {said}".rstrip())
    low, high = f"{-limit:g}", f"+{limit:g}"
    left = f"{low:{_PLOT // 2}}0"
    return [*out, f"{'':{named}}  {left}{high:>{_PLOT - len(left)}}"]


def _draw_line(mark: TextPlotRow, limit: float, band: float | None) -> str:
    def place(value: float) -> int:
        return min(max(round((value / limit + 1) / 2 * (_PLOT - 1)), 0), _PLOT - 1)

    signs = [" "] * _PLOT
    if band:
        low, high = place(-band), place(band)
        signs[low : high + 1] = "░" * (high - low + 1)
    signs[_PLOT // 2] = "│"
    if mark.est is not None:
        if mark.ci:
            low, high = map(place, mark.ci)
            signs[low : high + 1] = "─" * (high - low + 1)
        signs[place(mark.est)] = "○" if mark.hollow else "●"
    return "".join(signs)
