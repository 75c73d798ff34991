"""How sure an index is: for these scenarios, and for scenarios like these.

`these-scenarios` asks what more runs of the same scenarios would give: run variance within each scenario, strata
joined by Satterthwaite's degrees of freedom. `scenarios-like-these` asks what other scenarios of the kind would give:
scenarios are clusters, their means the sample. A stratum of a single scenario says nothing about others; it carries its
run variance alone. Both moderate each variance across the fleet (`stats/moderation.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from independence.stats.intervals import Interval, t_quantile
from independence.stats.moderation import Array, bounded_shape, moderate
from independence.stats.strict import Ends
from independence.stats.subject_points import Points, SubjectPoints

_REST = 1e-9  # index points
THESE, LIKE_THESE = "these-scenarios", "scenarios-like-these"


class IndexEstimate(NamedTuple):
    """An index on 0-100 with its standard error and the degrees of freedom that is worth."""

    point: float
    se: float
    df: float

    def interval(self, level: float = 0.95) -> Interval | None:
        """The t interval, not clipped to the scale. None without any spread: nothing has no width."""
        if not self.se > 0:
            return None
        half = t_quantile(self.df, level) * self.se
        return Interval(self.point - half, self.point + half)


class IndexVariances(NamedTuple):
    """Squared standard errors of a fleet's indices (n,) and their degrees of freedom (n,)."""

    variance: Array
    df: Array


def repeated(sheet: SubjectPoints) -> bool:
    """True when every scenario has at least two runs: without them there is no spread to see."""
    return all(len(points) > 1 for points in sheet.totals.values())


def these_scenarios(fleet: Sequence[SubjectPoints]) -> list[IndexEstimate]:
    """Estimates of a fleet of repeated sheets of one suite, in order."""
    return _estimates(fleet, run_variances(fleet))


def scenarios_like_these(fleet: Sequence[SubjectPoints]) -> list[IndexEstimate]:
    """The same for scenarios of this kind. Never surer than for the scenarios themselves."""
    within = run_variances(fleet)
    parts = [_stratum(fleet, number) for number in range(len(fleet[0].strata))] if fleet else []
    across = join(parts) if parts else within
    surer = across.variance < within.variance
    df = np.where(surer, np.minimum(within.df, across.df), across.df)
    return _estimates(fleet, IndexVariances(np.maximum(within.variance, across.variance), df))


def run_variances(fleet: Sequence[SubjectPoints]) -> IndexVariances:
    """Variance of each index over runs of the same scenarios."""
    totals = [sheet.totals for sheet in fleet]
    ends = fleet[0].ends if fleet else {}
    parts = [_of_runs([own[scenario] for own in totals], ends[scenario]) for scenario in ends]
    return join(parts) if parts else IndexVariances(np.empty(0), np.empty(0))


def join(parts: Sequence[IndexVariances]) -> IndexVariances:
    """The sum of independent parts, degrees of freedom by Satterthwaite (1946)."""
    variances = np.array([part.variance for part in parts])
    total = variances.sum(axis=0)
    weights = (variances**2 / np.array([part.df for part in parts])).sum(axis=0)
    flat = weights == 0
    df = np.where(flat, 1.0, total**2 / np.where(flat, 1.0, weights))
    return IndexVariances(total, df)


def _of_runs(points: Sequence[Points], ends: Ends, extra: Sequence[float] | None = None) -> IndexVariances:
    """Variance of a scenario's mean over runs, for each subject. `extra` is added to the variance of one run."""
    runs = np.array([len(own) for own in points], dtype=np.float64)
    single = np.array([_variance(own) for own in points]) + (np.array(extra) if extra is not None else 0.0)
    shape = bounded_shape(np.array([own.mean() for own in points]), single / runs, *ends)
    moderated = moderate(single, runs - 1, shape)
    return IndexVariances(moderated.variance / runs, moderated.df)


def _variance(points: Points) -> float:
    """Sample variance; equal points have none, though sums of binary fractions leave a rest."""
    return 0.0 if np.ptp(points) < _REST else float(points.var(ddof=1))


def _stratum(fleet: Sequence[SubjectPoints], number: int) -> IndexVariances:
    scenarios, _, ends = fleet[0].strata[number]
    own = [sheet.strata[number].points for sheet in fleet]
    if len(scenarios) == 1:
        return _of_runs([points[0] for points in own], ends[0], [_shared(sheet, number) for sheet in fleet])
    means = np.array([[points.mean() for points in subject] for subject in own])
    count = len(scenarios)
    low, high = (sum(end[side] for end in ends) / count for side in (0, 1))
    between = np.array([_variance(own) for own in means])
    shape = bounded_shape(means.mean(axis=1), between / count, low, high)
    moderated = moderate(between, np.full(len(fleet), count - 1.0), shape)
    return IndexVariances(count * moderated.variance, moderated.df)  # the stratum adds up its scenarios


def _shared(sheet: SubjectPoints, number: int) -> float:
    """What a single-scenario stratum's runs share with the same verdicts' part in other strata: twice the covariance.

    Negative ones count as none.
    """
    (scenario,), (points,), _ = sheet.strata[number]
    others = sheet.totals[scenario] - points
    return max(0.0, 2 * float(np.cov(points, others)[0, 1]))


def _estimates(fleet: Sequence[SubjectPoints], variances: IndexVariances) -> list[IndexEstimate]:
    return [
        IndexEstimate(sheet.index, float(np.sqrt(variance)), float(df))
        for sheet, variance, df in zip(fleet, *variances, strict=True)
    ]
