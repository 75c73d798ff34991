"""What a measurement returns: a figure with its bound, or why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Literal, NamedTuple

import msgspec

from benchmarks.grid import Grid


class Figure(msgspec.Struct, frozen=True):
    """A measured value and the bound it has to keep; None: shown for what it is."""

    name: str
    value: float
    unit: str
    bound: float | None = None
    better: Literal["lower", "higher"] = "lower"
    detail: str = ""  # n, spread, and what else is needed to judge the value

    @property
    def kept(self) -> bool:
        """Whether the bound is kept; without one nothing can be missed."""
        if self.bound is None:
            return True
        return self.value <= self.bound if self.better == "lower" else self.value >= self.bound


class Skipped(NamedTuple):
    """A measurement that could not be made here."""

    name: str
    why: str


Result = Figure | Skipped | Grid


def spread(values: Sequence[float], unit: str = "", digits: int = 2) -> str:
    """`n = 5, median 1.20, 1.10 to 1.40 ms`."""
    low, middle, high = (f"{value:.{digits}f}" for value in (min(values), median(values), max(values)))
    return f"n = {len(values)}, median {middle}, {low} to {high} {unit}".rstrip()
