"""The subjects of a published result set, with the verdicts they were given: what simulated boards are drawn from."""

from __future__ import annotations

import os
from collections import Counter
from functools import lru_cache
from pathlib import Path

import numpy as np

from benchmarks.published import ARCHIVE, VARIABLE
from independence.api import importing
from independence.report.board import board_data
from independence.report.board.board_data import BoardData
from independence.stats.subject_points import SubjectPoints, subject_points

FEWEST = 4  # verdicts of every scenario


@lru_cache(maxsize=1)
def study() -> BoardData | None:
    """All of its subjects; None where the data is not there."""
    path = Path(os.environ.get(VARIABLE, ""), ARCHIVE)
    if not os.environ.get(VARIABLE) or not path.is_file():
        return None
    with importing.read_results(path) as store, store.reading() as connection:
        return board_data.read(connection, store.board_scope(None, None, None))


@lru_cache(maxsize=1)
def pool() -> tuple[SubjectPoints, ...]:
    """Everybody with at least `FEWEST` valid verdicts of every scenario; nobody where the data is not there."""
    read, found = study(), []
    if read is None:
        return ()
    needed = {scenario for members in read.frame.members.values() for scenario in members}
    for own in read.planned.values():
        valid = [cell for cell in own if cell.values is not None]
        counts = Counter(cell.scenario for cell in valid)
        sheet = subject_points(read.frame, valid) if min(counts[one] for one in needed) >= FEWEST else None
        found += [sheet] if sheet is not None else []
    return tuple(found)


def run_variance(pool: tuple[SubjectPoints, ...]) -> float:
    """Mean over subjects of the unbiased variance of one run of the index, in squared points."""
    return float(np.mean([sum(points.var(ddof=1) for points in sheet.totals.values()) for sheet in pool]))
