"""Quantities of advice side by side, one line a subject."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from independence.report.plots import canvas, palette, rows, svg
from independence.report.plots.canvas import HEADING
from independence.report.plots.rows import RowChart, RowName, signed
from independence.report.plots.svg import FigureMeta
from independence.report.table import Ends

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
        rows.add_dots(axes, points, label, hollow=simulated)
    rows.add_bars(axes, [(line, value.ci) for line, value, _ in found if value.ci], "95 % interval")
    axes.axvline(0, color=palette.MUTED.light, linewidth=1, zorder=1)
    if scale.band:
        axes.axvspan(*scale.band, color=palette.FAINT.light, linewidth=0, zorder=0, label="counts as none")
