"""What charts with one line per subject share: labels at the left, a scale above, lines that tell their numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from independence.report.plots import lettering
from independence.report.plots.canvas import PLAIN, SMALL, Box, Sheet

if TYPE_CHECKING:
    from independence.report.table import Ends

ROW: Final = 20.0
LABEL_ROOM: Final = 270.0
_SIMULATED: Final = " · simulated"
REPEAT_FROM: Final = 25  # lines from which on what heads a chart stands at its foot too


class Subject(NamedTuple):
    """Who a line is about, and what it tells when pointed at."""

    label: str
    simulated: bool
    tip: str


def label_width(subjects: Sequence[Subject]) -> float:
    """Pixels the labels take, at most LABEL_ROOM."""
    widths = (lettering.width(_whole(subject), PLAIN.size) for subject in subjects)
    return min(max(widths, default=0.0), LABEL_ROOM)


def _whole(subject: Subject) -> str:
    return lettering.visible(subject.label) + (_SIMULATED if subject.simulated else "")


def write_labels(sheet: Sheet, subjects: Sequence[Subject], box: Box) -> None:
    """Labels, one a line, from the left edge of `box`; simulated subjects in italics and called so."""
    for place, subject in enumerate(subjects):
        tail = _SIMULATED if subject.simulated else ""
        room = box.width - lettering.width(tail, PLAIN.size)
        text = lettering.fitted(lettering.visible(subject.label), PLAIN.size, room) + tail
        sheet.text(box.left, box.top + (place + 0.5) * ROW, text, PLAIN._replace(italic=subject.simulated))


def write_scale(sheet: Sheet, box: Box, span: Ends, lines: int) -> None:
    """Gridlines and numbers of a linear scale, above the plot and, under a long one, below it too."""
    for tick in ticks(span):
        x = box.left + box.width * (tick - span[0]) / (span[1] - span[0])
        sheet.line((x, box.top), (x, box.bottom))
        for y in (box.top - 9, box.bottom + 10)[: 2 if lines >= REPEAT_FROM else 1]:
            sheet.text(x, y, f"{tick:g}", SMALL._replace(align="center"))


def ticks(span: Ends) -> list[float]:
    """Round numbers within a span, its ends included where they are round."""
    from matplotlib.ticker import MaxNLocator

    found = MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]).tick_values(*span)
    return [float(tick) for tick in found if span[0] <= tick <= span[1]]


def spanned(values: Sequence[float]) -> Ends:
    """The part of the index scale, 0-100, that shows all values: from a multiple of ten below them to 100."""
    low = min(values, default=0.0)
    return max(0.0, min(math.floor((low - 1) / 10) * 10.0, 90.0)), 100.0


def hits(sheet: Sheet, subjects: Sequence[Subject], box: Box) -> None:
    """Let each line of `box` tell its subject's numbers."""
    for place, subject in enumerate(subjects):
        sheet.hit(Box(box.left, box.top + place * ROW, box.width, ROW), subject.tip)
