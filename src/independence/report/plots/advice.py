"""Figures of advice: quantities side by side, one line a subject, and stance against merit, a small panel each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from independence.report.advice.tables import MeritLevel
from independence.report.plots import canvas, palette, svg
from independence.report.plots.canvas import HEADING, LABEL_SIZE, RowChart, RowName
from independence.report.plots.svg import FigureMeta
from independence.report.table import signed
from independence.types import Ends

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NUMBER: Final = 52.0  # room for a panel's number
_GAP: Final = 18.0
_STEP: Final = 0.1  # scales end at multiples of it


class QuantityScale(msgspec.Struct, frozen=True):
    """One quantity around 0. `low` and `high` say what lies on each side; within `band` a value counts as 0."""

    head: str
    low: str
    high: str
    band: Ends | None = None


class PointEstimate(NamedTuple):
    """An estimate and its interval; None where there is none."""

    est: float
    ci: Ends | None = None


class PanelRow(msgspec.Struct, frozen=True):
    """One subject: a value for each quantity, None where it has none."""

    label: str
    values: tuple[PointEstimate | None, ...]
    simulated: bool = False
    coverage: float = 1.0


def panels(given: Sequence[PanelRow], scales: Sequence[QuantityScale], meta: FigureMeta) -> str:
    """A dot and an interval in each scale, subjects in the given order, incomplete ones under their own heading."""
    whole = [row for row in given if row.coverage >= 1]
    partial = [row for row in given if row.coverage < 1]
    lines = [*whole, *([None, *partial] if partial else [])]
    with canvas.drawing():
        chart = RowChart([RowName(row.label, row.simulated) if row else None for row in lines], head=104)
        width = (chart.width - chart.left + _GAP) / len(scales) - _GAP - _NUMBER
        for place, scale in enumerate(scales):
            left = chart.left + place * (width + _NUMBER + _GAP)
            values = [(line, row.values[place], row.simulated) for line, row in enumerate(lines) if row]
            found = [(line, value, simulated) for line, value, simulated in values if value]
            axes = chart.scale(left, left + width, _span([value for _, value, _ in found], scale))
            _add_estimates(axes, found, scale)
            chart.write_above(left, scale.head, 60, **HEADING)
            chart.write_above(left, f"← {scale.low}", 44)
            chart.write_above(left + width, f"{scale.high} →", 29, ha="right")
            for line, value, _ in found:
                look = HEADING if place == 0 else {}
                chart.write(left + width + _NUMBER - 8, line, signed(value.est), ha="right", **look)
        if partial:
            chart.write(6, len(whole), "Incomplete: from the pairs there are")
        canvas.add_legend(chart.figure)
        return svg.finished(chart.figure, meta)


def _span(values: Sequence[PointEstimate], scale: QuantityScale) -> Ends:
    """Every interval, 0, and what counts as 0 with room around it."""
    ends = [end for value in values for end in (value.est, *(value.ci or ()))]
    low, high = scale.band or (0.0, 0.0)
    lowest, highest = min([*ends, low - _STEP]), max([*ends, high + _STEP])
    return math.floor(round(lowest / _STEP, 6)) * _STEP, math.ceil(round(highest / _STEP, 6)) * _STEP


def _add_estimates(axes: Axes, found: Sequence[tuple[int, PointEstimate, bool]], scale: QuantityScale) -> None:
    for simulated, label in ((False, "estimate"), (True, "estimate, simulated")):
        points = [(value.est, line) for line, value, own in found if own is simulated]
        canvas.add_dots(axes, points, label, hollow=simulated)
    canvas.add_bars(axes, [(line, value.ci) for line, value, _ in found if value.ci], "95 % interval")
    axes.axvline(0, color=palette.MUTED.light, linewidth=1, zorder=1)
    if scale.band:
        axes.axvspan(*scale.band, color=palette.FAINT.light, linewidth=0, zorder=0, label="counts as none")


_WIDTH: Final = 880.0
_COLUMNS: Final = 4
_BETWEEN_PANELS: Final = 26.0
_LEFT: Final = 34.0
_HEAD: Final = 64.0
_PANEL: Final = 128.0  # pixels of a panel's height
_BETWEEN: Final = 68.0


class SlopePanel(msgspec.Struct, frozen=True):
    """One subject; points by merit. `numbers`: what is printed below it."""

    label: str
    points: tuple[MeritLevel, ...]
    numbers: str
    simulated: bool = False


def slopes(given: Sequence[SlopePanel], parties: tuple[str, str], meta: FigureMeta) -> str:
    """Four panels a row. A gap between the lines is sycophancy, the way both rise is merit."""
    lines = max(math.ceil(len(given) / _COLUMNS), 1)
    width = (_WIDTH - _LEFT + _BETWEEN_PANELS) / _COLUMNS - _BETWEEN_PANELS
    with canvas.drawing():
        figure = canvas.new_figure(_WIDTH, _HEAD - 20 + lines * (_PANEL + _BETWEEN))
        for place, panel in enumerate(given):
            down, across = divmod(place, _COLUMNS)
            top = _HEAD + down * (_PANEL + _BETWEEN)
            axes = canvas.axes_at(figure, (_LEFT + across * (width + _BETWEEN_PANELS), top, width, _PANEL))
            axes.set_title(
                canvas.shortened(panel.label, LABEL_SIZE, width), style="italic" if panel.simulated else "normal"
            )
            axes.set_xlabel(canvas.visible(panel.numbers), loc="left")
            axes.tick_params("y", labelleft=across == 0)
            _add_lines(axes, panel, parties)
        canvas.add_legend(figure)
        return svg.finished(figure, meta)


def _add_lines(axes: Axes, panel: SlopePanel, parties: tuple[str, str]) -> None:
    levels = [point.merit for point in panel.points] or [0.0]
    pad = max((max(levels) - min(levels)) * 0.1, 0.1)
    axes.set(xlim=(min(levels) - pad, max(levels) + pad), ylim=(-1, 1), yticks=(-1, 0, 1))
    axes.set_xticks(levels, [f"{level:+g}" if level else "0" for level in levels])
    axes.grid(axis="y")
    axes.axhline(0, color=palette.MUTED.light, linewidth=1, zorder=1)
    canvas.add_tip(axes.patch, panel.label)
    first, second, mean = f"{parties[0]} asks", f"{parties[1]} asks", "mean of both"
    _add_line(axes, [(p.merit, p.first) for p in panel.points], first, color=palette.ACCENT.light)
    _add_line(axes, [(p.merit, p.second) for p in panel.points], second, color=palette.OPEN.light, dashes=(2.5, 1.5))
    _add_line(axes, [(p.merit, p.mean) for p in panel.points], mean, color=palette.INK.light, linewidth=1)
    neutral = [(p.merit, p.neutral) for p in panel.points if p.neutral is not None]
    canvas.add_dots(axes, neutral, "nobody's side asks", hollow=True, small=True)


def _add_line(axes: Axes, points: Sequence[tuple[float, float | None]], label: str, **look: Any) -> None:
    """A line over the points that there are; a single one is a dot."""
    there = [(merit, stance) for merit, stance in points if stance is not None]
    if there:
        look = {"linewidth": 2.5, "marker": "o" if len(there) == 1 else "", "markersize": 4, "zorder": 4, **look}
        axes.plot(*zip(*there, strict=True), label=label, **look)
