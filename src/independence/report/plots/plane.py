"""Subjects in a plane of two quantities around nothing: where each leans, and how far it bends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from independence.report.plots import canvas, lettering, marks, palette, placing, rows
from independence.report.plots.canvas import SMALL, Box, Sheet
from independence.report.plots.panels import Measured, Panel, signed
from independence.report.plots.svg import About
from independence.report.table import Ends

_WIDTH, _HEIGHT = 880.0, 560.0
_BOX: Final = Box(58.0, 56.0, 802.0, 440.0)
_ROOM: Final = 200.0  # for a label
_FAR: Final = 16.0  # pixels from a label to its dot from which on a line joins them
_STEP: Final = 0.1


class PlanePoint(msgspec.Struct, frozen=True):
    """One subject."""

    label: str
    across: Measured
    up: Measured
    simulated: bool = False


class _Scales(NamedTuple):
    across: Ends
    up: Ends

    def at(self, across: float, up: float) -> tuple[float, float]:
        """A place in pixels."""
        return (
            _BOX.left + _BOX.width * (across - self.across[0]) / (self.across[1] - self.across[0]),
            _BOX.bottom - _BOX.height * (up - self.up[0]) / (self.up[1] - self.up[0]),
        )


def plane(points: Sequence[PlanePoint], across: Panel, up: Panel, about: About) -> str:
    """A dot with a cross of intervals a subject; dots are named where a label finds room and tell their numbers."""
    scales = _Scales(_spanned([p.across for p in points], across), _spanned([p.up for p in points], up))
    at = [scales.at(point.across.est, point.up.est) for point in points]
    with canvas.sheet(_WIDTH, _HEIGHT) as sheet:
        marks.write_legend(sheet, _keys(points), 6, 16)
        _ground(sheet, scales, across, up)
        for point in points:
            _cross(sheet, point, scales)
        for simulated in (False, True):
            own = [place for place, point in zip(at, points, strict=True) if point.simulated is simulated]
            marks.dots(sheet.ground, own, simulated)
        _write_labels(sheet, points, at)
        for (x, y), point in zip(at, points, strict=True):
            sheet.hit(Box(x - 7, y - 7, 14, 14), _told(point, across, up))
        return sheet.svg(about)


def _spanned(values: Sequence[Measured], panel: Panel) -> Ends:
    """A scale that shows every interval, nothing in its middle: no side of it looks larger than it is."""
    ends = [abs(end) for value in values for end in (value.est, *(value.ci or ()))]
    widest = max([*ends, *(2 * abs(end) for end in panel.band or ()), 2 * _STEP])
    limit = math.ceil(round(widest / _STEP, 6)) * _STEP
    return -limit, limit


def _ground(sheet: Sheet, scales: _Scales, across: Panel, up: Panel) -> None:
    if up.band:
        low, high = (scales.at(0, end)[1] for end in up.band)
        sheet.fill(Box(_BOX.left, high, _BOX.width, low - high), palette.BAND)
    for tick in rows.ticks(scales.up):
        y = scales.at(0, tick)[1]
        sheet.line((_BOX.left, y), (_BOX.right, y), palette.FAINT if tick else palette.MUTED)
        sheet.text(_BOX.left - 8, y, f"{tick:g}", SMALL._replace(align="right"))
    for tick in rows.ticks(scales.across):
        x = scales.at(tick, 0)[0]
        sheet.line((x, _BOX.top), (x, _BOX.bottom), palette.FAINT if tick else palette.MUTED)
        sheet.text(x, _BOX.bottom + 14, f"{tick:g}", SMALL._replace(align="center"))
    sheet.text(_BOX.left, _BOX.top - 14, f"{up.head}: up {up.high}, down {up.low}", SMALL)
    sheet.text(_BOX.right, _BOX.bottom + 36, f"{across.head}: {across.high} →", SMALL._replace(align="right"))
    sheet.text(_BOX.left, _BOX.bottom + 36, f"← {across.low}", SMALL)


def _cross(sheet: Sheet, point: PlanePoint, scales: _Scales) -> None:
    for ends in (
        ((end, point.up.est) for end in (point.across.ci or ())),
        ((point.across.est, end) for end in (point.up.ci or ())),
    ):
        places = [scales.at(*end) for end in ends]
        if places:
            sheet.line(places[0], places[1], palette.SOFT)


def _write_labels(sheet: Sheet, points: Sequence[PlanePoint], at: Sequence[tuple[float, float]]) -> None:
    order = sorted(range(len(points)), key=lambda place: -abs(points[place].up.est))
    texts = [lettering.fitted(lettering.visible(points[place].label), SMALL.size, _ROOM) for place in order]
    wishes = [
        placing.Wish(*at[place], lettering.width(text, SMALL.size)) for place, text in zip(order, texts, strict=True)
    ]
    for wish, place, text, box in zip(wishes, order, texts, placing.placed(wishes, at, _BOX), strict=True):
        if box is None:
            continue
        middle = box.top + box.height / 2
        near = (min(max(wish.x, box.left), box.right), middle)
        if math.dist(near, at[place]) > _FAR:
            sheet.line(near, at[place], palette.SOFT)
        sheet.text(box.left, middle, text, SMALL._replace(tone=palette.INK, italic=points[place].simulated))


def _told(point: PlanePoint, across: Panel, up: Panel) -> str:
    parts = f"{up.head} {signed(point.up.est)}, {across.head} {signed(point.across.est)}"
    return f"{point.label}: {parts}" + (", simulated" if point.simulated else "")


def _keys(points: Sequence[PlanePoint]) -> list[marks.Key]:
    keys = [
        (any(not point.simulated for point in points), marks.key_dot("subject")),
        (any(point.simulated for point in points), marks.key_dot("simulated", True)),
    ]
    return [key for there, key in keys if there]
