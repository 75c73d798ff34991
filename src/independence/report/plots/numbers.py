"""Many numbers of one look, drawn as one text: matplotlib lays out each text by itself, digits need it once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from independence.report.plots.canvas import Point

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backend_bases import RendererBase


def write_numbers(axes: Axes, placed: Sequence[tuple[Point, str]], **look: Any) -> None:
    """Numbers of one look, the middle of each at its place in the axes."""
    axes.figure.add_artist(_artist()(placed, ha="center", transform=axes.transData, rotation_mode="anchor", **look))


@cache
def _artist() -> Any:
    from matplotlib.text import Text

    class Numbers(Text):
        """All of them; digits are as high as one another."""

        def __init__(self, placed: Sequence[tuple[Point, str]], **look: Any) -> None:
            super().__init__(**look)
            self._placed = placed

        def draw(self, renderer: RendererBase) -> None:
            """Draw each as a text by itself would be."""
            font, graphics = self.get_fontproperties(), renderer.new_gc()
            _, height, descent = renderer.get_text_width_height_descent("lp", font, False)
            graphics.set_foreground(self.get_color())
            for place, number in self._placed:
                self.set_position(place)
                x, y = self.get_transform().transform(place)
                y -= (height - descent) / 2
                if renderer.flipy():
                    y = renderer.get_canvas_width_height()[1] - y
                renderer.draw_text(graphics, x, y, number, font, 0.0, mtext=self)
            graphics.restore()

    return Numbers
