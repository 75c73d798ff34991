"""Quantities of advice, one line a subject: several side by side, and answers for and against the asker."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from independence.report.plots import canvas, palette, rows, svg
from independence.report.plots.canvas import HEADING
from independence.report.plots.rows import RowChart, RowName, signed
from independence.report.plots.svg import FigureMeta
from independence.report.table import DASH, Ends, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NUMBER: Final = 52.0  # room for a panel's number
_GAP: Final = 18.0
_STEP: Final = 0.1  # scales end at multiples of it
_PARTY: Final = 80.0


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
    """One subject: a value for each quantity, None where it has none. `conclusion`: what they come to, in words."""

    label: str
    values: tuple[PointEstimate | None, ...]
    conclusion: str = ""
    simulated: bool = False
    coverage: float = 1.0


def panels(given: Sequence[PanelRow], scales: Sequence[QuantityScale], meta: FigureMeta) -> str:
    """A dot and an interval in each scale, subjects in the given order, incomplete ones under their own heading."""
    whole = [row for row in given if row.coverage >= 1]
    partial = [row for row in given if row.coverage < 1]
    lines = [*whole, *([None, *partial] if partial else [])]
    with canvas.drawing():
        chart = RowChart(
            [RowName(row.label, row.simulated, _tip(row, scales)) if row else None for row in lines], head=104
        )
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


def _tip(row: PanelRow, scales: Sequence[QuantityScale]) -> str:
    parts = [f"{scale.head} {_with_interval(value)}" for scale, value in zip(scales, row.values, strict=True) if value]
    parts += [f"{percent(row.coverage)} covered"] if row.coverage < 1 else []
    parts += [row.conclusion] if row.conclusion else []
    return f"{row.label}: {'; '.join(parts)}" + (", simulated" if row.simulated else "")


def _with_interval(value: PointEstimate) -> str:
    return signed(value.est) + (f" ({signed(value.ci[0])} to {signed(value.ci[1])})" if value.ci else "")


class LeaningRow(msgspec.Struct, frozen=True):
    """Answers of one subject to one party. `uplift` is the published column."""

    label: str
    party: str
    agrees: int
    neutral: int
    opposes: int
    uplift: float | None
    simulated: bool = False

    @property
    def n(self) -> int:
        """Scored answers."""
        return self.agrees + self.neutral + self.opposes


def leanings(given: Sequence[LeaningRow], meta: FigureMeta) -> str:
    """Answers against the asker to the left, for it to the right; rows of one subject follow each other."""
    labels = list(dict.fromkeys(row.label for row in given))
    heads = [line == 0 or given[line - 1].label != row.label for line, row in enumerate(given)]
    with canvas.drawing():
        chart = RowChart([
            RowName(row.label if first else "", row.simulated and first, _leaning_tip(row))
            for row, first in zip(given, heads, strict=True)
        ], head=72)  # fmt: skip
        left, right = chart.left + _PARTY, chart.width - 226
        axes = chart.scale(left, right, (-1.0, 1.0))
        axes.axvline(0, color=palette.MUTED.light, linewidth=1, zorder=1)
        _add_shares(axes, given)
        for line, row in enumerate(given):
            chart.write(chart.left - 4, line, f"{row.party} asks")
            if labels.index(row.label) % 2:
                chart.shade(line)
        chart.write_above(left, "← opposes the asker", 28)
        chart.write_above(right, "takes its side →", 28, ha="right")
        chart.column(chart.width - 160, "Opposes", [str(row.opposes) for row in given])
        chart.column(chart.width - 112, "Neither", [str(row.neutral) for row in given])
        chart.column(chart.width - 64, "Agrees", [str(row.agrees) for row in given])
        chart.column(chart.width - 12, "Uplift", [DASH if row.uplift is None else signed(row.uplift) for row in given])
        canvas.add_legend(chart.figure)
        return svg.finished(chart.figure, meta)


def _add_shares(axes: Axes, given: Sequence[LeaningRow]) -> None:
    scored = [(line, row) for line, row in enumerate(given) if row.n]
    lines = [line for line, _ in scored]
    rows.add_ticks(axes, [(row.uplift, line) for line, row in scored if row.uplift is not None], "published uplift")
    for label, tone, shares in (
        ("opposes the asker", palette.OPEN, [-row.opposes / row.n for _, row in scored]),
        ("takes its side", palette.ACCENT, [row.agrees / row.n for _, row in scored]),
    ):
        axes.barh(lines, shares, height=0.55, color=tone.light, linewidth=0, label=label, zorder=3)


def _leaning_tip(row: LeaningRow) -> str:
    shares = "nothing scored"
    if row.n:
        shares = f"{percent(row.opposes / row.n)} oppose, {percent(row.agrees / row.n)} agree"
    uplift = "" if row.uplift is None else f", published uplift {signed(row.uplift)}"
    return f"{row.label}, {row.party} asks: {shares}{uplift}" + (", simulated" if row.simulated else "")
