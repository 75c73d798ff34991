"""A plot of signs for a terminal: one line a subject, around 0."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from independence.report.legend import distinct_labels, fitted
from independence.report.table import Ends

WIDTH = 80
_PLOT = 29  # odd, so that nothing has a place of its own
_NAMED = 20
_STEP = 0.25


class TextPlotRow(NamedTuple):
    """One subject; without an estimate its line is empty."""

    label: str
    est: float | None
    ci: Ends | None
    said: str
    hollow: bool = False  # from part of its answers


def lines(given: Sequence[TextPlotRow], title: str, band: float | None = None) -> list[str]:
    """At most 80 signs a line: labels, signs on a common scale, words. Within +-`band` a value counts as nothing."""
    limit = _limit(given, band)
    named = min(max((len(mark.label) for mark in given), default=0), _NAMED)
    said = WIDTH - named - _PLOT - 4
    out = [title]
    out += [
        f"{name:{named}}  {_draw_line(mark, limit, band)}  {_brief(mark.said, said)}".rstrip()
        for name, mark in zip(distinct_labels([mark.label for mark in given], named), given, strict=True)
    ]
    return [*out, f"{'':{named}}  {_scale(limit)}"]


def _limit(given: Sequence[TextPlotRow], band: float | None) -> float:
    far = [abs(end) for mark in given if mark.est is not None for end in (mark.est, *(mark.ci or ()))]
    return float(math.ceil(round(max([*far, 2 * (band or 0.0), _STEP]) / _STEP, 6)) * _STEP)


def _draw_line(mark: TextPlotRow, limit: float, band: float | None) -> str:
    signs = [" "] * _PLOT
    if band:
        low, high = _place(-band, limit), _place(band, limit)
        signs[low : high + 1] = "░" * (high - low + 1)
    signs[_PLOT // 2] = "│"
    if mark.est is not None:
        if mark.ci:
            low, high = (_place(end, limit) for end in mark.ci)
            signs[low : high + 1] = "─" * (high - low + 1)
        signs[_place(mark.est, limit)] = "○" if mark.hollow else "●"
    return "".join(signs)


def _place(value: float, limit: float) -> int:
    return min(max(round((value / limit + 1) / 2 * (_PLOT - 1)), 0), _PLOT - 1)


def _scale(limit: float) -> str:
    low, high = f"{-limit:g}", f"+{limit:g}"
    signs = list(" " * _PLOT)
    signs[: len(low)] = low
    signs[_PLOT // 2] = "0"
    signs[_PLOT - len(high) :] = high
    return "".join(signs)


def _brief(text: str, room: int) -> str:
    """Words that fit: all, or what stands before their colon."""
    return text if len(text) <= room else fitted(text.split(":", maxsplit=1)[0], room)
