from __future__ import annotations

import numpy as np
import pytest

from independence.judge.offline import training, weights


def test_a_field_has_a_curve_that_finds_the_truth_behind_a_bent_scale():
    said, nothing = np.linspace(0, 1, 400), np.zeros(400)
    curve = training.field_model("held", said, nothing, said**2, np.ones((400, 1)))
    assert (np.diff(curve.y) >= 0).all()
    assert np.abs(curve.at(said) - said**2).max() < 0.01


def test_where_more_is_said_but_less_is_true_the_curve_is_level():
    said = np.linspace(0, 1, 100)
    curve = training.field_model("held", said, np.zeros(100), said[::-1], np.ones((100, 1)))
    assert curve.at(np.array([0.0, 0.5, 1.0])) == pytest.approx([0.5, 0.5, 0.5])


def test_errors_are_expected_where_they_were():
    random = np.random.default_rng(0)
    value = random.uniform(size=2000)
    truth = value + np.where(random.uniform(size=2000) < 0.5, -1, 1) * np.where(value < 0.3, 0.2, 0.01)
    learned = training.field_model("held", value, np.zeros(2000), truth, np.ones((2000, 1)))
    signs = weights.doubt_features(value, np.zeros(2000), np.ones((2000, 1)))
    expected = weights.expected(signs, learned.doubt)
    assert expected[value < 0.2].mean() > 5 * expected[value > 0.5].mean()


def test_nothing_is_ever_certain():
    signs = weights.doubt_features(np.array([1.0]), np.array([0.0]), np.zeros((1, 1)))
    assert weights.expected(signs, np.zeros(signs.shape[1])) > 0
