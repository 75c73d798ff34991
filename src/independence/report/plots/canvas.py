"""The style sheet of all figures, sizes in pixels instead of inches, and charts with one line a subject."""

from __future__ import annotations

import math
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from independence.report.legend import fitted
from independence.report.plots import palette
from independence.types import Ends

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle
    from matplotlib.text import Text

Point = tuple[float, float]
TIP: Final = "tip: "  # before the hover text of a group, which is its id
SMALL_SIZE: Final = 10.5
LABEL_SIZE: Final = 12.0
_DOTS_PER_INCH: Final = 72  # so that one point of matplotlib is one pixel of the SVG
_STYLE: Final = Path(__file__).with_name("figures.mplstyle")
LABEL: Final = {"fontsize": LABEL_SIZE, "color": palette.INK.light}
STRONG: Final = {**LABEL, "weight": "bold"}
HEADING: Final = {"color": palette.INK.light, "weight": "bold"}
_REPLACED: Final = {"Cs": "\ufffd", "Cn": "\ufffd", **dict.fromkeys(("Cc", "Cf", "Co", "Zl", "Zp"), " ")}


@contextmanager
def drawing() -> Iterator[None]:
    """Draw under the figures' own style sheet; the program's settings of matplotlib stay as they are."""
    from matplotlib import style

    with style.context(["default", _STYLE]), warnings.catch_warnings():
        # Text stays text in the SVG: a glyph that this font lacks is drawn by the reader's own.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of a size in pixels."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width / _DOTS_PER_INCH, height / _DOTS_PER_INCH))


def axes_at(figure: Figure, box: tuple[float, float, float, float]) -> Axes:
    """Axes in a box of pixels: left, top measured downwards, width and height."""
    left, top, width, height = box
    whole_width, whole_height = figure.get_size_inches() * _DOTS_PER_INCH
    place = (left / whole_width, 1 - (top + height) / whole_height, width / whole_width, height / whole_height)
    return figure.add_axes(place)


def write(axes: Axes, at: tuple[float, float], text: str, **look: Any) -> Text:
    """One line of text with the middle of its letters at a place."""
    # A text of the axes would be given a path to be clipped at, which takes long in large figures; nothing is clipped.
    look = {"transform": axes.transData, "va": "center_baseline", "rotation_mode": "anchor", **look}
    return axes.figure.text(*at, visible(text), **look)


def add_legend(figure: Figure, left: float = 6.0, columns: int = 9) -> None:
    """Explain every labelled mark of the figure once, in its upper left corner."""
    width, height = figure.get_size_inches() * _DOTS_PER_INCH
    pairs = [zip(*axes.get_legend_handles_labels(), strict=True) for axes in figure.axes]
    if found := {label: handle for own in pairs for handle, label in own}:
        corner = (left / width, 1 - 12 / height)
        figure.legend([*found.values()], [*found], loc="upper left", bbox_to_anchor=corner, ncols=columns)


def add_tip(artist: Artist, text: str) -> None:
    """Show a text to readers who point at an artist."""
    artist.set_gid(TIP + visible(text))


def visible(text: str) -> str:
    """One line without control, format or unassigned characters; what cannot be encoded becomes a replacement sign."""
    return " ".join("".join(_REPLACED.get(unicodedata.category(sign), sign) for sign in text).split())


@lru_cache(maxsize=4096)
def text_width(text: str, size: float) -> float:
    """Pixels a text takes in matplotlib's font, which is wider than most readers'. Within `drawing` only."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    # That font has no glyphs for wide signs; a W is as wide as they are.
    latin = "".join("W" if unicodedata.east_asian_width(sign) in "WF" else sign for sign in text)
    return float(text_to_path.get_text_width_height_descent(latin, FontProperties(size=size), ismath=False)[0])


def shortened(text: str, size: float, room: float) -> str:
    """The text as people see it, cut in its middle where it is wider than `room` pixels. Within `drawing` only."""
    text = visible(text)
    signs = min(len(text), math.ceil(len(text) * room / max(text_width(text, size), 1)) + 2)
    while signs > 1 and text_width(fitted(text, signs), size) > room:
        signs -= 1
    return fitted(text, signs)


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
        self.figure = new_figure(width, head + self.lines * ROW + foot)
        self.ground = axes_at(self.figure, (0, head, width, self.lines * ROW))
        self.ground.set(xlim=(0, width), ylim=(self.lines - 0.5, -0.5))
        self.ground.set_axis_off()
        texts = [_text(name, room) if name else "" for name in names]
        self.left = left + math.ceil(max((text_width(text, LABEL_SIZE) for text in texts), default=0.0)) + _GAP
        for line, (name, text) in enumerate(zip(names, texts, strict=True)):
            if name is not None:
                add_tip(self._band(line, 1, "none"), name.label)
                self.write(left, line, text, **LABEL, style="italic" if name.simulated else "normal")

    def scale(self, left: float, right: float, span: Ends) -> Axes:
        """Axes over all lines between two places, with round numbers of a linear scale above."""
        from matplotlib.ticker import MaxNLocator

        axes = axes_at(self.figure, (left, self.head, right - left, self.lines * ROW))
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
        self.ground.add_artist(band)  # the limits of the axes are known
        return band

    def write(self, x: float, line: float, text: str, **look: Any) -> Text:
        """A text in a line."""
        return write(self.ground, (x, line), text, **look)

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
    return shortened(name.label, LABEL_SIZE, room - text_width(tail, LABEL_SIZE)) + tail


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
