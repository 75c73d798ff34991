"""Ranks with their uncertainty, from tests of all pairs of subjects.

A rank that is read off noisy indices is itself noisy, and drawing the indices once more adds their noise a second time:
in a pack of equals such intervals hold the true rank too rarely. What does hold is counting pairs (Mogstad, Romano,
Shaikh and Wilhelm 2024, "Inference for ranks with applications to mobility across neighbourhoods and academic
achievement across countries", section 3): of n subjects one that differs significantly from a better and b worse ones
has a rank between 1 + a and n - b. Where the tests bound the chance of any false find, all intervals hold at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from independence.stats import pairs, tails
from independence.stats.comparison import Correction, Difference, adjusted, difference, paired
from independence.stats.index_uncertainty import Array, IndexEstimate
from independence.stats.subject_points import SubjectPoints

LEVEL = 0.05
_DIGITS = 9  # of an index point, to which equal ones agree: what is left is the error of computing them


class RankedSubject(NamedTuple):
    """A subject that takes part in ranks. Where verdicts are missing, its index is only known to lie between two."""

    lowest: float  # index, 0-100
    highest: float  # the same for a complete subject
    estimate: IndexEstimate  # on these scenarios; of an incomplete one the widest that its verdicts allow
    points: SubjectPoints
    off: tuple[Array, ...] = ()  # of an incomplete one: how far scenarios' means may be from those, by stratum

    def at(self, index: float) -> IndexEstimate:
        """The estimate, had it this index."""
        return self.estimate._replace(point=index)


def pair_p_values(subjects: Sequence[RankedSubject], like_these: bool) -> Array:
    """p values of no difference, (n, n), positive where the first is higher and negative where it is lower.

    On scenarios like these by paired differences, else on these scenarios. An incomplete subject is compared by the end
    of its possible indices that is nearest to the other.
    """
    p = np.ones((len(subjects), len(subjects)))
    if len(subjects) < 2:
        return p
    rows, columns = np.triu_indices(len(subjects), 1)
    found = pairs.differences(subjects, like_these)
    for at in np.flatnonzero(found.alone):  # those with missing verdicts
        one = nearest_difference(subjects[rows[at]], subjects[columns[at]], like_these)
        found.points[at], found.se[at], found.df[at] = one
    tested = found.se > 0
    own = np.ones(len(rows))
    own[tested] = tails.outside(np.abs(found.points[tested]) / found.se[tested], found.df[tested])
    p[rows, columns], p[columns, rows] = np.copysign(own, found.points), np.copysign(own, -found.points)
    return p


def nearest_difference(first: RankedSubject, second: RankedSubject, like_these: bool) -> Difference:
    """The difference between the ends of what both can be that are nearest; none where they overlap."""
    if first.lowest > second.highest:
        found = difference(first.at(first.lowest), second.at(second.highest))
    elif second.lowest > first.highest:
        found = difference(first.at(first.highest), second.at(second.lowest))
    else:
        return Difference(0.0, 0.0, 1.0)
    if not like_these:
        return found
    off = [sum(own) for own in zip(*(one.off for one in (first, second) if one.off), strict=True)]
    return paired(first.points, second.points, found, off)._replace(points=found.points)


def rank_intervals(p: Array) -> list[tuple[int, int]]:
    """First and last rank, from 1, of each subject; all of them hold at once with 95 %. `p`: see `pair_p_values`."""
    sure = adjusted_pairs(np.abs(p), "holm") < LEVEL
    better, worse = (sure & (p < 0)).sum(axis=1), (sure & (p > 0)).sum(axis=1)
    return [(1 + int(a), len(p) - int(b)) for a, b in zip(better, worse, strict=True)]


def adjusted_pairs(p: Array, correction: Correction) -> Array:
    """Adjusted p values of all pairs from theirs, (n, n), symmetric, 1 on the diagonal."""
    matrix = np.ones_like(p)
    rows, columns = np.triu_indices(len(p), 1)
    matrix[rows, columns] = matrix[columns, rows] = adjusted(p[rows, columns], correction)
    return matrix


def ranks(indices: Sequence[float]) -> list[int]:
    """Ranks of indices given best first; equal ones share the first place that they take (1, 1, 3)."""
    first: dict[float, int] = {}
    return [first.setdefault(rounded_index(index), place) for place, index in enumerate(indices, start=1)]


def rounded_index(index: float) -> float:
    """An index as it is ordered by: equal ones are equal."""
    return round(index, _DIGITS)
