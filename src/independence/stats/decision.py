"""Which of several subjects is higher, decided after every stage of calls until it is clear.

A decision has a margin and a most of runs, declared before its first look. The error is spent by what is known (Lan and
DeMets 1983, see `repeated_looks`): `FIRST` at the first look, and the rest of `ERROR` as the error of the comparison
falls from there to what it will be at the end. So equals are said to differ in at most `ERROR` of all decisions, and
asking again with another margin or another end is no way to more of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import Literal

import numpy as np

from independence.stats import repeated_looks
from independence.stats.comparison import Difference, adjusted, difference
from independence.stats.index_uncertainty import IndexEstimate

Outcome = Literal["differ", "within", "open"]
FIRST, ERROR = 0.005, 0.05
TOO_LARGE = 0.1, 0.6  # points: how much a difference that was decided early is on average (`benchmarks decide`)


def level(information: Sequence[float], end: float) -> float:
    """The two-sided level (0-1) of the last of several looks, given the information at each and at the planned end.

    A first look at the end or beyond it is the only one that was planned. Looks beyond the end add at most as much
    again as the share of what is known at the first look in what is known at the end.
    """
    first = information[0]
    if first >= end:
        return repeated_looks.level(information, ERROR, FIRST)
    return repeated_looks.level(information, FIRST, (ERROR - FIRST) / (1 - first / end))


def decided(found: Difference, at: float, margin: float) -> Outcome:
    """What a difference is at a two-sided level (0-1); `margin` in points.

    Within: the whole interval lies within +-margin. What is surely not 0 differs, be it within the margin too.
    """
    if found.p < at:
        return "differ"
    interval = found.interval(1 - at)
    return "within" if interval is not None and -margin < interval.low and interval.high < margin else "open"


def surely_below(best: IndexEstimate, others: Sequence[IndexEstimate], levels: Sequence[float]) -> list[bool]:
    """Who is surely below the one with the highest index, each tested at a level (0-1), by Holm's steps together."""
    p = [difference(best, one).p * ERROR / own for one, own in zip(others, levels, strict=True)]
    return [bool(one < ERROR) for one in adjusted(np.array(p), "holm")]


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
