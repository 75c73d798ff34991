"""Boards of advice in every form that somebody may ask for."""

from __future__ import annotations

from independence.report.advice import breakdown, published, tables
from independence.report.advice.advice_study import AdviceStudy
from independence.report.advice.board import QuantityColumns, SidesBoard
from independence.report.advice.published import StanceBoard
from independence.report.advice.rendered_board import RenderedBoard
from independence.report.advice.tables import TextPlotRow, ends, est
from independence.report.legend import short


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
        board, tables.record(board), [tables.full(board), *([open_] if open_ else [])],
        [tables.compact(board, named)], tables.lines(marks, title, board.margin),
        lambda: [
            tables.tilt(board), tables.harm(board), breakdown.pairs(board), breakdown.merits(read, board),
            breakdown.domains(read, board), breakdown.powers(read, board), breakdown.wordings(read, board),
            breakdown.checks(board),
        ],
    )  # fmt: skip


def interval_phrase(contrast: QuantityColumns | None) -> str:
    """What the interval of a contrast allows to say, a short phrase."""
    if contrast is None or contrast.ci is None:
        return "not measured"
    low, high = contrast.ci
    if low <= 0 <= high:
        return "not told apart from 0"
    return "leans towards whoever asks" if low > 0 else "leans against whoever asks"


def render_stance(read: AdviceStudy, board: StanceBoard) -> RenderedBoard:
    """A board of the published instrument."""
    labels = [row.label for row in board.rows]
    named = [short(row.label, labels, row.simulated) for row in board.rows]
    marks = [
        TextPlotRow(name, est(row.contrast), ends(row.contrast), interval_phrase(row.contrast), row.coverage < 1)
        for name, row in zip(named, board.rows, strict=True)
    ]
    title = "Paired contrast, 95 % interval: ● from all its answers, ○ from some"
    return RenderedBoard(
        board, published.record(board), published.boards(board),
        published.compact(board, named), tables.lines(marks, title), lambda: breakdown.threshold_tables(read),
    )  # fmt: skip
