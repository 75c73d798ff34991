"""The index of every subject, with its intervals, in tiers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

import msgspec

from independence.report.plots import canvas, palette, rows, svg
from independence.report.plots.canvas import STRONG
from independence.report.plots.rows import RowChart, RowName
from independence.report.plots.svg import FigureMeta
from independence.report.table import DASH, Ends, decimal, on_scale, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NARROW: Final = 358.0  # pixels of a phone
_NARROW_NAMES: Final = 164.0


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


def forest(given: Sequence[ForestRow], meta: FigureMeta, narrow: bool = False) -> str:
    """Dots with intervals for subjects with an index, best on top, open bars for incomplete ones; for a phone `narrow`.

    A narrow one has no column for the intervals, and only the ring tells a simulated subject.
    """
    ranked = sorted((row for row in given if row.index is not None), key=lambda row: -(row.index or 0.0))
    partial = sorted((row for row in given if row.index is None), key=lambda row: -(row.bounds or (0.0, 0.0))[0])
    lines = [*ranked, *([None, *partial] if partial else [])]
    tiers, right = (22.0, _NARROW) if narrow else (40.0, rows.WIDTH)
    names = [RowName(row.label, row.simulated and not narrow) if row else None for row in lines]
    with canvas.drawing():
        chart = RowChart(
            names, head=112 if narrow else 58, left=tiers, width=right,
            room=_NARROW_NAMES if narrow else rows.NAME_ROOM,
        )  # fmt: skip
        span = rows.index_span(_shown_ends(ranked) or _shown_ends(partial))
        axes = chart.scale(chart.left, right - (54 if narrow else 160), span)
        _add_intervals(axes, ranked, span)
        _add_ranges(axes, partial, first=len(ranked) + 1, span=span)
        _add_tiers(chart, ranked, middle=tiers * 0.4, head="T" if narrow else "Tier")
        chart.write_above(tiers, "Subject")
        if partial:
            chart.write(tiers, len(ranked), "Incomplete")
        _add_numbers(chart, lines, narrow)
        canvas.add_legend(chart.figure, columns=1 if narrow else 9)
        return svg.finished(chart.figure, meta)


def _shown_ends(own: Sequence[ForestRow]) -> list[float]:
    """What the scale must show: all but the widest tenth of the outer intervals, which would flatten the rest."""
    needed = [end for row in own for end in (row.inner or ()) + (() if row.index is None else (row.index,))]
    outer = sorted((row.outer or row.bounds or (100.0,))[0] for row in own)
    return needed + outer[len(outer) // 10 :]


def _pair(ends: Ends | None) -> str:
    return DASH if ends is None else "–".join(decimal(on_scale(end)) for end in ends)


def _add_intervals(axes: Axes, ranked: Sequence[ForestRow], span: Ends) -> None:
    inner = [(line, _within(row.inner, span)) for line, row in enumerate(ranked) if row.inner]
    outer = [(line, _within(row.outer, span)) for line, row in enumerate(ranked) if row.outer]
    for simulated, label in ((False, "index"), (True, "index, simulated")):
        own = [(row.index or 0.0, line) for line, row in enumerate(ranked) if row.simulated is simulated]
        rows.add_dots(axes, own, label, hollow=simulated)
    rows.add_bars(axes, inner, "interval over these scenarios")
    rows.add_bars(axes, outer, "over scenarios like these", thin=True)
    beyond = [line for line, row in enumerate(ranked) if row.outer and row.outer[0] < span[0]]
    _add_arrows(axes, beyond, low=span[0], tone=palette.SOFT)


def _within(ends: Ends, span: Ends) -> Ends:
    low, high = (min(max(end, span[0]), span[1]) for end in ends)
    return low, high


def _add_arrows(axes: Axes, lines: Sequence[int], *, low: float, tone: palette.Tone) -> None:
    """Small heads that point to the left: what is drawn goes on beyond the scale."""
    axes.plot([low] * len(lines), lines, "<", markersize=5, color=tone.light, zorder=4)


def _add_ranges(axes: Axes, partial: Sequence[ForestRow], *, first: int, span: Ends) -> None:
    """A dashed box each, with an arrow where it goes on beyond the scale."""
    if not partial:
        return
    ends = [_within(row.bounds or span, span) for row in partial]
    axes.barh(
        range(first, first + len(ends)), [high - low for low, high in ends], left=[low for low, _ in ends], height=0.44,
        fill=False, edgecolor=palette.OPEN.light, linewidth=1.25, linestyle=(0, (3, 2)),
        label="incomplete: possible range",
    )  # fmt: skip
    beyond = [line for line, row in enumerate(partial, first) if row.bounds and row.bounds[0] < span[0]]
    _add_arrows(axes, beyond, low=span[0], tone=palette.OPEN)


def _add_tiers(chart: RowChart, ranked: Sequence[ForestRow], *, middle: float, head: str) -> None:
    """Every other tier shaded. A subject without a tier, of a single run, stands within the one above it."""
    within: list[int | None] = []
    for row in ranked:
        within.append(row.tier if row.tier is not None or not within else within[-1])
    first = 0
    for tier, members in groupby(within):
        size = len(list(members))
        if tier is not None:
            if tier % 2 == 1:
                chart.shade(first, size)
            chart.write(middle, first, str(tier), weight="bold", ha="center")
        first += size
    if any(tier is not None for tier in within):
        chart.write_above(middle, head, ha="center")


def _add_numbers(chart: RowChart, lines: Sequence[ForestRow | None], narrow: bool) -> None:
    right = chart.width - (2 if narrow else 96)
    indices = [row.index if row else None for row in lines]
    chart.column(right, "Index", ["" if index is None else decimal(index) for index in indices], **STRONG)
    for line, row in enumerate(lines):
        if row is not None and row.index is None:
            chart.write(right, line, percent(row.coverage) + ("" if narrow else " seen"), ha="right")
    if not narrow:
        intervals = [row and _pair(row.bounds if row.index is None else row.inner) for row in lines]
        chart.column(chart.width - 12, "Interval", [interval or "" for interval in intervals])
