"""How far judges agree on the same units: Krippendorff's alpha, Gwet's AC2, and what two of them share.

Ratings are an array (units, judges) with NaN where a judge gave none. Alpha asks how much less judges differ than
values drawn from all of them would; where nearly every value is the same there is little to differ in and it falls to
nothing, however well they agree. AC2 takes chance agreement from how unlikely the rare values are and stays put.

Dialogues of one subject are alike, and judges differ over the same subjects again and again. So intervals are for other
subjects: subjects are left out one at a time (the grouped jackknife: Miller, Biometrika 61, 1974; for clustered
agreement Yang and Zhou, Statistics in Medicine 33, 2014), on the scale log(1 - coefficient), since no coefficient is
above 1, with Student's t for one degree of freedom less than there are subjects.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from independence.stats.clusters import by_cluster
from independence.stats.intervals import Interval, around

Array = NDArray[np.float64]
FEWEST_SUBJECTS = 5  # with fewer, intervals cover too little or have no use (`python -m benchmarks judges`)
_PERFECT = 1e-12  # sums of equal terms leave a rest


class Coefficient(NamedTuple):
    """A coefficient of agreement: 1 is perfect, 0 what chance gives."""

    value: float
    interval: (
        Interval | None
    )  # for other subjects; None below `FEWEST_SUBJECTS`, or where leaving one out shows nothing
    units: int  # rated by at least two judges
    subjects: int  # whom these units are about


class JudgePairAgreement(NamedTuple):
    """What two judges share."""

    units: int  # rated by both
    exact: float  # share of equal ratings
    near: float  # share at most one point apart
    difference: float  # mean of the first minus the second
    spearman: float | None


def alpha(ratings: Array, subjects: Sequence[Hashable]) -> Coefficient | None:
    """Krippendorff's alpha with the ordinal metric; `subjects` (units,): whom each unit is about.

    On two values it is nominal alpha. None where no unit has two ratings or all ratings are equal.
    """
    kept = (~np.isnan(ratings)).sum(axis=1) > 1
    if not kept.any():
        return None
    own = ratings[kept]
    values = np.array(sorted(set(own[~np.isnan(own)].tolist())))
    patterns, codes = np.unique(_counts(own, values), axis=0, return_inverse=True)
    times = by_cluster(np.eye(len(patterns))[codes.ravel()], list(compress(subjects, kept)))
    value = float(_alphas(patterns, times.sum(axis=0, keepdims=True))[0])
    if np.isnan(value):
        return None
    return _coefficient(value, _alphas(patterns, times.sum(axis=0) - times), int(kept.sum()))


def gwet(ratings: Array, categories: Sequence[float], subjects: Sequence[Hashable]) -> Coefficient | None:
    """Gwet's AC2 over the categories of a scale, used or not, ordinal weights; `subjects` as for alpha.

    None where no unit has two ratings or the scale has one category. Raises ValueError for a rating off the scale.
    """
    scale = np.array(sorted(set(categories)), dtype=np.float64)
    counts = _counts(ratings, scale)
    raters = counts.sum(axis=1)
    rated, shared = raters > 0, raters > 1
    if len(scale) < 2 or not shared.any():
        return None
    # How much two ordered categories agree, (categories, categories), 1 on the diagonal (Gwet 2014).
    count = len(scale)
    places = np.arange(count)
    apart = abs(places[:, None] - places) + 1.0
    matrix: Array = 1 - apart * (apart - 1) / (count * (count - 1))
    agreed = (counts * (counts @ matrix - 1)).sum(axis=1) / np.where(shared, raters * (raters - 1), 1.0)
    usual = counts / np.where(rated, raters, 1.0)[:, None]
    told = np.column_stack([np.where(shared, agreed, 0.0), shared, rated, usual])[rated]
    sums = by_cluster(told, list(compress(subjects, rated)))
    chance = matrix.sum() / (len(scale) * (len(scale) - 1))
    value = float(_ac2(sums.sum(axis=0, keepdims=True), chance)[0])
    return _coefficient(value, _ac2(sums.sum(axis=0) - sums, chance), int(shared.sum()))


def _ac2(sums: Array, spread: float) -> Array:
    """AC2 from sums over units (rows, 3 + categories); NaN where no unit is shared.

    The columns: agreement, units with two ratings, units with any, share of each category.
    """
    shared = np.where(sums[:, 1] > 0, sums[:, 1], np.nan)
    usual = sums[:, 3:] / np.where(sums[:, 2] > 0, sums[:, 2], np.nan)[:, None]
    chance = spread * (usual * (1 - usual)).sum(axis=1)
    found: Array = (sums[:, 0] / shared - chance) / (1 - chance)
    return found


def _coefficient(value: float, without: Array, units: int) -> Coefficient:
    """`without` (subjects,): the coefficient when each subject is left out."""
    count = len(without)
    alone = Coefficient(value, None, units, count)
    if count < FEWEST_SUBJECTS or np.isnan(without).any() or max(value, without.max()) > 1 - _PERFECT:
        return alone
    middle, left = np.log1p(-value), np.log1p(-without)
    error = float(np.sqrt((count - 1) / count * ((left - middle) ** 2).sum()))
    if error < _PERFECT:
        return alone
    low, high = around(float(middle), error, count - 1)
    return alone._replace(interval=Interval(1 - float(np.exp(high)), 1 - float(np.exp(low))))


def pairwise(first: Array, second: Array) -> JudgePairAgreement | None:
    """What two judges' ratings of the same units, (units,) each, share; None where no unit has both."""
    both = ~(np.isnan(first) | np.isnan(second))
    if not both.any():
        return None
    gaps = first[both] - second[both]
    exact, near = float((gaps == 0).mean()), float((abs(gaps) <= 1).mean())
    return JudgePairAgreement(int(both.sum()), exact, near, float(gaps.mean()), spearman(first[both], second[both]))


def spearman(first: Array, second: Array) -> float | None:
    """Rank correlation, ties at their mean rank; None below three pairs or where one side is all the same."""
    if len(first) < 3 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(np.corrcoef(_ranks(first), _ranks(second))[0, 1])


def _counts(ratings: Array, scale: Array) -> Array:
    """How often each unit got each value of a sorted scale, (units, values)."""
    units, judges = np.nonzero(~np.isnan(ratings))
    given = ratings[units, judges]
    codes = np.minimum(np.searchsorted(scale, given), len(scale) - 1)
    if not np.array_equal(scale[codes], given):
        raise ValueError("a rating is off the scale")
    counts = np.zeros((len(ratings), len(scale)))
    np.add.at(counts, (units, codes), 1)
    return counts


def _alphas(counts: Array, times: Array) -> Array:
    """Alpha of each row of `times` (rows, patterns); NaN where it is undefined.

    The ordinal distance of two values is the squared distance of their mean ranks among all ratings, so that the sums
    over a coincidence matrix (Krippendorff, Content Analysis, ch. 12) are sums of squares.
    """
    given = times @ counts  # (rows, values)
    total = given.sum(axis=1)
    place = given.cumsum(axis=1) - given / 2 - total[:, None] / 2
    raters = counts.sum(axis=1)
    within = 2 * (raters * (place**2 @ counts.T) - (place @ counts.T) ** 2) / (raters - 1)
    observed = (times * within).sum(axis=1)
    expected = 2 * (total * (given * place**2).sum(axis=1) - (given * place).sum(axis=1) ** 2)
    varied = (given > 0).sum(axis=1) > 1
    return np.where(varied, 1 - (total - 1) * observed / np.where(varied, expected, 1.0), np.nan)


def _ranks(values: Array) -> Array:
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    mean_ranks: Array = (counts.cumsum() - (counts - 1) / 2)[codes]
    return mean_ranks
