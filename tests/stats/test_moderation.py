from __future__ import annotations

import numpy as np
import pytest

from independence.stats.index_uncertainty import PriorShare, expected_room, moderate

PRIOR = PriorShare(0.1, 2.0)


def drawn(truth: np.ndarray, df: int, seed: int = 1) -> np.ndarray:
    return truth * np.random.default_rng(seed).chisquare(df, len(truth)) / df


def test_a_subject_alone_moves_towards_the_prior_share_by_the_linear_formula() -> None:
    made = moderate(np.array([0.3]), np.array([4.0]), PRIOR)
    own, lent = 1 / 4, 0.4 / 2.8 + 1 / 2  # errors relative to 2 (1 + spread)
    kept = lent / (own + lent)
    assert made.share[0] == pytest.approx(kept * 0.3 + (1 - kept) * 0.1)
    assert made.borrowed[0] == pytest.approx((1 - kept) * 0.1 / made.share[0])
    part = made.borrowed[0]
    assert 1 / made.df[0] == pytest.approx((1 - part) ** 2 / 4 + part**2 * (0.4 / 2 + 1 / 2))
    assert made.fleet_df[0] == 2


def test_it_is_worth_no_more_than_its_own_and_what_can_be_borrowed() -> None:
    few, many = (moderate(np.full(count, 0.2), np.full(count, 4.0), PRIOR) for count in (2, 200))
    assert few.fleet_df.tolist() == [6, 6]
    assert few.df.max() < 4 + 6
    assert many.df.max() < 4 + 2 * 1.4 / 0.4 + 1  # shares differ by the least spread: that much a neighbour says
    assert few.df.max() < many.df.max()


def test_errors_that_subjects_share_are_lent_once() -> None:
    share, df = np.full(20, 0.2), np.full(20, 4.0)
    free, bound = moderate(share, df, PRIOR), moderate(share, df, PRIOR, shared=1.0)
    assert free.fleet_df[0] == 2 + 19 * 4
    assert bound.fleet_df[0] == pytest.approx(2 + 4)
    assert bound.df[0] < free.df[0]


def test_moderated_shares_are_nearer_to_the_truth_than_the_raw_ones() -> None:
    rng = np.random.default_rng(7)
    truth = 0.1 / rng.gamma(4, 1 / 4, 500)
    seen = drawn(truth, 4)
    made = moderate(seen, np.full(500, 4.0), PRIOR)
    assert ((made.share - truth) ** 2).mean() < 0.6 * ((seen - truth) ** 2).mean()


def test_shares_that_differ_keep_most_of_their_own() -> None:
    truth = np.repeat([0.01, 1.0], 200)
    made = moderate(drawn(truth, 20), np.full(400, 20.0), PRIOR)
    assert made.share[:200].mean() < 0.1
    assert made.share[200:].mean() > 0.85


def test_no_spread_at_all_gets_some_from_the_others_or_from_the_prior() -> None:
    made = moderate(np.array([0.0, 0.2, 0.3, 0.25]), np.full(4, 4.0), PRIOR)
    assert 0.02 < made.share[0] < 0.2
    assert 0 < moderate(np.zeros(3), np.full(3, 4.0), PRIOR).share[0] < 0.1


def test_more_runs_count_for_more() -> None:
    made = moderate(np.array([0.1, 0.1, 0.9, 0.9]), np.array([2.0, 40.0, 2.0, 40.0]), PRIOR)
    assert made.share[0] > made.share[1]
    assert made.share[2] < made.share[3]


def test_places_at_an_end_leave_little_room_and_unreliable_ones_say_nothing() -> None:
    places = np.array([0.99, 0.5, 0.1])
    sure, unsure = expected_room(places, np.full(3, 1e-6)), expected_room(places, np.full(3, 10.0))
    assert sure == pytest.approx(places * (1 - places), rel=0.01)
    assert np.ptp(unsure) == pytest.approx(0)
    assert expected_room(np.array([1.0]), np.zeros(1))[0] == pytest.approx(0.001, rel=0.01)
