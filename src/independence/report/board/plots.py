"""The first estimate of each row of a board as lines of text, and names that fit beside them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from independence.report.board.rows import Board
from independence.report.files import chart_text
from independence.report.files.chart_text import TextAxis, TextPlotRow
from independence.report.files.legend import short

_STEP = 0.25


def names(board: Board) -> list[str]:
    """Short names of the rows, in their order."""
    labels = [row.label for row in board.rows]
    return [short(row.label, labels, row.simulated) for row in board.rows]


def plot(board: Board, title: str, band: float | None = None) -> list[str]:
    """The first estimates of a board as `lines` draws them."""
    given = [
        TextPlotRow(name, row.main.value, row.main.interval, row.verdict, row.coverage < 1)
        for name, row in zip(names(board), board.rows, strict=True)
    ]
    return lines(given, title, band)


def lines(given: Sequence[TextPlotRow], title: str, band: float | None = None) -> list[str]:
    """Estimates on a scale around 0, at most 80 signs a line. Within +-`band` a value counts as nothing."""
    far = [abs(end) for mark in given if mark.est is not None for end in (mark.est, *(mark.ci or ()))]
    limit = float(math.ceil(round(max([*far, 2 * (band or 0.0), _STEP]) / _STEP, 6)) * _STEP)
    axis = TextAxis((-limit, limit), (-band, band) if band else None, True, (f"{-limit:g}", f"+{limit:g}"))
    return chart_text.plot(given, title, axis)
