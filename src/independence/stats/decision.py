"""Which of several subjects is higher, decided after every stage of calls until it is clear.

A decision has a margin and a most of runs, declared before its first look. The error is spent by what is known (Lan and
DeMets 1983, see `repeated_looks`): `FIRST` at the first look, and the rest of `ERROR` evenly from there to the end. So
equals are said to differ in at most `ERROR` of all decisions, and asking again with another margin or another end is no
way to more of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Literal

import numpy as np

from independence.stats import ranks, repeated_looks
from independence.stats.comparison import Difference
from independence.stats.index_uncertainty import Array, IndexEstimate
from independence.stats.ranks import RankedSubject
from independence.stats.subject_points import SubjectPoints

Outcome = Literal["differ", "within", "open"]
FIRST, ERROR = 0.005, 0.05
TOO_LARGE = 0.2, 1.6  # points: what a decided difference of 12, and of 3, is too large on average (`benchmarks decide`)


def level(information: Sequence[float], end: float) -> float:
    """The two-sided level (0-1) of the last of several looks, given the information at each and at the planned end.

    A first look at the end or beyond it is the only one that was planned. Looks beyond the end add at most half a
    point to the error.
    """
    if information[0] >= end:
        return repeated_looks.level(information, ERROR)
    return repeated_looks.level(information, FIRST, ERROR - FIRST, end)


def decided(found: Difference, at: float, margin: float) -> Outcome:
    """What a difference is at a two-sided level (0-1); `margin` in points.

    Within: the whole interval lies within +-margin. What is surely not 0 differs, be it within the margin too.
    """
    if found.p < at:
        return "differ"
    return "within" if found.equivalent(margin) < at / 2 else "open"


def surely_below(sides: Sequence[IndexEstimate], allowance: Array) -> list[bool]:
    """Who of n is surely below the one with the highest index.

    `allowance` (n, n): what the p value of each pair is multiplied by for earlier looks (`interim_looks`).

    Whoever is highest was chosen by the same runs, so each is tested as one of all pairs (Holm 1979), not of n - 1:
    of any number of equals one is put below in at most `ERROR` of cases. Intervals of multiple comparisons with the
    best (Hsu 1981, "Simultaneous confidence intervals for all distances from the best") say "at or below", which is
    less. Tests are two-sided: of two, either may be the higher.
    """
    points = np.array([one.point for one in sides])
    if len(points) < 2:
        return [False] * len(points)
    ranked = [RankedSubject(one.point, one.point, one, SubjectPoints(0.0, ())) for one in sides]
    p = np.abs(ranks.pair_p_values(ranked, like_these=False)) * allowance
    best = int(points.argmax())
    return [bool(one < ERROR) for one in ranks.adjusted_pairs(p)[best]]


def expected_stages(gap: float, variances: Sequence[float]) -> float:
    """About how many of the planned stages a decision takes where a difference is `gap` points.

    `variances`: of the estimated difference after each stage, in squared points. The chance that a decision has been
    made is taken as that of its latest look alone, which is a little low.
    """
    known, normal = [1 / one for one in variances], NormalDist()
    stages = 1.0
    for count in range(1, len(known)):
        bound = normal.inv_cdf(1 - level(known[:count], known[-1]) / 2)
        drift = gap * math.sqrt(known[count - 1])
        stages += 1 - normal.cdf(drift - bound) - normal.cdf(-drift - bound)
    return stages
