"""The few signs charts are made of, each told from the others by form, and the line that explains them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from independence.report.plots import lettering, palette
from independence.report.plots.canvas import SMALL, Sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from independence.report.table import Ends

_KEY: Final = 22.0  # pixels of a sign in the legend
_GAP: Final = 20.0
_LINE: Final = 17.0


def dots(axes: Axes, points: Sequence[tuple[float, float]], hollow: bool = False, small: bool = False) -> None:
    """A full dot each, or a ring for simulated subjects; small ones let each other shine through."""
    if not points:
        return
    face = palette.PAPER if hollow else palette.ACCENT
    edge = palette.ACCENT if hollow else palette.PAPER
    axes.plot(
        *zip(*points, strict=True), "o", markersize=(6 if small else 8) - hollow, markerfacecolor=face.sentinel,
        markeredgecolor=edge.sentinel, markeredgewidth=1.5 if hollow else 1,
        alpha=0.65 if small and not hollow else None, clip_on=False, zorder=5,
    )  # fmt: skip


def tick(axes: Axes, x: float, y: float, half: float) -> None:
    """An upright line through a row: a mean."""
    axes.plot((x, x), (y - half, y + half), color=palette.INK.sentinel, linewidth=2, clip_on=False, zorder=6)


def bars(axes: Axes, ends: Sequence[tuple[float, Ends]], thin: bool = False) -> None:
    """Horizontal intervals as (height, ends): strong ones, or thin and paler ones."""
    for y, (low, high) in ends:
        axes.plot(
            (low, high), (y, y), color=(palette.SOFT if thin else palette.ACCENT).sentinel,
            linewidth=1.25 if thin else 3.5, solid_capstyle="butt", clip_on=False, zorder=3 if thin else 4,
        )  # fmt: skip


def open_bars(axes: Axes, ends: Sequence[tuple[float, Ends]], half: float, cut: bool = False) -> None:
    """Dashed outlines as (height, ends), reaching `half` up and down: what is not known. Cut ones have no left side."""
    for y, (low, high) in ends:
        outline = [(low, y - half), (high, y - half), (high, y + half), (low, y + half)]
        axes.plot(
            *zip(*(outline if cut else [*outline, outline[0]]), strict=True),
            color=palette.OPEN.sentinel, linewidth=1.25, dashes=(3, 2), clip_on=False, zorder=4,
        )  # fmt: skip


def arrows(axes: Axes, points: Sequence[tuple[float, float]], tone: palette.Tone) -> None:
    """Small heads that point to the left: the interval goes on beyond the scale shown."""
    if points:
        axes.plot(*zip(*points, strict=True), "<", markersize=5, color=tone.sentinel, clip_on=False, zorder=4)


def frontier(axes: Axes, steps: Sequence[tuple[float, float]]) -> None:
    """A dashed stair."""
    axes.plot(*zip(*steps, strict=True), color=palette.MUTED.sentinel, linewidth=1.25, dashes=(4, 3), zorder=2)


class Key(NamedTuple):
    """One sign of a legend: what it means, and how to draw it with its middle at a place."""

    text: str
    draw: Callable[[Axes, float, float], None]


def write_legend(sheet: Sheet, keys: Sequence[Key], x: float, y: float, stacked: bool = False) -> None:
    """Signs and their meaning on one line, or `stacked` one below the other."""
    for key in keys:
        key.draw(sheet.ground, x + _KEY / 2, y)
        sheet.text(x + _KEY + 6, y, key.text, SMALL)
        if stacked:
            y += _LINE
        else:
            x += _KEY + 6 + lettering.width(key.text, SMALL.size) + _GAP


def key_dot(text: str, hollow: bool = False, small: bool = False) -> Key:
    """The sign of a subject, or, small, of a run."""
    return Key(text, lambda axes, x, y: dots(axes, [(x, y)], hollow, small))


def key_tick(text: str) -> Key:
    """The sign of a mean."""
    return Key(text, lambda axes, x, y: tick(axes, x, y, 7))


def key_bar(text: str, thin: bool = False) -> Key:
    """The sign of an interval."""
    return Key(text, lambda axes, x, y: bars(axes, [(y, (x - _KEY / 2, x + _KEY / 2))], thin))


def key_open(text: str) -> Key:
    """The sign of an incomplete subject."""
    return Key(text, lambda axes, x, y: open_bars(axes, [(y, (x - _KEY / 2, x + _KEY / 2))], 4.5))


def key_frontier(text: str) -> Key:
    """The sign of a frontier."""
    return Key(text, lambda axes, x, y: frontier(axes, [(x - _KEY / 2, y), (x + _KEY / 2, y)]))
