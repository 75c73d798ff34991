"""Charts as lines of text: of boards on a terminal, and of reports in Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from independence.report.files.charts import Bars, Chart, DrawnEstimate, Heat, Intervals, Lines, Plane, Scale, Scatter
from independence.report.files.legend import distinct_labels, fitted
from independence.report.files.table import DASH, Column, Kind, Value, display_text
from independence.types import Ends

WIDTH = 80  # of a terminal
PAGE = 100  # of a report
_PLOT = 29  # odd, so that nothing has a place of its own
_NAMED = 20
_LONG_NAME = 32
_SHORT_HEAD = 8  # signs of a column's head up to which it stands over its numbers


class TextPlotRow(NamedTuple):
    """One line; without an estimate it is empty except for what it can be. `hollow`: from part of the answers."""

    label: str
    est: float | None
    ci: Ends | None
    said: str
    hollow: bool = False
    outer: Ends | None = None
    bounds: Ends | None = None


class TextAxis(NamedTuple):
    """From where to where lines are drawn, and what is marked in all of them."""

    span: Ends
    band: Ends | None = None
    zero: bool = False
    ends: tuple[str, str] | None = None  # as they are written below


def plot(
    given: Sequence[TextPlotRow], title: str, axis: TextAxis, width: int = WIDTH, named: int = _NAMED
) -> list[str]:
    """At most `width` signs a line: labels, signs on a common scale, words."""
    named = min(max((len(mark.label) for mark in given), default=0), named)
    room = width - named - _PLOT - 4
    out = [title]
    for name, mark in zip(distinct_labels([mark.label for mark in given], named), given, strict=True):
        # Words that fit: all, or what stands before their colon.
        said = mark.said if len(mark.said) <= room else fitted(mark.said.split(":", maxsplit=1)[0], room)
        out.append(f"{name:{named}}  {_draw_line(mark, axis)}  {said}".rstrip())
    low, high = axis.ends or tuple(f"{end:g}" for end in axis.span)
    middle = _place(0.0, axis.span) if axis.zero else _PLOT
    left = f"{low:{middle}}0" if len(low) < middle < _PLOT - len(high) else low
    return [*out, f"{'':{named}}  {left}{high:>{_PLOT - len(left)}}"]


def _place(value: float, span: Ends) -> int:
    low, high = span
    return min(max(round((value - low) / ((high - low) or 1) * (_PLOT - 1)), 0), _PLOT - 1)


def _draw_line(mark: TextPlotRow, axis: TextAxis) -> str:
    signs = [" "] * _PLOT

    def draw(ends: Ends | None, sign: str) -> None:
        if ends:
            low, high = (_place(end, axis.span) for end in ends)
            signs[low : high + 1] = sign * (high - low + 1)

    draw(axis.band, "░")
    if axis.zero:
        signs[_place(0.0, axis.span)] = "│"
    draw(mark.bounds if mark.est is None else None, "·")
    draw(mark.outer, "─")
    draw(mark.ci, "━" if mark.outer else "─")
    if mark.est is not None:
        signs[_place(mark.est, axis.span)] = "○" if mark.hollow else "●"
    return "".join(signs)


def lines(chart: Chart) -> list[str]:
    """A chart in at most 100 signs a line."""
    if isinstance(chart, Intervals):
        return [line for place, scale in enumerate(chart.scales) for line in _intervals(chart, scale, place)]
    if isinstance(chart, Heat):
        return list(_heat(chart))
    if isinstance(chart, Scatter):
        return _scatter(chart)
    if isinstance(chart, Plane):
        return _plane(chart)
    return list(_panels(chart)) if isinstance(chart, Lines) else _bars(chart)


def _shown(scale: Scale, value: Value) -> str:
    return display_text(Column("", "", scale.kind, scale.digits), value)


def _pair(scale: Scale, ends: Ends) -> str:
    kind: Kind = "index_range" if scale.kind == "index" else "signed_interval"
    return display_text(Column("", "", kind, scale.digits), ends)


def _intervals(chart: Intervals, scale: Scale, place: int) -> list[str]:
    rows = []
    for row in chart.rows:
        found = row.values[place] or DrawnEstimate()
        ends = found.inner if found.value is not None else found.bounds
        value = DASH if found.value is None else _shown(scale, found.value)
        tier = f"tier {row.tier}" if row.tier else ""
        said = "  ".join(part for part in (f"{value:>6}", _pair(scale, ends) if ends else "", tier) if part)
        rows.append(TextPlotRow(row.label, found.value, found.inner, said, row.partial, found.outer, found.bounds))
    low, high = (_shown(scale, end) if scale.kind != "index" else f"{end:g}" for end in scale.span)
    sides = f": ← {scale.low}, {scale.high} →" if scale.low else ""
    axis = TextAxis(scale.span, scale.band, scale.zero, (low, high))
    return [*([""] if place else []), *plot(rows, f"{scale.head}{sides}", axis, PAGE, _LONG_NAME)]


def _heat(chart: Heat) -> Iterator[str]:
    longest = max((len(column.label) for column in chart.columns), default=0)
    heads = [column.label for column in chart.columns]
    if longest > _SHORT_HEAD:
        heads = [str(place) for place in range(1, len(heads) + 1)]
        key = ", ".join(f"{head} {column.label}" for head, column in zip(heads, chart.columns, strict=True))
        yield from textwrap.wrap(key, PAGE)
    names = distinct_labels([row.label for row in chart.rows], _LONG_NAME)
    named, cell = max(map(len, names), default=0), max(6, *map(len, heads), 0) + 1
    most = (PAGE - named) // cell
    for first in range(0, len(heads), most):
        yield ""
        yield " " * named + "".join(f"{head:>{cell}}" for head in heads[first : first + most])
        for name, row in zip(names, chart.rows, strict=True):
            texts = (_shown(chart.scale, value) for value in row.values[first : first + most])
            yield f"{name:{named}}" + "".join(f"{text:>{cell}}" for text in texts)


def _scatter(chart: Scatter) -> list[str]:
    rows = []
    for place in sorted(range(len(chart.points)), key=lambda place: (chart.points[place].x, -chart.points[place].y)):
        point = chart.points[place]
        x = _shown(chart.x, point.x) if point.x or not chart.at_zero else chart.at_zero
        best = "  frontier" if place in chart.frontier else ""
        said = f"{_shown(chart.y, point.y):>6}  {x}{best}"
        rows.append(TextPlotRow(point.label, point.y, None, said, place not in chart.frontier))
    title = f"{chart.y.head}, {chart.x.head[0].lower()}{chart.x.head[1:]}"
    return plot(rows, title, TextAxis(chart.y.span), PAGE, _LONG_NAME)


def _plane(chart: Plane) -> list[str]:
    named = sorted(chart.points, key=lambda point: point.x - point.y)
    rows = [
        TextPlotRow(
            point.label, point.y - point.x, None, f"{_shown(chart.y, point.y):>6}  {_shown(chart.x, point.x):>6}"
        )
        for point in named
    ]
    title = f"{chart.quantity}; then {chart.y.head} and {chart.x.head}"
    return plot(rows, title, TextAxis((-1.0, 1.0), zero=True, ends=("-1", "+1")), PAGE, _LONG_NAME)


def _panels(chart: Lines) -> Iterator[str]:
    named = max(map(len, chart.series))
    for panel in chart.panels:
        yield from (fitted(panel.label, PAGE), f"{chart.x.head:{named}}" + _cells(chart.x, panel.xs))
        for place, name in enumerate(chart.series):
            yield f"{name:{named}}" + _cells(chart.y, panel.values[place])
        yield from (panel.says, "") if panel.says else ("",)


def _cells(scale: Scale, values: Sequence[float | None]) -> str:
    return "".join(f"{_shown(scale, value):>8}" for value in values)


def _bars(chart: Bars) -> list[str]:
    names = distinct_labels([bar.label for bar in chart.bars], _LONG_NAME)
    named, most = max(map(len, names), default=0), max((bar.count for bar in chart.bars), default=0) or 1
    return [
        f"{name:{named}}  {'█' * round(2 * _PLOT * bar.count / most)} {bar.count:g}".rstrip()
        for name, bar in zip(names, chart.bars, strict=True)
    ]
