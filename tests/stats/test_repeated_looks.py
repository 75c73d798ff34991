from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

from independence.stats import repeated_looks
from independence.stats.repeated_looks import FIRST, LATER


def test_the_first_look_is_tested_as_any_other_test() -> None:
    assert repeated_looks.level((3.0,)) == FIRST


def test_the_second_look_adds_what_it_may() -> None:
    """By the bivariate normal distribution of two looks, in closed form."""
    level = repeated_looks.level((3.0, 6.0))
    first, second = (NormalDist().inv_cdf(1 - one / 2) for one in (FIRST, level))
    joint = stats.multivariate_normal(cov=[[1, 0.5**0.5], [0.5**0.5, 1]])
    low, high = np.array([-first, -second]), np.array([first, second])
    inside = joint.cdf(high, lower_limit=low)
    assert 1 - inside == pytest.approx(FIRST + LATER * (1 - 3 / 6), abs=2e-6)


@pytest.mark.parametrize("information", [tuple(map(float, range(3, 13))), (2.0, 2.5, 8.0, 30.0)])
def test_all_looks_together_err_as_often_as_they_may(information: tuple[float, ...]) -> None:
    rng, draws = np.random.default_rng(5), 200_000
    walk, found, before = np.zeros(draws), np.zeros(draws, bool), 0.0
    for number, now in enumerate(information, start=1):
        walk += rng.normal(0, (now - before) ** 0.5, draws)
        bound = NormalDist().inv_cdf(1 - repeated_looks.level(information[:number]) / 2)
        found |= np.abs(walk) / now**0.5 > bound
        before = now
    due = FIRST + LATER * (1 - information[0] / information[-1])
    assert found.mean() == pytest.approx(due, abs=3 * (due * (1 - due) / draws) ** 0.5)


def test_levels_fall_from_look_to_look() -> None:
    levels = [repeated_looks.level(tuple(map(float, range(3, last)))) for last in range(4, 104, 9)]
    assert levels == sorted(levels, reverse=True)
    assert levels[-1] > 0
