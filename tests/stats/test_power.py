from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

from independence.stats import power
from independence.stats.comparison import Difference
from independence.stats.index_uncertainty import IndexEstimate


@pytest.mark.parametrize(("se", "df"), [(0.5, 2), (0.5, 8), (1.0, 30), (1.2, 1000), (1.4, 12), (0.9, 3.5)])
def test_equal_sides_are_called_equivalent_as_often_as_said(se: float, df: float) -> None:
    rng, draws = np.random.default_rng(3), 400_000
    points, error = rng.normal(0, se, draws), se * np.sqrt(rng.chisquare(df, draws) / df)
    called = np.mean((2.0 - np.abs(points)) / error > stats.t.ppf(0.95, df))
    said = power.of_equivalence(Difference(0.3, se, df), 2.0)
    assert said == pytest.approx(called, abs=4 * np.sqrt(called * (1 - called) / draws) + 1e-4)


def test_the_test_behind_that_is_two_one_sided_ones() -> None:
    for points, error in ((0.4, 0.7), (-1.5, 0.3), (2.4, 0.5)):
        found = Difference(points, error, 9.0).equivalent(2.0)
        assert found == pytest.approx(stats.t.sf((2.0 - abs(points)) / error, 9))


def test_where_nothing_can_be_shown_the_power_is_0() -> None:
    assert power.of_equivalence(Difference(0, 50.0, 20), 2.0) < 1e-6
    assert power.of_equivalence(Difference(0, 0.0, 1), 2.0) == 0


def test_the_first_of_all_pairs_needs_a_larger_difference() -> None:
    assert power.first_level(20, "holm") == pytest.approx(0.05 / 190)
    assert power.first_level(20, "none") == power.first_level(1, "holm") == 0.05
    fleet = [IndexEstimate(80, 1.5, 1e6)] * 20
    one, first = power.minimum_detectable(fleet), power.minimum_detectable(fleet, level=power.first_level(20, "holm"))
    assert one is not None
    assert first is not None
    own, first_of_all, powered = (NormalDist().inv_cdf(share) for share in (0.975, 1 - 0.025 / 190, 0.8))
    assert first / one == pytest.approx((first_of_all + powered) / (own + powered), rel=1e-4)


def test_a_smallest_difference_is_about_a_subject_that_is_lower_by_so_much() -> None:
    fleet = [IndexEstimate(point, 1.0, 1e6, dispersion=0.004) for point in (70.0, 95.0)]
    points = power.minimum_detectable(fleet)
    assert points is not None
    own = NormalDist()
    lower = [100 * np.sqrt(0.004 * (at - points) / 100 * (1 - (at - points) / 100)) for at in (70, 95)]
    seen = [own.cdf(points / np.hypot(1.0, se) - own.inv_cdf(0.975)) for se in lower]
    assert np.mean(seen) == pytest.approx(0.8, abs=1e-3)
    assert lower[1] < lower[0]


def test_without_a_difference_on_the_scale_that_could_be_seen_there_is_none() -> None:
    assert power.minimum_detectable([IndexEstimate(50.0, 60.0, 2)] * 3) is None
    assert power.minimum_detectable([IndexEstimate(50.0, 1.0, 9)]) is None
    assert power.minimum_detectable([IndexEstimate(50.0, 0.0, 1)] * 3) is None
