from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from independence.stats.comparison import tiers
from independence.stats.index_uncertainty import IndexEstimate, these_scenarios
from independence.stats.power import minimum_detectable
from independence.stats.ranks import RankedSubject, adjusted_pairs, pair_p_values
from independence.stats.subject_points import SubjectPoints
from tests.stats import sheets


def places(estimates: list[IndexEstimate]) -> np.ndarray:
    subjects = [RankedSubject(one.point, one.point, one, SubjectPoints(0.0, ())) for one in estimates]
    return adjusted_pairs(np.abs(pair_p_values(subjects, like_these=False)), "holm")


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
