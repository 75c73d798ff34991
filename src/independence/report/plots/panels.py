"""Several quantities side by side for every subject: a dot and an interval in each, around nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from independence.report.plots import canvas, marks, palette, rows
from independence.report.plots.canvas import SMALL, Box, Sheet
from independence.report.plots.rows import ROW, Subject
from independence.report.plots.svg import About
from independence.report.table import Ends, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH: Final = 880.0
_LEFT: Final = 6.0
_NUMBER: Final = 52.0  # room for a panel's number
_GAP: Final = 18.0
_HEAD: Final = 104.0
_FOOT: Final = 22.0
_STEP: Final = 0.1  # scales end at multiples of it


class Panel(msgspec.Struct, frozen=True):
    """One quantity. `low` and `high` say what lies on each side of nothing; within `band` a value counts as nothing."""

    head: str
    low: str
    high: str
    band: Ends | None = None


class Measured(NamedTuple):
    """An estimate and its interval; None where there is none."""

    est: float
    ci: Ends | None = None


class PanelRow(msgspec.Struct, frozen=True):
    """One subject: a value for each panel, None where it has none. `said` is what it comes to, in words."""

    label: str
    values: tuple[Measured | None, ...]
    said: str = ""
    simulated: bool = False
    coverage: float = 1.0


class _Layout(NamedTuple):
    whole: list[PanelRow]
    partial: list[PanelRow]
    boxes: list[Box]  # of the scales
    spans: list[Ends]

    @property
    def names(self) -> Box:
        """Where the labels stand."""
        first = self.boxes[0]
        return Box(_LEFT, first.top, first.left - 14 - _LEFT, first.height)


def panels(given: Sequence[PanelRow], heads: Sequence[Panel], about: About) -> str:
    """Subjects in the given order, incomplete ones under a heading of their own; 20 pixels a line."""
    layout = _laid_out(given, heads)
    with canvas.sheet(_WIDTH, layout.boxes[0].bottom + _FOOT) as sheet:
        marks.write_legend(sheet, _keys(given, heads), _LEFT, 16)
        for panel, box, span in zip(heads, layout.boxes, layout.spans, strict=True):
            _scale(sheet, panel, box, span, len(given))
        _lines(sheet, layout, heads, layout.whole, 0)
        if layout.partial:
            middle = layout.names.top + (len(layout.whole) + 0.5) * ROW
            sheet.text(_LEFT, middle, "Incomplete: from the pairs there are", SMALL)
            _lines(sheet, layout, heads, layout.partial, len(layout.whole) + 1)
        return sheet.svg(about)


def _laid_out(given: Sequence[PanelRow], heads: Sequence[Panel]) -> _Layout:
    whole = [row for row in given if row.coverage >= 1]
    partial = [row for row in given if row.coverage < 1]
    lines = max(len(whole) + (len(partial) + 1 if partial else 0), 1)
    left = _LEFT + rows.label_width([_subject(row, heads) for row in given]) + 14
    width = (_WIDTH - left + _GAP) / len(heads) - _GAP - _NUMBER
    boxes = [Box(left + place * (width + _NUMBER + _GAP), _HEAD, width, lines * ROW) for place in range(len(heads))]
    spans = [_spanned([row.values[place] for row in given], panel) for place, panel in enumerate(heads)]
    return _Layout(whole, partial, boxes, spans)


def _spanned(values: Sequence[Measured | None], panel: Panel) -> Ends:
    """A scale that shows every interval, nothing, and what counts as nothing with room around it."""
    ends = [end for value in values if value for end in (value.est, *(value.ci or ()))]
    low, high = panel.band or (0.0, 0.0)
    lowest, highest = min([*ends, low - _STEP]), max([*ends, high + _STEP])
    return math.floor(round(lowest / _STEP, 6)) * _STEP, math.ceil(round(highest / _STEP, 6)) * _STEP


def _scale(sheet: Sheet, panel: Panel, box: Box, span: Ends, lines: int) -> None:
    def x(value: float) -> float:
        return box.left + box.width * (value - span[0]) / (span[1] - span[0])

    if panel.band:
        low, high = panel.band
        sheet.fill(Box(x(low), box.top, x(high) - x(low), box.height), palette.FAINT)
    rows.write_scale(sheet, box, span, lines)
    sheet.line((x(0), box.top), (x(0), box.bottom), palette.MUTED)
    sheet.text(box.left, box.top - 60, panel.head, SMALL._replace(bold=True, tone=palette.INK))
    sheet.text(box.left, box.top - 44, f"← {panel.low}", SMALL)
    sheet.text(box.right, box.top - 29, f"{panel.high} →", SMALL._replace(align="right"))


def _lines(sheet: Sheet, layout: _Layout, heads: Sequence[Panel], own: Sequence[PanelRow], first: int) -> None:
    if not own:
        return
    subjects = [_subject(row, heads) for row in own]
    names = layout.names._replace(top=layout.names.top + first * ROW, height=len(own) * ROW)
    rows.write_labels(sheet, subjects, names)
    for place, (box, span) in enumerate(zip(layout.boxes, layout.spans, strict=True)):
        area = box._replace(top=names.top, height=names.height)
        axes = sheet.axes(area, span, (0.0, float(len(own))))
        _signs(axes, [(line + 0.5, row.values[place], row.simulated) for line, row in enumerate(own)])
        for line, row in enumerate(own):
            value = row.values[place]
            number = "" if value is None else signed(value.est)
            look = SMALL._replace(align="right", bold=place == 0, tone=palette.INK if place == 0 else palette.MUTED)
            sheet.text(box.right + _NUMBER - 8, area.top + (line + 0.5) * ROW, number, look)
    rows.hits(sheet, subjects, Box(0, names.top, _WIDTH, names.height))


def _signs(axes: Axes, found: Sequence[tuple[float, Measured | None, bool]]) -> None:
    marks.bars(axes, [(y, value.ci) for y, value, _ in found if value and value.ci])
    for simulated in (False, True):
        marks.dots(axes, [(value.est, y) for y, value, sim in found if value and sim is simulated], simulated)


def _subject(row: PanelRow, heads: Sequence[Panel]) -> Subject:
    parts = [f"{panel.head} {_told(value)}" for panel, value in zip(heads, row.values, strict=True) if value]
    seen = [f"{percent(row.coverage)} covered"] * (row.coverage < 1)
    tip = f"{row.label}: {'; '.join([*parts, *seen, *[row.said] * bool(row.said)])}"
    return Subject(row.label, row.simulated, tip + (", simulated" if row.simulated else ""))


def _told(value: Measured) -> str:
    return signed(value.est) + (f" ({signed(value.ci[0])} to {signed(value.ci[1])})" if value.ci else "")


def signed(value: float) -> str:
    """Two decimals with their sign; nothing has none."""
    text = f"{value:+.2f}"
    return text if float(text) else "0.00"


def _keys(given: Sequence[PanelRow], heads: Sequence[Panel]) -> list[marks.Key]:
    values = [(value, row.simulated) for row in given for value in row.values if value]
    keys = [
        (any(not simulated for _, simulated in values), marks.key_dot("estimate")),
        (any(simulated for _, simulated in values), marks.key_dot("estimate, simulated", True)),
        (any(value.ci for value, _ in values), marks.key_bar("95 % interval")),
        (any(panel.band for panel in heads), marks.Key("counts as none", _key_band)),
    ]
    return [key for there, key in keys if there]


def _key_band(axes: Axes, x: float, y: float) -> None:
    axes.fill_between((x - 11, x + 11), y - 6, y + 6, facecolor=palette.FAINT.sentinel, edgecolor="none")
