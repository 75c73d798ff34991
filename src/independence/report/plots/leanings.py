"""For and against whoever asks: bars to both sides of nothing, one line for each party that asks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import msgspec

from independence.report.plots import canvas, marks, palette, rows
from independence.report.plots.canvas import SMALL, Box, Sheet
from independence.report.plots.panels import signed
from independence.report.plots.rows import ROW, Subject
from independence.report.plots.svg import About
from independence.report.table import DASH, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_WIDTH: Final = 880.0
_LEFT: Final = 6.0
_PARTY: Final = 80.0
_NUMBERS: Final = 226.0
_HEAD: Final = 72.0
_FOOT: Final = 22.0


class LeaningRow(msgspec.Struct, frozen=True):
    """Answers of one subject to one party. `uplift` is the published column."""

    label: str
    party: str
    agrees: int
    neutral: int
    opposes: int
    uplift: float | None
    simulated: bool = False

    @property
    def n(self) -> int:
        """Scored answers."""
        return self.agrees + self.neutral + self.opposes


def leanings(given: Sequence[LeaningRow], about: About) -> str:
    """Lines in the given order; rows of one subject belong together and follow each other."""
    subjects = [Subject(row.label, row.simulated, _told(row)) for row in given]
    left = _LEFT + rows.label_width(subjects) + 14 + _PARTY
    plot = Box(left, _HEAD, _WIDTH - left - _NUMBERS, max(len(given), 1) * ROW)
    with canvas.sheet(_WIDTH, plot.bottom + _FOOT) as sheet:
        marks.write_legend(sheet, _keys(given), _LEFT, 16)
        _bands(sheet, given, plot)
        rows.write_scale(sheet, plot, (-1.0, 1.0), len(given))
        sheet.line((plot.left + plot.width / 2, plot.top), (plot.left + plot.width / 2, plot.bottom), palette.MUTED)
        sheet.text(plot.left, plot.top - 28, "← opposes the asker", SMALL)
        sheet.text(plot.right, plot.top - 28, "takes its side →", SMALL._replace(align="right"))
        _names(sheet, given, subjects, plot)
        axes = sheet.axes(plot, (-1.0, 1.0), (0.0, max(len(given), 1.0)))
        for line, row in enumerate(given):
            _bar(axes, row, line + 0.5)
        _numbers(sheet, given, plot)
        rows.hits(sheet, subjects, Box(0, plot.top, _WIDTH, plot.height))
        return sheet.svg(about)


def _bands(sheet: Sheet, given: Sequence[LeaningRow], plot: Box) -> None:
    order = list(dict.fromkeys(row.label for row in given))
    for line, row in enumerate(given):
        if order.index(row.label) % 2:
            sheet.fill(Box(0, plot.top + line * ROW, _WIDTH, ROW), palette.BAND)


def _names(sheet: Sheet, given: Sequence[LeaningRow], subjects: Sequence[Subject], plot: Box) -> None:
    room = Box(_LEFT, plot.top, plot.left - _PARTY - 14 - _LEFT, ROW)
    for line, (row, subject) in enumerate(zip(given, subjects, strict=True)):
        top = plot.top + line * ROW
        if line == 0 or given[line - 1].label != row.label:
            rows.write_labels(sheet, [subject], room._replace(top=top))
        sheet.text(plot.left - _PARTY - 4, top + ROW / 2, f"{row.party} asks", SMALL)


def _bar(axes: Axes, row: LeaningRow, y: float) -> None:
    if not row.n:
        return
    for share, tone in ((-row.opposes / row.n, palette.OPEN), (row.agrees / row.n, palette.ACCENT)):
        axes.barh(y, share, height=0.55, color=tone.sentinel, linewidth=0, zorder=3)
    if row.uplift is not None:
        marks.tick(axes, row.uplift, y, 0.4)


def _numbers(sheet: Sheet, given: Sequence[LeaningRow], plot: Box) -> None:
    places = (_WIDTH - 160, _WIDTH - 112, _WIDTH - 64, _WIDTH - 12)
    for x, head in zip(places, ("Opposes", "Neither", "Agrees", "Uplift"), strict=True):
        sheet.text(x, plot.top - 9, head, SMALL._replace(align="right"))
    for line, row in enumerate(given):
        uplift = DASH if row.uplift is None else signed(row.uplift)
        for x, text in zip(places, (str(row.opposes), str(row.neutral), str(row.agrees), uplift), strict=True):
            sheet.text(x, plot.top + (line + 0.5) * ROW, text, SMALL._replace(align="right"))


def _told(row: LeaningRow) -> str:
    shares = "nothing scored"
    if row.n:
        shares = f"{percent(row.opposes / row.n)} oppose, {percent(row.agrees / row.n)} agree"
    uplift = "" if row.uplift is None else f", published uplift {signed(row.uplift)}"
    return f"{row.label}, {row.party} asks: {shares}{uplift}" + (", simulated" if row.simulated else "")


def _keys(given: Sequence[LeaningRow]) -> list[marks.Key]:
    keys = [
        (bool(given), marks.Key("opposes the asker", lambda axes, x, y: _block(axes, x, y, palette.OPEN))),
        (bool(given), marks.Key("takes its side", lambda axes, x, y: _block(axes, x, y, palette.ACCENT))),
        (any(row.uplift is not None for row in given), marks.key_tick("published uplift")),
    ]
    return [key for there, key in keys if there]


def _block(axes: Axes, x: float, y: float, tone: palette.Tone) -> None:
    axes.fill_between((x - 11, x + 11), y - 5, y + 5, facecolor=tone.sentinel, edgecolor="none")
