"""Simulated shares as a grid: each with its Monte Carlo error and the range that it has to keep."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from rich.table import Table

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
ERRORS = 2  # Monte Carlo errors that a share may lie outside its range
J = TypeVar("J")
R = TypeVar("R")


class Within(NamedTuple):
    """A range that a figure has to keep; None: open."""

    least: float | None = None
    most: float | None = None


ANY = Within()


class Cell(NamedTuple):
    """A figure, its Monte Carlo error (None: not given) and the range that it has to keep."""

    value: float
    error: float | None = None
    within: Within = ANY
    digits: int = 1

    @property
    def kept(self) -> bool:
        """Whether the figure is in its range or less than `ERRORS` Monte Carlo errors outside."""
        slack = ERRORS * (self.error or 0.0)
        least, most = self.within
        return (least is None or self.value >= least - slack) and (most is None or self.value <= most + slack)

    def __str__(self) -> str:
        error = "" if self.error is None else f" ±{self.error:.1f}"
        return f"{self.value:.{self.digits}f}{error}{'' if self.kept else ' !'}"


class Row(NamedTuple):
    """A line of a grid; None: nothing fell into that cell."""

    name: str
    cells: tuple[Cell | None, ...]


class Grid(NamedTuple):
    """Rows under one heading. `!` marks a figure that is outside its range."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def kept(self) -> bool:
        """Whether every figure keeps its range."""
        return all(cell is None or cell.kept for row in self.rows for cell in row.cells)

    def table(self) -> Table:
        """For a terminal."""
        table = Table(*("", *self.heads), title=self.title, title_justify="left", box=None, padding=(0, 2, 0, 0))
        for row in self.rows:
            table.add_row(row.name, *("-" if cell is None else str(cell) for cell in row.cells))
        return table


def percent(held: ArrayLike, board: ArrayLike, within: Within = ANY) -> Cell | None:
    """Percentage of `held` (n,), whose subjects stand on boards (n,); None of nobody.

    What is on one board hangs together, so the error is that of a ratio over boards (Cochran 1977, section 6.3). At 0
    and 100% that would be none: there it is the share that one more board would be.
    """
    true, groups = np.asarray(held, dtype=np.float64), np.asarray(board)
    if not len(true):
        return None
    share = float(true.mean())
    off = np.bincount(groups, true - share)
    error = float(np.sqrt((off**2).sum())) / len(true) if 0 < share < 1 else 1 / len(np.unique(groups))
    return Cell(100 * share, 100 * error, within)


def in_processes(work: Callable[[J], R], jobs: Sequence[J], processes: int | None = None) -> list[R]:
    """`work` of every job in order, on all cores unless told on how many."""
    count = processes or os.cpu_count() or 1
    if count == 1:
        return [work(job) for job in jobs]
    with ProcessPoolExecutor(count) as pool:
        return list(pool.map(work, jobs))
