"""Means and slopes over cells, for other disputes: cells of one dispute are drawn together.

Disputes differ in how much the asker matters in them, so cells of one dispute are not independent. What the cells of a
dispute add to an estimate is summed first, and these sums are the sample (Liang and Zeger 1986; Cameron and Miller
2015). Where every dispute has the same cells this is Student's interval for the disputes' own means or slopes, and that
of a mixed model with an intercept for each dispute. `python -m benchmarks sides` measures its coverage.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from independence.stats.comparison import Difference
from independence.stats.index_uncertainty import Array
from independence.stats.intervals import Interval, around

Method = Literal["t-over-disputes", "all-disputes-alike", "none"]
LEVEL = 0.95
_NOTHING = 1e-9  # noise, relative to the scale of the values, that is rounding


class WeightedSum(NamedTuple):
    """A weighted sum over cells."""

    est: float
    ci: Interval | None
    method: Method
    within: float  # p value of two one-sided tests that it lies within +-margin; 1 without a margin or any spread


class WeightedValues(NamedTuple):
    """What is summed: a value of each cell (n,), its weight (n,), and the ends of the scale the values live on."""

    values: Array
    weights: Array
    low: float
    high: float


def weighted_sum(
    wanted: WeightedValues, basis: Array, disputes: Sequence[Hashable], margin: float = 0.0
) -> WeightedSum:
    """The weighted sum, its 95 % interval and whether it lies within +-`margin`; only the sum below two disputes.

    The interval ends where the scale does: two disputes say next to nothing of others.

    `basis` (n, k): what is taken out as planned, such as the intercept of a mean or a slope; `disputes` (n,): whose a
    cell is. What is the same in every dispute costs one degree of freedom, what tells disputes apart one each.

    Disputes that leave no residual at all still may have kin that differ: where n of n are alike, the share that is not
    is below 1 - (1 - level)^(1/n), and each of those could be at either end of the scale. So the interval always has a
    width.
    """
    est = float(wanted.weights @ wanted.values)
    residual = wanted.values - basis @ np.linalg.lstsq(basis, wanted.values, rcond=None)[0]
    residual[np.abs(residual) < _NOTHING * (wanted.high - wanted.low)] = 0.0
    pulls = by_dispute(wanted.weights * residual, disputes)
    count = int(np.count_nonzero(by_dispute(np.abs(wanted.weights), disputes)))
    told = [by_dispute(wanted.weights * column, disputes) for column in basis.T]
    df = count - int(np.linalg.matrix_rank(np.array(told)))
    if df < 1:
        return WeightedSum(est, None, "none", 1.0)
    se = math.sqrt(float(pulls @ pulls) * count / df)
    if se < _NOTHING * (wanted.high - wanted.low):
        ci, within = _alike_interval(wanted, est, count), _alike_p(wanted, est, count, margin)
        return WeightedSum(est, ci, "all-disputes-alike", within)
    found = Difference(est, se, df)
    down, up = _room(wanted)
    low, high = around(est, se, df, LEVEL)
    ci = Interval(max(low, est - down), min(high, est + up))
    return WeightedSum(est, ci, "t-over-disputes", found.equivalent(margin) if margin else 1.0)


def by_dispute(parts: Array, disputes: Sequence[Hashable]) -> Array:
    """Sums (disputes,) of what each cell (n,) adds, disputes in order of appearance."""
    codes = {dispute: code for code, dispute in enumerate(dict.fromkeys(disputes))}
    sums = np.zeros(len(codes))
    np.add.at(sums, [codes[dispute] for dispute in disputes], parts)
    return sums


def _alike_interval(wanted: WeightedValues, est: float, count: int) -> Interval:
    down, up = _room(wanted)
    share = 1 - ((1 - LEVEL) / 2) ** (1 / count)
    return Interval(est - share * down, est + share * up)


def _alike_p(wanted: WeightedValues, est: float, count: int, margin: float) -> float:
    """Chance that no dispute of `count` differs although enough do to carry the sum past the margin."""
    if abs(est) >= margin:
        return 1.0
    down, up = _room(wanted)
    share = min(1.0, (est + margin) / down, (margin - est) / up)
    return float((1 - share) ** count)


def _room(wanted: WeightedValues) -> tuple[float, float]:
    """How far the sum falls and rises when every cell goes to the end of the scale that carries it there."""
    to_low = wanted.weights * (wanted.low - wanted.values)
    to_high = wanted.weights * (wanted.high - wanted.values)
    return -float(np.minimum(to_low, to_high).sum()), float(np.maximum(to_low, to_high).sum())


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
