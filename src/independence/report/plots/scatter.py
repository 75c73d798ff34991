"""Index against cost, subjects as named dots."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from independence.report.plots import canvas, palette, svg
from independence.report.plots.canvas import SMALL_SIZE, Point
from independence.report.plots.svg import FigureMeta

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox

_WIDTH, _HEIGHT = 880.0, 560.0
_LANE, _LANE_GAP = 96.0, 14.0  # pixels of the strip for free subjects, and between it and the cheapest
_APART: Final = 9.0  # pixels between dots of the strip
_FEW_DECADES: Final = 2.5
_NAME_ROOM, _NAME_HEIGHT = 200.0, 14.0
_FAR: Final = 19.0  # pixels from a name to its dot from which on a line joins them
# How far a name is from its dot, and in which directions, best first.
_AWAY: Final = (8.0, 18.0, 30.0, 44.0, 60.0, 80.0)
_WAYS: Final = ((1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1), (0, 1), (0, -1))


class CostPoint(msgspec.Struct, frozen=True):
    """One subject: its index, 0-100, and what a run of it costs in dollars; 0 for free and local ones."""

    label: str
    index: float
    dollars: float
    simulated: bool = False


class NamedDot(NamedTuple):
    """A subject at a place. The name of a modest one stands right beside it, over no other dot, or not at all."""

    label: str
    place: Point
    simulated: bool
    tip: str
    modest: bool = False


def cost(points: Sequence[CostPoint], meta: FigureMeta) -> str:
    """Dollars on a logarithmic scale; names for the frontier and the extremes, and where there is room."""
    with canvas.drawing():
        figure = canvas.new_figure(_WIDTH, _HEIGHT)
        axes = canvas.axes_at(figure, (46, 52, _WIDTH - 66, _HEIGHT - 106))
        places = _cost_places(axes, points)
        members = frontier(points)
        needed = _worth_naming(points, members)
        others = sorted(set(range(len(points))) - set(needed), key=lambda place: -points[place].index)
        dots = [
            NamedDot(points[i].label, places[i], points[i].simulated, _cost_tip(points[i]), i not in needed)
            for i in (*needed, *others)
        ]
        stairs = [places[member] for member in members[:1]]
        for (_, y), step in itertools.pairwise(places[member] for member in members):
            stairs += [(step[0], y), step]
        _add_named(axes, dots, stairs)
        if len(members) > 1:
            axes.plot(
                *zip(*stairs, strict=True), color=palette.MUTED.light, linewidth=1.25, dashes=(4, 3), zorder=2,
                label="frontier: nothing cheaper is better",
            )  # fmt: skip
        canvas.add_legend(figure)
        return svg.finished(figure, meta)


def frontier(points: Sequence[CostPoint]) -> list[int]:
    """Places of the subjects that no other beats at the same or a lower cost, from cheap to dear."""
    best, members = -math.inf, []
    for place in sorted(range(len(points)), key=lambda place: (points[place].dollars, -points[place].index)):
        if points[place].index > best:
            best = points[place].index
            members.append(place)
    return members


def _worth_naming(points: Sequence[CostPoint], members: Sequence[int]) -> list[int]:
    """In order of need: the frontier from the best down, then the worst, the cheapest and the dearest."""
    paid = sorted((place for place, point in enumerate(points) if point.dollars > 0), key=lambda i: points[i].dollars)
    worst = sorted(range(len(points)), key=lambda place: points[place].index)[:1]
    return list(dict.fromkeys([*reversed(members), *worst, *paid[:1], *paid[-1:]]))


def _cost_places(axes: Axes, points: Sequence[CostPoint]) -> list[Point]:
    """Scales, and where each subject lies: decades of dollars across, free ones in a strip left of every price."""
    logs = [math.log10(point.dollars) for point in points if point.dollars > 0] or [-2.0, 0.0]
    pad = max((max(logs) - min(logs)) * 0.04, 0.1)
    low, high = min(logs) - pad, max(logs) + pad
    free = any(point.dollars <= 0 for point in points)
    pixel = (high - low) / (axes.bbox.width - (_LANE + _LANE_GAP) * free)
    lane = (low - (_LANE + _LANE_GAP) * pixel, low - _LANE_GAP * pixel)
    axes.set(xlim=(lane[0] if free else low, high), ylim=canvas.index_span([point.index for point in points]))
    axes.tick_params("x", length=5, color=palette.MUTED.light, pad=4)
    axes.set_xticks(*_dollar_ticks(low, high))
    axes.grid(axis="y")
    axes.set_xlabel("Dollars per run, logarithmic", loc="right", labelpad=10)
    axes.annotate("Index", (0, 1), (-8, 10), "axes fraction", "offset points", ha="right")
    if free:
        axes.axvspan(*lane, color=palette.BAND.light, linewidth=0, zorder=0)
        axes.annotate("free or local", (_LANE / 2, -9), xycoords="axes pixels", ha="center", va="top")
    return _spread(axes, points, middle=sum(lane) / 2, pixel=pixel)


def _dollar_ticks(low: float, high: float) -> tuple[list[float], list[str]]:
    steps = (1, 2, 5) if high - low <= _FEW_DECADES else (1,)
    every = [step * 10.0**decade for decade in range(math.floor(low), math.ceil(high) + 1) for step in steps]
    dollars = [value for value in every if low <= math.log10(value) <= high]
    return [math.log10(value) for value in dollars], [_money(value) for value in dollars]


def _spread(axes: Axes, points: Sequence[CostPoint], *, middle: float, pixel: float) -> list[Point]:
    """Free subjects in the middle of their strip, or at the nearest place beside it where no dot lies yet."""
    high = axes.bbox.height / (axes.get_ylim()[1] - axes.get_ylim()[0])
    reach = int(_LANE / 2 / _APART)
    places: list[Point] = []
    taken: list[Point] = []
    for point in points:
        if point.dollars > 0:
            places.append((math.log10(point.dollars), point.index))
            continue
        spots = [(step * _APART, point.index * high) for step in sorted(range(1 - reach, reach), key=abs)]
        free = [spot for spot in spots if all(math.dist(spot, other) >= _APART for other in taken)]
        taken.append((free or spots)[0])
        places.append((middle + taken[-1][0] * pixel, point.index))
    return places


def _money(dollars: float) -> str:
    return "$" + f"{dollars:.9f}".rstrip("0").rstrip(".")


def _cost_tip(point: CostPoint) -> str:
    money = f"{_money(round(point.dollars, 4))} per run" if point.dollars > 0 else "free or local"
    return f"{point.label}: {point.index:.1f}, {money}" + (", simulated" if point.simulated else "")


def _add_named(axes: Axes, dots: Sequence[NamedDot], *lines: Sequence[Point]) -> None:
    """Dots, and names, earlier ones first: over no other name, over as few dots and lines as can be, or nowhere."""
    from matplotlib.transforms import IdentityTransform

    for hollow, label in ((False, "subject"), (True, "simulated")):
        canvas.add_dots(axes, [dot.place for dot in dots if dot.simulated is hollow], label, hollow=hollow)
    to_pixels: Any = axes.transData.transform
    busy = to_pixels([*(dot.place for dot in dots), *_along(lines), (0, 0)])
    taken: list[Bbox] = []
    for dot in dots:
        (area,) = axes.plot(*dot.place, "s", markersize=14, markerfacecolor="none", markeredgewidth=0)
        canvas.add_tip(area, dot.tip)
        x, y = to_pixels(dot.place)
        text = canvas.shortened(dot.label, SMALL_SIZE, _NAME_ROOM)
        wanted = _boxes((x, y), canvas.text_width(text, SMALL_SIZE), dot.modest)
        free = [box for box in wanted if _inside(box, axes.bbox) and not box.count_overlaps(taken)]
        box = min(free, key=lambda box: box.padded(5).count_contains(busy), default=None)
        if box is None or (dot.modest and box.padded(5).count_contains(busy)):
            continue
        taken.append(box)
        middle = (box.y0 + box.y1) / 2
        near = (min(max(x, box.x0), box.x1), middle)
        if math.dist(near, (x, y)) > _FAR:
            axes.plot((x, near[0]), (y, middle), color=palette.SOFT.light, linewidth=1, transform=IdentityTransform())
        tone, style = palette.MUTED if dot.modest else palette.INK, "italic" if dot.simulated else "normal"
        canvas.write(axes, (box.x0, middle), text, color=tone.light, style=style, transform=IdentityTransform())


def _along(lines: Sequence[Sequence[Point]]) -> Iterator[Point]:
    """Points along lines, close enough that no name slips between them."""
    for (x, y), (to_x, to_y) in itertools.chain.from_iterable(map(itertools.pairwise, lines)):
        yield from ((x + (to_x - x) * step / 50, y + (to_y - y) * step / 50) for step in range(51))


def _boxes(place: Point, width: float, modest: bool) -> Iterator[Bbox]:
    """Places for a name around its dot, best first."""
    from matplotlib.transforms import Bbox

    x, y = place
    for away in _AWAY[:1] if modest else _AWAY:
        for across, up in _WAYS[:2] if modest else _WAYS:
            reach = away * 0.7 if across and up else away
            left = x + across * reach - (width if across < 0 else width / 2 if across == 0 else 0)
            middle = y + up * (reach + (0 if across else _NAME_HEIGHT / 2))
            yield Bbox.from_bounds(left, middle - _NAME_HEIGHT / 2, width, _NAME_HEIGHT)


def _inside(box: Bbox, room: Bbox) -> bool:
    across = room.x0 <= box.x0 and box.x1 <= room.x1 + 16
    return bool(across and room.y0 <= box.y0 and box.y1 <= room.y1 + _NAME_HEIGHT)
