from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from independence.stats import power
from independence.stats.comparison import Difference, minimum_detectable
from independence.stats.index_uncertainty import IndexEstimate


@pytest.mark.parametrize(("se", "df"), [(0.5, 8), (1.0, 30), (1.2, 1000), (1.4, 12)])
def test_equal_sides_are_called_equivalent_as_often_as_said(se: float, df: int) -> None:
    draws = np.random.default_rng(3).normal(0, se, 20_000)
    called = np.mean([Difference(float(points), se, df).equivalent(2.0) < 0.05 for points in draws])
    said = power.of_equivalence(Difference(0.3, se, df), 2.0)
    # The estimate is drawn around 0 with a known SE, the test allows for one that is estimated: a heavier tail.
    assert said == pytest.approx(called, abs=0.06)


def test_where_nothing_can_be_shown_the_power_is_0() -> None:
    assert power.of_equivalence(Difference(0, 5.0, 20), 2.0) == 0
    assert power.of_equivalence(Difference(0, 0.0, 1), 2.0) == 0


def test_the_first_of_all_pairs_needs_a_larger_difference() -> None:
    assert power.first_level(20, "holm") == pytest.approx(0.05 / 190)
    assert power.first_level(20, "none") == power.first_level(1, "holm") == 0.05
    fleet = [IndexEstimate(80, 1.5, 1e6)] * 20
    one, first = minimum_detectable(fleet), minimum_detectable(fleet, level=power.first_level(20, "holm"))
    assert one is not None
    assert first is not None
    own, first_of_all, powered = (NormalDist().inv_cdf(share) for share in (0.975, 1 - 0.025 / 190, 0.8))
    assert first / one == pytest.approx((first_of_all + powered) / (own + powered), rel=1e-4)
