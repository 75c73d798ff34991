"""Does a judge favour its own family? Its index of a subject against what other judges say on the same dialogues.

A judge that is lenient to all is above the others everywhere. So the mean over its own subjects ("self bias", as it was
published) says little, and the difference to the mean over other subjects is what counts.

Its interval is for subjects like these: judges like some styles better than others, whoever made the model, and a
difference must be large against that. The variance of a subject's difference is pooled over both groups (t with
subjects - 2 degrees of freedom, so that one own subject is enough), and never taken below what the runs alone say:
within subject x scenario, Satterthwaite (1946). Simulated coverage is 95-98 % where both groups vary alike, and about
83 % where two own subjects vary six times as much as the others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from independence.stats.intervals import Interval, t_quantile

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


class _Error(NamedTuple):
    variance: float
    df: float


def delta(judge: Points, reference: Sequence[Points]) -> JudgeDelta:
    """Compare judges on the same dialogues of one subject. Raises ValueError without a reference."""
    if not reference:
        raise ValueError("no judge to compare with")
    gaps = [points - np.mean([other[name] for other in reference], axis=0) for name, points in judge.items()]
    value = float(sum(gap.mean() for gap in gaps))
    if any(len(gap) < 2 for gap in gaps):
        return JudgeDelta(value, None, 0.0)
    return JudgeDelta(value, *_joined([(gap.var(ddof=1) / len(gap), len(gap) - 1.0) for gap in gaps]))


def prefer(own: Sequence[JudgeDelta], others: Sequence[JudgeDelta], level: float = 0.95) -> FamilyPreference:
    """Set a judge's own subjects against the others. Fewer than three subjects have no interval."""
    groups = [np.array([one.value for one in group]) for group in (own, others)]
    self_bias, elsewhere = (fmean(group) if len(group) else None for group in groups)
    if self_bias is None or elsewhere is None:
        return FamilyPreference(
            len(own), len(others), self_bias=self_bias, elsewhere=elsewhere, difference=None, interval=None
        )
    difference, error = self_bias - elsewhere, _error(groups, own, others)
    interval = None
    if error is not None and error.variance > 0:
        half = t_quantile(error.df, level) * float(np.sqrt(error.variance))
        interval = Interval(difference - half, difference + half)
    return FamilyPreference(
        len(own), len(others), self_bias=self_bias, elsewhere=elsewhere, difference=difference, interval=interval
    )


def _error(
    groups: Sequence[NDArray[np.float64]], own: Sequence[JudgeDelta], others: Sequence[JudgeDelta]
) -> _Error | None:
    df = sum(map(len, groups)) - 2
    if df < 1:
        return None
    pooled = sum(float(((group - group.mean()) ** 2).sum()) for group in groups) / df
    between = _Error(pooled * sum(1 / len(group) for group in groups), float(df))
    parts: list[tuple[float, float]] = []
    for group in (own, others):
        for one in group:
            if one.variance is None:
                return between
            parts.append((one.variance / len(group) ** 2, one.df))
    within = _joined(parts)
    return within if within.variance > between.variance else between


def _joined(parts: Sequence[tuple[float, float]]) -> _Error:
    """The sum of independent variances with their degrees of freedom; those of nothing are 1."""
    total = sum(variance for variance, _ in parts)
    weights = sum(variance**2 / df for variance, df in parts)
    return _Error(float(total), float(total**2 / weights) if weights else 1.0)
