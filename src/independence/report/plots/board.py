"""Figures of a board: the index of every subject with its intervals, and the share it keeps of each scenario."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

import msgspec

from independence.report.plots import canvas, palette, svg
from independence.report.plots.canvas import HEADING, ROW, SMALL_SIZE, STRONG, Point, RowChart, RowName
from independence.report.plots.numbers import write_numbers
from independence.report.plots.palette import HEAT, HEAT_STEPS
from independence.report.plots.svg import FigureMeta
from independence.report.table import DASH, decimal, on_scale, percent
from independence.types import Ends

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
    bounds: Ends | None = None

    @property
    def lowest(self) -> float:
        """The index, or the worst that it can be."""
        return (self.bounds or (0.0, 0.0))[0] if self.index is None else self.index


def forest(given: Sequence[ForestRow], meta: FigureMeta, narrow: bool = False) -> str:
    """Dots with intervals, best on top, open bars where verdicts are missing; for a phone `narrow`.

    A subject without an index stands where its worst possible one puts it. A narrow chart has no column for the
    intervals, and only the ring tells a simulated subject.
    """
    lines = sorted(given, key=lambda row: -row.lowest)
    tiers, right = (22.0, _NARROW) if narrow else (40.0, canvas.WIDTH)
    names = [RowName(row.label, row.simulated and not narrow) for row in lines]
    with canvas.drawing():
        chart = RowChart(
            names, head=112 if narrow else 58, left=tiers, width=right,
            room=_NARROW_NAMES if narrow else canvas.NAME_ROOM,
        )  # fmt: skip
        span = canvas.index_span(_shown_ends([row for row in lines if row.index is not None]) or _shown_ends(lines))
        axes = chart.scale(chart.left, right - (54 if narrow else 160), span)
        _add_intervals(axes, lines, span)
        _add_ranges(axes, [(line, row) for line, row in enumerate(lines) if row.index is None], span)
        _add_tiers(chart, lines, middle=tiers * 0.4, head="T" if narrow else "Tier")
        chart.write_above(tiers, "Subject")
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
        own = [
            (row.index, line) for line, row in enumerate(ranked)
            if row.index is not None and row.simulated is simulated
        ]  # fmt: skip
        canvas.add_dots(axes, own, label, hollow=simulated)
    canvas.add_bars(axes, inner, "interval over these scenarios")
    canvas.add_bars(axes, outer, "over scenarios like these", thin=True)
    beyond = [line for line, row in enumerate(ranked) if row.outer and row.outer[0] < span[0]]
    _add_arrows(axes, beyond, low=span[0], tone=palette.SOFT)


def _within(ends: Ends, span: Ends) -> Ends:
    low, high = (min(max(end, span[0]), span[1]) for end in ends)
    return low, high


def _add_arrows(axes: Axes, lines: Sequence[int], *, low: float, tone: palette.Tone) -> None:
    """Small heads that point to the left: what is drawn goes on beyond the scale."""
    axes.plot([low] * len(lines), lines, "<", markersize=5, color=tone.light, zorder=4)


def _add_ranges(axes: Axes, open_: Sequence[tuple[int, ForestRow]], span: Ends) -> None:
    """A dashed box each, by line, with an arrow where it goes on beyond the scale."""
    if not open_:
        return
    ends = [_within(row.bounds or span, span) for _, row in open_]
    axes.barh(
        [line for line, _ in open_], [high - low for low, high in ends], left=[low for low, _ in ends], height=0.44,
        fill=False, edgecolor=palette.OPEN.light, linewidth=1.25, linestyle=(0, (3, 2)),
        label="incomplete: possible range",
    )  # fmt: skip
    beyond = [line for line, row in open_ if row.bounds and row.bounds[0] < span[0]]
    _add_arrows(axes, beyond, low=span[0], tone=palette.OPEN)


def _add_tiers(chart: RowChart, ranked: Sequence[ForestRow], *, middle: float, head: str) -> None:
    """Every other tier shaded. A subject without a tier stands within the one above it."""
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


def _add_numbers(chart: RowChart, lines: Sequence[ForestRow], narrow: bool) -> None:
    chart.column(chart.width - (2 if narrow else 96), "Index", [_index(row, narrow) for row in lines], **STRONG)
    if not narrow:
        chart.column(chart.width - 12, "Interval", [_pair(row.inner) for row in lines])


def _index(row: ForestRow, narrow: bool) -> str:
    """The index, or what it can be."""
    if row.index is not None:
        return decimal(row.index)
    return f"≥ {decimal(on_scale(row.lowest))}" if narrow else _pair(row.bounds)


_WIDEST, _NARROWEST = 37.0, 14.0
_FOR_CELLS: Final = 555.0
_FOR_TEXT: Final = 26.0  # pixels below which a cell stays without its number
_BETWEEN: Final = 10.0  # between experiments
_NAMES: Final = 110.0  # at most, for the turned names of scenarios


class HeatRow(msgspec.Struct, frozen=True):
    """One subject: the share of its scale kept, 0-1, per scenario; None where nothing was measured."""

    label: str
    shares: tuple[float | None, ...]
    simulated: bool = False


def heatmap(given: Sequence[HeatRow], experiments: Mapping[str, str], meta: FigureMeta) -> str:
    """A cell a subject and scenario, subjects as given, scenarios by experiment; absent cells are struck, not coloured.

    `experiments` names each scenario's own. Raises ValueError for a row whose shares are not one a scenario.
    """
    if any(len(row.shares) != len(experiments) for row in given):
        raise ValueError("each row of a heatmap has one share per scenario")
    groups: dict[str, list[int]] = {}
    for place, experiment in enumerate(experiments.values()):
        groups.setdefault(experiment, []).append(place)
    cell = min(max(_FOR_CELLS / max(len(experiments), 1), _NARROWEST), _WIDEST)
    with canvas.drawing():
        names = [(canvas.shortened(scenario, SMALL_SIZE, _NAMES), scenario) for scenario in experiments]
        tallest = math.ceil(max((canvas.text_width(name, SMALL_SIZE) for name, _ in names), default=0.0))
        again = len(given) >= canvas.REPEAT_FROM
        chart = RowChart(
            [RowName(row.label, row.simulated) for row in given], head=64 + tallest,
            foot=12 + tallest * again,
            width=max(canvas.WIDTH, canvas.NAME_ROOM + 32 + cell * len(experiments) + _BETWEEN * len(groups)),
        )  # fmt: skip
        left = chart.left
        for experiment, members in groups.items():
            _add_experiment(chart, experiment, left=left, width=cell * len(members))
            for column, place in enumerate(members):
                _add_scenario(chart, *names[place], middle=left + (column + 0.5) * cell, again=again)
            shares = [[row.shares[place] for place in members] for row in given]
            _add_cells(chart.ground, shares, left=left, cell=cell)
            left += cell * len(members) + _BETWEEN
        _add_ramp(chart)
        return svg.finished(chart.figure, meta)


def _add_experiment(chart: RowChart, name: str, *, left: float, width: float) -> None:
    """The head over an experiment's scenarios."""
    up = chart.head - 43
    text = canvas.shortened(name, SMALL_SIZE, width)
    canvas.add_tip(chart.write_above(left, text, up, **HEADING), name)
    line = -0.5 - (up - 9) / ROW
    chart.ground.plot((left, left + width - 1), (line, line), color=palette.MUTED.light, linewidth=1)


def _add_scenario(chart: RowChart, name: str, scenario: str, *, middle: float, again: bool) -> None:
    """A turned name above the column of a scenario, and `again` below it."""
    canvas.add_tip(canvas.write(chart.ground, (middle, -0.5 - 6 / ROW), name, rotation=90), scenario)
    if again:
        canvas.add_tip(
            canvas.write(chart.ground, (middle, chart.lines - 0.5 + 6 / ROW), name, rotation=90, ha="right"),
            scenario,
        )


def heat_step(share: float) -> int:
    """The colour of a share: step 0 is everything kept, the last step nothing; only a full share has step 0."""
    lost = min(max(1 - share, 0.0), 1.0)
    return max(round(lost * (HEAT_STEPS - 1)), 1 if lost > 0 else 0)


def _add_cells(ground: Axes, shares: Sequence[Sequence[float | None]], *, left: float, cell: float) -> None:
    """Coloured cells with their numbers; hatched ones where there is no share."""
    absent: list[tuple[float, int]] = []
    written: dict[str, list[tuple[Point, str]]] = {}  # by colour
    for line, own in enumerate(shares):
        for place, share in enumerate(own):
            x = left + place * cell
            if share is None:
                absent.append((x, line))
            elif cell >= _FOR_TEXT:
                number, colour = percent(share).removesuffix("%"), palette.ink_on(heat_step(share)).light
                written.setdefault(colour, []).append(((x + (cell - 1) / 2, line), number))
    for colour, placed in written.items():
        write_numbers(ground, placed, color=colour, fontsize=10)
    if absent:
        xs, struck = zip(*absent, strict=True)
        ground.barh(
            struck, cell - 1, left=xs, height=1 - 1 / ROW, fill=False, hatch="//", edgecolor=palette.SOFT.light,
            linewidth=0, label="absent",
        )  # fmt: skip
    if shares and len(absent) < len(shares) * len(shares[0]):
        steps = [[float("nan") if share is None else heat_step(share) for share in own] for own in shares]
        edges = [left - 0.5 + place * cell for place in range(len(shares[0]) + 1)]
        lines = [line - 0.5 for line in range(len(shares) + 1)]
        _paint(ground, steps, across=edges, down=lines, edgecolors=palette.PAPER.light, linewidth=1, zorder=0)


def _paint(
    axes: Axes, steps: Sequence[Sequence[float]], *, across: Sequence[float], down: Sequence[float], **style: Any
) -> None:
    from matplotlib.colors import ListedColormap

    colours = ListedColormap([tone.light for tone in HEAT])
    axes.pcolormesh(across, down, steps, cmap=colours, vmin=0, vmax=HEAT_STEPS - 1, **style)


def _add_ramp(chart: RowChart) -> None:
    """What the colours mean."""
    text = "share of the scale kept, in percent: 0"
    left, up = 6 + canvas.text_width(text, SMALL_SIZE) + 8, chart.head - 16
    chart.write_above(6, text, up)
    chart.write_above(left + 6 * HEAT_STEPS + 8, "100", up)
    axes = canvas.axes_at(chart.figure, (left, 10, 6 * HEAT_STEPS, 12))
    axes.set_axis_off()
    _paint(axes, [range(HEAT_STEPS)[::-1]], across=range(HEAT_STEPS + 1), down=(0, 1))
    canvas.add_legend(chart.figure, left + 6 * HEAT_STEPS + 52)
