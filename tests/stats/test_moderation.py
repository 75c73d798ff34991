from __future__ import annotations

import numpy as np
import pytest

from independence.stats.index_uncertainty import bounded_shape, moderate


def drawn(truth: np.ndarray, df: int, seed: int = 1) -> np.ndarray:
    return truth * np.random.default_rng(seed).chisquare(df, len(truth)) / df


def test_a_subject_alone_keeps_its_variance() -> None:
    made = moderate(np.array([3.0]), np.array([4.0]))
    assert (made.variance[0], made.df[0]) == (3.0, 4.0)


def test_equal_true_variances_are_all_but_pooled() -> None:
    seen = drawn(np.full(400, 2.0), 4)
    made = moderate(seen, np.full(400, 4.0))
    assert made.variance.std() < seen.std() / 5
    assert made.variance.mean() == pytest.approx(seen.mean(), rel=0.01)
    assert made.df.min() > 20


def test_variances_that_differ_keep_most_of_their_own() -> None:
    truth = np.repeat([0.2, 20.0], 200)
    made = moderate(drawn(truth, 20), np.full(400, 20.0))
    assert made.variance[:200].mean() < 3
    assert made.variance[200:].mean() > 15


def test_moderated_variances_are_nearer_to_the_truth_than_the_raw_ones() -> None:
    rng = np.random.default_rng(7)
    truth = 1 / rng.gamma(4, 1 / 4, 500)
    seen = drawn(truth, 4)
    made = moderate(seen, np.full(500, 4.0))
    assert ((made.variance - truth) ** 2).mean() < 0.6 * ((seen - truth) ** 2).mean()


def test_no_spread_at_all_gets_some_from_the_others_and_none_where_there_is_none() -> None:
    made = moderate(np.array([0.0, 2.0, 3.0, 2.5]), np.full(4, 4.0))
    assert 0 < made.variance[0] < 2.5
    assert moderate(np.zeros(3), np.full(3, 4.0)).variance.tolist() == [0, 0, 0]


def test_more_runs_count_for_more() -> None:
    made = moderate(np.array([1.0, 1.0, 9.0, 9.0]), np.array([2.0, 40.0, 2.0, 40.0]))
    assert made.variance[0] > made.variance[1]
    assert made.variance[2] < made.variance[3]


def test_a_shape_moves_variances_towards_what_their_means_let_expect() -> None:
    shape = np.array([0.01, 0.25, 0.25, 0.25])
    made = moderate(np.array([0.0, 2.0, 2.4, 2.2]), np.full(4, 4.0), shape)
    assert made.variance[0] == pytest.approx(0.01 * made.variance[1] / 0.25, rel=0.5)


def test_means_at_an_end_leave_little_room_and_unreliable_ones_say_nothing() -> None:
    means = np.array([9.9, 5.0, 1.0])
    sure = bounded_shape(means, np.full(3, 0.01), 0, 10)
    unsure = bounded_shape(means, np.full(3, 100.0), 0, 10)
    assert sure is not None
    assert unsure is not None
    assert sure[0] < 0.05 < sure[1]
    assert np.ptp(unsure) == pytest.approx(0)


def test_nobody_off_the_end_leaves_no_shape() -> None:
    assert bounded_shape(np.full(3, 10.0), np.zeros(3), 0, 10) is None
