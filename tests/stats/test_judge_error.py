"""What other judges would have made of an index: leniency, leaning, and the interval with both."""

from __future__ import annotations

import numpy as np
import pytest

from independence.stats import judge_error
from independence.stats.index_uncertainty import IndexEstimate
from independence.stats.intervals import Interval


def test_a_judge_that_is_lenient_to_all_is_told_apart_from_one_that_leans() -> None:
    found = judge_error.judge_variance(np.array([[10.0, 14], [20, 24], [30, 34]]))
    assert found == (pytest.approx(0), 2.0, pytest.approx(np.std([20, 24], ddof=1)))


def test_leaning_is_the_residual_of_subjects_by_judges() -> None:
    indices = np.random.default_rng(1).normal(50, 5, (7, 3))
    subjects, judges = np.divmod(np.arange(21), 3)
    design = np.column_stack([subjects[:, None] == np.arange(7), judges[:, None] == np.arange(3)]).astype(float)
    residual = indices.ravel() - design @ np.linalg.lstsq(design, indices.ravel(), rcond=None)[0]
    found = judge_error.judge_variance(indices)
    assert found.variance == pytest.approx(residual @ residual / 12)
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
