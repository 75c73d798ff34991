"""A judge and its own family: levels, scale use, and what is left."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from independence.stats import self_preference
from independence.stats.self_preference import JudgedSubject, Points

SCENARIOS = ("a", "b", "c", "d", "e", "f")


def points(scores: np.ndarray) -> Points:
    """Scores (scenarios, runs) on 0-10 as points of an index that is their mean."""
    return {name: 10 * np.asarray(own, float) / len(scores) for name, own in zip(SCENARIOS, scores, strict=False)}


def one(judge: float, reference: float, spread: float | None = None) -> JudgedSubject:
    """A subject of one scenario by its index under a judge and under one other; `spread` of two runs of the former."""
    runs = [0.0] if spread is None else [-spread, spread]
    return JudgedSubject({"a": judge + np.array(runs)}, {"a": reference + 0 * np.array(runs)}, 1)


OTHERS = [one(2 * x + error, x) for x, error in ((40, 1), (50, -2), (60, 2), (70, -1))]


def test_what_a_judge_adds_is_its_index_minus_the_mean_of_the_others() -> None:
    found = self_preference.judged(
        points(np.array([[8, 9], [10, 10]])),
        [points(np.array([[6, 7], [10, 8]])), points(np.array([[8, 9], [8, 10]]))],
    )
    assert found.delta == pytest.approx(92.5 - (77.5 + 87.5) / 2)
    assert found.references == 2
    # Index points a scenario: gaps (5, 5) and (5, 5).
    assert found.run_variance(1.0) == (0.0, 1.0)


def test_the_variance_of_a_difference_is_that_of_runs_within_scenarios() -> None:
    found = self_preference.judged(points(np.array([[8, 6], [9, 9]])), [points(np.array([[4, 4], [4, 7]]))])
    # Gaps in index points: (20, 10) and (25, 10); variances of their means 50/2 and 112.5/2, one df each.
    assert found.run_variance(1.0) == (pytest.approx(81.25), pytest.approx(81.25**2 / (25**2 + 56.25**2)))
    # With a slope of 2: (0, -10) and (5, -25).
    assert found.run_variance(2.0) == (pytest.approx(25 + 450 / 2), pytest.approx(250**2 / (25**2 + 225**2)))
    single = self_preference.judged(points(np.array([[8], [9]])), [points(np.array([[8], [8]]))])
    assert single.run_variance(1.0) is None
    with pytest.raises(ValueError, match="no judge"):
        self_preference.judged(points(np.array([[8, 8]])), [])


def test_a_judge_that_is_lenient_to_all_favours_nobody() -> None:
    found = self_preference.prefer([one(x + 5, x) for x in (30, 40)], [one(x + 5, x) for x in (50, 60, 80)])
    assert (found.own, found.others, found.self_bias, found.elsewhere) == (2, 3, 5.0, 5.0)
    assert (found.slope, found.difference) == (pytest.approx(1), pytest.approx(0))


def test_a_judge_that_stretches_the_scale_favours_nobody_and_a_preference_beside_a_stretch_is_found() -> None:
    own, others = (20, 25), (50, 60, 80)
    found = self_preference.prefer([one(1.15 * x - 9, x) for x in own], [one(1.15 * x - 9, x) for x in others])
    assert found.self_bias - found.elsewhere == pytest.approx(0.15 * (22.5 - 190 / 3))
    assert (found.slope, found.difference) == (pytest.approx(1.15), pytest.approx(0))
    found = self_preference.prefer([one(1.3 * x + 4, x) for x in own], [one(1.3 * x, x) for x in others])
    assert (found.slope, found.difference) == (pytest.approx(1.3), pytest.approx(4))


@pytest.mark.parametrize("references", [1, 3])
def test_the_slope_is_that_of_orthogonal_regression_and_the_mean_of_several_references_errs_less(
    references: int,
) -> None:
    """In units in which errors are alike, the judge's are those of its index over the root of how many there are."""
    found = self_preference.prefer([one(90, 45)], [other._replace(references=references) for other in OTHERS])
    own = self_preference.prefer([one(90, 45)._replace(references=references)], OTHERS)
    moved = (np.array([[40, 81], [50, 98], [60, 122], [70, 139]]) - [55, 110]) / [1, np.sqrt((1 + 4 * references) / 5)]
    x, y = np.linalg.svd(moved)[2][0]
    assert found.slope == pytest.approx(y / x * np.sqrt((1 + 4 * references) / 5))
    line = self_preference.prefer([one(90, 45)], OTHERS).slope
    assert found.slope <= own.slope <= line  # towards least squares, as of a side without errors


def test_the_interval_is_that_of_the_levels_and_of_the_slope() -> None:
    found = self_preference.prefer([one(100, 45)], OTHERS)
    x, y = np.array([40.0, 50, 60, 70]), np.array([81.0, 98, 122, 139])
    left = float(np.square((y - y.mean()) - found.slope * (x - x.mean())).sum()) / 2
    r2 = stats.pearsonr(x, y).statistic ** 2
    variance = left * (1 + 1 / 4) + found.slope**2 * (1 - r2) / r2 / 2 * (45 - 55) ** 2
    middle = 100 - 110 - found.slope * (45 - 55)
    half = stats.t.ppf(0.975, 2) * np.sqrt(variance)
    assert found.difference == pytest.approx(middle)
    assert found.interval == pytest.approx((middle - half, middle + half))


def test_an_interval_is_never_surer_than_the_runs() -> None:
    found = self_preference.prefer([one(46, 40, 2.0)], [one(x, x, 2.0) for x in (40, 50, 60, 70)])
    # Two runs 4 apart: 8 / 2 for each subject; 4 + 4/4 on (5^2) / (4^2 + 4 * (1/4)^2) = 1.538 df
    half = stats.t.ppf(0.975, 25 / 16.25) * np.sqrt(5)
    assert found.interval.high - 6 == pytest.approx(half)


def test_without_both_groups_there_is_no_difference_and_of_few_or_equal_ones_no_interval() -> None:
    for own, others in ((0, 6), (6, 0), (0, 0)):
        found = self_preference.prefer([one(1, 1)] * own, [one(2, 2)] * others)
        assert (found.own, found.others) == (own, others)
        assert (found.slope, found.difference, found.interval) == (None, None, None)
    for others in ([one(x, x) for x in (40, 50, 70)], [one(50, 50)] * 6):
        found = self_preference.prefer([one(61, 60)], others)
        assert (found.slope, found.difference, found.interval) == (None, 1.0, None)
