"""What the points of a subject with missing verdicts can still become.

Each missing verdict lies somewhere on its scale. The spread over runs is a convex function of it, so the largest is
found at the ends of the scale, and the smallest where it equals the mean of the other runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from independence.stats.strict import ScoringFrame, VerdictValues
from independence.stats.subject_points import Points, Stratum, SubjectPoints, subject_points


class Completions(NamedTuple):
    """The completions of a subject's verdicts with the least and the most variance over runs of every scenario."""

    calmest: SubjectPoints
    noisiest: SubjectPoints


def completions(frame: ScoringFrame, cells: Iterable[VerdictValues]) -> Completions | None:
    """Of planned cells; None where a scenario of the index has fewer than two verdicts: nothing tells its spread."""
    found = subject_points(frame, cells, open_=True)
    if found is None:
        return None
    ends, valid = found.ends, {name: ~np.isnan(points) for name, points in found.totals.items()}
    if any(own.sum() < 2 for own in valid.values()):
        return None
    high = {name: _noisiest(points, *ends[name]) for name, points in found.totals.items()}
    return Completions(_filled(found, None), _filled(found, high))


def _noisiest(points: Points, low: float, high: float) -> int:
    """How many of the missing ones stand at the high end, where that gives the most variance."""
    missing = np.isnan(points)
    known, count = points[~missing], int(missing.sum())
    return max(range(count + 1), key=lambda top: np.var([*known, *[high] * top, *[low] * (count - top)]))


def _filled(found: SubjectPoints, high: Mapping[str, int] | None) -> SubjectPoints:
    """Missing ones at the mean of the others; or so many at the high end of their scale, and the rest at the low."""
    strata = []
    for names, points, ends in found.strata:
        filled = tuple(
            _closed(own, end, None if high is None else high[name])
            for name, own, end in zip(names, points, ends, strict=True)
        )
        strata.append(Stratum(names, filled, ends))
    return SubjectPoints(found.base, tuple(strata))


def _closed(points: Points, ends: tuple[float, float], high: int | None) -> Points:
    missing = np.isnan(points)
    closed = points.copy()
    count = int(missing.sum())
    closed[missing] = points[~missing].mean() if high is None else [ends[1]] * high + [ends[0]] * (count - high)
    return closed
