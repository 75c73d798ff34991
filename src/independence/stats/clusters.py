"""Means and slopes over cells, for other disputes: cells of one dispute are drawn together.

Disputes differ in how much the asker matters in them, so cells of one dispute are not independent. What the cells of a
dispute add to an estimate is summed first, and these sums are the sample (Liang and Zeger 1986; Cameron and Miller
2015). Where every dispute has the same cells this is Student's interval for the disputes' own means or slopes, and that
of a mixed model with an intercept for each dispute. `python -m benchmarks sides` measures its coverage.

A sample may hold none of the few disputes in which the asker decides, so the error allows for what was not seen
(`unseen`): it is no less than 0.049 around no sycophancy in 20 disputes, however alike these are.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from independence.stats import unseen
from independence.stats.comparison import Difference
from independence.stats.index_uncertainty import Array
from independence.stats.intervals import Interval, around

Method = Literal["t-over-disputes", "none"]
LEVEL = 0.95
_HOLES = 12  # cells whose values are open, of which all combinations of ends are tried


class WeightedSum(NamedTuple):
    """A weighted sum over cells."""

    est: float
    ci: Interval | None
    method: Method
    se: float = 0.0
    df: int = 0  # 0: nothing to judge an error by


class WeightedValues(NamedTuple):
    """What is summed: a value of each cell (n,), its weight (n,), and the ends of the scale the values live on."""

    values: Array
    weights: Array
    low: float
    high: float
    off: Array | float = 0.0  # how far each may be from its value, where verdicts are missing
    unseen: float = unseen.UNSEEN  # how many more disputes the error allows for, at the farther end of the scale


def weighted_sum(wanted: WeightedValues, basis: Array, disputes: Sequence[Hashable]) -> WeightedSum:
    """The weighted sum and its 95% interval; only the sum where disputes are too few.

    The interval ends where the scale does: two disputes say next to nothing of others.

    `basis` (n, k): what is taken out as planned, such as the intercept of a mean or a slope; `disputes` (n,): whose a
    cell is. What is the same in every dispute costs one degree of freedom, what tells disputes apart one each.
    """
    est, pulls = float(wanted.weights @ wanted.values), _pulls(wanted, basis, disputes)
    if pulls is None:
        return WeightedSum(est, None, "none")
    down, up = _room(wanted, wanted.values)
    se = float(pulls.errors(wanted, wanted.values))
    ends = around(est, se, pulls.df, LEVEL).within(est - float(down), est + float(up))
    return WeightedSum(est, ends, "t-over-disputes", se, pulls.df)


def within(wanted: WeightedValues, basis: Array, disputes: Sequence[Hashable], margin: float) -> float:
    """p value of two one-sided tests that the sum lies within +-`margin`; 1 where disputes are too few.

    Where values are `off` it is the largest p value (below 0.5) that they allow, or above it. Both ends of the scale
    alone would not do: disputes can be alike at either and differ in between. But the sum plus t times its error is
    convex in the values, so it is largest where each is at one end or the other. Where these are too many to try, the
    sum and the residual of each dispute are taken as far from 0 as they can be on their own.
    """
    pulls = _pulls(wanted, basis, disputes)
    if pulls is None:
        return 1.0
    off = np.broadcast_to(wanted.off, wanted.values.shape)
    holes = np.flatnonzero(off)
    if len(holes) <= _HOLES:
        ends = 2.0 * (np.arange(2 ** len(holes))[:, None] >> np.arange(len(holes)) & 1) - 1
        values = np.tile(wanted.values, (len(ends), 1))
        values[:, holes] += ends * off[holes]
        sums, errors = np.abs(values @ wanted.weights), pulls.errors(wanted, values)
    else:
        sums = np.array([abs(wanted.weights @ wanted.values) + float((np.abs(wanted.weights) * off).sum())])
        errors = np.array([pulls.largest_error(wanted, off)])
    at = int(np.argmin((margin - sums) / errors))
    return Difference(float(sums[at]), float(errors[at]), pulls.df).equivalent(margin)


class _Pulls(NamedTuple):
    """What the residual of each cell adds to a sum, by dispute."""

    by_cell: Array  # (disputes, n): for one unit of a cell's value
    disputes: int  # that have a part in the sum
    df: int

    def errors(self, wanted: WeightedValues, values: Array) -> Array:
        """Standard errors (...,) of the sums of values (..., n)."""
        farther = np.maximum(*_room(wanted, values))
        return self._error(((values @ self.by_cell.T) ** 2).sum(axis=-1), farther, wanted.unseen)

    def largest_error(self, wanted: WeightedValues, off: Array) -> float:
        """No smaller than that of any values so far `off`."""
        largest = np.abs(self.by_cell @ wanted.values) + np.abs(self.by_cell) @ off
        farther = max(_room(wanted, wanted.values)) + (np.abs(wanted.weights) * off).sum()
        return float(self._error(np.asarray(largest @ largest), farther, wanted.unseen))

    def _error(self, squares: Array, farther: Array, more: float) -> Array:
        """`squares`: of the disputes' parts, added; `farther`: how far the sum is from the end of its scale."""
        variance = unseen.variance(squares, self.disputes, farther / self.disputes, more)
        return np.asarray(self.disputes * np.sqrt(variance / self.df))


def _pulls(wanted: WeightedValues, basis: Array, disputes: Sequence[Hashable]) -> _Pulls | None:
    """None where disputes are too few to leave a residual."""
    weights = wanted.weights[:, None]
    count = int(np.count_nonzero(by_cluster(np.abs(wanted.weights), disputes)))
    df = count - int(np.linalg.matrix_rank(by_cluster(weights * basis, disputes)))
    if df < 1:
        return None
    return _Pulls(by_cluster(weights * (np.eye(len(basis)) - basis @ np.linalg.pinv(basis)), disputes), count, df)


def by_cluster(parts: Array, clusters: Sequence[Hashable]) -> Array:
    """Sums (clusters, ...) of what each of n adds (n, ...), in the order in which the clusters first come."""
    codes = {cluster: code for code, cluster in enumerate(dict.fromkeys(clusters))}
    sums = np.zeros((len(codes), *parts.shape[1:]))
    np.add.at(sums, [codes[cluster] for cluster in clusters], parts)
    return sums


def _room(wanted: WeightedValues, values: Array) -> tuple[Array, Array]:
    """How far sums (...,) of values (..., n) fall and rise when every cell goes to the end that carries them there."""
    to_low, to_high = wanted.weights * (wanted.low - values), wanted.weights * (wanted.high - values)
    return -np.minimum(to_low, to_high).sum(axis=-1), np.maximum(to_low, to_high).sum(axis=-1)


def flipped(values: Array, draws: int, seed: int) -> float:
    """Two-sided p value of a mean of 0 when the sign of each value (n,) is up to chance.

    A permutation test: exchanging the askers of a dispute changes the sign of all it shows of sycophancy.
    """
    reached = np.abs(_signs(len(values), draws, seed) @ values)
    return float(1 + np.sum(reached >= abs(values.sum()) - 1e-12)) / (draws + 1)


@lru_cache(maxsize=16)
def _signs(count: int, draws: int, seed: int) -> Array:
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], (draws, count))
    signs.setflags(write=False)
    return signs
