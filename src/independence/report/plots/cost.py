"""Index against cost: dollars per run on a logarithmic scale, and the frontier of what nothing cheaper beats."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from independence.report.plots import canvas, lettering, marks, palette, placing, rows
from independence.report.plots.canvas import SMALL, Box, Sheet
from independence.report.plots.svg import About
from independence.report.table import Ends

_WIDTH, _HEIGHT = 880.0, 560.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 20.0, 52.0, 54.0
_LANE: Final = 96.0
_APART: Final = 9.0  # pixels between dots of the lane
_ROOM: Final = 200.0  # for a label
_FEW_DECADES: Final = 2.5
_FAR: Final = 16.0  # pixels from a label to its dot from which on a line joins them


class CostPoint(msgspec.Struct, frozen=True):
    """One subject: its index, 0-100, and what a run of it costs in dollars; 0 for free and local ones."""

    label: str
    index: float
    dollars: float
    simulated: bool = False


class _Layout(NamedTuple):
    lane: Box | None
    plot: Box
    across: Ends  # log10 of dollars
    span: Ends

    def y(self, index: float) -> float:
        return self.plot.bottom - self.plot.height * (index - self.span[0]) / (self.span[1] - self.span[0])

    def x(self, dollars: float) -> float:
        share = (math.log10(dollars) - self.across[0]) / (self.across[1] - self.across[0])
        return self.plot.left + self.plot.width * share


def cost(points: Sequence[CostPoint], about: About) -> str:
    """A dot a subject; those of the frontier and the extremes are named, all tell their numbers when pointed at."""
    layout = _laid_out(points)
    at = _positions(points, layout)
    with canvas.sheet(_WIDTH, _HEIGHT) as sheet:
        marks.write_legend(sheet, _keys(points), 6, 16)
        _write_scales(sheet, layout)
        members = frontier(points)
        stairs = _stairs([at[place] for place in members])
        if len(stairs) > 1:
            marks.frontier(sheet.ground, stairs)
        for simulated in (False, True):
            own = [at[place] for place, point in enumerate(points) if point.simulated is simulated]
            marks.dots(sheet.ground, own, simulated)
        _write_labels(sheet, points, at, stairs)
        for (x, y), point in zip(at, points, strict=True):
            sheet.hit(Box(x - 7, y - 7, 14, 14), _told(point))
        return sheet.svg(about)


def frontier(points: Sequence[CostPoint]) -> list[int]:
    """Places of the subjects that no other beats at the same or a lower cost, from cheap to dear."""
    best, members = -math.inf, []
    for place in sorted(range(len(points)), key=lambda place: (points[place].dollars, -points[place].index)):
        if points[place].index > best:
            best = points[place].index
            members.append(place)
    return members


def _laid_out(points: Sequence[CostPoint]) -> _Layout:
    free = any(point.dollars <= 0 for point in points)
    lane = Box(_LEFT, _TOP, _LANE, _HEIGHT - _TOP - _BOTTOM) if free else None
    left = _LEFT + (_LANE + 14 if free else 0)
    logs = [math.log10(point.dollars) for point in points if point.dollars > 0] or [-2.0, 0.0]
    pad = max((max(logs) - min(logs)) * 0.04, 0.1)
    return _Layout(
        lane,
        Box(left, _TOP, _WIDTH - left - _RIGHT, _HEIGHT - _TOP - _BOTTOM),
        (min(logs) - pad, max(logs) + pad),
        rows.spanned([point.index for point in points]),
    )


def _positions(points: Sequence[CostPoint], layout: _Layout) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = [(0.0, 0.0)] * len(points)
    lane: list[tuple[float, float]] = []
    for place, point in enumerate(points):
        y = layout.y(point.index)
        if point.dollars > 0:
            found[place] = (layout.x(point.dollars), y)
        elif layout.lane:
            found[place] = _beside(lane, layout.lane, y)
            lane.append(found[place])
    return found


def _beside(others: Sequence[tuple[float, float]], lane: Box, y: float) -> tuple[float, float]:
    """The middle of the lane, or the nearest place beside it where no dot lies yet."""
    middle = lane.left + lane.width / 2
    steps = int(lane.width / 2 / _APART)
    for offset in sorted(range(-steps + 1, steps), key=lambda step: (abs(step), step)):
        x = middle + offset * _APART
        if all(math.hypot(x - other[0], y - other[1]) >= _APART for other in others):
            return x, y
    return middle, y


def _write_scales(sheet: Sheet, layout: _Layout) -> None:
    plot = layout.plot
    for tick in rows.ticks(layout.span):
        y = layout.y(tick)
        sheet.line((_LEFT, y), (plot.right, y))
        sheet.text(_LEFT - 8, y, f"{tick:g}", SMALL._replace(align="right"))
    for dollars in _dollar_ticks(layout.across):
        x = layout.x(dollars)
        sheet.line((x, plot.bottom), (x, plot.bottom + 5), palette.MUTED)
        sheet.text(x, plot.bottom + 14, _money(dollars), SMALL._replace(align="center"))
    if layout.lane:
        sheet.fill(layout.lane, palette.BAND)
        middle = layout.lane.left + layout.lane.width / 2
        sheet.text(middle, plot.bottom + 14, "free or local", SMALL._replace(align="center"))
    sheet.text(_LEFT - 8, plot.top - 14, "Index", SMALL._replace(align="right"))
    sheet.text(plot.right, plot.bottom + 36, "Dollars per run, logarithmic", SMALL._replace(align="right"))


def _dollar_ticks(across: Ends) -> list[float]:
    steps = (1, 2, 5) if across[1] - across[0] <= _FEW_DECADES else (1,)
    decades = range(math.floor(across[0]), math.ceil(across[1]) + 1)
    every = [step * 10.0**decade for decade in decades for step in steps]
    return [dollars for dollars in every if across[0] <= math.log10(dollars) <= across[1]]


def _money(dollars: float) -> str:
    return "$" + f"{dollars:.9f}".rstrip("0").rstrip(".")


def _stairs(at: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    steps = [at[0]] if at else []
    for (_, before), (x, y) in itertools.pairwise(at):
        steps += [(x, before), (x, y)]
    return steps


def _named(points: Sequence[CostPoint]) -> list[int]:
    """Who is named, in order of need: the frontier from the best down, then the worst, the cheapest and the dearest."""
    paid = [place for place, point in enumerate(points) if point.dollars > 0]
    extremes = [min(range(len(points)), key=lambda place: points[place].index)] if points else []
    if paid:
        extremes += [pick(paid, key=lambda place: points[place].dollars) for pick in (min, max)]
    return list(dict.fromkeys([*reversed(frontier(points)), *extremes]))


def _write_labels(
    sheet: Sheet, points: Sequence[CostPoint], at: Sequence[tuple[float, float]], stairs: Sequence[tuple[float, float]]
) -> None:
    needed = _named(points)
    others = sorted(set(range(len(points))) - set(needed), key=lambda place: -points[place].index)
    named = [*needed, *others]
    texts = [lettering.fitted(lettering.visible(points[place].label), SMALL.size, _ROOM) for place in named]
    wishes = [
        placing.Wish(*at[place], lettering.width(text, SMALL.size), count >= len(needed))
        for count, (place, text) in enumerate(zip(named, texts, strict=True))
    ]
    within = Box(_LEFT, _TOP - 14, _WIDTH - _LEFT - 4, _HEIGHT - _TOP - _BOTTOM + 14)
    for wish, place, text, box in zip(
        wishes, named, texts, placing.placed(wishes, [*at, *_beads(stairs)], within), strict=True
    ):
        if box is None:
            continue
        middle = box.top + box.height / 2
        near = (min(max(at[place][0], box.left), box.right), middle)
        if math.dist(near, at[place]) > _FAR:
            sheet.line(near, at[place], palette.SOFT)
        tone = palette.MUTED if wish.modest else palette.INK
        sheet.text(box.left, middle, text, SMALL._replace(tone=tone, italic=points[place].simulated))


def _beads(stairs: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points along a line, close enough that no label slips between them."""
    beads = []
    for (x, y), (to_x, to_y) in itertools.pairwise(stairs):
        count = math.ceil(math.dist((x, y), (to_x, to_y)) / 10)
        beads += [(x + (to_x - x) * step / count, y + (to_y - y) * step / count) for step in range(1, count)]
    return beads


def _told(point: CostPoint) -> str:
    money = f"{_money(round(point.dollars, 4))} per run" if point.dollars > 0 else "free or local"
    return f"{point.label}: {point.index:.1f}, {money}" + (", simulated" if point.simulated else "")


def _keys(points: Sequence[CostPoint]) -> list[marks.Key]:
    keys = [
        (any(not point.simulated for point in points), marks.key_dot("subject")),
        (any(point.simulated for point in points), marks.key_dot("simulated", True)),
        (len(points) > 1, marks.key_frontier("frontier: nothing cheaper is better")),
    ]
    return [key for there, key in keys if there]
