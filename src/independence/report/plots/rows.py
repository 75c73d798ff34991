"""Figures with one line a subject: names at the left, scales in the middle, numbers at the right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from independence.report.plots import canvas, palette
from independence.report.plots.canvas import LABEL, LABEL_SIZE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patches import Rectangle
    from matplotlib.text import Text

    from independence.report.table import Ends

Point = tuple[float, float]

ROW: Final = 20.0  # pixels
NAME_ROOM: Final = 270.0
REPEAT_FROM: Final = 25  # lines from which on the scale above a figure stands below it too
WIDTH: Final = 880.0
_GAP: Final = 14.0
_SIMULATED: Final = " · simulated"


class RowName(NamedTuple):
    """Whom a line is about; a reader who points at it sees the whole label."""

    label: str
    simulated: bool


class RowChart:
    """A figure of lines, numbered from 0 at the top. Coordinates of its texts: pixels from the left, and the line."""

    def __init__(
        self, names: Sequence[RowName | None], *, head: float, left: float = 6.0, width: float = WIDTH,
        room: float = NAME_ROOM, foot: float = 22.0,
    ) -> None:  # fmt: skip
        """Write `names`, each in at most `room` pixels from `left`; under None the line stays empty."""
        self.width, self.head, self.lines = width, head, max(len(names), 1)
        self.figure = canvas.new_figure(width, head + self.lines * ROW + foot)
        self.ground = canvas.axes_at(self.figure, (0, head, width, self.lines * ROW))
        self.ground.set(xlim=(0, width), ylim=(self.lines - 0.5, -0.5))
        self.ground.set_axis_off()
        texts = [_text(name, room) if name else "" for name in names]
        self.left = left + math.ceil(max((canvas.text_width(text, LABEL_SIZE) for text in texts), default=0.0)) + _GAP
        for line, (name, text) in enumerate(zip(names, texts, strict=True)):
            if name is not None:
                canvas.add_tip(self._band(line, 1, "none"), name.label)
                self.write(left, line, text, **LABEL, style="italic" if name.simulated else "normal")

    def scale(self, left: float, right: float, span: Ends) -> Axes:
        """Axes over all lines between two places, with round numbers of a linear scale above."""
        from matplotlib.ticker import MaxNLocator

        axes = canvas.axes_at(self.figure, (left, self.head, right - left, self.lines * ROW))
        axes.set(xlim=span, ylim=(self.lines - 0.5, -0.5), yticks=())
        axes.xaxis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]))
        axes.xaxis.set_major_formatter("{x:g}")
        axes.tick_params("x", labeltop=True, labelbottom=self.lines >= REPEAT_FROM, pad=2.5)
        axes.grid(axis="x")
        return axes

    def shade(self, first: int, count: int = 1) -> None:
        """A band behind some lines."""
        self._band(first, count, palette.BAND.light).set_zorder(0)

    def _band(self, first: int, count: int, colour: str) -> Rectangle:
        from matplotlib.patches import Rectangle

        band = Rectangle((0, first - 0.5), self.width, count, facecolor=colour, edgecolor="none")
        self.ground.add_patch(band)
        return band

    def write(self, x: float, line: float, text: str, **look: Any) -> Text:
        """A text in a line."""
        return canvas.write(self.ground, (x, line), text, **look)

    def write_above(self, x: float, text: str, up: float = 9.0, **look: Any) -> Text:
        """A text some pixels above the lines."""
        return self.write(x, -0.5 - up / ROW, text, **look)

    def column(self, right: float, head: str, texts: Sequence[str], **look: Any) -> None:
        """Texts with a common right edge, one a line, under a head."""
        self.write_above(right, head, ha="right")
        for line, text in enumerate(texts):
            self.write(right, line, text, ha="right", **look)


def _text(name: RowName, room: float) -> str:
    tail = _SIMULATED if name.simulated else ""
    return canvas.shortened(name.label, LABEL_SIZE, room - canvas.text_width(tail, LABEL_SIZE)) + tail


def add_dots(
    axes: Axes, points: Sequence[tuple[float, float]], label: str, *, hollow: bool, small: bool = False
) -> None:
    """A full dot each, or a ring for simulated subjects; small ones let each other shine through."""
    if points:
        face, edge = (palette.PAPER, palette.ACCENT) if hollow else (palette.ACCENT, palette.PAPER)
        axes.plot(
            *zip(*points, strict=True), "o", markersize=(6 if small else 8) - hollow, markerfacecolor=face.light,
            markeredgecolor=edge.light, markeredgewidth=1.5 if hollow else 1,
            alpha=0.65 if small and not hollow else None, label=label, zorder=5,
        )  # fmt: skip


def add_bars(axes: Axes, ends: Sequence[tuple[float, Ends]], label: str, *, thin: bool = False) -> None:
    """Horizontal intervals as (line, ends): strong ones, or thin and paler ones."""
    if ends:
        lows, highs = zip(*(pair for _, pair in ends), strict=True)
        axes.hlines(
            [line for line, _ in ends], lows, highs, colors=(palette.SOFT if thin else palette.ACCENT).light,
            linewidth=1.25 if thin else 3.5, label=label, zorder=3 if thin else 4,
        )  # fmt: skip


def index_span(values: Sequence[float]) -> Ends:
    """The part of the index scale, 0-100, that shows all values: from a multiple of ten below them to 100."""
    low = min(values, default=0.0)
    return max(0.0, min(math.floor((low - 1) / 10) * 10.0, 90.0)), 100.0


def signed(value: float) -> str:
    """Two decimals with their sign; nothing has none."""
    text = f"{value:+.2f}"
    return text if float(text) else "0.00"
