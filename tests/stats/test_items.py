"""What scenarios and judges do to an index: difficulty, ceiling, discrimination, noise; leniency and leaning."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from independence.stats import judge_error
from independence.stats.components import variance_components
from independence.stats.index_uncertainty import IndexEstimate
from independence.stats.intervals import Interval
from independence.stats.items import ItemStatistics, items
from independence.stats.subject_points import SubjectPoints

from . import sheets


def by_name(fleet: list[SubjectPoints]) -> dict[str, ItemStatistics]:
    return {item.scenario: item for item in items(fleet)}


FLEET = [
    sheets.of([20, 20], [10, 14], [20, 20]),
    sheets.of([20, 16], [4, 8], [20, 20]),
    sheets.of([10, 10], [0, 0], [20, 20]),
    sheets.of([20, 20], [16, 20], [20, 20]),
]


def test_difficulty_is_the_share_of_points_lost_with_a_t_interval_over_subjects() -> None:
    found, lost = by_name(FLEET), np.array([0, 10, 50, 0])
    assert found["s0"].difficulty == pytest.approx(lost.mean())
    assert found["s1"].difficulty == pytest.approx(100 * (8 + 14 + 20 + 2) / 4 / 20)
    assert found["s0"].interval == pytest.approx(stats.t.interval(0.95, 3, lost.mean(), stats.sem(lost)))
    assert (found["s2"].difficulty, found["s2"].interval) == (0, None), "never of zero width"


def test_ceiling_counts_verdicts_and_subjects() -> None:
    found = by_name(FLEET)
    assert (found["s0"].ceiling, found["s0"].always) == (5 / 8, 2 / 4)
    assert (found["s1"].ceiling, found["s1"].always) == (1 / 8, 0)
    assert (found["s2"].ceiling, found["s2"].always) == (1, 1)


def test_discrimination_is_the_correlation_with_the_rest_and_variance_is_shared_out_whole() -> None:
    found = by_name(FLEET)
    first, second = np.array([20, 18, 10, 20]), np.array([12, 6, 0, 18])
    index = first + second
    assert found["s0"].discrimination == pytest.approx(np.corrcoef(first, second)[0, 1])
    assert found["s2"].discrimination is None, "nobody differs on it"
    assert items(FLEET[:2])[0].discrimination is None, "two subjects always correlate"
    assert found["s0"].carried == pytest.approx(np.cov(first, index)[0, 1] / index.var(ddof=1))
    assert found["s0"].noise == pytest.approx(8 / (8 + 8 + 8 + 8))
    for part in ("carried", "noise"):
        assert sum(getattr(item, part) or 0 for item in found.values()) == pytest.approx(1)


def test_noise_comes_from_subjects_that_repeated() -> None:
    fleet = [sheets.of([10], [10]), sheets.of([10, 12], [10, 16]), sheets.of([12], [14])]
    assert by_name(fleet)["s0"].noise == pytest.approx(2 / 20)
    assert by_name([fleet[0], fleet[2]])["s0"].noise is None


def test_scenarios_that_hardly_tell_apart_belong_to_the_sanity_set() -> None:
    found = by_name(FLEET)
    assert found["s2"].sanity  # always at the ceiling
    assert not found["s0"].sanity
    found = by_name([sheets.of(*[[level] * 2] * 3, [other] * 2) for level in (5, 10, 15) for other in (4, 8)])
    assert found["s0"].discrimination == pytest.approx(1, abs=0.1)
    assert found["s3"].discrimination == pytest.approx(0)
    assert found["s3"].sanity
    assert not found["s0"].sanity


def test_what_is_not_known_is_absent() -> None:
    (first, *_) = items([sheets.of([20, 10], [5, 5])])
    assert first == ItemStatistics("s0", 25.0, None, None, 0.5, 0.0, None, 1.0)
    (only,) = items([sheets.of([0.0, 0.0], most=0.0)] * 3)
    assert (only.difficulty, only.interval, only.ceiling, only.always, only.sanity) == (None, None, None, None, False)
    assert items([]) == []


def test_a_judge_that_is_lenient_to_all_is_told_apart_from_one_that_leans() -> None:
    found = judge_error.judge_variance(np.array([[10.0, 14], [20, 24], [30, 34]]))
    assert found == (pytest.approx(0), 2.0, pytest.approx(np.std([20, 24], ddof=1)))


def test_leaning_is_the_residual_of_subjects_by_judges() -> None:
    indices = np.random.default_rng(1).normal(50, 5, (7, 3))
    found, parts = judge_error.judge_variance(indices), variance_components(indices[:, None, None, :])
    assert found.variance == pytest.approx(parts.used("residual"))
    assert found.df == 12


def test_one_judge_or_few_subjects_tell_nothing() -> None:
    for shape in ((9, 1), (judge_error.FEWEST - 1, 4), (0, 2)):
        assert judge_error.judge_variance(np.zeros(shape)) is None


def test_the_judges_variance_adds_to_that_of_runs_and_scenarios() -> None:
    many, few = judge_error.JudgeVariance(16.0, 4.0, 1.0), judge_error.JudgeVariance(16.0, 2.0, 1.0)
    found = judge_error.with_judges(IndexEstimate(70.0, 3.0, 8.0, dispersion=0.01), many)
    assert (found.point, found.se, found.dispersion) == pytest.approx((70.0, 5.0, 0.01 * 25 / 9))
    assert found.df == 8  # not the 8.4 of the sum: other judges make nobody surer
    assert judge_error.with_judges(IndexEstimate(70.0, 3.0, 8.0), few).df == pytest.approx(625 / (81 / 8 + 256 / 2))


def test_independent_errors_of_an_audit_and_of_runs_add_in_squares_on_each_side() -> None:
    found = judge_error.recovered(70.0, Interval(67.0, 76.0), 72.0, Interval(68.0, 80.0))
    assert found == (pytest.approx(70 - 5), pytest.approx(70 + 10))
