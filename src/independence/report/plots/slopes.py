"""Stance against merit, one small panel a subject: a line for each asker, and between them the subject's own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from independence.report.plots import canvas, lettering, marks, palette
from independence.report.plots.canvas import PLAIN, SMALL, Box, Sheet
from independence.report.plots.svg import About

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH: Final = 880.0
_COLUMNS: Final = 4
_GAP: Final = 26.0
_LEFT: Final = 34.0
_HEAD: Final = 44.0
_PANEL: Final = 128.0  # height of the plot area
_ROW: Final = _PANEL + 68.0
_TITLE: Final = 20.0


class MeritPoint(NamedTuple):
    """Mean stances at one level of merit, -1 to 1 each; None where nobody on that side was answered."""

    merit: float
    first: float | None  # the first party asks
    second: float | None
    neutral: float | None = None

    @property
    def own(self) -> float | None:
        """The subject's own stance, whoever asks."""
        return None if self.first is None or self.second is None else (self.first + self.second) / 2


class SlopePanel(msgspec.Struct, frozen=True):
    """One subject; points by merit. `said`: its numbers in words, `told`: the same at length."""

    label: str
    points: tuple[MeritPoint, ...]
    said: str
    told: str
    simulated: bool = False


def slopes(given: Sequence[SlopePanel], parties: tuple[str, str], about: About) -> str:
    """Four panels a row. A gap between the lines is sycophancy, the way both rise is merit."""
    lines = max(math.ceil(len(given) / _COLUMNS), 1)
    width = (_WIDTH - _LEFT + _GAP) / _COLUMNS - _GAP
    with canvas.sheet(_WIDTH, _HEAD + lines * _ROW) as sheet:
        marks.write_legend(sheet, _keys(given, parties), 6, 16)
        for place, panel in enumerate(given):
            down, across = divmod(place, _COLUMNS)
            box = Box(_LEFT + across * (width + _GAP), _HEAD + down * _ROW + _TITLE, width, _PANEL)
            _panel(sheet, panel, box, outer=across == 0)
        return sheet.svg(about)


def _panel(sheet: Sheet, panel: SlopePanel, box: Box, outer: bool) -> None:
    levels = [point.merit for point in panel.points] or [0.0]
    pad = max((max(levels) - min(levels)) * 0.1, 0.1)
    across = (min(levels) - pad, max(levels) + pad)
    for value in (-1.0, 0.0, 1.0):
        y = box.top + box.height * (1 - value) / 2
        sheet.line((box.left, y), (box.right, y), palette.FAINT if value else palette.MUTED)
        if outer:
            sheet.text(box.left - 8, y, f"{value:g}", SMALL._replace(align="right"))
    for level in levels:
        x = box.left + box.width * (level - across[0]) / (across[1] - across[0])
        sheet.text(x, box.bottom + 12, f"{level:+g}" if level else "0", SMALL._replace(align="center"))
    name = lettering.fitted(lettering.visible(panel.label), PLAIN.size, box.width)
    sheet.text(box.left, box.top - 12, name, PLAIN._replace(italic=panel.simulated))
    sheet.text(box.left, box.bottom + 28, panel.said, SMALL)
    axes = sheet.axes(box, across, (1.0, -1.0))
    _first(axes, [(p.merit, p.first) for p in panel.points if p.first is not None])
    _second(axes, [(p.merit, p.second) for p in panel.points if p.second is not None])
    _own(axes, [(p.merit, own) for p in panel.points if (own := p.own) is not None])
    marks.dots(axes, [(p.merit, p.neutral) for p in panel.points if p.neutral is not None], hollow=True, small=True)
    sheet.hit(Box(box.left, box.top - _TITLE, box.width, box.height + _TITLE + 36), panel.told)


def _first(axes: Axes, points: Sequence[tuple[float, float]]) -> None:
    _line(axes, points, palette.ACCENT, 2.5, "-")


def _second(axes: Axes, points: Sequence[tuple[float, float]]) -> None:
    _line(axes, points, palette.OPEN, 2.5, (0, (2.5, 1.5)))


def _own(axes: Axes, points: Sequence[tuple[float, float]]) -> None:
    _line(axes, points, palette.INK, 1, "-")


_Dashes = str | tuple[int, tuple[float, float]]


def _line(axes: Axes, points: Sequence[tuple[float, float]], tone: palette.Tone, width: float, dashes: _Dashes) -> None:
    if points:
        axes.plot(
            *zip(*points, strict=True), color=tone.sentinel, linewidth=width, linestyle=dashes,
            marker="o" if len(points) == 1 else "", markersize=4, clip_on=False, zorder=4,
        )  # fmt: skip


def _keys(given: Sequence[SlopePanel], parties: tuple[str, str]) -> list[marks.Key]:
    points = [point for panel in given for point in panel.points]
    keys = [
        (bool(points), marks.Key(f"{parties[0]} asks", lambda axes, x, y: _first(axes, _across(x, y)))),
        (bool(points), marks.Key(f"{parties[1]} asks", lambda axes, x, y: _second(axes, _across(x, y)))),
        (bool(points), marks.Key("mean of both", lambda axes, x, y: _own(axes, _across(x, y)))),
        (any(point.neutral is not None for point in points), marks.key_dot("nobody's side asks", True, True)),
    ]
    return [key for there, key in keys if there]


def _across(x: float, y: float) -> list[tuple[float, float]]:
    return [(x - 11, y), (x + 11, y)]
