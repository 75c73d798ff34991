"""What the points of a subject with missing verdicts can still become.

Each missing verdict lies somewhere on its scale. The spread over runs is a convex function of it, so the largest is
found at the ends of the scale, and the smallest where it equals the mean of the other runs. Where every scenario has a
single run, the same holds of the spread over scenarios of a kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from independence.stats.strict import ScoringFrame, VerdictValues
from independence.stats.subject_points import Points, Stratum, SubjectPoints, subject_points


class Completions(NamedTuple):
    """The completions of a subject's verdicts with the least and the most variance."""

    calmest: SubjectPoints
    noisiest: SubjectPoints


def completions(frame: ScoringFrame, cells: Iterable[VerdictValues]) -> Completions | None:
    """Of planned cells; None where fewer than two are valid of a scenario, or of single runs of a stratum."""
    found = subject_points(frame, cells, open_=True)
    if found is None or any(len(_known(found.totals, kind)) < 2 for kind in _kinds(found)):
        return None
    noisiest = {scenario: _noisiest(found, kind, scenario) for kind in _kinds(found) for scenario in kind}
    return Completions(_filled(found, None), _filled(found, noisiest))


def _kinds(found: SubjectPoints) -> list[tuple[str, ...]]:
    """Scenarios among whose verdicts a spread is seen: each alone, or of single runs those of a stratum."""
    return [stratum.scenarios for stratum in found.strata] if _once(found) else [(name,) for name in found.totals]


def _once(found: SubjectPoints) -> bool:
    return all(len(points) == 1 for points in found.totals.values())


def _known(totals: Mapping[str, Points], kind: Sequence[str]) -> Points:
    points: Points = np.concatenate([totals[scenario] for scenario in kind])
    return np.asarray(points[~np.isnan(points)])


def _noisiest(found: SubjectPoints, kind: Sequence[str], scenario: str) -> int:
    """How many missing verdicts of a scenario stand at the high end, where that gives the most variance."""
    low, high = found.ends[scenario]
    known, count = _known(found.totals, kind), int(np.isnan(found.totals[scenario]).sum())
    return max(range(count + 1), key=lambda top: np.var([*known, *[high] * top, *[low] * (count - top)]))


def _filled(found: SubjectPoints, tops: Mapping[str, int] | None) -> SubjectPoints:
    """Missing verdicts at the mean of their kind; or so many of a scenario at its high end, and the rest at the low."""
    strata, once = [], _once(found)
    for names, points, ends in found.strata:
        own = dict(zip(names, points, strict=True))
        means = [float(_known(own, names if once else [name]).mean()) for name in names]
        filled = tuple(
            _closed(one, [mean] * len(one) if tops is None else [end[1]] * tops[name] + [end[0]] * len(one))
            for name, one, end, mean in zip(names, points, ends, means, strict=True)
        )
        strata.append(Stratum(names, filled, ends))
    return SubjectPoints(found.base, tuple(strata))


def _closed(points: Points, fill: Sequence[float]) -> Points:
    """Missing ones from `fill`, in order."""
    missing, closed = np.isnan(points), points.copy()
    closed[missing] = fill[: int(missing.sum())]
    return closed
