from __future__ import annotations

import numpy as np
import pytest

from independence.judge.offline import model


def test_the_curve_rises_and_finds_the_truth_behind_a_bent_scale():
    said = np.linspace(0, 1, 400)
    curve = model.fit_curve(said, said**2)
    assert (np.diff(curve.y) > 0).all()
    assert np.abs(curve.at(said) - said**2).max() < 0.01


def test_where_more_is_said_but_less_is_true_the_curve_is_level():
    curve = model.fit_curve(np.linspace(0, 1, 100), np.linspace(1, 0, 100))
    assert curve.at(np.array([0.0, 0.5, 1.0])) == pytest.approx([0.5, 0.5, 0.5])


def test_errors_are_expected_where_they_were():
    random = np.random.default_rng(0)
    value = random.uniform(size=2000)
    error = np.where(value < 0.3, 0.2, 0.01)
    signs = model.doubt_features(value, np.zeros(2000), np.ones((2000, 1)))
    expected = model.expected(signs, model.fit_doubt(signs, error))
    assert expected[value < 0.2].mean() > 5 * expected[value > 0.5].mean()


def test_nothing_is_ever_certain():
    signs = model.doubt_features(np.array([1.0]), np.array([0.0]), np.zeros((1, 1)))
    assert model.expected(signs, np.zeros(signs.shape[1])) > 0
