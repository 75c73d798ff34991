"""How far judges agree on the same units: Krippendorff's alpha, Gwet's AC2, and what two of them share.

Ratings are an array (units, judges) with NaN where a judge gave none. Alpha asks how much less judges differ than
values drawn from all of them would; where nearly every value is the same there is little to differ in and it falls to
nothing, however well they agree. AC2 takes chance agreement from how unlikely the rare values are and stays put.

And does a judge favour its own family? A judge that is lenient to all is above the others everywhere. So the mean over
its own subjects ("self bias", as it was published) says little; the difference to the mean over other subjects counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from independence.stats.intervals import Interval, around, joined

Array = NDArray[np.float64]
DRAWS = 2_000
_AT_ONCE = 250  # draws held in memory together
_UNDEFINED = 0.05  # share of draws without any variation that an interval can bear


class Coefficient(NamedTuple):
    """A coefficient of agreement: 1 is perfect, 0 what chance gives."""

    value: float
    interval: Interval | None
    units: int  # rated by at least two judges


class JudgePairAgreement(NamedTuple):
    """What two judges share."""

    units: int  # rated by both
    exact: float  # share of equal ratings
    near: float  # share at most one point apart
    difference: float  # mean of the first minus the second
    spearman: float | None


class _RatingPatterns(NamedTuple):
    """Units that got the same values from somebody stand in one row."""

    counts: Array  # (patterns, values): how often such a unit got each value
    times: NDArray[np.int64]  # (patterns,): how many units there are


def alpha(ratings: Array, draws: int = DRAWS, seed: int = 0, level: float = 0.95) -> Coefficient | None:
    """Krippendorff's alpha with the ordinal metric, and its percentile bootstrap interval over units.

    On two values it is nominal alpha. None where no unit has two ratings or all ratings are equal. No interval where
    too many resamples are without variation, or none differs from another.
    """
    patterns = _pairable(ratings)
    if patterns is None:
        return None
    units = int(patterns.times.sum())
    value = float(_alphas(patterns.counts, patterns.times[None, :].astype(np.float64))[0])
    if np.isnan(value):
        return None
    rng = np.random.default_rng(seed)
    shares = patterns.times / units
    drawn = np.concatenate(
        [
            _alphas(patterns.counts, rng.multinomial(units, shares, min(_AT_ONCE, draws - done)).astype(np.float64))
            for done in range(0, draws, _AT_ONCE)
        ]
    )
    known = drawn[~np.isnan(drawn)]
    if len(known) < (1 - _UNDEFINED) * draws or known.min() == known.max():
        return Coefficient(value, None, units)
    low, high = np.quantile(known, ((1 - level) / 2, (1 + level) / 2))
    return Coefficient(value, Interval(float(low), float(high)), units)


def gwet(ratings: Array, categories: Sequence[float], level: float = 0.95) -> Coefficient | None:
    """Gwet's AC2 over the categories of a scale, used or not, ordinal weights, and its t interval over units.

    None where no unit has two ratings or the scale has one category. Raises ValueError for a rating off the scale.
    """
    scale = np.unique(np.asarray(categories, dtype=np.float64))
    counts = _counts(ratings, scale)
    counts = counts[counts.sum(axis=1) > 0]
    raters = counts.sum(axis=1)
    shared = raters > 1
    if len(scale) < 2 or not shared.any():
        return None
    matrix = _weights(len(scale))
    spread = matrix.sum() / (len(scale) * (len(scale) - 1))
    common = counts / raters[:, None]
    usual = common.mean(axis=0)
    chance = float(spread * (usual * (1 - usual)).sum())
    pairs = np.where(shared, raters * (raters - 1), 1.0)
    agreed = np.where(shared, (counts * (counts @ matrix - 1)).sum(axis=1) / pairs, 0.0)
    value = float((agreed[shared].mean() - chance) / (1 - chance))
    by_unit = len(counts) / shared.sum() * (agreed - chance * shared) / (1 - chance)
    by_unit -= 2 * (1 - value) * (spread * (common * (1 - usual)).sum(axis=1) - chance) / (1 - chance)
    return Coefficient(value, _t_interval(by_unit, value, level), int(shared.sum()))


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


def _pairable(ratings: Array) -> _RatingPatterns | None:
    kept = ratings[(~np.isnan(ratings)).sum(axis=1) > 1]
    if not len(kept):
        return None
    rows, times = np.unique(_counts(kept, np.unique(kept[~np.isnan(kept)])), axis=0, return_counts=True)
    return _RatingPatterns(rows, times)


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
    """Alpha of each row of `times` (draws, patterns); NaN where it is undefined.

    The ordinal distance of two values is the squared distance of their mean ranks among all ratings, so that the sums
    over a coincidence matrix (Krippendorff, Content Analysis, ch. 12) are sums of squares.
    """
    given = times @ counts  # (draws, values)
    total = given.sum(axis=1)
    place = given.cumsum(axis=1) - given / 2 - total[:, None] / 2
    raters = counts.sum(axis=1)
    within = 2 * (raters * (place**2 @ counts.T) - (place @ counts.T) ** 2) / (raters - 1)
    observed = (times * within).sum(axis=1)
    expected = 2 * (total * (given * place**2).sum(axis=1) - (given * place).sum(axis=1) ** 2)
    varied = (given > 0).sum(axis=1) > 1
    return np.where(varied, 1 - (total - 1) * observed / np.where(varied, expected, 1.0), np.nan)


def _weights(count: int) -> Array:
    """How much two ordered categories agree, (categories, categories), 1 on the diagonal (Gwet 2014)."""
    places = np.arange(count)
    apart = abs(places[:, None] - places) + 1.0
    weights: Array = 1 - apart * (apart - 1) / (count * (count - 1))
    return weights


def _t_interval(by_unit: Array, value: float, level: float) -> Interval | None:
    count = len(by_unit)
    if count < 2:
        return None
    error = float(np.sqrt(((by_unit - value) ** 2).sum() / count / (count - 1)))
    if not error > 1e-12:  # sums of equal terms leave a rest
        return None
    return around(value, error, count - 1, level)


def _ranks(values: Array) -> Array:
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    mean_ranks: Array = (counts.cumsum() - (counts - 1) / 2)[codes]
    return mean_ranks


Points = Mapping[str, NDArray[np.float64]]  # scenario -> what each run adds to the index, (runs,)


class JudgeDelta(NamedTuple):
    """How far one judge's index of one subject is above the mean of others, in points of the index."""

    value: float
    variance: float | None  # of `value` over runs of the same scenarios; None where a scenario has one run
    df: float


class FamilyPreference(NamedTuple):
    """A judge's own family against other subjects, in points of the index."""

    own: int  # subjects
    others: int
    self_bias: float | None  # mean over own subjects
    elsewhere: float | None  # mean over others
    difference: float | None
    interval: Interval | None


def delta(judge: Points, reference: Sequence[Points]) -> JudgeDelta:
    """Compare judges on the same dialogues of one subject. Raises ValueError without a reference."""
    if not reference:
        raise ValueError("no judge to compare with")
    gaps = [points - np.mean([other[name] for other in reference], axis=0) for name, points in judge.items()]
    value = float(sum(gap.mean() for gap in gaps))
    if any(len(gap) < 2 for gap in gaps):
        return JudgeDelta(value, None, 0.0)
    variance, df = joined((gap.var(ddof=1) / len(gap), len(gap) - 1.0) for gap in gaps)
    return JudgeDelta(value, variance, df)


def prefer(own: Sequence[JudgeDelta], others: Sequence[JudgeDelta], level: float = 0.95) -> FamilyPreference:
    """Set a judge's own subjects against the others. Fewer than three subjects have no interval.

    The interval is for subjects like these: judges like some styles better than others, whoever made the model, and a
    difference must be large against that. The variance of a subject's difference is pooled over both groups (t with
    subjects - 2 degrees of freedom, so that one own subject is enough), and never taken below what the runs alone say:
    within subject x scenario, Satterthwaite (1946). Simulated coverage is 95-98 % where both groups vary alike, and
    about 83 % where two own subjects vary six times as much as the others.
    """
    groups = [np.array([one.value for one in group]) for group in (own, others)]
    self_bias, elsewhere = (fmean(group) if len(group) else None for group in groups)
    difference, interval = None, None
    if self_bias is not None and elsewhere is not None:
        difference, (variance, df) = self_bias - elsewhere, _error(groups, own, others)
        interval = around(difference, float(np.sqrt(variance)), df, level) if variance > 0 else None
    return FamilyPreference(
        len(own), len(others), self_bias=self_bias, elsewhere=elsewhere, difference=difference, interval=interval
    )


def _error(
    groups: Sequence[NDArray[np.float64]], own: Sequence[JudgeDelta], others: Sequence[JudgeDelta]
) -> tuple[float, float]:
    """The variance of the difference and its degrees of freedom; no variance where too few subjects show none."""
    df = sum(map(len, groups)) - 2
    if df < 1:
        return 0.0, 1.0
    pooled = sum(float(((group - group.mean()) ** 2).sum()) for group in groups) / df
    between = pooled * sum(1 / len(group) for group in groups), float(df)
    parts = [(one, len(group)) for group in (own, others) for one in group]
    if any(one.variance is None for one, _ in parts):
        return between
    within = joined(((one.variance or 0.0) / count**2, one.df) for one, count in parts)
    return max(between, within, key=lambda error: error[0])
