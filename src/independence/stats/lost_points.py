"""Points of the index that subjects lost, by scenario: what is linear adds up, so they sum to 100 less the index."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from independence.stats.index_uncertainty import Array
from independence.stats.subject_points import SubjectPoints

FEWEST = 3  # subjects whose spread says something

_TOLERANCE = 1e-9  # of a sum of points


class LostPoints(NamedTuple):
    """Of subjects of one suite."""

    scenarios: tuple[str, ...]
    points: Array  # (subjects, scenarios), index points

    def of(self, scenarios: Collection[str]) -> Array:
        """Lost in these scenarios together, (subjects,)."""
        chosen = [place for place, name in enumerate(self.scenarios) if name in scenarios]
        lost: Array = np.maximum(self.points[:, chosen].sum(axis=1), 0.0)  # not less by the error of adding
        return lost

    @property
    def shares(self) -> dict[str, float] | None:
        """Scenario -> its share of the variance of the index over subjects; they add up to 1, and one may be below 0.

        None below three subjects, or where nothing varies.
        """
        if len(self.points) < FEWEST:
            return None
        shares = variance_shares(self.points.T)
        return None if shares is None else dict(zip(self.scenarios, shares.tolist(), strict=True))


def lost_points(subjects: Sequence[SubjectPoints]) -> LostPoints:
    """Of complete subjects: the most that a scenario can add to the index, less what its runs add on average."""
    scenarios = tuple(subjects[0].ends) if subjects else ()
    lost = np.zeros((len(subjects), len(scenarios)))
    for number, stratum in enumerate(subjects[0].strata if subjects else ()):
        most = np.array([high for _, high in stratum.ends])
        lost[:, [scenarios.index(one) for one in stratum.scenarios]] += most - np.array(
            [subject.means[number] for subject in subjects]
        )
    return LostPoints(scenarios, lost)


def variance_shares(parts: Array) -> Array | None:
    """Of parts (n, subjects) that add up to a total: the share of its variance over subjects that each carries, (n,).

    The covariance of each with the total, so that they add up to 1. None where the total does not vary.
    """
    total = parts.sum(axis=0)
    carried: Array = ((parts - parts.mean(axis=1, keepdims=True)) * (total - total.mean())).sum(axis=1)
    whole = float(carried.sum())
    return carried / whole if whole > _TOLERANCE else None
