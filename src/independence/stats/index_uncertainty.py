"""How sure an index is: for these scenarios, and for scenarios like these.

`these-scenarios` asks what more runs of the same scenarios would give: run variance within each scenario, added up.
`scenarios-like-these` asks what other scenarios of the kind would give: scenarios are clusters, their means the sample.
A stratum of a single scenario says nothing about others; it carries its run variance alone.

The variance of an index is read as a share of the most it could be at that level: with p where the index lies on its
scale, verdicts that are all or nothing vary as p (1 - p). So subjects near an end, who have no room to vary, are
compared with others fairly, and an interval is Wilson's (1927), longer towards the middle of the scale. With a few
runs that share is mostly noise. It is moderated once, for the whole index, towards that of the others (`moderate`).

Variances add up where what one scenario gets says nothing of what the others get in the same run. Where whole runs go
up and down, as when a host changed between days, they are multiplied by what that adds (`run_effects`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from independence.stats import run_effects
from independence.stats.contributions import Contributions, sample_variance
from independence.stats.intervals import Interval, on_scale, t_quantile, t_quantiles
from independence.stats.subject_points import Points, SubjectPoints, contributions
from independence.types import Ends

Array = NDArray[np.float64]

THESE, LIKE_THESE = "these-scenarios", "scenarios-like-these"

_REST = 1e-9  # index points
_NOTHING = 1e-9  # degrees of freedom of no knowledge
EDGE = 1e-3  # no index is expected nearer to an end, as a share of the scale
# Published verdicts of V2 have 0.06 to 0.28 of the most variance over runs that there could be, in the median 0.12;
# over scenarios 0.19 in the median and 0.29 in the mean. The squared coefficient of variation is 0.2 to 0.3.
_OVER_RUNS, _OVER_SCENARIOS = 0.12, 0.25  # shares that a subject without any other is moderated towards
PRIOR_DF = 2.0  # what they are worth
_LEAST_SPREAD = 0.4  # squared coefficient of variation that true shares have at least: a few subjects cannot show it


class IndexEstimate(NamedTuple):
    """An index on 0-100 with its standard error and the degrees of freedom that is worth."""

    point: float
    se: float
    df: float
    borrowed: float = 0.0  # share of the squared standard error that rests on other subjects, 0-1
    lent_df: float = math.inf  # degrees of freedom of what the others lend
    dispersion: float = 0.0  # squared error of p in units of p (1 - p), p the place on the scale
    scale: Ends = (0.0, 100.0)
    by_runs: float = 0.0  # share of the squared error that whole runs going up and down explain, 0-1
    unstable: bool = False  # whole runs go up and down more than their scenarios explain
    testable: bool = True  # False: whether whole runs go up and down is not known, so nothing is said to differ

    @property
    def width(self) -> float:
        """Of its scale, in points."""
        return self.scale[1] - self.scale[0]

    @property
    def place(self) -> float:
        """Where on its scale it lies, 0-1."""
        return (self.point - self.scale[0]) / self.width

    def interval(self, level: float = 0.95, quantile: float | None = None) -> Interval | None:
        """The score interval, which ends where the scale does; None without any spread.

        `quantile`: Student's t of that level, where it is known.
        """
        if not self.se > 0:
            return None
        reach = t_quantile(self.df, level) if quantile is None else quantile
        return on_scale(self.point, reach**2 * self.dispersion, self.scale)

    def with_runs(self, times: float) -> IndexEstimate:
        """As sure as after so many times as many runs: squared errors fall, and degrees of freedom grow with them."""
        more = self._replace(df=self.df * times, lent_df=self.lent_df * times)
        return more._replace(se=self.se / math.sqrt(times), dispersion=self.dispersion / times)


def intervals(estimates: Sequence[IndexEstimate], level: float = 0.95) -> list[Interval | None]:
    """The interval of each of many estimates."""
    reach = t_quantiles(np.array([one.df for one in estimates], dtype=np.float64), level)
    return [one.interval(level, quantile) for one, quantile in zip(estimates, reach.tolist(), strict=True)]


class PriorShare(NamedTuple):
    """A share of variance that is expected before anything is seen, and how many degrees of freedom that is worth."""

    share: float
    df: float


class ModeratedShares(NamedTuple):
    """Shares of n subjects (n,), the degrees of freedom that they are worth (n,), and what of them is lent (n,)."""

    share: Array
    df: Array
    borrowed: Array  # part of each that rests on other subjects, 0-1
    lent_df: Array  # degrees of freedom of what the others lend


class _VarianceParts(NamedTuple):
    """The independent parts that the variance of each of n indices adds up from: (n, parts) each."""

    variance: Array  # squared index points
    df: Array
    most: Array  # the same for verdicts that are all or nothing, in units of p (1 - p)


def repeated(subject: SubjectPoints) -> bool:
    """True when every scenario has at least two runs: without them there is no spread to see."""
    return all(len(points) > 1 for points in subject.totals.values())


def these_scenarios(subjects: Sequence[SubjectPoints], prior_df: float = PRIOR_DF) -> list[IndexEstimate]:
    """Estimates of subjects of one suite, in order, each with repeated runs of every scenario.

    `prior_df`: degrees of freedom of what is known of indices beforehand; 0 for points that are not of whole indices.
    """
    return estimates(contributions(subjects), prior_df) if subjects else []


def estimates(own: Contributions, prior_df: float = PRIOR_DF) -> list[IndexEstimate]:
    """The estimate of each of n subjects by its runs: the one estimator of variance. `prior_df` as above."""
    parts = _VarianceParts(own.variance / own.runs, own.runs - 1, (own.high - own.low) ** 2 / own.runs)
    made = _estimates(
        own.estimate, list(zip(*own.ends.tolist(), strict=True)), parts, 0.0, PriorShare(_OVER_RUNS, prior_df)
    )
    if own.points.shape[1] == 1:
        return made  # of one unit, runs are all that varies
    effects = run_effects.of(own)
    return [
        one._replace(
            se=one.se * math.sqrt(grown), df=1 / (1 / one.df + error / 2), borrowed=one.borrowed / grown,
            dispersion=one.dispersion * grown, by_runs=1 - 1 / grown, unstable=unstable, testable=known,
        )
        for one, grown, error, unstable, known in zip(made, *(each.tolist() for each in effects), strict=True)
    ]  # fmt: skip


def of_one_unit(rows: Sequence[Points], span: Ends) -> list[IndexEstimate]:
    """`estimates`, without a prior, as if one unit were the whole index: (runs,) points of each subject, at least 2.

    `span`: fewest and most points of a run.
    """
    points = np.full((len(rows), 1, max(map(len, rows), default=0)), np.nan)
    for own, row in zip(points, rows, strict=True):
        own[0, : len(row)] = row
    low, high = (np.full((len(rows), 1), end) for end in span)
    return estimates(Contributions(np.zeros(len(rows)), points, low, high), 0.0)


def scenarios_like_these(subjects: Sequence[SubjectPoints], prior_df: float = PRIOR_DF) -> list[IndexEstimate]:
    """How sure the index of each subject is for other scenarios of this kind, never surer than for these scenarios."""
    if not subjects:
        return []
    across = _estimates(
        np.array([subject.index for subject in subjects]), [subject.scale for subject in subjects],
        _over_scenarios(subjects), shared_effects(subjects), PriorShare(_OVER_SCENARIOS, prior_df),
    )  # fmt: skip
    return [_less_sure(*pair) for pair in zip(these_scenarios(subjects, prior_df), across, strict=True)]


def _less_sure(within: IndexEstimate, across: IndexEstimate) -> IndexEstimate:
    if across.dispersion >= within.dispersion:
        return across._replace(
            se=max(within.se, across.se), by_runs=within.by_runs, unstable=within.unstable, testable=within.testable
        )
    return within._replace(df=min(within.df, across.df))


def _over_scenarios(subjects: Sequence[SubjectPoints]) -> _VarianceParts:
    """A part for each stratum: its scenarios add up."""
    parts = list[tuple[Array, Array, Array]]()
    for number, stratum in enumerate(subjects[0].strata):
        count = len(stratum.scenarios)
        width = np.array([sum(high - low for low, high in subject.strata[number].ends) for subject in subjects])
        if count > 1:
            size = np.full(len(subjects), count)
            own = count**2 * sample_variance(np.array([subject.means[number] for subject in subjects]))
        else:
            rows = [subject.strata[number].points[0] for subject in subjects]
            size = np.array([len(points) for points in rows])
            own = np.array([sample_variance(one) for one in rows]) + [subject.covaried(number) for subject in subjects]
        parts.append((own / size, size - 1.0, width**2 / size))
    return _VarianceParts._make(np.stack(own, axis=1) for own in zip(*parts, strict=True))


def shared_effects(subjects: Sequence[SubjectPoints]) -> float:
    """How far the subjects' variances over scenarios are one and the same draw of scenarios, 0-1.

    The squared correlation of two subjects' scenario effects, over all pairs and strata, each stratum with the weight
    that it has in the variance of the variance. 1: all find the same scenarios hard, and many know no more about
    the variance over scenarios than one does.
    """
    if len(subjects) < 2:
        return 0.0
    joint, total = 0.0, 0.0
    for number, stratum in enumerate(subjects[0].strata):
        count = len(stratum.scenarios)
        if count > 1:
            means = np.array([subject.means[number] for subject in subjects])
            covariance = np.cov(means)
            own = float(np.trace(covariance))
            pairs = max(0.0, float(covariance.sum()) - own) / (len(subjects) - 1)
            joint, total = joint + count**2 * pairs**2 / (count - 1), total + count**2 * own**2 / (count - 1)
    return min(1.0, joint / total) if total else 0.0


def _estimates(
    indices: Array, scales: Sequence[Ends], parts: _VarianceParts, shared: float, prior: PriorShare
) -> list[IndexEstimate]:
    """Of (n,) indices, in order."""
    low, high = np.array(scales).T
    widths = high - low
    variance, most = _sums(parts.variance) / widths**2, _sums(parts.most) / widths**2
    places = (indices - low) / widths
    room = most * expected_room(places, variance)
    inside = (places > _REST) & (places < 1 - _REST)  # at an end nothing can vary, which says nothing of the share
    made = moderate(variance / room, _degrees_of_freedom(parts) * inside, prior, shared)
    if not made.share.any():
        return [IndexEstimate(one, 0.0, 1.0, scale=ends) for one, ends in zip(indices.tolist(), scales, strict=True)]
    se = widths * np.sqrt(made.share * room)
    rows = np.transpose([indices, se, made.df, made.borrowed, made.lent_df, made.share * most]).tolist()
    return [IndexEstimate(*row)._replace(scale=scale) for row, scale in zip(rows, scales, strict=True)]


def _sums(parts: Array) -> Array:
    """Of each row of (n, parts), added from left to right."""
    return functools.reduce(np.add, parts.T)


def _degrees_of_freedom(parts: _VarianceParts) -> Array:
    """What each subject's sum of variances is worth (n,), after Satterthwaite (1946).

    The number of parts that a sum is effectively made of is taken over all subjects: a subject's own is as noisy as
    its variances are.
    """
    squares, sums = parts.variance**2, _sums(parts.variance) ** 2
    fewest: Array = parts.df.min(axis=1)
    if not squares.any():
        return fewest
    over = (squares / parts.df).sum(axis=1)
    each = np.where(over > 0, squares.sum(axis=1) / np.where(over > 0, over, 1.0), fewest)
    found: Array = each * (sums.sum() / squares.sum())
    return found


def expected_room(places: Array, error: Array) -> Array:
    """p (1 - p) at the place p on the scale (n,) where an index known with variance `error` (n,) is expected.

    Each place first moves towards the mean of all by its unreliability (Efron and Morris 1973), or those who were
    lucky would also count as sure.
    """
    seen = float(places.var(ddof=1)) if len(places) > 1 else 0.0
    reliable = max(0.0, 1 - float(error.mean()) / seen) if seen > 0 else 1.0
    mean = float(places.mean())
    expected = np.clip(mean + reliable * (places - mean), EDGE, 1 - EDGE)
    room: Array = expected * (1 - expected)
    return room


def moderate(share: Array, df: Array, prior: PriorShare, shared: float = 0.0) -> ModeratedShares:
    """Move shares of variance (n,), known from `df` (n,) >= 0 degrees of freedom, towards the mean of the others.

    The best linear estimate (Buehlmann and Straub 1970; Smyth 2004, section 3, has its like for normal data): a share
    keeps the more of its own, the better it is known and the more the true shares differ (`spread`, by moments,
    because scores are whole numbers and exact zeros are common, which a fit to log variances cannot take). The others'
    mean holds the prior share with its degrees of freedom, and is worth no more degrees of freedom than they have
    together: 1 / (1 + (n - 2) `shared`) of them, where `shared` is the squared correlation of two subjects' errors.
    """
    others = df.sum() - df
    known = others / (1 + max(0, len(df) - 2) * shared)
    lent_df = np.maximum(known + prior.df, _NOTHING)
    theirs = ((df * share).sum() - df * share) / np.where(others > 0, others, 1.0)
    common = (known * theirs + prior.df * prior.share) / lent_df
    spread = _spread(share, df, shared)
    own = 1 / np.maximum(df, _NOTHING)
    lent, joint = spread / (2 * (1 + spread)) + 1 / lent_df, shared * own * known / lent_df
    kept = np.where(df > 0, np.clip((lent - joint) / (own + lent - 2 * joint), 0.0, 1.0), 0.0)
    made = kept * share + (1 - kept) * common
    borrowed = (1 - kept) * common / np.where(made > 0, made, 1.0)
    inverse = (
        (1 - borrowed) ** 2 * own + borrowed**2 * (spread / 2 + 1 / lent_df) + 2 * (1 - borrowed) * borrowed * joint
    )
    # Beside somebody much noisier, a share that is small and well known is mostly borrowed, and no less known for that.
    return ModeratedShares(made, np.maximum(1 / inverse, np.minimum(df, 1.0)), borrowed, lent_df)


def _spread(share: Array, df: Array, shared: float) -> float:
    """Squared coefficient of variation of the true shares: of those seen, without what sampling adds."""
    count, mean = int((df > 0).sum()), float((df * share).sum() / max(df.sum(), _NOTHING))
    if count < 2 or mean == 0:
        return _LEAST_SPREAD
    seen = float((df * (share / mean - 1) ** 2).sum() / df.sum()) * count / (count - 1)
    sampling = 2 * count / float(df.sum()) * (1 - shared)
    return max(_LEAST_SPREAD, (seen - sampling) / (1 + sampling))
