from __future__ import annotations

import numpy as np
import pytest

from independence.stats import agreement
from independence.stats.agreement import FamilyPreference, JudgeDelta, Points

SCENARIOS = ("a", "b", "c", "d", "e", "f")
RUNS = 3
BIAS = 0.6  # on the 0-10 scale: 6 points of the index


def points(scores: np.ndarray) -> Points:
    """Scores (scenarios, runs) on 0-10 as points of an index that is their mean."""
    return {name: 10 * np.asarray(own, float) / len(scores) for name, own in zip(SCENARIOS, scores, strict=False)}


def simulated(seed: int, own: int, others: int, bias: float, taste: float) -> FamilyPreference:
    """Two judges on the same dialogues, one of them biased to its own family. `taste`: SD of what it likes besides."""
    rng = np.random.default_rng(seed)
    groups: tuple[list[JudgeDelta], list[JudgeDelta]] = ([], [])
    for place in range(own + others):
        level = rng.normal(6, 1, (len(SCENARIOS), 1)) + rng.normal(0, 0.8, (len(SCENARIOS), RUNS))
        shift = 0.4 + rng.normal(0, taste) + (bias if place < own else 0)
        both = [level + rng.normal(0, 0.7, level.shape) + add for add in (shift, 0)]
        judged, reference = (points(np.clip(np.rint(scores), 0, 10)) for scores in both)
        groups[place >= own].append(agreement.delta(judged, [reference]))
    return agreement.prefer(*groups)


def held(truth: float, **design: float) -> int:
    """In how many of 100 seeds the interval holds the truth."""
    found = [simulated(seed, **design).interval for seed in range(100)]  # type: ignore[arg-type]
    return sum(ends is not None and ends.low <= truth <= ends.high for ends in found)


@pytest.mark.parametrize(("own", "others"), [(1, 7), (2, 6), (3, 5)])
@pytest.mark.parametrize("taste", [0.0, 0.3])
def test_the_interval_holds_a_planted_bias(own: int, others: int, taste: float) -> None:
    assert 88 <= held(10 * BIAS, own=own, others=others, bias=BIAS, taste=taste) <= 100


@pytest.mark.parametrize("taste", [0.0, 0.3])
def test_the_interval_of_an_unbiased_judge_holds_zero(taste: float) -> None:
    assert 88 <= held(0.0, own=3, others=5, bias=0.0, taste=taste) <= 100


def test_a_planted_bias_is_told_from_none() -> None:
    found = [simulated(seed, 3, 5, 1.2, 0.0).interval for seed in range(100)]
    assert sum(ends is not None and ends.low > 0 for ends in found) >= 95


def test_a_difference_is_the_judges_index_minus_the_mean_of_the_others() -> None:
    judged = points(np.array([[8, 9], [10, 10]]))
    found = agreement.delta(judged, [points(np.array([[6, 7], [10, 8]])), points(np.array([[8, 9], [8, 10]]))])
    assert found.value == pytest.approx(92.5 - (77.5 + 87.5) / 2)
    # Index points a scenario: gaps (5, 5) and (5, 5).
    assert found == (pytest.approx(10.0), 0.0, 1.0)


def test_the_variance_of_a_difference_is_that_of_runs_within_scenarios() -> None:
    found = agreement.delta(points(np.array([[8, 6], [9, 9]])), [points(np.array([[4, 4], [4, 7]]))])
    # Gaps in index points: (20, 10) and (25, 10); variances of their means 50/2 and 112.5/2, one df each.
    assert found.variance == pytest.approx(81.25)
    assert found.df == pytest.approx(81.25**2 / (25**2 + 56.25**2))


def test_a_single_run_says_nothing_of_the_spread_over_runs() -> None:
    assert agreement.delta(points(np.array([[8], [9]])), [points(np.array([[8], [8]]))]).variance is None


def test_a_judge_needs_another_to_be_compared_with() -> None:
    with pytest.raises(ValueError, match="no judge"):
        agreement.delta(points(np.array([[8, 8]])), [])


def test_a_judge_that_is_lenient_to_all_favours_nobody() -> None:
    found = agreement.prefer([JudgeDelta(5.0, 0.1, 10)] * 2, [JudgeDelta(5.0, 0.1, 10)] * 3)
    assert (found.own, found.others, found.self_bias, found.elsewhere, found.difference) == (2, 3, 5.0, 5.0, 0.0)


def test_the_spread_between_subjects_is_pooled_over_both_groups() -> None:
    found = agreement.prefer([JudgeDelta(6.0, None, 0)], [JudgeDelta(value, None, 0) for value in (0.0, 1.0, 2.0)])
    assert found.difference == pytest.approx(5.0)
    half = 4.302653 * np.sqrt(1.0 * (1 + 1 / 3))  # t with 2 df
    assert found.interval == pytest.approx((5 - half, 5 + half), abs=1e-5)


def test_an_interval_is_never_surer_than_the_runs() -> None:
    found = agreement.prefer([JudgeDelta(6.0, 4.0, 6.0)], [JudgeDelta(1.0, 4.0, 6.0)] * 2)
    assert found.interval is not None
    # 4 + 4/2 on (6^2) / (4^2/6 + 2 * 1^2/6) = 12 df
    assert found.interval.high - 5 == pytest.approx(2.178813 * np.sqrt(6), abs=1e-5)


@pytest.mark.parametrize(("own", "others"), [(0, 3), (3, 0), (0, 0)])
def test_without_both_groups_there_is_no_difference(own: int, others: int) -> None:
    found = agreement.prefer([JudgeDelta(1.0, 1.0, 5)] * own, [JudgeDelta(0.0, 1.0, 5)] * others)
    assert (found.own, found.others) == (own, others)
    assert (found.difference, found.interval) == (None, None)


def test_two_subjects_have_a_difference_and_no_interval() -> None:
    found = agreement.prefer([JudgeDelta(1.0, 1.0, 5)], [JudgeDelta(0.0, 1.0, 5)])
    assert (found.difference, found.interval) == (1.0, None)
