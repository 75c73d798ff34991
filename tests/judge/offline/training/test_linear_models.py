from __future__ import annotations

import numpy as np
import pytest

from independence.judge.offline.training import fitting

RANDOM = np.random.default_rng(3)
ROWS = RANDOM.normal(size=(40, 6))
ALIKE = ROWS @ ROWS.T
GROUPS = [np.arange(start, start + 8) for start in range(0, 40, 8)]


def test_least_squares_is_ridge_regression():
    target = ROWS @ np.arange(6.0) + RANDOM.normal(size=40)
    solved = fitting.least_squares(ALIKE, target, 2.0, GROUPS)
    weights = np.linalg.solve(ROWS.T @ ROWS + 2 * np.eye(6), ROWS.T @ target)
    assert np.allclose(ROWS.T @ solved.coefficients, weights)


def test_what_is_said_of_a_group_is_what_a_model_without_it_says():
    target = ROWS @ np.arange(6.0) + RANDOM.normal(size=40)
    solved = fitting.least_squares(ALIKE, target, 2.0, GROUPS)
    for rows in GROUPS:
        rest = np.setdiff1d(np.arange(40), rows)
        other = fitting.least_squares(ALIKE[np.ix_(rest, rest)], target[rest], 2.0, [])
        assert np.allclose(solved.left_out_predictions[rows], ALIKE[np.ix_(rows, rest)] @ other.coefficients)


def test_the_logistic_model_is_at_the_least_of_its_loss():
    share = fitting.expit(ROWS @ np.ones(6) + RANDOM.normal(size=40))
    a = fitting.logistic(ALIKE, share, 0.5, GROUPS).coefficients
    slope = ROWS.T @ (fitting.expit(ALIKE @ a) - share) + 0.5 * (ROWS.T @ a)
    assert np.abs(slope).max() < 1e-3


def test_the_logistic_model_without_a_group_is_nearly_that_of_the_others():
    share = (ROWS @ np.ones(6) + RANDOM.normal(size=40) > 0).astype(float)
    solved = fitting.logistic(ALIKE, share, 5.0, GROUPS)
    for rows in GROUPS:
        rest = np.setdiff1d(np.arange(40), rows)
        other = fitting.logistic(ALIKE[np.ix_(rest, rest)], share[rest], 5.0, [])
        exact = fitting.expit(ALIKE[np.ix_(rows, rest)] @ other.coefficients)
        assert fitting.expit(solved.left_out_predictions[rows]) == pytest.approx(exact, abs=0.12)
