"""Differences between subjects, paired by scenario, and what many of them at once are worth.

Both answered the same scenarios, so what makes a scenario hard or easy cancels in the difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from independence.stats.index_uncertainty import IndexEstimate
from independence.stats.intervals import Interval, outside, t_quantile
from independence.stats.moderation import Array
from independence.stats.subject_points import Points, SubjectPoints

Correction = Literal["holm", "bh", "none"]


class Difference(NamedTuple):
    """First minus second, in index points."""

    points: float
    se: float
    df: float

    @property
    def p(self) -> float:
        """Two-sided p value of no difference; 1 where there is no spread to judge by."""
        return float(p_values(np.array([self.points]), np.array([self.se]), np.array([self.df]))[0])

    def interval(self, level: float = 0.95) -> Interval | None:
        """The t interval of the difference; None without any spread."""
        half = t_quantile(self.df, level) * self.se if self.se > 0 else None
        return None if half is None else Interval(self.points - half, self.points + half)

    def equivalent(self, margin: float) -> float:
        """p value of two one-sided tests that the difference lies within +-`margin` points (Schuirmann 1987)."""
        if not self.se > 0:
            return 1.0
        nearer = (margin - abs(self.points)) / self.se
        tail = outside(abs(nearer), self.df) / 2
        return tail if nearer >= 0 else 1 - tail


def difference(first: IndexEstimate, second: IndexEstimate) -> Difference:
    """On these scenarios: runs of both are independent, so variances add (Welch-Satterthwaite)."""
    variance, df = _joined(first.se**2, first.df, second.se**2, second.df)
    return Difference(first.point - second.point, math.sqrt(variance), df)


def paired(first: SubjectPoints, second: SubjectPoints, floor: Difference) -> Difference:
    """On scenarios like these: the sample is the differences of scenario means, stratum by stratum.

    A stratum of one scenario carries its run variance. Never surer than `floor`, the difference on these scenarios.
    """
    variance, df = 0.0, 1.0
    for own, other in zip(first.strata, second.strata, strict=True):
        means = [float(a.mean() - b.mean()) for a, b in zip(own.points, other.points, strict=True)]
        if len(means) > 1:
            part, part_df = len(means) * float(np.var(means, ddof=1)), len(means) - 1.0
        else:
            a, b = own.points[0], other.points[0]
            part, part_df = _joined(_squared_error(a), len(a) - 1, _squared_error(b), len(b) - 1)
        variance, df = _joined(variance, df, part, part_df)
    if variance < floor.se**2:
        return floor
    return Difference(first.index - second.index, math.sqrt(variance), df)


def _squared_error(points: Points) -> float:
    """Of the mean; a plain float, which JSON can hold."""
    return float(points.var(ddof=1)) / len(points)


def _joined(first: float, first_df: float, second: float, second_df: float) -> tuple[float, float]:
    weights = first**2 / first_df + second**2 / second_df
    return first + second, (first + second) ** 2 / weights if weights else 1.0


def p_values(points: Array, se: Array, df: Array) -> Array:
    """Two-sided p values of t statistics, elementwise; 1 where `se` is 0."""
    return np.array(
        [
            outside(abs(point) / error, freedom) if error else 1.0
            for point, error, freedom in zip(points, se, df, strict=True)
        ]
    )


def adjusted(p: Array, correction: Correction) -> Array:
    """p values (n,) adjusted for being one of n.

    Holm (1979) bounds the chance of any false find, Benjamini and Hochberg (1995) the expected share of false finds.
    """
    count = len(p)
    if correction == "none" or not count:
        return p
    order = np.argsort(p, kind="stable")
    if correction == "holm":
        steps = np.maximum.accumulate(p[order] * (count - np.arange(count)))
    else:
        steps = np.minimum.accumulate((p[order] * count / np.arange(1, count + 1))[::-1])[::-1]
    out = np.empty(count)
    out[order] = np.minimum(steps, 1.0)
    return out


def all_pairs(estimates: Sequence[IndexEstimate], correction: Correction) -> Array:
    """Adjusted p values of every pair on these scenarios, (n, n), symmetric, 1 on the diagonal."""
    point, se, df = (np.array(values) for values in zip(*estimates, strict=True))
    rows, columns = np.triu_indices(len(point), 1)
    first, second = se[rows] ** 2, se[columns] ** 2
    weights = first**2 / df[rows] + second**2 / df[columns]
    joint = np.where(weights > 0, (first + second) ** 2 / np.where(weights > 0, weights, 1.0), 1.0)
    p = p_values(point[rows] - point[columns], np.sqrt(first + second), joint)
    return _matrix(adjusted(p, correction), len(point))


def all_paired(fleet: Sequence[SubjectPoints], estimates: Sequence[IndexEstimate], correction: Correction) -> Array:
    """The same on scenarios like these; `estimates` are of the fleet on these scenarios."""
    pairs = [
        paired(fleet[row], fleet[column], difference(estimates[row], estimates[column]))
        for row, column in combinations(range(len(fleet)), 2)  # in the order of triu_indices
    ]
    p = p_values(*(np.array(values) for values in zip(*pairs, strict=True))) if pairs else np.empty(0)
    return _matrix(adjusted(p, correction), len(fleet))


def _matrix(upper: Array, count: int) -> Array:
    matrix = np.ones((count, count))
    rows, columns = np.triu_indices(count, 1)
    matrix[rows, columns] = matrix[columns, rows] = upper
    return matrix
