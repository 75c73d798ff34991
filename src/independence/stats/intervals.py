"""Confidence intervals for a mean. Nothing here is clipped to a scale: that is for whoever displays it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

_MOST_TERMS = 50
_HALVINGS = 60


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
    if df <= _MOST_TERMS and df == int(df):
        return _by_series(int(df), level)
    from scipy.special import stdtrit  # its import costs as much as all the rest of a board

    return float(stdtrit(df, 0.5 + level / 2))


def _by_series(df: int, level: float) -> float:
    """Bisection over the angle whose tangent is t / sqrt(df): there the level within t is a finite series."""
    low, high = 0.0, math.pi / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _level_within(middle, df) < level else (low, middle)
    return math.sqrt(df) * math.tan((low + high) / 2)


def _level_within(angle: float, df: int) -> float:
    """Abramowitz and Stegun 26.7.3 and 26.7.4: even powers of the cosine for even `df`, odd ones for odd."""
    cosine, odd = math.cos(angle), df % 2
    term, total = (cosine if odd else 1.0), 0.0
    for power in range(2 + odd, df + 1, 2):
        total += term
        term *= cosine * cosine * (power - 1) / power
    return 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total
