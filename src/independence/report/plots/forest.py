"""The forest plot: every subject's index with its intervals, best on top, in tiers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from independence.report.plots import canvas, marks, palette, rows
from independence.report.plots.canvas import SMALL, Box, Sheet
from independence.report.plots.rows import ROW, Subject
from independence.report.plots.svg import About
from independence.report.table import DASH, Ends, decimal, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FOOT: Final = 22.0


class Shape(NamedTuple):
    """How wide a forest is drawn, and how the width is shared."""

    width: float
    tiers: float  # room for the numbers of the tiers
    labels: float  # most that the names may take
    numbers: float  # room for index and interval
    head: float
    intervals: bool  # whether intervals stand in numbers too


WIDE: Final = Shape(880.0, 40.0, rows.LABEL_ROOM, 160.0, 58.0, True)
NARROW: Final = Shape(358.0, 22.0, 164.0, 54.0, 112.0, False)


class ForestRow(msgspec.Struct, frozen=True):
    """One subject; index and ends on 0-100. Without an index, `bounds` are its worst and best possible ones."""

    label: str
    index: float | None
    inner: Ends | None = None  # these-scenarios
    outer: Ends | None = None  # scenarios-like-these
    tier: int | None = None
    simulated: bool = False
    coverage: float = 1.0
    bounds: Ends | None = None


class _Layout(NamedTuple):
    ranked: list[ForestRow]
    partial: list[ForestRow]
    subjects: list[Subject]
    plot: Box  # the whole column of the scale
    span: Ends
    shape: Shape

    def top(self, partial: bool) -> float:
        """Where the ranked or the partial lines begin."""
        return self.plot.top + (len(self.ranked) + 1) * ROW if partial else self.plot.top


def forest(given: Sequence[ForestRow], about: About, shape: Shape = WIDE) -> str:
    """Dots with intervals for subjects with an index, open bars for incomplete ones; 20 pixels a line."""
    layout = _laid_out(given, shape)
    with canvas.sheet(shape.width, layout.plot.bottom + _FOOT) as sheet:
        _bands(sheet, layout)
        _heads(sheet, layout)
        marks.write_legend(sheet, _keys(given), 6, 16, stacked=shape is NARROW)
        rows.write_scale(sheet, layout.plot, layout.span, len(given))
        for partial in (False, True):
            _lines(sheet, layout, partial)
        return sheet.svg(about)


def _laid_out(given: Sequence[ForestRow], shape: Shape) -> _Layout:
    ranked = sorted((row for row in given if row.index is not None), key=lambda row: -(row.index or 0.0))
    partial = sorted((row for row in given if row.index is None), key=lambda row: -(row.bounds or (0.0, 0.0))[0])
    # Where there is little room, the ring alone and the short name tell a simulated subject.
    subjects = [Subject(row.label, row.simulated and shape.intervals, _told(row)) for row in (*ranked, *partial)]
    left = shape.tiers + min(rows.label_width(subjects), shape.labels) + 14
    lines = len(ranked) + (len(partial) + 1 if partial else 0)
    plot = Box(left, shape.head, shape.width - left - shape.numbers, max(lines, 1) * ROW)
    return _Layout(ranked, partial, subjects, plot, rows.spanned(_ends(ranked) or _ends(partial)), shape)


def _ends(own: Sequence[ForestRow]) -> list[float]:
    """What the scale must show: all but the widest tenth of the outer intervals, which would flatten the rest."""
    needed = [end for row in own for end in (row.inner or ()) + (() if row.index is None else (row.index,))]
    outer = sorted((row.outer or row.bounds or (100.0,))[0] for row in own)
    return needed + outer[len(outer) // 10 :]


def _told(row: ForestRow) -> str:
    parts = [f"{row.label}: "]
    if row.index is None:
        parts.append(f"incomplete, {percent(row.coverage)} covered")
        parts.append(f", between {_pair(row.bounds)}" if row.bounds else "")
    else:
        parts.append(decimal(row.index))
        parts.append(f", these scenarios {_pair(row.inner)}" if row.inner else "")
        parts.append(f", scenarios like these {_pair(row.outer)}" if row.outer else "")
    parts.append(f", tier {row.tier}" if row.tier is not None else "")
    return "".join(parts) + (", simulated" if row.simulated else "")


def _pair(ends: Ends | None) -> str:
    if ends is None:
        return DASH
    low, high = _shown(ends, (0.0, 100.0))
    return f"{decimal(low)}–{decimal(high)}"


def _bands(sheet: Sheet, layout: _Layout) -> None:
    """Every other tier's lines shaded. A subject without a tier, of a single run, stands within the one above it."""
    place = 0
    within: list[int | None] = []
    for row in layout.ranked:
        within.append(row.tier if row.tier is not None or not within else within[-1])
    for tier, members in groupby(within):
        size = len(list(members))
        top = layout.plot.top + place * ROW
        if tier is not None:
            if tier % 2 == 1:
                sheet.fill(Box(0, top, layout.shape.width, size * ROW), palette.BAND)
            look = SMALL._replace(bold=True, align="center", tone=palette.MUTED)
            sheet.text(layout.shape.tiers * 0.4, top + ROW / 2, str(tier), look)
        place += size


def _heads(sheet: Sheet, layout: _Layout) -> None:
    y, shape = layout.plot.top - 9, layout.shape
    if any(row.tier is not None for row in layout.ranked):
        sheet.text(shape.tiers * 0.4, y, "Tier" if shape.intervals else "T", SMALL._replace(align="center"))
    sheet.text(shape.tiers, y, "Subject", SMALL)
    sheet.text(_index_at(shape), y, "Index", SMALL._replace(align="right"))
    if shape.intervals:
        sheet.text(shape.width - 12, y, "Interval", SMALL._replace(align="right"))


def _index_at(shape: Shape) -> float:
    """The right edge of the index."""
    return shape.width - shape.numbers + 64 if shape.intervals else shape.width - 2


def _lines(sheet: Sheet, layout: _Layout, partial: bool) -> None:
    own = layout.partial if partial else layout.ranked
    if not own:
        return
    subjects = layout.subjects[len(layout.ranked) :] if partial else layout.subjects[: len(layout.ranked)]
    tiers = layout.shape.tiers
    area = layout.plot._replace(top=layout.top(partial), height=len(own) * ROW)
    axes = sheet.axes(area, layout.span, (0.0, float(len(own))))
    rows.write_labels(sheet, subjects, Box(tiers, area.top, area.left - 14 - tiers, area.height))
    (_ranges if partial else _intervals)(axes, own, layout.span)
    for place, row in enumerate(own):
        _numbers(sheet, row, area.top + (place + 0.5) * ROW, layout.shape)
    if partial:
        note = "Incomplete"
        sheet.text(tiers, area.top - ROW / 2, note, SMALL)
    rows.hits(sheet, subjects, Box(0, area.top, layout.shape.width, area.height))


def _keys(given: Sequence[ForestRow]) -> list[marks.Key]:
    keys = [
        (any(row.index is not None and not row.simulated for row in given), marks.key_dot("index")),
        (any(row.index is not None and row.simulated for row in given), marks.key_dot("index, simulated", True)),
        (any(row.inner for row in given), marks.key_bar("interval over these scenarios")),
        (any(row.outer for row in given), marks.key_bar("over scenarios like these", True)),
        (any(row.index is None for row in given), marks.key_open("incomplete: possible range")),
    ]
    return [key for there, key in keys if there]


def _intervals(axes: Axes, own: Sequence[ForestRow], span: Ends) -> None:
    at = [(place + 0.5, row) for place, row in enumerate(own)]
    marks.bars(axes, [(y, _shown(row.outer, span)) for y, row in at if row.outer], thin=True)
    marks.bars(axes, [(y, _shown(row.inner, span)) for y, row in at if row.inner])
    marks.arrows(axes, [(span[0], y) for y, row in at if row.outer and row.outer[0] < span[0]], palette.SOFT)
    for simulated in (False, True):
        marks.dots(axes, [(row.index or 0.0, y) for y, row in at if row.simulated is simulated], simulated)


def _ranges(axes: Axes, own: Sequence[ForestRow], span: Ends) -> None:
    at = [(place + 0.5, row.bounds) for place, row in enumerate(own)]
    for cut in (False, True):
        ends = [(y, _shown(bounds, span)) for y, bounds in at if bounds and (bounds[0] < span[0]) is cut]
        marks.open_bars(axes, ends, 0.22, cut)
        marks.arrows(axes, [(span[0], y) for y, _ in ends] if cut else [], palette.OPEN)


def _shown(ends: Ends, span: Ends) -> Ends:
    low, high = (min(max(end, span[0]), span[1]) for end in ends)
    return low, high


def _numbers(sheet: Sheet, row: ForestRow, y: float, shape: Shape) -> None:
    seen = percent(row.coverage) + (" seen" if shape.intervals else "")
    what = seen if row.index is None else decimal(row.index)
    look = SMALL if row.index is None else canvas.PLAIN._replace(bold=True)
    sheet.text(_index_at(shape), y, what, look._replace(align="right"))
    if shape.intervals:
        interval = row.bounds if row.index is None else row.inner
        sheet.text(shape.width - 12, y, _pair(interval), SMALL._replace(align="right"))
