"""Tails of Student's t for many statistics at once: what `intervals.outside` and `above` give for one."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_TINY, _CLOSE, _MOST = 1e-300, 1e-15, 5_000
_AT_ONCE = 65_536  # statistics: what they take of memory does not grow with all of them


def outside(statistic: Array, df: Array) -> Array:
    """P(|T| > statistic) for each of (n,) statistics >= 0 with (n,) degrees of freedom > 0."""
    out = np.empty(len(statistic))
    for at in range(0, len(out), _AT_ONCE):
        part = slice(at, at + _AT_ONCE)
        out[part] = _outside(statistic[part], df[part])
    return out


def above(statistic: Array, df: Array) -> Array:
    """P(T > statistic) for each of (n,) statistics with (n,) degrees of freedom > 0."""
    tail = outside(np.abs(statistic), df) / 2
    return np.where(statistic >= 0, tail, 1 - tail)


def _outside(statistic: Array, df: Array) -> Array:
    square = statistic * statistic
    x, rest = df / (df + square), square / (df + square)
    lower = x < (df / 2 + 1) / (df / 2 + 2.5)
    half = np.full_like(df, 0.5)
    found = _incomplete(
        np.where(lower, x, rest),
        np.where(lower, rest, x),
        np.where(lower, df / 2, half),
        np.where(lower, half, df / 2),
        _log_beta(df / 2, lower),
    )
    return np.where(lower, found, 1 - found)


def _log_beta(values: Array, first: NDArray[np.bool_]) -> Array:
    """Minus the logarithm of the beta function of (n,) values and .5; `first`: which of them come before the .5.

    Of large values the last digits depend on what is subtracted first.
    """
    own, half = _log_gamma(values), math.lgamma(0.5)
    return _log_gamma(values + 0.5) - np.where(first, own, half) - np.where(first, half, own)


def _incomplete(x: Array, rest: Array, a: Array, b: Array, log_beta: Array) -> Array:
    """I_x(a, b), by the continued fraction of Lentz as Press et al. (1992, section 6.4) write it; 0 at x = 0.

    `log_beta`: minus the logarithm of the beta function of a and b.
    """
    out = np.zeros(len(x))
    here = np.flatnonzero(x > 0)
    x, rest, a, b, log_beta = (each[here] for each in (x, rest, a, b, log_beta))
    logs = a * np.log(x) + b * np.log(rest)
    out[here] = np.exp(log_beta + logs) / a * _fraction(x, a, b)
    return out


def _log_gamma(values: Array) -> Array:
    return np.fromiter(map(math.lgamma, values.tolist()), np.float64, len(values))


def _fraction(x: Array, a: Array, b: Array) -> Array:
    d = 1 / _apart(1 - (a + b) * x / (a + 1))
    c: Array = np.ones(len(x))
    fraction, out = d.copy(), np.empty(len(x))
    left: NDArray[np.intp] = np.arange(len(x))
    for m in range(1, _MOST):
        for term in _terms(m, x, a, b):
            d, c = 1 / _apart(1 + term * d), _apart(1 + term / c)
            fraction = fraction * d * c
        done = np.abs(d * c - 1) < _CLOSE
        if done.any():
            out[left[done]] = fraction[done]
            left = left[~done]
            x, a, b, c, d, fraction = (each[~done] for each in (x, a, b, c, d, fraction))
        if not len(left):
            break
    out[left] = fraction
    return out


def _terms(m: int, x: Array, a: Array, b: Array) -> Iterator[Array]:
    yield m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
    yield -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))


def _apart(value: Array) -> Array:
    small = ~(np.abs(value) >= _TINY)  # NaN too
    return np.where(small, _TINY, value) if small.any() else value
