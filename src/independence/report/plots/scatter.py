"""Index against cost, subjects as named dots."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from independence.report.plots import canvas, palette, svg
from independence.report.plots.canvas import SMALL_SIZE, Point
from independence.report.plots.svg import FigureMeta

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Bbox

_WIDTH, _HEIGHT = 880.0, 560.0
_LANE, _LANE_GAP = 96.0, 14.0  # pixels of the strip for free subjects, and between it and the cheapest
_STEPS: Final = (0, -18, 18, -9, 9, -27, 27)  # pixels from the middle of the strip, in turn
_FEW_DECADES: Final = 2.5
_NAME_ROOM, _NAME_HEIGHT = 200.0, 14.0
_AWAY: Final = (8.0, 20.0)  # pixels from a dot to its name
_WAYS: Final = ((1, 0), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1), (0, 1), (0, -1))  # best first


class CostPoint(msgspec.Struct, frozen=True):
    """One subject: its index, 0-100, and what a run of it costs in dollars; 0 for free and local ones."""

    label: str
    index: float
    dollars: float
    simulated: bool = False


def cost(points: Sequence[CostPoint], meta: FigureMeta) -> str:
    """Dollars on a logarithmic scale; names for the frontier and the extremes, and where there is room."""
    with canvas.drawing():
        figure = canvas.new_figure(_WIDTH, _HEIGHT)
        axes = canvas.axes_at(figure, (46, 52, _WIDTH - 66, _HEIGHT - 106))
        places = _cost_places(axes, points)
        members = frontier(points)
        for hollow, label in ((False, "subject"), (True, "simulated")):
            own = [place for place, point in zip(places, points, strict=True) if point.simulated is hollow]
            canvas.add_dots(axes, own, label, hollow=hollow)
        if len(members) > 1:
            axes.step(
                *zip(*(places[member] for member in members), strict=True), where="post", color=palette.MUTED.light,
                linewidth=1.25, dashes=(4, 3), zorder=2, label="frontier: nothing cheaper is better",
            )  # fmt: skip
        _add_names(axes, points, places, _worth_naming(points, members))
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
    middle, steps = sum(lane) / 2, itertools.cycle(_STEPS)
    across = [math.log10(one.dollars) if one.dollars > 0 else middle + next(steps) * pixel for one in points]
    return [(x, point.index) for x, point in zip(across, points, strict=True)]


def _dollar_ticks(low: float, high: float) -> tuple[list[float], list[str]]:
    steps = (1, 2, 5) if high - low <= _FEW_DECADES else (1,)
    every = [step * 10.0**decade for decade in range(math.floor(low), math.ceil(high) + 1) for step in steps]
    dollars = [value for value in every if low <= math.log10(value) <= high]
    return [math.log10(value) for value in dollars], [_money(value) for value in dollars]


def _money(dollars: float) -> str:
    return "$" + f"{dollars:.9f}".rstrip("0").rstrip(".")


def _cost_tip(point: CostPoint) -> str:
    money = f"{_money(round(point.dollars, 4))} per run" if point.dollars > 0 else "free or local"
    return f"{point.label}: {point.index:.1f}, {money}" + (", simulated" if point.simulated else "")


def _add_names(axes: Axes, points: Sequence[CostPoint], places: Sequence[Point], needed: Sequence[int]) -> None:
    """Hover text for every dot, and names over no other name: needed ones over few dots, then others
    right beside their dots, over none.
    """
    from matplotlib.transforms import IdentityTransform

    to_pixels: Any = axes.transData.transform
    busy = to_pixels([*places, (0, 0)])
    taken: list[Bbox] = []
    for at in dict.fromkeys([*needed, *sorted(range(len(points)), key=lambda place: -points[place].index)]):
        point = points[at]
        (area,) = axes.plot(*places[at], "s", markersize=14, markerfacecolor="none", markeredgewidth=0)
        canvas.add_tip(area, _cost_tip(point))
        text = canvas.shortened(point.label, SMALL_SIZE, _NAME_ROOM)
        boxes = _boxes(to_pixels(places[at]), canvas.text_width(text, SMALL_SIZE))
        near = itertools.islice(boxes, None if at in needed else 2)
        free = [box for box in near if _inside(box, axes.bbox) and not box.count_overlaps(taken)]
        box = min(free, key=lambda box: box.padded(5).count_contains(busy), default=None)
        if box is not None and (at in needed or not box.padded(5).count_contains(busy)):
            taken.append(box)
            tone, style = palette.INK if at in needed else palette.MUTED, "italic" if point.simulated else "normal"
            place = (box.x0, (box.y0 + box.y1) / 2)
            canvas.write(axes, place, text, color=tone.light, style=style, transform=IdentityTransform())


def _boxes(place: Point, width: float) -> Iterator[Bbox]:
    """Places for a name around its dot, best first."""
    from matplotlib.transforms import Bbox

    for away, (across, up) in itertools.product(_AWAY, _WAYS):
        left = place[0] + across * away - width * (1 - across) / 2
        middle = place[1] + up * (away if across else away + _NAME_HEIGHT / 2)
        yield Bbox.from_bounds(left, middle - _NAME_HEIGHT / 2, width, _NAME_HEIGHT)


def _inside(box: Bbox, room: Bbox) -> bool:
    across = room.x0 <= box.x0 and box.x1 <= room.x1 + 16
    return bool(across and room.y0 <= box.y0 and box.y1 <= room.y1 + _NAME_HEIGHT)
