"""Confidence intervals for a mean. Nothing here is clipped to a scale: that is for whoever displays it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from independence.stats.student_t import quantile


class Interval(NamedTuple):
    """Both ends of a confidence interval."""

    low: float
    high: float


def t_interval(values: Sequence[float], level: float = 0.95) -> Interval | None:
    """Student's t interval for the mean of independent values; None below two, since one value has no spread.

    `level` is the two-sided confidence, between 0 and 1.
    """
    count = len(values)
    if count < 2:
        return None
    mean = math.fsum(values) / count
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    half = t_quantile(count - 1, level) * math.sqrt(variance / count)
    return Interval(mean - half, mean + half)


@lru_cache(maxsize=256)
def t_quantile(df: float, level: float) -> float:
    """How many standard errors a two-sided t interval of that level reaches to either side."""
    return quantile(df, level)
