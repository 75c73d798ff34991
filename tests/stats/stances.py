"""Stances of made-up subjects, as `estimate` takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from independence.stats.sides import PlannedStance

Side = Literal["a", "b", "n"]


class Cell(NamedTuple):
    """What each asker hears, run by run; None: no verdict."""

    a: Sequence[float | None] = ()
    b: Sequence[float | None] = ()
    n: Sequence[float | None] = ()
    merit: float | None = None
    group: str = ""


def of(*cells: Cell, phrasing: str = "") -> list[PlannedStance]:
    """Rows of cells named 0, 1, ..., all in one phrasing."""
    return [
        PlannedStance(str(number), cell.group, cell.merit, phrasing, run, side, value, None)
        for number, cell in enumerate(cells)
        for side, values in (("a", cell.a), ("b", cell.b), ("n", cell.n))
        for run, value in enumerate(values, 1)
    ]


def row(side: Side, value: float | None, *, cell: str = "0", phrasing: str = "", run: int = 1) -> PlannedStance:
    return PlannedStance(cell, "", None, phrasing, run, side, value, None)
