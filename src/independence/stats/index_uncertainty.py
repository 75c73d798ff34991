"""How sure an index is: for these scenarios, and for scenarios like these.

`these-scenarios` asks what more runs of the same scenarios would give: run variance within each scenario, strata
joined by Satterthwaite's degrees of freedom. `scenarios-like-these` asks what other scenarios of the kind would give:
scenarios are clusters, their means the sample. A stratum of a single scenario says nothing about others; it carries its
run variance alone.

Both moderate each variance across the fleet. With four or five runs a variance is mostly noise, and a subject whose
runs happen to agree would get an interval of no width. So each moves towards the fleet's mean, the more the less the
fleet's true variances differ (Smyth 2004, "Linear models and empirical Bayes methods", section 3; the prior's degrees
of freedom come from the first two moments, because scores are whole numbers and exact zeros are common, which a fit to
log variances cannot take).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from independence.stats.intervals import Interval, around
from independence.stats.subject_points import Points, SubjectPoints
from independence.types import Ends

Array = NDArray[np.float64]

_REST = 1e-9  # index points
THESE, LIKE_THESE = "these-scenarios", "scenarios-like-these"


class IndexEstimate(NamedTuple):
    """An index on 0-100 with its standard error and the degrees of freedom that is worth."""

    point: float
    se: float
    df: float

    def interval(self, level: float = 0.95) -> Interval | None:
        """The t interval, not clipped to the scale. None without any spread: nothing has no width."""
        return around(self.point, self.se, self.df, level) if self.se > 0 else None


class FleetVariances(NamedTuple):
    """Variances of a fleet (n,) and the degrees of freedom that they are worth (n,)."""

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
    return _estimates(fleet, FleetVariances(np.maximum(within.variance, across.variance), df))


def run_variances(fleet: Sequence[SubjectPoints]) -> FleetVariances:
    """Variance of each index over runs of the same scenarios."""
    totals = [sheet.totals for sheet in fleet]
    ends = fleet[0].ends if fleet else {}
    parts = [_of_runs([own[scenario] for own in totals], ends[scenario]) for scenario in ends]
    return join(parts) if parts else FleetVariances(np.empty(0), np.empty(0))


def join(parts: Sequence[FleetVariances]) -> FleetVariances:
    """The sum of independent parts, degrees of freedom by Satterthwaite (1946)."""
    variances = np.array([part.variance for part in parts])
    total = variances.sum(axis=0)
    weights = (variances**2 / np.array([part.df for part in parts])).sum(axis=0)
    flat = weights == 0
    df = np.where(flat, 1.0, total**2 / np.where(flat, 1.0, weights))
    return FleetVariances(total, df)


def _of_runs(points: Sequence[Points], ends: Ends, extra: Sequence[float] | None = None) -> FleetVariances:
    """Variance of a scenario's mean over runs, for each subject. `extra` is added to the variance of one run."""
    runs = np.array([len(own) for own in points], dtype=np.float64)
    single = np.array([_variance(own) for own in points]) + (np.array(extra) if extra is not None else 0.0)
    shape = bounded_shape(np.array([own.mean() for own in points]), single / runs, *ends)
    moderated = moderate(single, runs - 1, shape)
    return FleetVariances(moderated.variance / runs, moderated.df)


def _variance(points: Points) -> float:
    """Sample variance; equal points have none, though sums of binary fractions leave a rest."""
    return 0.0 if np.ptp(points) < _REST else float(points.var(ddof=1))


def _stratum(fleet: Sequence[SubjectPoints], number: int) -> FleetVariances:
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
    return FleetVariances(count * moderated.variance, moderated.df)  # the stratum adds up its scenarios


def _shared(sheet: SubjectPoints, number: int) -> float:
    """What a single-scenario stratum's runs share with the same verdicts' part in other strata: twice the covariance.

    Negative ones count as none.
    """
    (scenario,), (points,), _ = sheet.strata[number]
    others = sheet.totals[scenario] - points
    return max(0.0, 2 * float(np.cov(points, others)[0, 1]))


def _estimates(fleet: Sequence[SubjectPoints], variances: FleetVariances) -> list[IndexEstimate]:
    return [
        IndexEstimate(sheet.index, float(np.sqrt(variance)), float(df))
        for sheet, variance, df in zip(fleet, *variances, strict=True)
    ]


def moderate(variance: Array, df: Array, shape: Array | None = None) -> FleetVariances:
    """Shrink sample variances (n,), known from `df` (n,) > 0 degrees of freedom, towards their mean.

    With `shape` (n,) > 0 the fleet's variances are expected in proportion to it: what is moderated is their ratio. True
    variances are taken as scaled inverse chi-square with d0 degrees of freedom: with c the squared coefficient of
    variation of the true variances, d0 = 2 + 2/c. A subject alone keeps its variance: d0 is at most what the others
    bring.
    """
    if shape is not None:
        ratio = moderate(variance / shape, df)
        return FleetVariances(ratio.variance * shape, ratio.df)
    total = df.sum()
    mean = float((df * variance).sum() / total)
    if mean == 0:
        return FleetVariances(variance, df)
    squares = float((df * variance**2 / (1 + 2 / df)).sum() / total)  # of the true variances, sampling taken out
    spread = squares / mean**2 - 1
    prior = np.minimum(2 + 2 / spread if spread > 0 else np.inf, total - df)
    return FleetVariances((prior * mean + df * variance) / (prior + df), prior + df)


def bounded_shape(mean: Array, error: Array, low: float, high: float) -> Array | None:
    """How variances of scores between `low` and `high` go with their means (n,), known with variances `error` (n,).

    As p (1 - p) does, with p where the mean lies on the scale: scores near an end have no room to vary. Each mean first
    moves towards the fleet's by its unreliability (Efron and Morris 1973), or those who were lucky would also count as
    sure. None where that leaves somebody at an end.
    """
    share, noise = (mean - low) / (high - low), float(error.mean()) / (high - low) ** 2
    seen = float(share.var(ddof=1)) if len(share) > 1 else 0.0
    reliable = max(0.0, 1 - noise / seen) if seen > 0 else 0.0
    fleet = float(share.mean())
    share = np.clip(fleet + reliable * (share - fleet), 0.0, 1.0)
    shape = share * (1 - share)
    return shape if (shape > 0).all() else None
