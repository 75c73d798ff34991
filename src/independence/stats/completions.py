"""What the points of a subject with missing verdicts can still become.

Each missing verdict lies somewhere on its scale. The spread over runs is a convex function of it, so the largest is
found at the ends of the scale, and the smallest where it equals the mean of the other runs. Where every scenario has a
single run, the same holds of the spread over scenarios of a kind, and always of the spread over scenarios' means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from independence.stats.strict import ScoringFrame, VerdictCell
from independence.stats.subject_points import Points, Stratum, SubjectPoints, subject_points
from independence.types import Ends

_HOLES = 12  # scenarios of a stratum with missing verdicts, of which all combinations of ends are tried


class Completions(NamedTuple):
    """The completions of a subject's verdicts with the least and the most variance."""

    calmest: SubjectPoints
    noisiest: SubjectPoints
    farthest: SubjectPoints  # with the most variance over the scenarios of each stratum, where it has several
    off: tuple[Points, ...]  # by stratum: how far means of scenarios may be from those of an end, (scenarios,)


def completions(frame: ScoringFrame, cells: Sequence[VerdictCell]) -> Completions | None:
    """Of planned cells; None where fewer than two are valid of a scenario, or of single runs of a stratum."""
    found = subject_points(frame, cells, open_=True)
    if found is None or any(len(_known(found.totals, kind)) < 2 for kind in _kinds(found)):
        return None
    noisiest = {scenario: _noisiest(found, kind, scenario) for kind in _kinds(found) for scenario in kind}
    off = tuple(np.array([_width(*one) for one in zip(own.points, own.ends, strict=True)]) for own in found.strata)
    return Completions(
        calmest=_filled(found, None),
        noisiest=_filled(found, [noisiest] * len(found.strata)),
        farthest=_filled(found, [noisiest if len(own.scenarios) == 1 else _farthest(own) for own in found.strata]),
        off=off,
    )


def _width(points: Points, ends: Ends) -> float:
    """How far apart missing verdicts can move the mean of a scenario."""
    return float((ends[1] - ends[0]) * np.isnan(points).mean())


def _farthest(stratum: Stratum) -> dict[str, int]:
    """How many missing verdicts of each scenario stand at the high end, where their means have the most variance.

    All of a scenario stand at one end. All combinations are tried, or where these are too many each scenario takes the
    end that is farther from the middle of all.
    """
    missing = [int(np.isnan(points).sum()) for points in stratum.points]
    low = np.array([_closed(p, [end[0]] * len(p)).mean() for p, end in zip(stratum.points, stratum.ends, strict=True)])
    width = np.array([_width(*one) for one in zip(stratum.points, stratum.ends, strict=True)])
    holes = np.flatnonzero(width)
    middle = low + width / 2
    tops = (middle > middle.mean())[None, holes]
    if len(holes) <= _HOLES:
        tops = (np.arange(2 ** len(holes))[:, None] >> np.arange(len(holes)) & 1).astype(bool)
    means = np.tile(low, (len(tops), 1))
    means[:, holes] += tops * width[holes]
    best = np.zeros(len(low), dtype=bool)
    best[holes] = tops[int(means.var(axis=1).argmax())]
    return {name: count * bool(top) for name, count, top in zip(stratum.scenarios, missing, best, strict=True)}


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


def _filled(found: SubjectPoints, tops: Sequence[Mapping[str, int]] | None) -> SubjectPoints:
    """Missing verdicts at the mean of their kind; or so many of a scenario at its high end, and the rest at the low.

    `tops` are by stratum.
    """
    strata, once = [], _once(found)
    for number, (names, points, ends) in enumerate(found.strata):
        own = dict(zip(names, points, strict=True))
        means = [float(_known(own, names if once else [name]).mean()) for name in names]
        filled = tuple(
            _closed(one, [mean] * len(one) if tops is None else [end[1]] * tops[number][name] + [end[0]] * len(one))
            for name, one, end, mean in zip(names, points, ends, means, strict=True)
        )
        strata.append(Stratum(names, filled, ends))
    return SubjectPoints(found.base, tuple(strata))


def _closed(points: Points, fill: Sequence[float]) -> Points:
    """Missing ones from `fill`, in order."""
    missing, closed = np.isnan(points), points.copy()
    closed[missing] = fill[: int(missing.sum())]
    return closed
