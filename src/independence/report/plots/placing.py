"""Where labels of a scatter go: greedily, each at the first free place around its point, or nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from independence.report.plots.canvas import Box

_HEIGHT: Final = 14.0
_DOT: Final = 5.0
# How far the label's nearest corner or side is from its point, and in which directions, best first.
_AWAY: Final = (8.0, 18.0, 30.0, 44.0, 60.0, 80.0)
_WAYS: Final = ((1, 0), (-1, 0), (1, -1), (-1, -1), (1, 1), (-1, 1), (0, -1), (0, 1))


class Wish(NamedTuple):
    """A label of a width in pixels that wants to stand near its point; a modest one right beside it or not at all."""

    x: float
    y: float
    width: float
    modest: bool = False


def placed(wishes: Sequence[Wish], points: Sequence[tuple[float, float]], within: Box) -> list[Box | None]:
    """A place for each label, earlier ones first: inside `within`, over no other label, over as few points as can be.

    None where every place around a point is taken by other labels.
    """
    taken: list[Box] = []
    found: list[Box | None] = []
    for wish in wishes:
        free = [box for box in _around(wish) if _inside(box, within) and not any(_meet(box, other) for other in taken)]
        best = min(free, key=lambda box: _covered(box, points), default=None)
        if wish.modest and best and _covered(best, points):
            best = None
        found.append(best)
        taken += [best] if best else []
    return found


def _around(wish: Wish) -> list[Box]:
    boxes = []
    for away in _AWAY[:1] if wish.modest else _AWAY:
        for across, down in _WAYS[:2] if wish.modest else _WAYS:
            reach = away if not (across and down) else away * 0.7
            left = wish.x + across * reach - (wish.width if across < 0 else wish.width / 2 if across == 0 else 0)
            middle = wish.y + down * (reach + (_HEIGHT / 2 if across == 0 else 0))
            boxes.append(Box(left, middle - _HEIGHT / 2, wish.width, _HEIGHT))
    return boxes


def _inside(box: Box, within: Box) -> bool:
    across = within.left <= box.left and box.right <= within.right
    return across and within.top <= box.top and box.bottom <= within.bottom


def _meet(one: Box, other: Box) -> bool:
    return one.left < other.right and other.left < one.right and one.top < other.bottom and other.top < one.bottom


def _covered(box: Box, points: Sequence[tuple[float, float]]) -> int:
    return sum(box.left - _DOT < x < box.right + _DOT and box.top - _DOT < y < box.bottom + _DOT for x, y in points)
