"""Student's t and confidence intervals for a mean, a share or a difference.

Score intervals stay within their scale; all others are kept there by `Interval.within`. Tails and quantiles take
arrays, since a board needs thousands of them; `t_quantile` is that of one value, and remembers it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from independence.types import Ends

Array = NDArray[np.float64]
_REST = 1e-9  # what is left of no difference after computing it


class Interval(NamedTuple):
    """Both ends of a confidence interval."""

    low: float
    high: float

    def within(self, lowest: float, highest: float) -> Interval:
        """What of it lies on a scale that ends there."""
        return Interval(max(self.low, lowest), min(self.high, highest))


def around(point: float, se: float, df: float, level: float = 0.95) -> Interval:
    """Student's t interval about an estimate with a standard error that is worth so many degrees of freedom."""
    half = t_quantile(df, level) * se
    return Interval(point - half, point + half)


def joined(parts: Iterable[tuple[Array | float, Array | float]]) -> tuple[Array, Array]:
    """The sum of independent variances (n,) with its degrees of freedom (n,) (Satterthwaite 1946).

    `parts`: variances and their degrees of freedom. Those of nothing are 1.
    """
    total: Array = np.zeros(())
    weights: Array = np.zeros(())
    for variance, df in parts:
        total, weights = total + variance, weights + np.square(variance) / df
    return total, np.divide(total**2, weights, out=np.ones_like(total), where=weights > 0)


def t_interval(values: Sequence[float], level: float = 0.95) -> Interval | None:
    """Student's t interval for the mean of independent values; None where they are fewer than two, or all the same.

    `level` is the two-sided confidence, between 0 and 1.
    """
    if len(values) < 2:
        return None
    mean, error = mean_and_error(values)
    return around(mean, error, len(values) - 1, level) if error else None


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """Of two values or more, the mean and its standard error; 0 where all are the same but for what computing left."""
    count = len(values)
    mean = math.fsum(values) / count
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    return mean, math.sqrt(variance / count) if max(values) - min(values) > _REST else 0.0


def wilson(successes: float, n: float, level: float = 0.95) -> Interval:
    """Wilson's score interval for `successes` of `n` independent tries, both ends in [0, 1].

    `level` is the two-sided confidence, between 0 and 1. Without a try nothing is known: (0, 1). Raises ValueError
    unless 0 <= successes <= n.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} is no share")
    if n == 0:
        return Interval(0.0, 1.0)
    return score_interval(successes / n, NormalDist().inv_cdf(0.5 + level / 2) ** 2 / n)


def apart(one: float, own: Interval, other: float, its: Interval) -> Interval:
    """The interval of a difference, one minus the other, by the intervals of both (Newcombe 1998, method 10)."""
    down, up = math.hypot(one - own.low, its.high - other), math.hypot(own.high - one, other - its.low)
    return Interval(one - other - down, one - other + up)


def score_interval(share: float, reach: float) -> Interval:
    """Wilson's (1927) interval for a share with an estimated error, both ends in [0, 1].

    It holds every p with (share - p)^2 <= reach x p (1 - p). `share` lies in [0, 1]; `reach`: how many standard errors
    the interval reaches, squared, times the squared standard error in units of p (1 - p), which is 1 / n for n tries.
    """
    down, up = below(np.array([share, 1 - share]), np.array([reach])).tolist()
    return Interval(share - down, share + up).within(0.0, 1.0)


def below(share: Array, reach: Array) -> Array:
    """How far below each share (n,) its score interval ends; above it as far as below 1 - share."""
    root = np.sqrt(reach * share * (1 - share) + reach**2 / 4)
    return np.asarray((reach * (share - 0.5) + root) / (1 + reach))


def on_scale(point: float, reach: float, scale: Ends) -> Interval:
    """The score interval of a point on a scale; `reach` as of `score_interval`."""
    low, high = scale
    ends = score_interval(min(1.0, max(0.0, (point - low) / (high - low))), reach)
    return Interval._make(low + (high - low) * end for end in ends).within(low, high)


_TINY, _CLOSE, _MOST = 1e-300, 1e-15, 5_000
_NOISE = 1e-9  # of a quantile: steps that are smaller may be errors of computing
_AT_ONCE = 65_536  # statistics: what they take of memory does not grow with all of them


@lru_cache(maxsize=8_192)
def t_quantile(df: float, level: float) -> float:
    """The t that |T| stays within with probability `level` (0-1): the reach of an interval in standard errors.

    >>> round(t_quantile(4, 0.95), 3)
    2.776
    """
    return float(t_quantiles(np.array([df], dtype=np.float64), level)[0])


def t_quantiles(df: Array, level: float) -> Array:
    """Two-sided t quantiles for (n,) degrees of freedom > 0.

    Newton's method from the normal quantile, on logarithms: the tail of t falls as a power, so that of log t is nearly
    straight, and concave, so all steps after the first come down to the root. That of infinitely many degrees of
    freedom is the normal one.
    """
    degrees, places = np.unique(df, return_inverse=True)
    found, left = np.full(len(degrees), NormalDist().inv_cdf(0.5 + level / 2)), np.flatnonzero(np.isfinite(degrees))
    scale = _log_gamma((degrees[left] + 1) / 2) - _log_gamma(degrees[left] / 2) - np.log(degrees[left] * math.pi) / 2
    before = np.full(len(left), math.inf)
    for _ in range(_MOST):
        if not len(left):
            break
        at, own = found[left], degrees[left]
        density = np.exp(scale - (own + 1) / 2 * np.log1p(at * at / own))
        tail = outside(at, own)
        step = np.log(tail / (1 - level)) * tail / (2 * density * at)
        found[left], size = at * np.exp(step), np.abs(step)
        # With many degrees of freedom the tail is not computed that exactly, and steps stop shrinking before.
        open_ = (size > 1e-13) & ((before > size) | (size > _NOISE))
        left, scale, before = left[open_], scale[open_], size[open_]
    return found[places]


def above(statistic: Array, df: Array) -> Array:
    """P(T > statistic) for each of (n,) statistics with (n,) degrees of freedom > 0."""
    tail = outside(np.abs(statistic), df) / 2
    return np.where(statistic >= 0, tail, 1 - tail)


def outside(statistic: Array, df: Array) -> Array:
    """P(|T| > statistic) for each of (n,) statistics >= 0 with (n,) degrees of freedom > 0."""
    out = np.empty(len(statistic))
    for start in range(0, len(out), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        square, half = statistic[part] ** 2, df[part] / 2
        x, rest = df[part] / (df[part] + square), square / (df[part] + square)
        lower = x < (half + 1) / (half + 2.5)  # where the continued fraction converges fast; else by the other tail
        found = _incomplete_beta(
            np.where(lower, x, rest), np.where(lower, rest, x), np.where(lower, half, 0.5), np.where(lower, 0.5, half)
        )
        out[part] = np.where(lower, found, 1 - found)
    return out


def _incomplete_beta(x: Array, rest: Array, a: Array, b: Array) -> Array:
    """I_x(a, b) for x below (a + 1) / (a + b + 2), by Lentz's continued fraction (Press et al. 1992, section 6.4).

    `rest` is 1 - x, kept apart where x is close to 1. 0 at x = 0.
    """
    out = np.zeros(len(x))
    left: NDArray[np.intp] = np.flatnonzero(x > 0)
    x, rest, a, b = (each[left] for each in (x, rest, a, b))
    front = _log_gamma(a + b) - _log_gamma(a) - _log_gamma(b) + a * np.log(x) + b * np.log(rest)
    out[left] = np.exp(front) / a
    d = 1 / _apart(1 - (a + b) * x / (a + 1))
    c: Array = np.ones(len(x))
    fraction = d
    for m in range(1, _MOST):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / _apart(1 + term * d), _apart(1 + term / c)
            fraction = fraction * d * c
        done = np.abs(d * c - 1) < _CLOSE
        if done.any():
            out[left[done]] *= fraction[done]
            left = left[~done]
            x, a, b, c, d, fraction = (each[~done] for each in (x, a, b, c, d, fraction))
        if not len(left):
            break
    out[left] *= fraction
    return out


def _log_gamma(values: Array) -> Array:
    # Of a continued fraction's two parameters one is .5.
    found, other = np.full(len(values), math.lgamma(0.5)), values != 0.5
    found[other] = np.fromiter(map(math.lgamma, values[other].tolist()), np.float64)
    return found


def _apart(value: Array) -> Array:
    """Not so near to 0 that its inverse would be without bound."""
    return np.where(np.abs(value) >= _TINY, value, _TINY)
