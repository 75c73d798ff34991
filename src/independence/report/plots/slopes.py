"""Stance against merit, one small panel a subject: a line for each asker, and between them their mean."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from independence.report.advice.breakdown import MeritLevel
from independence.report.plots import canvas, palette, rows, svg
from independence.report.plots.canvas import LABEL_SIZE
from independence.report.plots.svg import FigureMeta

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH: Final = 880.0
_COLUMNS: Final = 4
_GAP: Final = 26.0
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
    width = (_WIDTH - _LEFT + _GAP) / _COLUMNS - _GAP
    with canvas.drawing():
        figure = canvas.new_figure(_WIDTH, _HEAD - 20 + lines * (_PANEL + _BETWEEN))
        for place, panel in enumerate(given):
            down, across = divmod(place, _COLUMNS)
            top = _HEAD + down * (_PANEL + _BETWEEN)
            axes = canvas.axes_at(figure, (_LEFT + across * (width + _GAP), top, width, _PANEL))
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
    rows.add_dots(axes, neutral, "nobody's side asks", hollow=True, small=True)


def _add_line(axes: Axes, points: Sequence[tuple[float, float | None]], label: str, **look: Any) -> None:
    """A line over the points that there are; a single one is a dot."""
    there = [(merit, stance) for merit, stance in points if stance is not None]
    if there:
        look = {"linewidth": 2.5, "marker": "o" if len(there) == 1 else "", "markersize": 4, "zorder": 4, **look}
        axes.plot(*zip(*there, strict=True), label=label, **look)
