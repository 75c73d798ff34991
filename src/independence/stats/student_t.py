"""Student's t distribution for any degrees of freedom above 0.

`scipy.special` has it too, but its import takes as long as a whole board. P(|T| > t) is the regularised incomplete beta
function I_x(df/2, 1/2) at x = df / (df + t^2) (Abramowitz and Stegun 26.5.27), by its continued fraction (26.5.8) with
Lentz's method.
"""

from __future__ import annotations

import math
from statistics import NormalDist

_TINY, _CLOSE, _MOST = 1e-300, 1e-15, 5_000


def outside(statistic: float, df: float) -> float:
    """P(|T| > statistic) for `statistic` >= 0."""
    square = statistic * statistic
    x, rest = df / (df + square), square / (df + square)
    if x < (df / 2 + 1) / (df / 2 + 2.5):
        return _incomplete(x, rest, df / 2, 0.5)
    return 1 - _incomplete(rest, x, 0.5, df / 2)


def quantile(df: float, level: float) -> float:
    """The t that |T| stays within with probability `level`, between 0 and 1.

    Newton's method from the normal quantile: the tail is convex and falling, so every step stays below the root.
    """
    at = NormalDist().inv_cdf(0.5 + level / 2)
    scale = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - math.log(df * math.pi) / 2
    for _ in range(_MOST):
        density = math.exp(scale - (df + 1) / 2 * math.log1p(at * at / df))
        step = (outside(at, df) - (1 - level)) / (2 * density)
        at += step
        if abs(step) <= 1e-13 * at:
            break
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
