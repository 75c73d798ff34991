from __future__ import annotations

from itertools import product

import krippendorff
import numpy as np
import pytest
from scipy import stats

from independence.stats import agreement
from independence.stats.agreement import Array

NONE = np.nan
# Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", section C: four observers, twelve units; ordinal
# alpha is .815. Gwet (2014) takes the same ratings for AC1: .775.
TWELVE = np.array(
    [
        [1, 1, NONE, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
        [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [NONE, 5, 5, 5], [NONE, NONE, 1, 1], [NONE, NONE, 3, NONE],
    ]
)  # fmt: skip
# Five observers, fifteen units; the numbers below were made with irrCAC 0.4.4, `CAC(ratings, weights).gwet()`.
FIFTEEN = np.array(
    [
        [1, 1, 2, NONE, 2], [1, 1, 0, 1, NONE], [2, 3, 3, 3, NONE], [NONE, 0, 0, NONE, 0], [0, 0, 0, NONE, 0],
        [0, 0, 0, NONE, 0], [1, 0, 2, NONE, 1], [1, NONE, 2, 0, NONE], [2, 2, 2, NONE, 2], [2, 1, 1, 1, NONE],
        [NONE, 1, 0, 0, NONE], [0, 0, 0, 0, NONE], [1, 2, 2, 2, NONE], [3, 3, 2, 2, 3], [1, 1, 1, NONE, 1],
    ]
)  # fmt: skip


def ratings(seed: int, *, whole: bool = True) -> Array:
    """A few judges on a few units, with noise and holes."""
    rng = np.random.default_rng(seed)
    units, judges, top = rng.integers(4, 60), rng.integers(2, 6), rng.integers(1, 11)
    given = np.clip(rng.integers(0, top + 1, (units, 1)) + rng.normal(0, 1, (units, judges)), 0, top)
    given = np.rint(given) if whole else np.round(given, 2)
    given[rng.random(given.shape) < 0.3] = NONE
    return given


def alone(given: Array) -> range:
    """Every unit is about a subject of its own."""
    return range(len(given))


def test_alpha_is_that_of_a_reference_implementation_and_of_the_published_example() -> None:
    for seed, whole in product(range(8), (True, False)):
        given = ratings(seed, whole=whole)
        expected = krippendorff.alpha(reliability_data=given.T, level_of_measurement="ordinal")
        assert agreement.alpha(given, alone(given)).value == pytest.approx(expected, abs=1e-9)
    found = agreement.alpha(TWELVE, alone(TWELVE))
    assert (found.value, found.units) == (pytest.approx(0.815, abs=0.0005), 11)
    assert found.interval.low < found.value < found.interval.high
    two = np.where(np.isnan(TWELVE), NONE, TWELVE > 2)
    nominal = krippendorff.alpha(two.T, level_of_measurement="nominal")
    assert agreement.alpha(two, alone(two)).value == pytest.approx(nominal)


def jackknife(value: float, without: list[float]) -> tuple[float, float]:
    """The interval by its definition, from the coefficient and those with each subject left out."""
    count = len(without)
    left = np.log(1 - np.array(without)) - np.log(1 - value)
    half = stats.t.ppf(0.975, count - 1) * np.sqrt((count - 1) / count * (left**2).sum())
    return 1 - (1 - value) * np.exp(half), 1 - (1 - value) * np.exp(-half)


@pytest.mark.parametrize("seed", range(2))
def test_intervals_leave_subjects_out_one_at_a_time(seed: int) -> None:
    given = np.concatenate([ratings(seed, whole=True)[:, :2] for seed in range(seed, seed + 6)])
    whom = np.random.default_rng(seed).integers(0, 7, len(given))
    parts = [given[whom != who] for who in range(7)]
    alphas = [krippendorff.alpha(part.T, level_of_measurement="ordinal") for part in (given, *parts)]
    found = agreement.alpha(given, whom.tolist())
    assert found.interval == pytest.approx(jackknife(alphas[0], alphas[1:]))
    ac2s = [agreement.gwet(part, range(11), alone(part)) for part in (given, *parts)]
    values = [one.value for one in ac2s if one is not None]
    told = agreement.gwet(given, range(11), whom.tolist())
    assert told.interval == pytest.approx(jackknife(values[0], values[1:]))
    assert (found.subjects, told.subjects) == (7, 7)


def test_without_enough_subjects_or_disagreements_there_is_no_interval() -> None:
    few = [place % (agreement.FEWEST_SUBJECTS - 1) for place in range(12)]
    for found in (agreement.alpha(TWELVE, few), agreement.gwet(TWELVE, range(1, 6), few)):
        assert (found.interval, found.subjects) == (None, agreement.FEWEST_SUBJECTS - 1)
    given = np.tile([[1.0, 1.0], [5.0, 5.0]], (6, 1))
    given[0, 1] = 5  # one subject has all the disagreement
    whom = np.repeat(np.arange(6), 2).tolist()
    for found in (agreement.alpha(given, whom), agreement.gwet(given, range(1, 6), whom)):
        assert (found.value < 1, found.interval) == (True, None)
    without_fault = np.repeat(np.arange(11.0), 2).reshape(-1, 2)
    for found in (agreement.alpha(without_fault, range(11)), agreement.gwet(without_fault, range(11), range(11))):
        assert found == (1.0, None, 11, 11)


def test_ac2_is_that_of_a_reference_implementation() -> None:
    for given, categories, expected in ((TWELVE, range(1, 6), 0.89894), (FIFTEEN, range(4), 0.78534)):
        assert agreement.gwet(given, categories, alone(given)).value == pytest.approx(expected, abs=5e-6)
    # Two judges, two categories: agreement 3/4, prevalence of the first 5/8, chance 2 * 5/8 * 3/8 = 15/32.
    found = agreement.gwet(np.array([[0, 0], [0, 0], [1, 1], [0, 1]], float), (0, 1), range(4))
    assert found.value == pytest.approx((3 / 4 - 15 / 32) / (1 - 15 / 32))


def test_at_the_ceiling_alpha_collapses_or_says_nothing_and_ac2_does_not() -> None:
    given = np.full((100, 2), 10.0)
    assert agreement.alpha(given, alone(given)) is None
    assert agreement.gwet(given, range(11), alone(given)) == (1.0, None, 100, 100)
    given[:3, 0], given[3:6, 1] = 9, 9
    assert agreement.alpha(given, alone(given)).value < 0.1
    assert agreement.gwet(given, range(11), alone(given)).value > 0.95


def test_without_two_ratings_of_a_unit_on_a_scale_there_is_no_agreement() -> None:
    for given in (np.array([[1.0], [2.0]]), np.array([[1.0, NONE], [NONE, 2.0]]), np.empty((0, 2))):
        assert agreement.alpha(given, alone(given)) is None
        assert agreement.gwet(given, range(3), alone(given)) is None
    assert agreement.gwet(np.ones((3, 2)), (1,), range(3)) is None
    with pytest.raises(ValueError, match="off the scale"):
        agreement.gwet(np.array([[1.0, 12.0]]), range(11), [0])


def test_two_judges_share_what_both_rated() -> None:
    first, second = np.array([8, 5, NONE, 9, 10.0]), np.array([8, 6, 3, 3, NONE])
    found = agreement.pairwise(first, second)
    assert found == (3, pytest.approx(1 / 3), pytest.approx(2 / 3), pytest.approx(5 / 3), pytest.approx(-0.5))
    assert agreement.pairwise(np.array([1, NONE]), np.array([NONE, 1])) is None


def test_rank_correlation_is_that_of_scipy() -> None:
    rng = np.random.default_rng(0)
    first = rng.integers(0, 5, 40).astype(float)
    second = first + rng.integers(-2, 3, 40)
    assert agreement.spearman(first, second) == pytest.approx(stats.spearmanr(first, second).statistic)
    assert agreement.spearman(np.array([1.0, 2]), np.array([1.0, 2])) is None, "too few"
    assert agreement.spearman(np.array([1.0, 2, 3]), np.array([5.0, 5, 5])) is None, "equal"
