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

from independence.stats import comparison, repeated_looks
from independence.stats.comparison import ComparedSubjects, Difference
from independence.stats.index_uncertainty import IndexEstimate

Outcome = Literal["differ", "within", "open"]
FIRST, ERROR = 0.005, 0.05
TOO_LARGE = 0.4, 1.6  # points: what a decided difference of 12, and of 3, is too large on average (`benchmarks decide`)


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


def surely_below(best: IndexEstimate, others: Sequence[IndexEstimate], levels: Sequence[float]) -> list[bool]:
    """Who is surely below the one with the highest index, each tested at a level (0-1), by Holm's steps together.

    Tests are two-sided: of two, either may be the higher. How often the best of 20 is dropped, `python -m benchmarks
    decide/best` says.
    """
    if not others:
        return []
    points = best.point - np.array([one.point for one in others])
    sides = ComparedSubjects.of([best]), ComparedSubjects.of(others)
    errors = comparison.on_these(*sides)
    p = comparison.differences(points, (sides[0].place, sides[1].place), sides, errors, errors).p
    return [bool(one < ERROR) for one in comparison.adjusted(p * ERROR / np.array(levels))]


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
