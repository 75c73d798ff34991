from __future__ import annotations

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


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("seed", range(20))
def test_alpha_is_that_of_a_reference_implementation(seed: int, whole: bool) -> None:
    given = ratings(seed, whole=whole)
    found = agreement.alpha(given, alone(given))
    assert found is not None
    expected = krippendorff.alpha(reliability_data=given.T, level_of_measurement="ordinal")
    assert found.value == pytest.approx(expected, abs=1e-9)


def test_alpha_of_the_published_example() -> None:
    found = agreement.alpha(TWELVE, alone(TWELVE))
    assert found is not None
    assert found.value == pytest.approx(0.815, abs=0.0005)
    assert found.units == 11
    assert found.interval is not None
    assert found.interval.low < found.value < found.interval.high


def test_alpha_on_two_values_is_nominal_alpha() -> None:
    given = np.where(np.isnan(TWELVE), NONE, TWELVE > 2)
    found = agreement.alpha(given, alone(given))
    assert found is not None
    assert found.value == pytest.approx(krippendorff.alpha(given.T, level_of_measurement="nominal"))


def jackknife(value: float, without: list[float]) -> tuple[float, float]:
    """The interval by its definition, from the coefficient and those with each subject left out."""
    count = len(without)
    left = np.log(1 - np.array(without)) - np.log(1 - value)
    half = stats.t.ppf(0.975, count - 1) * np.sqrt((count - 1) / count * (left**2).sum())
    return 1 - (1 - value) * np.exp(half), 1 - (1 - value) * np.exp(-half)


@pytest.mark.parametrize("seed", range(5))
def test_intervals_leave_subjects_out_one_at_a_time(seed: int) -> None:
    given = np.concatenate([ratings(seed, whole=True)[:, :2] for seed in range(seed, seed + 6)])
    whom = np.random.default_rng(seed).integers(0, 7, len(given))
    parts = [given[whom != who] for who in range(7)]
    alphas = [krippendorff.alpha(part.T, level_of_measurement="ordinal") for part in (given, *parts)]
    found = agreement.alpha(given, whom.tolist())
    assert found is not None
    assert found.interval == pytest.approx(jackknife(alphas[0], alphas[1:]))
    ac2s = [agreement.gwet(part, range(11), alone(part)) for part in (given, *parts)]
    values = [one.value for one in ac2s if one is not None]
    told = agreement.gwet(given, range(11), whom.tolist())
    assert told is not None
    assert told.interval == pytest.approx(jackknife(values[0], values[1:]))
    assert (found.subjects, told.subjects) == (7, 7)


def test_dialogues_of_one_subject_are_not_independent() -> None:
    given = np.repeat(ratings(4)[:12, :2], 10, axis=0)
    given[np.isnan(given)] = 3
    many, few = agreement.alpha(given, alone(given)), agreement.alpha(given, np.repeat(np.arange(12), 10).tolist())
    assert many is not None
    assert few is not None
    assert many.value == few.value
    assert many.interval is not None
    assert few.interval is not None
    assert few.interval.high - few.interval.low > 2 * (many.interval.high - many.interval.low)


def test_too_few_subjects_have_no_interval() -> None:
    whom = [place % (agreement.FEWEST_SUBJECTS - 1) for place in range(12)]
    for found in (agreement.alpha(TWELVE, whom), agreement.gwet(TWELVE, range(1, 6), whom)):
        assert found is not None
        assert found.interval is None
        assert found.subjects == agreement.FEWEST_SUBJECTS - 1


def test_where_one_subject_has_all_the_disagreement_there_is_no_interval() -> None:
    given = np.tile([[1.0, 1.0], [5.0, 5.0]], (6, 1))
    given[0, 1] = 5
    whom = np.repeat(np.arange(6), 2).tolist()
    for found in (agreement.alpha(given, whom), agreement.gwet(given, range(1, 6), whom)):
        assert found is not None
        assert found.value < 1
        assert found.interval is None


@pytest.mark.parametrize(
    ("given", "categories", "expected"),
    [
        (TWELVE, range(1, 6), 0.89894),
        (FIFTEEN, range(4), 0.78534),
    ],
)
def test_ac2_is_that_of_a_reference_implementation(given: Array, categories: range, expected: float) -> None:
    found = agreement.gwet(given, categories, alone(given))
    assert found is not None
    assert found.value == pytest.approx(expected, abs=5e-6)


def test_ac2_by_hand() -> None:
    # Two judges, two categories: agreement 3/4, prevalence of the first 5/8, chance 2 * 5/8 * 3/8 = 15/32.
    found = agreement.gwet(np.array([[0, 0], [0, 0], [1, 1], [0, 1]], float), (0, 1), range(4))
    assert found is not None
    assert found.value == pytest.approx((3 / 4 - 15 / 32) / (1 - 15 / 32))


def test_where_all_are_always_equal_alpha_says_nothing_and_ac2_is_perfect() -> None:
    given = np.full((9, 3), 10.0)
    assert agreement.alpha(given, alone(given)) is None
    assert agreement.gwet(given, range(11), alone(given)) == (1.0, None, 9, 9)


def test_at_the_ceiling_alpha_collapses_and_ac2_does_not() -> None:
    given = np.full((100, 2), 10.0)
    given[:3, 0], given[3:6, 1] = 9, 9
    low, high = agreement.alpha(given, alone(given)), agreement.gwet(given, range(11), alone(given))
    assert low is not None
    assert high is not None
    assert low.value < 0.1
    assert high.value > 0.95


def test_agreement_without_a_fault_has_no_interval_of_no_width() -> None:
    given = np.repeat(np.arange(11.0), 2).reshape(-1, 2)
    assert agreement.alpha(given, alone(given)) == (1.0, None, 11, 11)
    assert agreement.gwet(given, range(11), alone(given)) == (1.0, None, 11, 11)


@pytest.mark.parametrize(
    "given",
    [
        np.array([[1.0], [2.0]]),
        np.array([[1.0, NONE], [NONE, 2.0]]),
        np.empty((0, 2)),
    ],
    ids=["one judge", "no overlap", "no unit"],
)
def test_without_two_ratings_of_a_unit_there_is_no_agreement(given: Array) -> None:
    assert agreement.alpha(given, alone(given)) is None
    assert agreement.gwet(given, range(3), alone(given)) is None


def test_a_scale_of_one_category_has_no_agreement() -> None:
    assert agreement.gwet(np.ones((3, 2)), (1,), range(3)) is None


def test_a_rating_off_the_scale_is_refused() -> None:
    with pytest.raises(ValueError, match="off the scale"):
        agreement.gwet(np.array([[1.0, 12.0]]), range(11), [0])


def test_two_judges_share_what_both_rated() -> None:
    first, second = np.array([8, 5, NONE, 9, 10.0]), np.array([8, 6, 3, 3, NONE])
    found = agreement.pairwise(first, second)
    assert found == (3, pytest.approx(1 / 3), pytest.approx(2 / 3), pytest.approx(5 / 3), pytest.approx(-0.5))


def test_two_judges_of_different_units_share_nothing() -> None:
    assert agreement.pairwise(np.array([1, NONE]), np.array([NONE, 1])) is None


@pytest.mark.parametrize("seed", range(5))
def test_rank_correlation_is_that_of_scipy(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 5, 40).astype(float)
    second = first + rng.integers(-2, 3, 40)
    assert agreement.spearman(first, second) == pytest.approx(stats.spearmanr(first, second).statistic)


@pytest.mark.parametrize(("first", "second"), [([1, 2], [1, 2]), ([1, 2, 3], [5, 5, 5])])
def test_too_few_or_equal_values_have_no_rank_correlation(first: list[float], second: list[float]) -> None:
    assert agreement.spearman(np.array(first, float), np.array(second, float)) is None
