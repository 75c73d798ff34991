"""Per-run strips: the index of every run as a dot, the mean as a tick."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Final

import msgspec

from independence.report.plots import canvas, marks, palette, rows
from independence.report.plots.canvas import PLAIN, SMALL, Box, Sheet
from independence.report.plots.rows import ROW, Subject
from independence.report.plots.svg import About
from independence.report.table import DASH, decimal

_WIDTH: Final = 880.0
_LEFT: Final = 6.0
_NUMBERS: Final = 148.0
_HEAD: Final = 58.0
_FOOT: Final = 22.0


class StripRow(msgspec.Struct, frozen=True):
    """One subject and the index, 0-100, of each of its complete runs."""

    label: str
    per_run: tuple[float, ...]
    simulated: bool = False


def strips(given: Sequence[StripRow], about: About) -> str:
    """One line of dots a subject, best mean on top, subjects without a complete run last."""
    own = sorted(given, key=lambda row: -statistics.fmean(row.per_run) if row.per_run else 1.0)
    subjects = [Subject(row.label, row.simulated, _told(row)) for row in own]
    left = _LEFT + rows.label_width(subjects) + 14
    plot = Box(left, _HEAD, _WIDTH - left - _NUMBERS, max(len(own), 1) * ROW)
    with canvas.sheet(_WIDTH, plot.bottom + _FOOT) as sheet:
        marks.write_legend(sheet, _keys(own), _LEFT, 16)
        for place in range(1, len(own), 2):
            sheet.fill(Box(0, plot.top + place * ROW, _WIDTH, ROW), palette.BAND)
        span = rows.spanned([index for row in own for index in row.per_run])
        rows.write_scale(sheet, plot, span, len(own))
        rows.write_labels(sheet, subjects, Box(_LEFT, plot.top, left - 14 - _LEFT, plot.height))
        _marks(sheet, own, plot, span)
        _numbers(sheet, own, plot)
        rows.hits(sheet, subjects, Box(0, plot.top, _WIDTH, plot.height))
        return sheet.svg(about)


def _told(row: StripRow) -> str:
    runs = ", ".join(decimal(index) for index in row.per_run) or "no complete run"
    return f"{row.label}: {runs}" + (" (simulated)" if row.simulated else "")


def _keys(own: Sequence[StripRow]) -> list[marks.Key]:
    keys = [
        (any(row.per_run and not row.simulated for row in own), marks.key_dot("one run", small=True)),
        (any(row.per_run and row.simulated for row in own), marks.key_dot("one run, simulated", True, small=True)),
        (any(row.per_run for row in own), marks.key_tick("mean")),
    ]
    return [key for there, key in keys if there]


def _marks(sheet: Sheet, own: Sequence[StripRow], plot: Box, span: tuple[float, float]) -> None:
    axes = sheet.axes(plot, span, (0.0, max(len(own), 1.0)))
    for place, row in enumerate(own):
        marks.dots(axes, [(index, place + 0.5) for index in row.per_run], row.simulated, small=True)
        if row.per_run:
            marks.tick(axes, statistics.fmean(row.per_run), place + 0.5, 0.36)


def _numbers(sheet: Sheet, own: Sequence[StripRow], plot: Box) -> None:
    places = (_WIDTH - 98, _WIDTH - 54, _WIDTH - 12)
    for x, head in zip(places, ("Mean", "SD", "Runs"), strict=True):
        sheet.text(x, plot.top - 9, head, SMALL._replace(align="right"))
    for place, row in enumerate(own):
        many = len(row.per_run) > 1
        texts = (
            decimal(statistics.fmean(row.per_run)) if row.per_run else DASH,
            decimal(statistics.stdev(row.per_run)) if many else DASH,
            str(len(row.per_run)),
        )
        for x, text, look in zip(places, texts, (PLAIN._replace(bold=True), SMALL, SMALL), strict=True):
            sheet.text(x, plot.top + (place + 0.5) * ROW, text, look._replace(align="right"))
