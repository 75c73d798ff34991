from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from independence.stats import clusters
from independence.stats.clusters import BootstrapDraws, WeightedSum, WeightedValues, design
from independence.stats.index_uncertainty import Array
from independence.stats.intervals import Interval

DRAWS = BootstrapDraws(2_000, 1)
PLAIN = [None] * 36, [""] * 36


def mean(
    values: Array, planned: clusters.CellDesign, margin: float = 0.0, draws: BootstrapDraws = DRAWS
) -> WeightedSum:
    weights = np.full(len(values), 1 / len(values))
    return clusters.weighted_sum(WeightedValues(values, weights, -1.0, 1.0), planned, draws, margin)


def ends(reading: WeightedSum) -> Interval:
    assert reading.ci is not None
    return reading.ci


def crossed() -> tuple[list[float | None], list[str]]:
    """Merits and domains of 36 cells, two for each combination."""
    both = [(merit, str(domain)) for domain, merit, _ in product(range(6), (-1.0, 0.0, 1.0), range(2))]
    return [merit for merit, _ in both], [domain for _, domain in both]


@pytest.fixture(scope="module")
def noise() -> Array:
    return np.random.default_rng(3).normal(0.1, 0.3, 36).clip(-1, 1)


def test_without_a_design_the_interval_is_near_student_s(noise: Array) -> None:
    low, high = ends(mean(noise, design(*PLAIN)))
    student = stats.t.interval(0.95, 35, noise.mean(), stats.sem(noise))
    assert (low, high) == pytest.approx(student, abs=0.015)


def test_two_one_sided_tests_are_those_of_student(noise: Array) -> None:
    found = mean(noise, design(*PLAIN), margin=0.2)
    above = stats.ttest_1samp(noise, -0.2, alternative="greater").pvalue
    below = stats.ttest_1samp(noise, 0.2, alternative="less").pvalue
    assert found.within == pytest.approx(max(above, below))
    assert mean(noise, design(*PLAIN)).within == 1.0


def test_a_mirrored_sample_has_the_mirrored_interval(noise: Array) -> None:
    own, other = (ends(mean(values, design(*PLAIN))) for values in (noise**3, -(noise**3)))
    assert (own.low, own.high) == pytest.approx((-other.high, -other.low), abs=1e-9)


def test_what_domains_and_merit_add_widens_nothing(noise: Array) -> None:
    merits, groups = crossed()
    shifts = np.array([0.4 * (merit or 0.0) + int(group) / 10 for merit, group in zip(merits, groups, strict=True)])
    plain, shifted = mean(noise, design(merits, groups)), mean(noise + shifts, design(merits, groups))
    assert ends(shifted).high - ends(shifted).low == pytest.approx(ends(plain).high - ends(plain).low)
    unaware = ends(mean(noise + shifts, design(*PLAIN)))
    assert unaware.high - unaware.low > 1.5 * (ends(plain).high - ends(plain).low)


def test_noise_of_one_level_of_merit_stays_there() -> None:
    merits, _ = crossed()
    values = np.random.default_rng(4).normal(0, [0.6 if merit == 0 else 0.05 for merit in merits])
    slope = np.array(merits, dtype=float) / 24
    found = clusters.weighted_sum(WeightedValues(values, slope, -1.0, 1.0), design(merits, [""] * 36), DRAWS)
    outer = values[np.array(merits) != 0]
    assert ends(found).high - ends(found).low == pytest.approx(4 * outer.std() / np.sqrt(24), rel=0.25)


def test_a_few_odd_cells_pull_the_interval_to_their_side() -> None:
    values = np.zeros(36)
    values[:3] = 1.0
    low, high = ends(mean(values, design(*PLAIN)))
    assert 0 <= low < values.mean() < high
    assert high - values.mean() > 1.5 * (values.mean() - low)


@pytest.mark.parametrize("value", [0.0, 0.4, -1.0])
def test_cells_that_are_all_alike_still_leave_room_for_others(value: float) -> None:
    low, high = ends(found := mean(np.full(36, value), design(*crossed())))
    rare = 1 - 0.025 ** (1 / 36)
    assert found.method == "all-cells-alike"
    assert (low, high) == pytest.approx((value - rare * (1 + value), value + rare * (1 - value)))
    assert low < high


def test_enough_cells_all_alike_show_that_there_is_nothing() -> None:
    many, few = np.zeros(36), np.zeros(12)
    assert mean(many, design(*PLAIN), margin=0.1).within == pytest.approx(0.9**36)
    assert mean(few, design([None] * 12, [""] * 12), margin=0.1).within > 0.05
    assert mean(np.full(36, 0.2), design(*PLAIN), margin=0.1).within == 1.0


def test_one_cell_has_no_interval_and_a_few_have_student_s() -> None:
    assert mean(np.array([0.3]), design([None], [""])) == WeightedSum(0.3, None, "none", 1.0)
    values = np.array([0.1, 0.3, -0.2, 0.4])
    found = mean(values, design([None] * 4, [""] * 4))
    assert found.method == "t-over-cells"
    assert ends(found) == pytest.approx(stats.t.interval(0.95, 3, values.mean(), stats.sem(values)))


def test_a_design_takes_no_more_than_half_of_what_there_is_to_learn_from() -> None:
    merits, groups = crossed()
    assert design(merits, groups).basis.shape == (36, 8)
    assert design(merits[:9], [str(number // 3) for number in range(9)]).basis.shape == (9, 3)
    assert design([number / 10 for number in range(10)], [""] * 10).basis.shape == (10, 2), "a line, not ten levels"
    assert design([1.0, None, None, None], ["a", "b", "c", "d"]).basis.shape == (4, 1), "levels of one cell are one"


def test_domains_that_are_levels_of_merit_are_counted_once() -> None:
    merits = [number % 2 * 1.0 for number in range(12)]
    assert design(merits, [str(merit) for merit in merits]).basis.shape == (12, 2)


def test_cells_are_drawn_among_their_own_level_of_merit_where_it_has_enough() -> None:
    assert design(*crossed()).sizes == (12, 12, 12)
    assert design([1.0] * 4 + [0.0] * 20, [""] * 24).sizes == (24,)


def test_swapping_sides_is_the_exact_permutation_test() -> None:
    values = np.array([0.3, 0.1, -0.1, 0.4, 0.2, 0.25, -0.05, 0.3])
    signs = np.array(list(product((-1, 1), repeat=8)))
    exact = np.mean(np.abs(signs @ values) >= abs(values.sum()) - 1e-12)
    assert clusters.swapped(values, BootstrapDraws(20_000, 1)) == pytest.approx(exact, abs=0.005)
    assert clusters.swapped(np.zeros(8), DRAWS) == 1.0


def test_the_same_seed_draws_the_same(noise: Array) -> None:
    planned = design(*PLAIN)
    assert mean(noise, planned) == mean(noise, planned)
    assert ends(mean(noise, planned)) != ends(mean(noise, planned, draws=BootstrapDraws(2_000, 2)))
