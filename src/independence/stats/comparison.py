"""Differences between subjects, paired by scenario, and what many of them at once are worth.

Both answered the same scenarios, so what makes a scenario hard or easy cancels in the difference.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Literal, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

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
        return float(Differences.of([self]).p[0])

    def interval(self, level: float = 0.95) -> Interval | None:
        """The t interval of the difference; None without any spread."""
        return around(self.points, self.se, self.df, level) if self.se > 0 else None

    def equivalent(self, margin: float) -> float:
        """p value of two one-sided tests that the difference lies within +-`margin` points (Schuirmann 1987)."""
        if not self.se > 0:
            return 1.0
        return float(above(np.array([(margin - abs(self.points)) / self.se]), np.array([self.df]))[0])


class Differences(NamedTuple):
    """First minus second of n pairs, (n,) each."""

    points: Array
    se: Array
    df: Array

    @classmethod
    def of(cls, pairs: Sequence[Difference]) -> Self:
        """From those of each pair."""
        return cls._make(np.array(pairs, dtype=np.float64).reshape(-1, 3).T)

    @property
    def p(self) -> Array:
        """Two-sided p values of no difference; 1 where there is no spread to judge by."""
        p, tested = np.ones(len(self.points)), self.se > 0
        p[tested] = outside(np.abs(self.points[tested]) / self.se[tested], self.df[tested])
        return p


class ComparedSubjects(NamedTuple):
    """What is read of n subjects that are compared, (n,) each where nothing else is said; slices are comparable.

    One with one subject can stand beside one with many.
    """

    se: Array  # of their estimates on these scenarios
    df: Array
    borrowed: Array
    lent_df: Array
    means: Sequence[Array]  # by stratum: (n, scenarios)
    runs: Sequence[Array]  # by stratum: (n, 2) variance and degrees of freedom over runs; (n, 0) of several scenarios
    off: Sequence[Array]  # by stratum: (n, scenarios) how far means may be from these, where verdicts are missing
    incomplete: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        estimates: Sequence[IndexEstimate],
        subjects: Sequence[SubjectPoints] = (),
        off: Sequence[Sequence[Array]] = (),
    ) -> Self:
        """`subjects` and `off` (empty of a complete one) are read of scenarios like these alone."""
        rows = [(one.se, one.df, one.borrowed, one.lent_df) for one in estimates]
        se, df, borrowed, lent_df = np.array(rows, dtype=np.float64).reshape(-1, 4).T
        means, runs, apart = list[Array](), list[Array](), list[Array]()
        for number, stratum in enumerate(subjects[0].strata if subjects else ()):
            count = len(stratum.scenarios)
            means.append(np.array([one.means[number] for one in subjects]))
            runs.append(np.array([over_runs(one, number) if count == 1 else () for one in subjects]))
            apart.append(np.array([own[number] if own else np.zeros(count) for own in off or [()] * len(subjects)]))
        open_ = np.array([bool(own) for own in off] or [False] * len(estimates), dtype=bool)
        return cls(se, df, borrowed, lent_df, means=means, runs=runs, off=apart, incomplete=open_)

    def part(self, places: slice) -> Self:
        """Some of them."""
        means, runs, off = ([each[places] for each in own] for own in (self.means, self.runs, self.off))
        return self._replace(
            se=self.se[places],
            df=self.df[places],
            borrowed=self.borrowed[places],
            lent_df=self.lent_df[places],
            means=means,
            runs=runs,
            off=off,
            incomplete=self.incomplete[places],
        )


def on_these(first: ComparedSubjects, second: ComparedSubjects) -> tuple[Array, Array]:
    """Standard errors and degrees of freedom on these scenarios: runs of both are independent, so variances add.

    Degrees of freedom are Welch's. What both borrow from the same subjects is as wrong for one as for the other. It
    counts as two of the same error: without that, what those know would be counted twice. Two boards are taken as one,
    which can only widen.
    """
    own, other = first.se**2, second.se**2
    shared = (1 - first.borrowed) * second.borrowed / second.lent_df
    shared = shared + first.borrowed * (1 - second.borrowed) / first.lent_df
    shared += first.borrowed * second.borrowed / np.minimum(first.lent_df, second.lent_df)
    weights = own**2 / first.df + other**2 / second.df + 2 * own * other * shared
    df = np.divide((own + other) ** 2, weights, out=np.ones_like(weights), where=weights > 0)
    return np.sqrt(own + other), df


def like_these(first: ComparedSubjects, second: ComparedSubjects, floor: tuple[Array, Array]) -> tuple[Array, Array]:
    """The same on scenarios like these: the sample is the differences of scenario means, stratum by stratum.

    A stratum of one scenario carries its run variance, and what that shares with other strata. Never surer than
    `floor`, those on these scenarios, nor than with differences that are up to `off` from those: a standard deviation
    grows by no more than that of what is added, and that has no more than its root mean square.
    """
    floor_se, floor_df = floor
    variance, own_df = _over_scenarios(first, second, 0.0)
    surer = variance < floor_se**2
    se, df = np.where(surer, floor_se, np.sqrt(variance)), np.where(surer, floor_df, own_df)
    holes = first.incomplete | second.incomplete
    if holes.any():
        wider, wider_df = _over_scenarios(first, second, 1.0)
        # Some of these differences may have the error of the floor, and others this one; more noise can raise df.
        fewest = np.minimum(np.minimum(wider_df, own_df), floor_df)
        se, df = np.where(holes, np.maximum(np.sqrt(wider), floor_se), se), np.where(holes, fewest, df)
    return se, df


def _over_scenarios(first: ComparedSubjects, second: ComparedSubjects, off: float) -> tuple[Array, Array]:
    """Variances with their degrees of freedom (Satterthwaite); `off`: how much of what is missing is allowed for."""
    parts = list[tuple[Array, Array]]()
    for number, (own, other) in enumerate(zip(first.means, second.means, strict=True)):
        count = own.shape[1]
        if count > 1:
            apart = off * (first.off[number] + second.off[number])
            more = np.sqrt((apart**2).sum(axis=1) / (count - 1))
            parts.append((count * (np.std(own - other, axis=1, ddof=1) + more) ** 2, np.array(count - 1.0)))
        else:
            parts.append(joined((side.runs[number][:, 0], side.runs[number][:, 1]) for side in (first, second)))
    variance, df = np.zeros(1), np.ones(1)
    for part in parts:
        variance, df = joined([(variance, df), part])
    return variance, df


def difference(first: IndexEstimate, second: IndexEstimate) -> Difference:
    """Of one pair on these scenarios."""
    (se,), (df,) = on_these(ComparedSubjects.of([first]), ComparedSubjects.of([second]))
    return Difference(first.point - second.point, float(se), float(df))


def paired(first: SubjectPoints, second: SubjectPoints, floor: Difference, off: Sequence[Array] = ()) -> Difference:
    """Of one pair on scenarios like these; `floor`: on these, `off` by stratum."""
    known = [IndexEstimate(0.0, floor.se, floor.df)]
    sides = ComparedSubjects.of(known, [first], [off]), ComparedSubjects.of(known, [second])
    (se,), (df,) = like_these(*sides, (np.array([floor.se]), np.array([floor.df])))
    return Difference(first.index - second.index, float(se), float(df))


def over_runs(subject: SubjectPoints, number: int) -> tuple[float, float]:
    """Squared standard error of a single-scenario stratum, and its degrees of freedom."""
    runs = subject.strata[number].points[0]
    return (float(runs.var(ddof=1)) + subject.covaried(number)) / len(runs), len(runs) - 1.0


def adjusted(p: Array, correction: Correction) -> Array:
    """p values (n,) adjusted for being one of n.

    Holm (1979) bounds the chance of any false find, Benjamini and Hochberg (1995) the expected share of false finds.
    """
    count = len(p)
    if correction == "none" or not count:
        return p
    order = np.argsort(p)  # equal ones are adjusted alike, whichever stands first
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
