"""What the points of a subject with missing verdicts can still become.

Each missing verdict lies somewhere on its scale. The spread over runs is a convex function of it, so it is largest at
an end of the scale. Where every scenario has a single run, the same holds of the spread over scenarios of a kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from independence.stats.strict import ScoringFrame, VerdictCell
from independence.stats.subject_points import Points, Stratum, SubjectPoints, subject_points
from independence.types import Ends


class Completions(NamedTuple):
    """A subject's verdicts, its missing ones filled in three ways."""

    worst: SubjectPoints  # the lowest index
    best: SubjectPoints  # the highest
    noisiest: SubjectPoints  # the most variance over runs, or where each scenario has one, over scenarios
    off: tuple[Points, ...]  # by stratum: how far means of scenarios may be from those of any of them, (scenarios,)

    @property
    def filled(self) -> tuple[SubjectPoints, SubjectPoints, SubjectPoints]:
        """All three."""
        return self.worst, self.best, self.noisiest


def completions(frame: ScoringFrame, cells: Sequence[VerdictCell]) -> Completions | None:
    """Of planned cells; None where not one is valid, or a scenario of the index was not planned."""
    found = subject_points(frame, cells, open_=True)
    if found is None or all(cell.values is None for cell in cells):
        return None
    missing = {name: int(np.isnan(points).sum()) for name, points in found.totals.items()}
    once = all(len(points) == 1 for points in found.totals.values())
    kinds = [stratum.scenarios for stratum in found.strata] if once else [(name,) for name in missing]
    tops: dict[str, int] = {}
    for kind in kinds:
        points = np.concatenate([found.totals[name] for name in kind])
        known = points[~np.isnan(points)]
        tops |= {name: _noisiest(known, missing[name], found.ends[name]) for name in kind}
    off = tuple(
        np.array([(high - low) * np.isnan(own).mean() for own, (low, high) in zip(one.points, one.ends, strict=True)])
        for one in found.strata
    )
    worst, best, noisiest = (_filled(found, high) for high in (dict.fromkeys(missing, 0), missing, tops))
    return Completions(worst, best, noisiest, off)


def _noisiest(known: Points, missing: int, ends: Ends) -> int:
    """How many missing verdicts stand at the high end, where that gives the most variance."""
    low, high = ends
    return max(range(missing + 1), key=lambda top: np.var([*known, *[high] * top, *[low] * (missing - top)]))


def _filled(found: SubjectPoints, tops: dict[str, int]) -> SubjectPoints:
    """So many of a scenario's missing verdicts at its high end, and the rest at the low."""
    strata = []
    for names, points, ends in found.strata:
        filled = []
        for name, own, (low, high) in zip(names, points, ends, strict=True):
            closed, holes = own.copy(), np.isnan(own)
            closed[holes] = [high if at < tops[name] else low for at in range(int(holes.sum()))]
            filled.append(closed)
        strata.append(Stratum(names, tuple(filled), ends))
    return SubjectPoints(found.base, tuple(strata), found)
