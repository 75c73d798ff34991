"""Ranks with their uncertainty, from tests of all pairs of subjects.

A rank that is read off noisy indices is itself noisy, and drawing the indices once more adds their noise a second time:
in a pack of equals such intervals hold the true rank too rarely. What does hold is counting pairs (Mogstad, Romano,
Shaikh and Wilhelm 2024, "Inference for ranks with applications to mobility across neighbourhoods and academic
achievement across countries", section 3): of n subjects one that differs significantly from a better and b worse ones
has a rank between 1 + a and n - b. Where the tests bound the chance of any false find, all intervals hold at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from independence.stats import comparison
from independence.stats.comparison import ComparedSubjects, Differences, adjusted
from independence.stats.index_uncertainty import Array, IndexEstimate
from independence.stats.subject_points import SubjectPoints
from independence.types import Ends

LEVEL = 0.05
_DIGITS = 9  # of an index point, to which equal ones agree: what is left is the error of computing them


class RankedSubject(NamedTuple):
    """A subject that is compared with others. Where verdicts are missing, its index lies between two."""

    lowest: float  # index, 0-100
    highest: float  # the same for a complete subject
    estimate: IndexEstimate  # on these scenarios; of an incomplete one the widest that its verdicts allow
    points: SubjectPoints
    off: tuple[Array, ...] = ()  # of an incomplete one: how far scenarios' means may be from those, by stratum


def pair_differences(subjects: Sequence[RankedSubject], like_these: bool) -> Differences:
    """Of every pair of n subjects, (n (n - 1) / 2,), in the order of `numpy.triu_indices`.

    On scenarios like these by paired differences, else on these scenarios. An incomplete subject is compared by the end
    of its possible indices that is nearest to the other; where both ends overlap there is no difference, nor an error.
    """
    ends = np.array([(one.lowest, one.highest) for one in subjects], dtype=np.float64).reshape(-1, 2)
    low, high = np.array([one.estimate.scale for one in subjects], dtype=np.float64).reshape(-1, 2, 1).swapaxes(0, 1)
    places = (ends - low) / (high - low)
    sides = ComparedSubjects.of(
        [one.estimate for one in subjects],
        [one.points for one in subjects] if like_these else (),
        [one.off for one in subjects],
    )
    found = [Differences(*np.zeros((4, 0)))]
    for row in range(len(subjects) - 1):  # one beside all below: all pairs at once would take too much memory
        below = slice(row + 1, None)
        first, others = sides.part(slice(row, row + 1)), sides.part(below)
        errors = floor = comparison.on_these(first, others)
        if like_these:
            errors = comparison.like_these(first, others, floor)
        over, under = ends[row, 0] - ends[below, 1], ends[row, 1] - ends[below, 0]
        points = np.where(over > 0, over, np.where(under < 0, under, 0.0))
        near = (
            np.where(over > 0, places[row, 0], places[row, 1]),
            np.where(over > 0, places[below, 1], places[below, 0]),
        )
        found.append(comparison.differences(points, near, (first, others), floor, errors))
    return Differences._make(map(np.concatenate, zip(*found, strict=True)))


def pair_p_values(subjects: Sequence[RankedSubject], like_these: bool) -> Array:
    """p values of no difference, (n, n), positive where the first is higher and negative where it is lower."""
    p, found = np.ones((len(subjects), len(subjects))), pair_differences(subjects, like_these)
    rows, columns = np.triu_indices(len(subjects), 1)
    own = found.p
    p[rows, columns], p[columns, rows] = np.copysign(own, found.points), np.copysign(own, -found.points)
    return p


def rank_intervals(p: Array, among: int | None = None) -> list[tuple[int, int]]:
    """First and last rank, from 1, of each subject; all of them hold at once with 95%. `p`: see `pair_p_values`.

    `among`: how many subjects are ranked, where some of them cannot be tested; default all of `p`.
    """
    sure = adjusted_pairs(np.abs(p)) < LEVEL
    better, worse = (sure & (p < 0)).sum(axis=1), (sure & (p > 0)).sum(axis=1)
    count = len(p) if among is None else among
    return [(1 + int(a), count - int(b)) for a, b in zip(better, worse, strict=True)]


def adjusted_pairs(p: Array) -> Array:
    """Adjusted p values of all pairs from theirs, (n, n), symmetric, 1 on the diagonal."""
    matrix = np.ones_like(p)
    rows, columns = np.triu_indices(len(p), 1)
    matrix[rows, columns] = matrix[columns, rows] = adjusted(p[rows, columns])
    return matrix


def ranks(bounds: Sequence[Ends]) -> list[tuple[int, int]]:
    """First and last rank by index, from 1, that each of n subjects can have whose index lies between two.

    Both are the same where no missing verdict can change it; equal indices share the first place that they take.
    """
    low, high = np.round(np.array(bounds, dtype=np.float64).reshape(-1, 2), _DIGITS).T
    count = len(low)
    above = count - np.searchsorted(np.sort(low), high, "right")  # whose lowest index is higher than one's highest
    may_be = count - np.searchsorted(np.sort(high), low, "right") - (high > low)  # oneself is no other
    return [(1 + first, 1 + last) for first, last in zip(above.tolist(), may_be.tolist(), strict=True)]


def rounded_index(index: float) -> float:
    """An index as it is ordered by: equal ones are equal."""
    return round(index, _DIGITS)


def in_order(points: Array, errors: Array) -> float:
    """Chance (0-1) that of two neighbours the upper one is truly higher, the mean over a board of n >= 2, best first.

    `points` (n,), `errors`: their standard errors. True values are taken as normal around the mean of all, with the
    variance that the points have beyond their errors (Efron and Morris 1973): so luck at the top counts as luck.
    """
    noise = errors**2
    true = max(0.0, float(points.var(ddof=1) - noise.mean()))
    kept = np.divide(true, true + noise, out=np.ones(len(points)), where=true + noise > 0)
    expected, variance = points.mean() + kept * (points - points.mean()), kept * noise
    gap, spread = -np.diff(expected), np.sqrt(variance[1:] + variance[:-1])
    z = np.divide(gap, spread, out=np.where(gap > 0, 9.0, 0.0), where=spread > 0)
    return float(np.mean([NormalDist().cdf(one) for one in z.tolist()]))
