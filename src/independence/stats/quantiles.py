"""Student's quantiles for many degrees of freedom at once, each as `intervals.t_quantile` gives it, to the last digit.

The logarithms and exponentials are those of `math`, one by one: numpy's may differ in the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_TINY, _CLOSE, _MOST = 1e-300, 1e-15, 5_000
_NOISE = 1e-9  # of a quantile: steps that are smaller may be errors of computing


def t_quantiles(degrees: Iterable[float], level: float) -> dict[float, float]:
    """Degrees of freedom > 0 -> the t that |T| stays within with probability `level` (0-1)."""
    start = NormalDist().inv_cdf(0.5 + level / 2)
    every = set(degrees)
    df = np.array([one for one in every if math.isfinite(one)], dtype=np.float64)
    found = {one: start for one in every if math.isinf(one)}
    if len(df):
        found |= dict(zip(df.tolist(), _newton(df, level, start).tolist(), strict=True))
    return found


def _newton(df: Array, level: float, start: float) -> Array:
    out = np.full(len(df), start)
    scale = _each(math.lgamma, (df + 1) / 2) - _each(math.lgamma, df / 2) - _each(math.log, df * math.pi) / 2
    before = np.full(len(df), math.inf)
    left: NDArray[np.intp] = np.arange(len(df))
    for _ in range(_MOST):
        at, own = out[left], df[left]
        density = _each(math.exp, scale[left] - (own + 1) / 2 * _each(math.log1p, at * at / own))
        step = (_outside(at, own) - (1 - level)) / (2 * density)
        at = at + step
        out[left], size = at, np.abs(step)
        # With many degrees of freedom the tail is not computed that exactly, and steps stop shrinking before.
        done = (size <= 1e-13 * at) | ((before[left] <= size) & (size <= _NOISE * at))
        before[left] = size
        left = left[~done]
        if not len(left):
            break
    return out


def _each(of: Callable[[float], float], values: Array) -> Array:
    return np.fromiter(map(of, values.tolist()), np.float64, len(values))


def _outside(statistic: Array, df: Array) -> Array:
    """P(|T| > statistic) for each of (n,) statistics >= 0."""
    square = statistic * statistic
    x, rest = df / (df + square), square / (df + square)
    lower = x < (df / 2 + 1) / (df / 2 + 2.5)
    half = np.full_like(df, 0.5)
    first, second = np.where(lower, x, rest), np.where(lower, rest, x)
    found = _incomplete(first, second, np.where(lower, df / 2, half), np.where(lower, half, df / 2))
    return np.where(lower, found, 1 - found)


def _incomplete(x: Array, rest: Array, a: Array, b: Array) -> Array:
    """I_x(a, b) for x below (a + 1) / (a + b + 2), as `intervals` computes it; 0 at x = 0."""
    out = np.zeros(len(x))
    here = np.flatnonzero(x > 0)
    x, rest, a, b = (each[here] for each in (x, rest, a, b))
    front = _each(math.lgamma, a + b) - _each(math.lgamma, a) - _each(math.lgamma, b)
    front = front + a * _each(math.log, x) + b * _each(math.log, rest)
    out[here] = _each(math.exp, front) / a * _fraction(x, a, b)
    return out


def _fraction(x: Array, a: Array, b: Array) -> Array:
    d = 1 / _apart(1 - (a + b) * x / (a + 1))
    c: Array = np.ones(len(x))
    fraction, out = d.copy(), np.empty(len(x))
    left: NDArray[np.intp] = np.arange(len(x))
    for m in range(1, _MOST):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d, c = 1 / _apart(1 + term * d), _apart(1 + term / c)
            fraction = fraction * (d * c)
        done = np.abs(d * c - 1) < _CLOSE
        if done.any():
            out[left[done]] = fraction[done]
            left = left[~done]
            x, a, b, c, d, fraction = (each[~done] for each in (x, a, b, c, d, fraction))
        if not len(left):
            break
    out[left] = fraction
    return out


def _apart(value: Array) -> Array:
    return np.where(np.abs(value) >= _TINY, value, _TINY)
