"""The style sheet of all figures, and the few things matplotlib is asked for in pixels instead of inches."""

from __future__ import annotations

import math
import unicodedata
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from independence.report.legend import fitted
from independence.report.plots import palette

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

TIP: Final = "tip: "  # before the hover text of a group, which is its id
SMALL_SIZE: Final = 10.5
LABEL_SIZE: Final = 12.0
_DOTS_PER_INCH: Final = 72  # so that one point of matplotlib is one pixel of the SVG
_STYLE: Final = {
    "figure.dpi": _DOTS_PER_INCH,
    "figure.facecolor": palette.PAPER.light,
    "font.family": "DejaVu Sans",  # ships with matplotlib: the same measures, hence the same bytes, everywhere
    "font.size": SMALL_SIZE,
    "text.color": palette.MUTED.light,
    "text.parse_math": False,
    "axes.facecolor": "none",
    **{f"axes.spines.{side}": False for side in ("left", "right", "top", "bottom")},
    "axes.axisbelow": True,
    "axes.labelcolor": palette.MUTED.light,
    "axes.unicode_minus": False,
    "axes.titlelocation": "left",
    "axes.titlecolor": palette.INK.light,
    "axes.titlesize": LABEL_SIZE,
    "axes.titlepad": 8,
    "grid.color": palette.FAINT.light,
    "grid.linewidth": 1,
    "xtick.color": palette.MUTED.light,
    "xtick.major.size": 0,
    "xtick.major.pad": 8,
    "ytick.color": palette.MUTED.light,
    "ytick.major.size": 0,
    "ytick.major.pad": 8,
    "legend.frameon": False,
    "legend.borderpad": 0,
    "legend.borderaxespad": 0,
    "legend.handlelength": 2.1,
    "legend.handletextpad": 0.6,
    "legend.columnspacing": 2,
    "lines.solid_capstyle": "butt",
    "path.simplify": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "independence",
}
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
    return axes.text(*at, visible(text), va="center_baseline", rotation_mode="anchor", **look)


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
