"""Confidence intervals for a mean. Nothing here is clipped to a scale: that is for whoever displays it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

_REST = 1e-9  # what is left of no difference after computing it


class Interval(NamedTuple):
    """Both ends of a confidence interval."""

    low: float
    high: float


def around(point: float, se: float, df: float, level: float = 0.95) -> Interval:
    """Student's t interval about an estimate with a standard error that is worth so many degrees of freedom."""
    half = t_quantile(df, level) * se
    return Interval(point - half, point + half)


def joined(parts: Iterable[tuple[float, float]]) -> tuple[float, float]:
    """The sum of independent variances with its degrees of freedom (Satterthwaite 1946); those of nothing are 1."""
    own = list(parts)
    total = sum(variance for variance, _ in own)
    weights = sum(variance**2 / df for variance, df in own)
    return float(total), float(total**2 / weights) if weights else 1.0


def t_interval(values: Sequence[float], level: float = 0.95) -> Interval | None:
    """Student's t interval for the mean of independent values; None where they are fewer than two, or all the same.

    `level` is the two-sided confidence, between 0 and 1.
    """
    count = len(values)
    if count < 2 or max(values) - min(values) < _REST:
        return None
    mean = math.fsum(values) / count
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    return around(mean, math.sqrt(variance / count), count - 1, level)


def wilson(successes: int, n: int, level: float = 0.95) -> Interval:
    """Wilson's score interval for `successes` of `n` independent tries, both ends in [0, 1].

    `level` is the two-sided confidence, between 0 and 1. Without a try nothing is known: (0, 1). Raises ValueError
    unless 0 <= successes <= n.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} is no share")
    if n == 0:
        return Interval(0.0, 1.0)
    return _score(successes / n, NormalDist().inv_cdf(0.5 + level / 2) ** 2 / n)


def score_interval(share: float, dispersion: float, df: float, level: float = 0.95) -> Interval:
    """Wilson's (1927) interval for a share with an estimated error, both ends in [0, 1].

    It holds every p with (share - p)^2 <= t^2 x dispersion x p (1 - p). `share` lies in [0, 1]; `dispersion` > 0 is its
    squared standard error in units of p (1 - p), which is 1 / n for n tries, known with `df` degrees of freedom.
    """
    return score_interval_within(share, dispersion, t_quantile(df, level))


def score_interval_within(share: float, dispersion: float, quantile: float) -> Interval:
    """The same by a quantile of Student's t: how many standard errors the interval reaches."""
    return _score(share, quantile**2 * dispersion)


def _score(share: float, reach: float) -> Interval:
    middle = (share + reach / 2) / (1 + reach)
    half = math.sqrt(reach * (share * (1 - share) + reach / 4)) / (1 + reach)
    # At the ends of the scale the formula gives 0 and 1 up to rounding.
    return Interval(0.0 if share == 0 else max(0.0, middle - half), 1.0 if share == 1 else min(1.0, middle + half))


_TINY, _CLOSE, _MOST = 1e-300, 1e-15, 5_000
_NOISE = 1e-9  # of a quantile: steps that are smaller may be errors of computing


def outside(statistic: float, df: float) -> float:
    """P(|T| > statistic) for `statistic` >= 0."""
    square = statistic * statistic
    x, rest = df / (df + square), square / (df + square)
    if x < (df / 2 + 1) / (df / 2 + 2.5):
        return _incomplete(x, rest, df / 2, 0.5)
    return 1 - _incomplete(rest, x, 0.5, df / 2)


def above(statistic: float, df: float) -> float:
    """P(T > statistic)."""
    tail = outside(abs(statistic), df) / 2
    return tail if statistic >= 0 else 1 - tail


@lru_cache(maxsize=8_192)
def t_quantile(df: float, level: float) -> float:
    """The t that |T| stays within with probability `level` (0-1): the reach of an interval in standard errors.

    Newton's method from the normal quantile: the tail is convex and falling, so every step stays below the root. That
    of infinitely many degrees of freedom is the normal one.
    """
    at = NormalDist().inv_cdf(0.5 + level / 2)
    if math.isinf(df):
        return at
    scale = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - math.log(df * math.pi) / 2
    before = math.inf
    for _ in range(_MOST):
        density = math.exp(scale - (df + 1) / 2 * math.log1p(at * at / df))
        step = (outside(at, df) - (1 - level)) / (2 * density)
        at += step
        # With many degrees of freedom the tail is not computed that exactly, and steps stop shrinking before.
        if abs(step) <= 1e-13 * at or before <= abs(step) <= _NOISE * at:
            break
        before = abs(step)
    return at


def _incomplete(x: float, rest: float, a: float, b: float) -> float:
    """I_x(a, b) for x below (a + 1) / (a + b + 2); `rest` is 1 - x, kept apart where x is close to 1."""
    if x == 0:
        return 0.0
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest)
    d = 1 / _apart(1 - (a + b) * x / (a + 1))
    c, fraction = 1.0, d
    for m in range(1, _MOST):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / _apart(1 + term * d), _apart(1 + term / c)
            fraction *= d * c
        if abs(d * c - 1) < _CLOSE:
            break
    return math.exp(front) / a * fraction


def _apart(value: float) -> float:
    return value if abs(value) >= _TINY else _TINY
