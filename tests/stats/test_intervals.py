from __future__ import annotations

import math
import random
import statistics
import subprocess
import sys

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import stdtrit

from independence.stats.intervals import t_interval, t_quantile


def test_five_known_values_give_the_textbook_interval() -> None:
    found = t_interval([1, 2, 3, 4, 5])
    assert found is not None
    assert found == pytest.approx((3 - 1.963243, 3 + 1.963243), abs=1e-6)


@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.99])
def test_quantiles_follow_the_closed_forms_of_one_and_two_degrees(level: float) -> None:
    assert t_quantile(1, level) == pytest.approx(math.tan(math.pi * level / 2))
    assert t_quantile(2, level) == pytest.approx(level * math.sqrt(2 / (1 - level**2)))


@pytest.mark.parametrize("df", [1, 2, 3, 4, 7, 12, 29, 50, 51, 2.5])
@pytest.mark.parametrize("level", [0.5, 0.8, 0.95, 0.999])
def test_quantiles_are_those_of_scipy(df: float, level: float) -> None:
    assert t_quantile(df, level) == pytest.approx(float(stdtrit(df, 0.5 + level / 2)), rel=1e-9)


def test_quantiles_approach_the_normals() -> None:
    assert t_quantile(1e9, 0.95) == pytest.approx(statistics.NormalDist().inv_cdf(0.975), abs=1e-6)


@pytest.mark.parametrize("values", [[], [97.3]])
def test_fewer_than_two_values_have_no_interval(values: list[float]) -> None:
    assert t_interval(values) is None


def test_equal_values_have_no_interval() -> None:
    assert t_interval([4.0, 4.0, 4.0]) is None
    assert t_interval([0.3, 0.1 + 0.2]) is None


def test_an_interval_is_not_clipped_to_a_scale() -> None:
    found = t_interval([60.0, 100.0])
    assert found is not None
    assert found.low < 0
    assert found.high > 100


def test_a_higher_level_is_wider() -> None:
    narrow, wide = t_interval([1, 2, 4], 0.8), t_interval([1, 2, 4], 0.99)
    assert narrow is not None
    assert wide is not None
    assert wide.low < narrow.low < narrow.high < wide.high


@given(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=12), st.floats(-1e3, 1e3))
def test_shifting_all_values_shifts_the_interval(values: list[float], by: float) -> None:
    assume(max(values) - min(values) > 1e-6)
    found, shifted = t_interval(values), t_interval([value + by for value in values])
    assert found is not None
    assert shifted is not None
    assert shifted == pytest.approx((found.low + by, found.high + by), abs=1e-6)


def test_the_interval_covers_the_mean_as_often_as_it_says() -> None:
    draw = random.Random(7)
    covered = 0
    for _ in range(2000):
        found = t_interval([draw.gauss(50, 10) for _ in range(5)])
        assert found is not None
        covered += found.low <= 50 <= found.high
    assert 0.93 <= covered / 2000 <= 0.97


def test_the_slow_statistics_package_stays_unloaded() -> None:
    call = "from independence.stats.intervals import t_interval; t_interval([1, 2])"
    code = f"import sys; {call}; print('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
