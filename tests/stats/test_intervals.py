"""Student's t and Wilson's intervals, and the tails and quantiles behind them."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from independence.stats import intervals
from independence.stats.intervals import t_interval, t_quantile, wilson


def test_quantiles_are_those_of_scipy_alone_and_together() -> None:
    drawn = np.exp(np.random.default_rng(9).uniform(np.log(0.3), np.log(1e7), 60)).tolist()
    degrees = [*drawn, 1, 1.3, 2, 2.5, 3, 4.6, 7, 12, 29, 50, 51, 88.4, 5000, 1e5, 3.3e6]
    for level in (0.5, 0.8, 0.95, 0.999, 1 - 1e-7):
        found = intervals.t_quantiles(np.array([*degrees, np.inf]), level)
        expected = [*special.stdtrit(degrees, 0.5 + level / 2), special.ndtri(0.5 + level / 2)]
        assert found == pytest.approx(expected, rel=2e-8)
        assert found == pytest.approx([t_quantile(df, level) for df in [*degrees, np.inf]], rel=1e-12)
    assert intervals.t_quantiles(np.array([]), 0.95).tolist() == []


def test_tails_are_those_of_scipy() -> None:
    rng = np.random.default_rng(20_261_123)
    df = np.exp(rng.uniform(math.log(0.4), math.log(1e6), 1_000))
    statistic = np.exp(rng.uniform(-18, 4, 1_000)) * (rng.random(1_000) > 0.01)
    found = intervals.outside(statistic, df)
    assert found == pytest.approx(2 * special.stdtr(df, -statistic), rel=1e-8, abs=1e-300)
    signed = statistic * np.where(rng.random(1_000) < 0.5, -1, 1)
    above = intervals.above(signed, df)
    assert above == pytest.approx(special.stdtr(df, -signed), rel=1e-8, abs=1e-300)


def test_an_interval_is_students_not_clipped_to_a_scale_and_none_without_spread() -> None:
    for values, level in (([1, 2, 3, 4, 5], 0.95), ([60.0, 100.0], 0.95), ([1, 2, 4], 0.8)):
        expected = stats.t.interval(level, len(values) - 1, np.mean(values), stats.sem(values))
        assert t_interval(values, level) == pytest.approx(expected)
    for values in ([], [97.3], [4.0, 4.0, 4.0], [0.3, 0.1 + 0.2]):
        assert t_interval(values) is None


def test_the_slow_statistics_package_stays_unloaded() -> None:
    call = "from independence.stats.intervals import t_interval; t_interval([1, 2])"
    code = f"import sys; {call}; print('scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_a_share_has_scipys_score_interval(level: float) -> None:
    for successes, n in ((0, 10), (1, 10), (5, 10), (10, 10), (3, 354), (354, 354), (0, 1)):
        found = stats.binomtest(successes, n).proportion_ci(confidence_level=level, method="wilson")
        assert wilson(successes, n, level) == pytest.approx((found.low, found.high), abs=1e-12)


def test_none_or_all_of_n_end_exactly_at_the_scale_and_what_is_no_share_is_refused() -> None:
    assert (wilson(0, 200).low, wilson(200, 200).high) == (0.0, 1.0)
    assert wilson(0, 0) == (0.0, 1.0), "without a try nothing is known"
    for successes, n in ((-1, 3), (4, 3), (1, 0)):
        with pytest.raises(ValueError, match="is no share"):
            wilson(successes, n)


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_it_holds_the_share_has_width_and_stays_on_the_scale(tried: tuple[int, int]) -> None:
    successes, n = tried
    low, high = wilson(successes, n)
    assert 0 <= low <= successes / n <= high <= 1
    assert high - low > 0


def test_a_difference_of_shares_is_that_of_newcombe():
    """Newcombe (1998), table II, method 10: 56/70 against 48/80, 9/10 against 3/10, 10/10 against 0/20."""
    for first, second, low, high in (
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((10, 10), (0, 20), 0.6791, 1.0),
    ):
        sides = [(count / n, intervals.wilson(count, n)) for count, n in (first, second)]
        assert intervals.apart(*sides[0], *sides[1]) == pytest.approx((low, high), abs=6e-5)
        assert intervals.apart(*sides[1], *sides[0]) == pytest.approx((-high, -low), abs=6e-5)
