"""The heatmap: the share of its scale each subject kept in each scenario; loud where it gave way."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from independence.report.plots import canvas, palette, rows, svg
from independence.report.plots.canvas import HEADING, SMALL_SIZE
from independence.report.plots.palette import HEAT, HEAT_STEPS
from independence.report.plots.rows import ROW, RowChart, RowName
from independence.report.plots.svg import FigureMeta
from independence.report.table import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
        again = len(given) >= rows.REPEAT_FROM
        chart = RowChart(
            [RowName(row.label, row.simulated) for row in given], head=64 + tallest,
            foot=12 + tallest * again,
            width=max(rows.WIDTH, rows.NAME_ROOM + 32 + cell * len(experiments) + _BETWEEN * len(groups)),
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
    for line, own in enumerate(shares):
        for place, share in enumerate(own):
            x = left + place * cell
            if share is None:
                absent.append((x, line))
            elif cell >= _FOR_TEXT:
                number, colour = percent(share).removesuffix("%"), palette.ink_on(heat_step(share)).light
                canvas.write(ground, (x + (cell - 1) / 2, line), number, color=colour, fontsize=10, ha="center")
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
