"""Differences between subjects, paired by scenario, and what many of them at once are worth.

Both answered the same scenarios, so what makes a scenario hard or easy cancels in the difference.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from independence.stats import unseen
from independence.stats.index_uncertainty import Array, IndexEstimate, repeated
from independence.stats.intervals import Interval, above, below, joined, mean_and_error, outside, t_quantiles
from independence.stats.subject_points import SubjectPoints

HOLM = "holm"  # the correction for being one of several tests
K = TypeVar("K", bound=Hashable)
_STEPS, _LONGEST, _CLOSE = 60, 1.5, 1e-11  # of Newton's method, on a logarithm
_TINY, _FLAT = 1e-300, 1e-6
_USUAL = 2.0  # standard errors, at which distances are weighed


class Errors(NamedTuple):
    """How far the intervals of both sides of n differences reach in one direction; (2, n) each, `width` alone (n,).

    Distances add in squares (Newcombe 1998, "Interval estimation for the difference between independent proportions",
    method 10; Zou and Donner 2008, "Construction of confidence limits about effect measures"), so the interval of a
    difference follows from the score intervals of both sides, and stays within the scale.
    """

    share: Array  # of the scale that lies in that direction, 0-1
    dispersion: Array  # 0: not known, then the interval is that of the standard error
    se: Array
    df: Array
    borrowed: Array
    lent_df: Array
    width: Array  # of the scale, in points

    def part(self, chosen: NDArray[np.bool_]) -> Errors:
        """Of some of the differences."""
        return Errors._make(own[..., chosen] for own in self)

    def distances(self, quantile: Array) -> Array:
        """How far the intervals of the sides reach (2, n) with so many standard errors (n,)."""
        scored = self.width * below(self.share, quantile**2 * self.dispersion)
        return np.where(self.dispersion > 0, scored, quantile * self.se)

    @property
    def worth(self) -> Array:
        """Degrees of freedom of those distances (n,): where only one side can be off, that side's."""
        return _welch(self.distances(np.array(_USUAL)) ** 2, self.df, self.borrowed, self.lent_df)

    def quantile(self, gap: Array) -> Array:
        """The standard errors (n,) with which an interval reaches as far as a gap (n,) > 0; where none does, many.

        Newton's method on logarithms: the distance grows by a power between 0 and 2 of the quantile. A side of each
        difference has an error.
        """
        found = np.log(gap / np.hypot(*self.se))
        for _ in range(_STEPS):
            each = self.distances(np.exp(found))
            reach = np.exp(2 * found) * self.dispersion
            root = np.sqrt(reach * self.share * (1 - self.share) + reach**2 / 4)
            grows = self.share - 0.5 + (self.share * (1 - self.share) + reach / 2) / np.maximum(2 * root, _TINY)
            slope = 2 * reach * (self.width * grows - each) / (1 + reach)
            power = (each * np.where(self.dispersion > 0, slope, each)).sum(axis=0)
            whole = np.maximum((each**2).sum(axis=0), _TINY)
            step = np.log(gap**2 / whole) / 2 / np.maximum(power / whole, _FLAT)
            found = found + np.clip(step, -_LONGEST, _LONGEST)
            if not (np.abs(step) > _CLOSE).any():
                break
        return np.asarray(np.exp(found))


class Difference(NamedTuple):
    """First minus second, in index points."""

    points: float
    se: float
    df: float
    sides: tuple[IndexEstimate, IndexEstimate] | None = None  # from whose intervals its own is made
    most: float = math.inf  # points that it can be at most
    testable: bool = True  # False: nothing says whether whole runs of a side go up and down

    @property
    def p(self) -> float:
        """Two-sided p value of no difference; 1 where there is no spread to judge by, or a side is not testable."""
        if not (self.se > 0 and self.points and self.testable):
            return 1.0
        quantile, df = self.reached(-self.points)
        return float(outside(np.array([quantile]), np.array([df]))[0])

    def interval(self, level: float = 0.95) -> Interval | None:
        """From the intervals of its sides, else Student's; None without any spread."""
        if not self.se > 0:
            return None
        errors = self._errors(-1, 1)
        df = np.minimum(errors.worth, self.df)
        down, up = np.hypot(*errors.distances(t_quantiles(df, level))).tolist()
        return Interval(self.points - down, self.points + up).within(-self.most, self.most)

    def equivalent(self, margin: float) -> float:
        """p value of two one-sided tests that the difference lies within +-`margin` points (Schuirmann 1987)."""
        if not self.se > 0 or abs(self.points) >= margin:
            return 1.0
        sides = [self.reached(gap) for gap in (margin - self.points, -margin - self.points)]
        return float(above(*np.array(sides).T).max())

    def reached(self, gap: float) -> tuple[float, float]:
        """How many standard errors a gap (points, not 0) above it is, or below, and their degrees of freedom."""
        errors = self._errors(gap)
        return float(errors.quantile(np.array([abs(gap)]))[0]), min(self.df, float(errors.worth[0]))

    def with_runs(self, times: float) -> Difference:
        """As it is after so many times as many runs of both sides; `most` and points stay."""
        sides = self.sides and (self.sides[0].with_runs(times), self.sides[1].with_runs(times))
        return self._replace(se=self.se / math.sqrt(times), df=self.df * times, sides=sides)

    def _errors(self, *signs: float) -> Errors:
        """In the directions of these signs."""
        alone = IndexEstimate(0.0, self.se, self.df), IndexEstimate(0.0, 0.0, self.df)
        both = ComparedSubjects.of(self.sides or alone)
        first, second = (both.part(slice(at, at + 1)) for at in (0, 1))
        return errors(-np.array(signs), (first.place, second.place), first, second)


class Differences(NamedTuple):
    """First minus second of n pairs, (n,) each."""

    points: Array
    se: Array
    df: Array
    quantile: Array  # how many standard errors they are from 0, >= 0

    @property
    def p(self) -> Array:
        """Two-sided p values of no difference; 1 where there is no spread to judge by."""
        p, tested = np.ones(len(self.points)), self.se > 0
        p[tested] = outside(self.quantile[tested], self.df[tested])
        return p


class ComparedSubjects(NamedTuple):
    """What is read of n subjects that are compared, (n,) each where nothing else is said; slices are comparable.

    One with one subject can stand beside one with many.
    """

    place: Array  # on the scale, 0-1
    se: Array  # of their estimates on these scenarios
    df: Array
    borrowed: Array
    lent_df: Array
    dispersion: Array
    width: Array  # of the scale, in points
    means: Sequence[Array]  # by stratum: (n, scenarios)
    runs: Sequence[Array]  # by stratum: (n, 2) variance and degrees of freedom over runs; (n, 0) of several scenarios
    off: Sequence[Array]  # by stratum: (n, scenarios) how far means may be from these, where verdicts are missing
    spans: Sequence[Array]  # by stratum: (n,) how far apart the ends of a mean over scenarios are
    incomplete: NDArray[np.bool_]
    testable: NDArray[np.bool_]
    once: NDArray[np.bool_]  # some scenario has a single run

    @classmethod
    def of(
        cls,
        estimates: Sequence[IndexEstimate],
        subjects: Sequence[SubjectPoints] = (),
        off: Sequence[Sequence[Array]] = (),
    ) -> Self:
        """`subjects` and `off` (empty of a complete one) are read of scenarios like these alone."""
        rows = [(one.place, one.se, one.df, one.borrowed, one.lent_df, one.dispersion, one.width) for one in estimates]
        known = np.array(rows, dtype=np.float64).reshape(-1, 7).T
        means, runs, apart, spans = list[Array](), list[Array](), list[Array](), list[Array]()
        for number, stratum in enumerate(subjects[0].strata if subjects else ()):
            count = len(stratum.scenarios)
            means.append(np.array([one.means[number] for one in subjects]))
            runs.append(np.array([over_runs(one, number) if count == 1 else () for one in subjects]))
            apart.append(np.array([own[number] if own else np.zeros(count) for own in off or [()] * len(subjects)]))
            widths = ([high - low for low, high in one.strata[number].ends] for one in subjects)
            spans.append(np.array([math.fsum(own) / count for own in widths]))
        open_ = np.array([bool(own) for own in off] or [False] * len(estimates), dtype=bool)
        once = np.array([not repeated(one) for one in subjects] or [False] * len(estimates), dtype=bool)
        testable = np.array([one.testable for one in estimates], dtype=bool)
        return cls._make([*known, means, runs, apart, spans, open_, testable, once])

    def part(self, places: slice) -> ComparedSubjects:
        """Some of them."""
        return ComparedSubjects._make(
            own[places] if isinstance(own, np.ndarray) else [each[places] for each in own] for own in self
        )


def on_these(first: ComparedSubjects, second: ComparedSubjects) -> tuple[Array, Array]:
    """Standard errors and degrees of freedom on these scenarios: runs of both are independent, so variances add.

    Degrees of freedom are Welch's. What both borrow from the same subjects is as wrong for one as for the other. It
    counts as two of the same error: without that, what those know would be counted twice. Two boards are taken as one,
    which can only widen.
    """
    se, *known = (np.stack(np.broadcast_arrays(own, other)) for own, other in zip(first[1:5], second[1:5], strict=True))
    return np.hypot(*se), _welch(se**2, *known)


def _welch(variance: Array, df: Array, borrowed: Array, lent_df: Array) -> Array:
    """Degrees of freedom (n,) of sums of two variances (2, n) each."""
    own, lent = 1 - borrowed, borrowed / lent_df
    shared = own[0] * lent[1] + own[1] * lent[0] + borrowed[0] * borrowed[1] / lent_df.min(axis=0)
    weights = (variance**2 / df).sum(axis=0) + 2 * variance[0] * variance[1] * shared
    df = np.divide(variance.sum(axis=0) ** 2, weights, out=np.ones_like(weights), where=weights > 0)
    return np.asarray(df)


def errors(points: Array, places: tuple[Array, Array], first: ComparedSubjects, second: ComparedSubjects) -> Errors:
    """Of differences of so many points (n,), towards 0, between subjects that stand at `places` on the scale."""
    own, other = (np.broadcast_to(place, points.shape) for place in places)
    sides = ((side.dispersion, side.se, side.df, side.borrowed, side.lent_df) for side in (first, second))
    both = (np.stack([np.broadcast_to(one, points.shape) for one in pair]) for pair in zip(*sides, strict=True))
    share = np.where(points > 0, [own, 1 - other], [1 - own, other])
    return Errors._make([share, *both, np.broadcast_to(first.width, points.shape)])


def like_these(first: ComparedSubjects, second: ComparedSubjects, floor: tuple[Array, Array]) -> tuple[Array, Array]:
    """Difference and error for scenarios like these: the sample is the differences of scenario means by stratum.

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
            apart, less = off * (first.off[number] + second.off[number]), own - other
            more = np.sqrt((apart**2).sum(axis=1) / (count - 1))
            squares = np.var(less, axis=1) * count
            farther = first.spans[number] + np.abs(less.mean(axis=1)) + apart.max(axis=1)
            missed = unseen.variance(squares, count, farther, unseen.UNSEEN / len(first.means))
            variance = np.where(first.once | second.once, missed, squares / (count - 1))
            parts.append((count * (np.sqrt(variance) + more) ** 2, np.array(count - 1.0)))
        else:
            parts.append(joined((side.runs[number][:, 0], side.runs[number][:, 1]) for side in (first, second)))
    variance, df = np.zeros(1), np.ones(1)
    for part in parts:
        variance, df = joined([(variance, df), part])
    return variance, df


def differences(
    points: Array,
    near: tuple[Array, Array],
    sides: tuple[ComparedSubjects, ComparedSubjects],
    floor: tuple[Array, Array],
    found: tuple[Array, Array],
) -> Differences:
    """Of n pairs that are so many points (n,) apart, at these places of their scales.

    `floor`: their errors and degrees of freedom on these scenarios; `found`: those that are asked for.
    """
    se, df = found[0], found[1].copy()
    quantile = np.divide(np.abs(points), se, out=np.zeros(len(se)), where=se > 0)
    known = (se == floor[0]) & (points != 0) & (se > 0)  # by the intervals of both
    both = errors(points, near, *sides).part(known)
    quantile[known] = both.quantile(np.abs(points[known]))
    df[known] = np.minimum(df[known], both.worth)
    quantile[~(sides[0].testable & sides[1].testable)] = 0.0
    return Differences(points, np.where(points == 0, 0.0, se), df, quantile)


def difference(first: IndexEstimate, second: IndexEstimate) -> Difference:
    """Of one pair on these scenarios."""
    (se,), (df,) = on_these(ComparedSubjects.of([first]), ComparedSubjects.of([second]))
    known = first.testable and second.testable
    return Difference(first.point - second.point, float(se), float(df), (first, second), testable=known)


def paired(first: SubjectPoints, second: SubjectPoints, floor: Difference, off: Sequence[Array] = ()) -> Difference:
    """Of one pair on scenarios like these; `floor`: on these, `off` by stratum."""
    known = [IndexEstimate(0.0, floor.se, floor.df)]
    sides = ComparedSubjects.of(known, [first], [off]), ComparedSubjects.of(known, [second])
    (se,), (df,) = like_these(*sides, (np.array([floor.se]), np.array([floor.df])))
    (low, high), sides_of = first.scale, floor.sides if se == floor.se else None
    found = floor._replace(points=first.index - second.index, se=float(se), df=float(df), sides=sides_of)
    return found if se == floor.se else found._replace(most=high - low)


def over_runs(subject: SubjectPoints, number: int) -> tuple[float, float]:
    """Squared standard error of a single-scenario stratum, and its degrees of freedom."""
    runs = subject.strata[number].points[0]
    return (float(runs.var(ddof=1)) + subject.covaried(number)) / len(runs), len(runs) - 1.0


def mean_difference(gaps: Sequence[float]) -> Difference | None:
    """The mean of paired differences with its standard error; None below two. Equal ones leave no error."""
    return Difference(*mean_and_error(gaps), len(gaps) - 1) if len(gaps) > 1 else None


def adjusted(p: Array) -> Array:
    """p values (n,) adjusted for being one of n by Holm (1979), who bounds the chance of any false find."""
    count = len(p)
    order = np.argsort(p)  # equal ones are adjusted alike, whichever stands first
    out = np.empty(count)
    out[order] = np.minimum(np.maximum.accumulate(p[order] * (count - np.arange(count))), 1.0)
    return out


def adjusted_by_name(p: Mapping[K, float | None]) -> dict[K, float]:
    """Adjusted p values by name. What has no p value is not tested, and not one of n."""
    tested = {name: value for name, value in p.items() if value is not None}
    return dict(zip(tested, adjusted(np.array(list(tested.values()))).tolist(), strict=True))


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
