"""Charts as data: what is drawn, with every number in it. The viewer draws them, Markdown has them as lines of text.

`subject` is a configuration's directory name where a report is made, and its slug in the viewer's documents; empty
where a mark is about no subject.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import msgspec

from independence.types import Ends

NumberKind = Literal["index", "number", "signed", "percent", "dollars", "count"]


class Scale(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One axis: what it is called, how its numbers are written, and from where to where it is drawn."""

    head: str
    kind: NumberKind
    span: Ends
    digits: int = 1
    low: str = ""  # what lies at its lower end, in words
    high: str = ""
    band: Ends | None = None  # within it a value counts as nothing
    zero: bool = False  # has a line at 0


class DrawnEstimate(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A value and how sure it is. Without a value, `bounds` are the worst and the best that it can be."""

    value: float | None = None
    inner: Ends | None = None  # drawn thick
    outer: Ends | None = None  # drawn thin
    bounds: Ends | None = None
    field: tuple[float, float, float] | None = None  # quartiles of everybody's values
    others: tuple[float | None, ...] = ()  # further values on the same scale


class Mark(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is drawn of one thing, in most charts of one subject."""

    label: str
    subject: str = ""
    simulated: bool = False


class Drawing(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind"):
    """What every chart has. `id`: kebab-case, its anchor and the name of its files."""

    id: str
    title: str
    caption: str


class IntervalRow(Mark, frozen=True, kw_only=True):
    """One line: an estimate for each scale, null where there is none. Neighbours of one tier lie on one band."""

    values: tuple[DrawnEstimate | None, ...]
    scenario: str = ""  # that it is about, if it is about one
    partial: bool = False  # from part of its answers
    tier: int | None = None


class Intervals(Drawing, frozen=True, kw_only=True, tag="intervals"):
    """Values with intervals, one line each, on one scale or several beside each other."""

    scales: tuple[Scale, ...]
    rows: tuple[IntervalRow, ...]
    marks: tuple[str, ...] = ()  # what `value` is called and then each of `others`, where those are drawn


class HeatColumn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a column is about; neighbours of one group stand together."""

    label: str
    group: str = ""
    scenario: str = ""


class HeatRow(Mark, frozen=True, kw_only=True):
    """A value for each column; null where nothing was measured."""

    values: tuple[float | None, ...]
    scenario: str = ""


class Heat(Drawing, frozen=True, kw_only=True, tag="heat"):
    """Rows by columns. `kept`: of a share kept, 0 to 1, what is lost is inked; `middle`: two hues around 0."""

    colours: Literal["kept", "middle"]
    scale: Scale
    columns: tuple[HeatColumn, ...]
    rows: tuple[HeatRow, ...]


class ScatterPoint(Mark, frozen=True, kw_only=True):
    """A dot. Of a logarithmic axis an `x` of 0 lies in a strip of its own."""

    x: float
    y: float


class Scatter(Drawing, frozen=True, kw_only=True, tag="scatter"):
    """Named dots. `frontier`: places of those that no other beats at the same or a lower x, from the lowest x on."""

    x: Scale
    y: Scale
    points: tuple[ScatterPoint, ...]
    log: bool = False
    at_zero: str = ""  # what an x of 0 is called on a logarithmic axis
    frontier: tuple[int, ...] = ()


class Ellipse(msgspec.Struct, frozen=True, kw_only=True):
    """A region of a plane, in the units of its scales. `degrees`: from the x axis towards the y axis to `first`."""

    x: float  # of its centre
    y: float
    first: float  # half of one axis
    second: float
    degrees: float = 0.0


class PlanePoint(ScatterPoint, frozen=True, kw_only=True):
    """A dot with the region in which it may lie, or else an interval each way. `says` is told with its numbers."""

    ellipse: Ellipse | None = None
    x_ci: Ends | None = None
    y_ci: Ends | None = None
    says: str = ""


class Plane(Drawing, frozen=True, kw_only=True, tag="plane"):
    """Two shares, 0 to 1, in a square: `quantity` is y less x, with a line for each of `levels`."""

    x: Scale
    y: Scale
    points: tuple[PlanePoint, ...]
    quantity: str
    levels: tuple[float, ...]
    corners: tuple[str, str, str, str]  # what they mean: top left, top right, bottom left, bottom right


class LinePanel(Mark, frozen=True, kw_only=True):
    """One small panel: for each series a value at each x, null where there is none. `says` stands below it."""

    xs: tuple[float, ...]
    values: tuple[tuple[float | None, ...], ...]  # for each series
    says: str = ""


class Lines(Drawing, frozen=True, kw_only=True, tag="lines"):
    """Small panels of the same series on the same scales."""

    x: Scale
    y: Scale
    series: tuple[str, ...]
    panels: tuple[LinePanel, ...]


class Bar(Mark, frozen=True, kw_only=True):
    """A count, and the part of a scale that it is of, where it is of one."""

    count: float
    ends: Ends | None = None


class Bars(Drawing, frozen=True, kw_only=True, tag="bars"):
    """Counts: by name one line each, or `upright` by neighbouring parts of a scale."""

    head: str  # what is counted
    bars: tuple[Bar, ...]
    upright: bool = False


Chart = Intervals | Heat | Scatter | Plane | Lines | Bars


def index_span(values: Iterable[float]) -> Ends:
    """The part of the index scale, 0-100, that shows all values: from a multiple of ten below them to 100."""
    return max(0.0, min(math.floor((min(values, default=0.0) - 1) / 10) * 10.0, 90.0)), 100.0


def span_around_zero(values: Iterable[DrawnEstimate | None], band: Ends | None = None, step: float = 0.1) -> Ends:
    """Every interval, 0, and what counts as 0 with room around it."""
    found = [one for one in values if one is not None and one.value is not None]
    ends = [end for one in found for end in (one.value or 0.0, *(one.inner or ()))]
    low, high = band or (0.0, 0.0)
    lowest, highest = min([*ends, low - step]), max([*ends, high + step])
    ticks = math.floor(round(lowest / step, 6)), math.ceil(round(highest / step, 6))
    return round(ticks[0] * step, 6), round(ticks[1] * step, 6)


def frontier(points: Sequence[ScatterPoint]) -> tuple[int, ...]:
    """Places of the points that no other beats at the same or a lower x, from the lowest x on."""
    best, members = -math.inf, []
    for place in sorted(range(len(points)), key=lambda place: (points[place].x, -points[place].y)):
        if points[place].y > best:
            best = points[place].y
            members.append(place)
    return tuple(members)


def renamed(chart: Chart, slug: Callable[[str], str]) -> Chart:
    """The chart with each subject as `slug` has it."""
    key = next(key for key in ("rows", "points", "panels", "bars") if hasattr(chart, key))
    marks = tuple(msgspec.structs.replace(one, subject=slug(one.subject)) for one in getattr(chart, key))
    return msgspec.structs.replace(chart, **{key: marks})
