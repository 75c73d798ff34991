"""Runs that were added later, beside those before."""

from __future__ import annotations

import numpy as np
import pytest

from independence.stats import comparison, stages
from independence.stats.subject_points import contributions
from tests.stats import sheets

LATER = np.array([0, 0, 1, 1, 2])
SUBJECTS = 300


def smallest(rng: np.random.Generator, lower: float) -> list[float]:
    """The smallest adjusted p of each subject whose runs from the third on are lower by so many points a scenario."""
    own = contributions([sheets.drawn(rng, scenarios=8) for _ in range(SUBJECTS)])
    own.points[..., 2:] -= lower
    place = np.broadcast_to(LATER, own.points.shape)
    p = np.array([one.p for one in stages.differences(own, place)])
    return [float(comparison.adjusted(each).min()) for each in p.T]


def test_a_difference_is_that_of_each_unit_from_itself() -> None:
    own = contributions([sheets.of([10, 12, 6, 4], [5, 5, 5, 5, 5, 5], [8, 8])])
    place = np.zeros(own.points.shape, np.intp)
    place[0, 0, 2:], place[0, 1, 3:] = 1, 1
    (found,) = stages.differences(own, place)
    # Halves of two of three units that weigh alike: one is 6 lower and one is alike.
    assert found.points.tolist() == [pytest.approx(-6 * 3 / 2)]
    variance = np.var([10, 12, 6, 4], ddof=1) / 4 / 4  # of half the difference of the halves of the first
    assert found.se.tolist() == [pytest.approx(np.sqrt(variance) / (2 / 3 / 4))]
    assert found.df.tolist() == [pytest.approx(3)]
    assert found.quantile.tolist() == [pytest.approx(abs(-1.5 / np.sqrt(variance)))]


def test_who_has_no_later_runs_has_no_difference() -> None:
    own = contributions([sheets.of([1, 2, 3, 4]), sheets.of([4, 3])])
    place = np.array([[[0, 0, 1, 1]], [[0, 0, 0, 0]]])
    (found,) = stages.differences(own, place)
    assert (found.se[1], found.p[1]) == (0, 1)
    assert found.p[0] < 1


def test_stable_subjects_are_said_to_have_changed_in_no_more_than_the_level_and_changed_ones_often() -> None:
    rng = np.random.default_rng(7)
    stable, changed = (np.mean(np.array(smallest(rng, lower)) < 0.05) for lower in (0.0, 3.0))
    assert stable <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / SUBJECTS)
    assert changed > 0.8
