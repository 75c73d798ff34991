"""Intervals for a share. Never without width: that something never happened in n tries does not make it impossible."""

from __future__ import annotations

import math
from statistics import NormalDist

from independence.stats.intervals import Interval


def wilson(successes: int, n: int, level: float = 0.95) -> Interval:
    """Wilson's score interval for `successes` of `n` independent tries, both ends in [0, 1].

    `level` is the two-sided confidence, between 0 and 1. Without a try nothing is known: (0, 1). Raises ValueError
    unless 0 <= successes <= n.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} is no share")
    if n == 0:
        return Interval(0.0, 1.0)
    z2 = NormalDist().inv_cdf(0.5 + level / 2) ** 2
    share = successes / n
    middle = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = math.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n * n))) / (1 + z2 / n)
    # At the ends of the scale the formula gives 0 and 1 up to rounding.
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    high = 1.0 if successes == n else min(1.0, middle + half)
    return Interval(low, high)
