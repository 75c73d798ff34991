from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from independence.stats.comparison import all_pairs, minimum_detectable, placements, ranks, tiers
from independence.stats.index_uncertainty import IndexEstimate, these_scenarios
from tests.stats import sheets


def places(estimates: list[IndexEstimate]) -> np.ndarray:
    return all_pairs(estimates, "holm")


def test_a_tier_starts_at_the_first_that_differs_from_its_leader() -> None:
    p = np.ones((5, 5))
    p[0, 2:] = p[2:, 0] = 0.01  # the third differs from the first, and so do all behind it
    p[1, 2] = p[2, 1] = 0.5  # though not from the second
    p[2, 4] = p[4, 2] = 0.04
    assert tiers(p) == [1, 1, 2, 2, 3]


def test_equals_share_one_tier_and_split_in_at_most_one_board_of_twenty() -> None:
    rng = np.random.default_rng(8)
    split = 0
    for _ in range(200):
        board = these_scenarios([sheets.drawn(rng) for _ in range(12)])
        split += max(tiers(places(sorted(board, key=lambda one: -one.point)))) > 1
    assert split <= 16  # the 99.5 % quantile of 200 draws at 5 %


def test_clearly_different_subjects_have_ranks_and_tiers_of_their_own() -> None:
    estimates = [IndexEstimate(point, 0.5, 40) for point in (90, 80, 70)]
    made = placements(estimates, places(estimates))
    assert [(one.tier, one.rank_low, one.rank_high) for one in made] == [(1, 1, 1), (2, 2, 2), (3, 3, 3)]
    assert made[0].p_best == 1


def test_the_chance_of_being_best_is_shared_among_equals() -> None:
    estimates = [IndexEstimate(80, 2, 40)] * 4
    made = placements(estimates, places(estimates))
    assert sum(one.p_best for one in made) == pytest.approx(1)
    assert all(one.p_best == pytest.approx(0.25, abs=0.02) for one in made)
    assert {(one.rank_low, one.rank_high) for one in made} == {(1, 4)}


def test_equal_indices_share_the_first_rank_that_they_take() -> None:
    assert ranks([67 + 2 / 3, 67.666666666666671, 67.6666666666666, 50.0]) == [1, 1, 1, 4]
    assert ranks([90.0, 80.0, 80.0, 70.0]) == [1, 2, 2, 4]


def test_equal_subjects_share_their_place_to_the_last_digit_however_much_their_runs_waver() -> None:
    estimates = [IndexEstimate(80, 2, 40), IndexEstimate(80, 1, 40), IndexEstimate(80, 3, 40), IndexEstimate(60, 1, 40)]
    made = placements(estimates, np.ones((4, 4)))
    assert len({(one.rank_low, one.rank_high, one.p_best) for one in made[:3]}) == 1
    assert made[0].p_best == pytest.approx(1 / 3, abs=0.001)


def test_subjects_that_stand_still_at_one_index_share_their_place_with_single_runs_there() -> None:
    estimates = [IndexEstimate(80, 0, 1), IndexEstimate(80, 0, 1), IndexEstimate(70, 0, 1)]
    made = placements(estimates, np.ones((3, 3)), others=[80.0, 75.0])
    assert [(one.rank_low, one.rank_high) for one in made] == [(1, 1), (1, 1), (5, 5)]
    assert [one.p_best for one in made] == [pytest.approx(1 / 3), pytest.approx(1 / 3), 0]


def test_two_subjects_are_best_as_often_as_the_difference_of_two_t_errors_says() -> None:
    made = placements([IndexEstimate(80, 1, 1e6), IndexEstimate(79, 1, 1e6)], np.ones((2, 2)))
    assert made[0].p_best == pytest.approx(stats.norm.cdf(1 / np.sqrt(2)), abs=0.015)


def test_a_single_run_stands_between_the_others_as_it_is() -> None:
    (made,) = placements([IndexEstimate(80, 1, 40)], np.ones((1, 1)), others=[90.0, 70.0])
    assert (made.rank_low, made.rank_high, made.p_best) == (2, 2, 0)


def test_nobody_has_no_places() -> None:
    assert placements([], np.ones((0, 0))) == []


def test_the_smallest_difference_has_the_power_it_claims() -> None:
    estimates = [IndexEstimate(80, 1.5, 20)] * 2
    apart = minimum_detectable(estimates)
    assert apart is not None
    rng = np.random.default_rng(2)
    se = 1.5 * np.sqrt(rng.chisquare(20, (20_000, 2)) / 20)
    seen = apart + rng.normal(0, 1.5, 20_000) - rng.normal(0, 1.5, 20_000)
    joint = np.sqrt((se**2).sum(axis=1))
    df = (se**2).sum(axis=1) ** 2 / (se**4 / 20).sum(axis=1)
    found = np.abs(seen) / joint > stats.t.ppf(0.975, df)
    assert found.mean() == pytest.approx(0.8, abs=0.02)
    assert minimum_detectable(estimates[:1]) is None
