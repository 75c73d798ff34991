"""Differences between subjects, paired by scenario, and what many of them at once are worth.

Both answered the same scenarios, so what makes a scenario hard or easy cancels in the difference.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from independence.stats.index_uncertainty import Array, IndexEstimate
from independence.stats.intervals import Interval, above, around, joined, outside
from independence.stats.subject_points import SubjectPoints

Correction = Literal["holm", "bh", "none"]
K = TypeVar("K", bound=Hashable)


class Difference(NamedTuple):
    """First minus second, in index points."""

    points: float
    se: float
    df: float

    @property
    def p(self) -> float:
        """Two-sided p value of no difference; 1 where there is no spread to judge by."""
        return outside(abs(self.points) / self.se, self.df) if self.se else 1.0

    def interval(self, level: float = 0.95) -> Interval | None:
        """The t interval of the difference; None without any spread."""
        return around(self.points, self.se, self.df, level) if self.se > 0 else None

    def equivalent(self, margin: float) -> float:
        """p value of two one-sided tests that the difference lies within +-`margin` points (Schuirmann 1987)."""
        if not self.se > 0:
            return 1.0
        return above((margin - abs(self.points)) / self.se, self.df)


def difference(first: IndexEstimate, second: IndexEstimate) -> Difference:
    """On these scenarios: runs of both are independent, so variances add (Welch-Satterthwaite).

    What both borrow from one fleet is as wrong for one as for the other. It counts as two of the same error: without
    that, what the fleet knows would be counted twice. Two fleets are taken as one, which can only widen.
    """
    own, other = first.se**2, second.se**2
    mine, yours = first.borrowed, second.borrowed
    shared = (1 - mine) * yours / second.fleet_df + mine * (1 - yours) / first.fleet_df
    shared += mine * yours / min(first.fleet_df, second.fleet_df)
    weights = own**2 / first.df + other**2 / second.df + 2 * own * other * shared
    df = (own + other) ** 2 / weights if weights else 1.0
    return Difference(first.point - second.point, math.sqrt(own + other), df)


def paired(first: SubjectPoints, second: SubjectPoints, floor: Difference, off: Sequence[Array] = ()) -> Difference:
    """On scenarios like these: the sample is the differences of scenario means, stratum by stratum.

    A stratum of one scenario carries its run variance, and what that shares with other strata. Never surer than
    `floor`, the difference on these scenarios, nor than with differences that are up to `off` (by stratum,
    (scenarios,)) from those: a standard deviation grows by no more than that of what is added, and that has no more
    than its root mean square.
    """
    points = first.index - second.index
    variance, df = _paired_variance(first, second, off)
    if off:  # some of these differences may have the error of the floor, and others this one; more noise can raise df
        fewest = min(df, _paired_variance(first, second, ())[1], floor.df)
        return Difference(points, max(math.sqrt(variance), floor.se), fewest)
    return floor if variance < floor.se**2 else Difference(points, math.sqrt(variance), df)


def _paired_variance(first: SubjectPoints, second: SubjectPoints, off: Sequence[Array]) -> tuple[float, float]:
    """With its degrees of freedom (Satterthwaite)."""
    variance, df = 0.0, 1.0
    for number, (own, other) in enumerate(zip(first.strata, second.strata, strict=True)):
        means = [float(a.mean() - b.mean()) for a, b in zip(own.points, other.points, strict=True)]
        if len(means) > 1:
            more = math.sqrt(float((off[number] ** 2).sum()) / (len(means) - 1)) if off else 0.0
            part, part_df = len(means) * (float(np.std(means, ddof=1)) + more) ** 2, len(means) - 1.0
        else:
            part, part_df = joined(over_runs(sheet, number) for sheet in (first, second))
        variance, df = joined([(variance, df), (part, part_df)])
    return variance, df


def over_runs(sheet: SubjectPoints, number: int) -> tuple[float, float]:
    """Squared standard error of a single-scenario stratum, and its degrees of freedom."""
    runs = sheet.strata[number].points[0]
    return (float(runs.var(ddof=1)) + sheet.covaried(number)) / len(runs), len(runs) - 1.0


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


def adjusted_by_name(p: Mapping[K, float | None], correction: Correction) -> dict[K, float]:
    """The same by name. What has no p value is not tested, and not one of n."""
    tested = {name: value for name, value in p.items() if value is not None}
    return dict(zip(tested, adjusted(np.array(list(tested.values())), correction).tolist(), strict=True))


def tiers(p: Array, level: float = 0.05) -> list[int]:
    """Tier of each subject, given best first: a new one starts where a subject differs from its tier's leader.

    With p values (n, n) of all pairs adjusted by Holm, the chance of any split among equals is at most `level`.
    """
    out, leader, tier = [], 0, 1
    for place in range(len(p)):
        if p[leader, place] < level:
            leader, tier = place, tier + 1
        out.append(tier)
    return out
