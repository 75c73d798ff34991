"""The sheet a chart is drawn on: matplotlib measured in pixels from the top left corner, styled once for all charts."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from independence.report.plots import lettering, palette, svg
from independence.report.plots.palette import Tone

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STYLE: Final = {
    "svg.fonttype": "none",
    "svg.hashsalt": "independence",
    "text.parse_math": False,
    "path.simplify": False,
    "axes.unicode_minus": False,
    "font.family": "DejaVu Sans",
}
_DOTS_PER_INCH: Final = 72  # one point of the SVG backend is one pixel of ours


class Box(NamedTuple):
    """A rectangle in pixels; `top` is measured downwards."""

    left: float
    top: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.top + self.height


class Lettering(NamedTuple):
    """How a text looks. `size` in pixels."""

    size: float = 12.0
    tone: Tone = palette.INK
    align: Literal["left", "center", "right"] = "left"
    bold: bool = False
    italic: bool = False
    turned: bool = False  # reads upwards


PLAIN: Final = Lettering()
SMALL: Final = Lettering(10.5, palette.MUTED)


class Sheet:
    """One chart in the making."""

    def __init__(self, width: float, height: float) -> None:
        from matplotlib.figure import Figure

        self.width, self.height = width, height
        size = (width / _DOTS_PER_INCH, height / _DOTS_PER_INCH)
        self._figure = Figure(figsize=size, dpi=_DOTS_PER_INCH, facecolor=palette.PAPER.sentinel)
        self._tips: dict[str, str] = {}
        self.ground = self.axes(Box(0, 0, width, height), (0, width), (0, height))

    def axes(self, box: Box, across: tuple[float, float], down: tuple[float, float]) -> Axes:
        """An undecorated plot area; `across` and `down` are the data limits from left to right and from the top."""
        place = (box.left / self.width, 1 - box.bottom / self.height, box.width / self.width, box.height / self.height)
        axes = self._figure.add_axes(place)
        axes.set_axis_off()
        axes.set_xlim(*across)
        axes.set_ylim(down[1], down[0])
        return axes

    def text(self, x: float, y: float, text: str, look: Lettering = PLAIN) -> None:
        """Write a line with its middle at the height `y`; a turned one has its middle at `x` and begins at `y`."""
        shift = 0.35 * look.size
        self.ground.text(
            *((x + shift, y) if look.turned else (x, y + shift)),
            lettering.visible(text),
            fontsize=look.size,
            color=look.tone.sentinel,
            ha=look.align,
            va="baseline",
            weight="bold" if look.bold else "normal",
            style="italic" if look.italic else "normal",
            rotation=90 if look.turned else 0,
            rotation_mode="anchor",
        )

    def line(self, start: tuple[float, float], end: tuple[float, float], tone: Tone = palette.FAINT) -> None:
        """A hairline in pixels."""
        ends = zip(start, end, strict=True)
        self.ground.plot(*ends, color=tone.sentinel, linewidth=1, clip_on=False, solid_capstyle="butt")

    def fill(self, box: Box, tone: Tone) -> None:
        """A filled rectangle in pixels."""
        self._rectangle(box, tone, None)

    def hit(self, box: Box, tip: str) -> None:
        """An invisible rectangle that tells `tip` to whoever points at it."""
        gid = f"tip-{len(self._tips)}"
        self._tips[gid] = lettering.visible(tip)
        self._rectangle(box, palette.HIT, gid)

    def _rectangle(self, box: Box, tone: Tone, gid: str | None) -> None:
        from matplotlib.patches import Rectangle

        corner = (box.left, box.top)
        patch = Rectangle(corner, box.width, box.height, facecolor=tone.sentinel, edgecolor="none", gid=gid)
        patch.set_clip_on(False)
        self.ground.add_patch(patch)

    def svg(self, about: svg.About) -> str:
        """The finished document."""
        out = io.StringIO()
        with warnings.catch_warnings():
            # Text stays text: a sign that the measuring face lacks is drawn by the reader's own.
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
            self._figure.savefig(out, format="svg", metadata={"Date": None})
        return svg.dressed(out.getvalue(), about, self._tips)


@contextmanager
def sheet(width: float, height: float) -> Iterator[Sheet]:
    """A sheet under the charts' own settings; the program's settings of matplotlib are untouched."""
    from matplotlib import style

    with style.context(["default", _STYLE]):
        yield Sheet(width, height)
