from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from independence.stats.equating import FEWEST, EquatedValue, equate, error_ratio, mean_difference

FIRST = [91.0, 84.5, 77.0, 71.5, 60.0, 42.0]
SECOND = [88.0, 86.0, 70.0, 66.5, 61.0, 35.0]


def there(value: EquatedValue | None) -> tuple[float, float, float]:
    return value.est, *value.ci


def linnet(first: list[float], second: list[float], ratio: float) -> float:
    """Deming's slope as Linnet (1993) writes it, for errors of the first over those of the second."""
    (xx, xy), (_, yy) = np.cov(first, second)
    share = 1 / ratio
    part = share * yy - xx
    return (part + math.sqrt(part**2 + 4 * share * xy**2)) / (2 * share * xy)


@pytest.mark.parametrize("ratio", [0.25, 1.0, 3.0])
def test_the_line_is_demings_and_the_same_from_either_side(ratio: float) -> None:
    found, back = equate(FIRST, SECOND, ratio), equate(SECOND, FIRST, 1 / ratio)
    slope, low, high = there(found.slope)
    assert (slope, found.ratio) == (pytest.approx(linnet(FIRST, SECOND, ratio)), ratio)
    assert there(found.intercept)[0] == pytest.approx(np.mean(SECOND) - slope * np.mean(FIRST))
    assert there(back.slope) == pytest.approx((1 / slope, 1 / high, 1 / low))


def test_where_the_second_alone_errs_the_line_is_that_of_least_squares() -> None:
    expected = stats.linregress(FIRST, SECOND)
    found = equate(FIRST, SECOND, 1e9)
    assert there(found.slope)[0] == pytest.approx(expected.slope, rel=1e-6)
    assert there(found.intercept)[0] == pytest.approx(expected.intercept, rel=1e-5)
    reach = stats.t.ppf(0.975, len(FIRST) - 2)
    assert there(found.slope)[2] - expected.slope == pytest.approx(reach * expected.stderr, rel=1e-4)
    assert there(found.intercept)[2] - expected.intercept == pytest.approx(reach * expected.intercept_stderr, rel=1e-4)


@pytest.mark.parametrize("count", [4, 8, 20])
def test_intervals_cover_what_they_say(count: int) -> None:
    rng, draws, held = np.random.default_rng(5), 500, np.zeros(2)
    for _ in range(draws):
        true = rng.normal(70, 15, count)
        first, second = true + rng.normal(0, 4, count), 5 + 0.9 * true + rng.normal(0, 4, count)
        found = equate(first.tolist(), second.tolist())
        for at, (value, truth) in enumerate(((found.slope, 0.9), (found.intercept, 5.0))):
            held[at] += value.ci is None or value.ci.low <= truth <= value.ci.high
    assert (np.abs(held / draws - 0.95) < 0.03).all()


def test_the_difference_is_students_over_subjects() -> None:
    expected = stats.ttest_rel(FIRST, SECOND)
    ends = expected.confidence_interval(0.95)
    found = equate(FIRST, SECOND)
    assert there(found.difference) == pytest.approx((np.mean(FIRST) - np.mean(SECOND), ends.low, ends.high))
    apart = mean_difference([own - other for own, other in zip(FIRST, SECOND, strict=True)])
    assert apart.p == pytest.approx(expected.pvalue)


def test_the_rank_correlation_is_spearmans_with_ties() -> None:
    first, second = [1.0, 2.0, 2.0, 4.0, 5.0, 9.0], [2.0, 1.0, 3.0, 3.0, 8.0, 7.0]
    est, low, high = there(equate(first, second).rank_correlation)
    assert est == pytest.approx(stats.spearmanr(first, second).statistic)
    half = 1.959963985 * math.sqrt((1 + est**2 / 2) / 3)
    assert (low, high) == pytest.approx((math.tanh(math.atanh(est) - half), math.tanh(math.atanh(est) + half)))


@pytest.mark.parametrize("sign", [1, -1])
def test_a_perfect_order_of_four_may_be_chance_and_of_five_hardly(sign: int) -> None:
    for count, excludes in ((4, False), (5, True)):
        values = [float(at * at) for at in range(count)]
        est, low, high = there(equate(values, [sign * value for value in values]).rank_correlation)
        assert est == pytest.approx(sign)
        assert (high if sign > 0 else low) == sign
        assert (low > 0 or high < 0) is excludes


def test_with_fewer_than_four_there_is_the_difference_alone() -> None:
    for count in range(FEWEST):
        found = equate(FIRST[:count], SECOND[:count])
        assert found[:3] == (None, None, None)
        assert (found.difference is None) is (count == 0)
        assert (found.difference is not None and found.difference.ci is not None) is (count > 1)


def test_an_exact_line_has_no_interval_and_one_that_nothing_fixes_neither() -> None:
    exact = equate([1.0, 2.0, 3.0, 5.0], [3.0, 5.0, 7.0, 11.0])
    assert (exact.slope, exact.intercept) == ((pytest.approx(2.0), None), (pytest.approx(1.0), None))
    assert equate([1.0, 2.0, 3.0, 4.0], [2.0, -3.0, 4.0, -1.0]).slope.ci is None
    alike = equate([5.0] * 4, [1.0, 2.0, 3.0, 4.0])
    assert (alike[:3], alike.difference is None) == ((None, None, None), False)
    assert equate(FIRST, FIRST).difference == (0.0, None)


def test_the_ratio_of_errors_is_that_of_mean_variances_where_both_are_known() -> None:
    assert error_ratio([1.0, 2.0, None], [2.0, None]) == pytest.approx(4 / 2.5)
    assert error_ratio([None], [2.0]) is None
    assert error_ratio([0.0, 0.0], [2.0, 1.0]) is None
    assert error_ratio([], []) is None
