from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from independence.stats import clusters, sides
from independence.stats.clusters import WeightedSum, WeightedValues
from independence.stats.index_uncertainty import Array

DISPUTES = np.repeat(np.arange(12), 3).tolist()
MERITS = np.tile([-1.0, 0.0, 1.0], 12)


def even(values: Array, off: Array | float = 0.0) -> WeightedValues:
    return WeightedValues(values, np.full(len(values), 1 / len(values)), -1.0, 1.0, off)


def mean(values: Array, disputes: list[int]) -> WeightedSum:
    return clusters.weighted_sum(even(values), np.ones((len(values), 1)), disputes)


def within(values: Array, disputes: list[int], margin: float, off: Array | float = 0.0) -> float:
    return clusters.within(even(values, off), np.ones((len(values), 1)), disputes, margin)


def students(parts: Array, df: int) -> tuple[float, float]:
    """Student's interval of a mean, of the sample with one more value at the farther end of the scale of -1 to 1."""
    error = np.append(parts, -1.0 if parts.mean() > 0 else 1.0).std() / np.sqrt(df)
    return stats.t.interval(0.95, df, parts.mean(), error)


def slope(values: Array, merits: Array, disputes: list[int]) -> WeightedSum:
    centred = merits - merits.mean()
    wanted = WeightedValues(values, centred / (centred @ centred), -1.0, 1.0)
    return clusters.weighted_sum(wanted, np.column_stack([np.ones(len(values)), merits]), disputes)


@pytest.fixture(scope="module")
def values() -> Array:
    """Of 36 cells, of which three share a dispute and what it adds."""
    rng = np.random.default_rng(3)
    return (rng.normal(0.1, 0.2, 12).repeat(3) + 0.3 * MERITS + rng.normal(0, 0.2, 36)).clip(-1, 1)


def test_disputes_of_one_cell_have_student_s_interval_and_tests(values: Array) -> None:
    own = list(range(36))
    assert mean(values, own).ci == pytest.approx(students(values, 35))
    error = np.append(values, -1.0).std() / np.sqrt(35)
    assert within(values, own, 0.2) == pytest.approx(stats.t.sf((0.2 - values.mean()) / error, 35))


def test_disputes_of_the_same_cells_are_read_by_their_own_means_and_slopes(values: Array) -> None:
    table = values.reshape(12, 3)
    means, slopes = table.mean(axis=1), (table[:, 2] - table[:, 0]) / 2
    for found, own in ((mean(values, DISPUTES), means), (slope(values, MERITS, DISPUTES), slopes)):
        assert found.method == "t-over-disputes"
        assert found.est == pytest.approx(own.mean())
        assert found.ci == pytest.approx(students(own, 11))


def test_disputes_of_unequal_cells_are_the_sandwich_of_their_sums(values: Array) -> None:
    kept = np.array([number % 5 != 1 for number in range(36)])
    y, x, disputes = values[kept], np.column_stack([np.ones(36), MERITS])[kept], np.array(DISPUTES)[kept]
    bread = np.linalg.inv(x.T @ x)
    beta = bread @ x.T @ y
    scores = [x[disputes == own].T @ (y - x @ beta)[disputes == own] for own in range(12)]
    squares = (bread @ sum(np.outer(score, score) for score in scores) @ bread)[1, 1]
    weights = bread[1] @ x.T
    farther = max(np.abs(weights).sum() - weights @ y, np.abs(weights).sum() + weights @ y)
    half = stats.t.ppf(0.975, 10) * np.sqrt(12**2 / 10 * (squares + farther**2 / 12 / 13) / 13)
    found = slope(y, x[:, 1], disputes.tolist())
    assert (found.est, *found.ci) == pytest.approx((beta[1], beta[1] - half, beta[1] + half))


def test_what_is_planned_to_tell_disputes_apart_is_taken_out(values: Array) -> None:
    level = np.repeat(np.eye(2), 6, axis=0)
    y = values[:12] + level @ [0.0, 0.5]
    wanted = WeightedValues(y, np.full(12, 1 / 12), -1.0, 1.0)
    low, high = clusters.weighted_sum(wanted, level, list(range(12))).ci
    squares = 6 * (y[:6].var() + y[6:].var())
    se = np.sqrt((squares + 12 / 13 * (1 + y.mean()) ** 2) / 13 / 10)
    assert (low, high) == pytest.approx(stats.t.interval(0.95, 10, y.mean(), se))


def test_enough_disputes_all_alike_show_that_there_is_nothing() -> None:
    for count, shown in ((5, False), (16, False), (18, True), (20, True), (36, True)):
        p = within(np.zeros(2 * count), np.arange(count).repeat(2).tolist(), 0.1)
        assert p == pytest.approx(stats.t.sf(0.1 * (count + 1) * np.sqrt((count - 1) / count), count - 1))
        assert (p < 0.05) is shown
    assert within(np.full(36, 0.2), DISPUTES, 0.1) > 0.5


@pytest.mark.parametrize(("holes", "exact"), [(0, True), (1, True), (9, True), (25, False)])
def test_values_that_may_differ_are_within_only_if_all_of_them_are(values: Array, holes: int, exact: bool) -> None:
    rng = np.random.default_rng(6)
    levels = np.column_stack([level == MERITS for level in (-1, 0, 1)]).astype(float)
    off = rng.permutation(np.arange(36) < holes) * rng.uniform(0, 0.2, 36)
    found = clusters.within(even(0.3 * (values - 0.1), off), levels, DISPUTES, 0.15)
    signs = np.ones((2**holes, 36)) if exact else rng.choice([-1.0, 1.0], (500, 36))
    if exact:
        signs[:, off > 0] = list(product((-1, 1), repeat=holes))
    made = [0.3 * (values - 0.1) + off * one for one in (*signs, *rng.uniform(-1, 1, (100, 36)))]
    worst = max(clusters.within(even(one), levels, DISPUTES, 0.15) for one in made)
    assert found == pytest.approx(worst) if exact else worst < found < 0.5


def test_values_that_may_be_alike_are_no_surer_than_if_they_were() -> None:
    count = 12
    off = np.full(count, 0.01)
    least = 1.01 * np.sqrt(count / (count - 1)) / (count + 1)
    assert within(np.zeros(count), list(range(count)), 0.1, off) == pytest.approx(stats.t.sf(0.09 / least, count - 1))


def test_one_dispute_has_no_interval_however_many_cells_it_has(values: Array) -> None:
    assert mean(values, [0] * 36) == WeightedSum(pytest.approx(values.mean()), None, "none")
    assert within(np.zeros(36), [0] * 36, 0.1) == 1.0
    assert slope(values[:3], MERITS[:3], [0, 1, 0]).ci is None, "a cell in the middle has no part in a slope"


def test_flipping_signs_is_the_exact_permutation_test() -> None:
    values = np.array([0.3, 0.1, -0.1, 0.4, 0.2, 0.25, -0.05, 0.3])
    signs = np.array(list(product((-1, 1), repeat=8)))
    exact = np.mean(np.abs(signs @ values) >= abs(values.sum()) - 1e-12)
    assert clusters.flipped(values, 20_000, 1) == pytest.approx(exact, abs=0.005)
    assert clusters.flipped(np.zeros(8), 2_000, 1) == 1.0
    assert clusters.flipped(np.full(8, 0.9), 200_000, 1) == pytest.approx(sides.smallest_p(8), rel=0.1)


def test_an_interval_ends_with_the_scale() -> None:
    assert mean(np.array([-0.9, 0.9]), [0, 1]).ci == (-1.0, 1.0)
    low, high = mean(np.array([0.5, 0.9]), [0, 1]).ci
    assert (low, high) == (-1.0, 1.0)


def test_parts_are_summed_by_dispute() -> None:
    assert clusters.by_cluster(np.array([1.0, 2.0, 4.0]), ["b", "a", "b"]).tolist() == [5.0, 2.0]


def test_few_disputes_in_which_the_asker_decides_are_allowed_for_though_none_was_drawn() -> None:
    """By the exact chances of how many of the drawn disputes are among those few."""
    shares = np.linspace(0.005, 0.4, 200)
    for count in (5, 10, 20, 40):
        own = list(range(count))
        ends = np.array([mean((np.arange(count) < few).astype(float), own).ci for few in range(count + 1)])
        chance = stats.binom.pmf(np.arange(count + 1), count, shares[:, None])
        held = (chance * ((ends[:, 0] <= shares[:, None]) & (shares[:, None] <= ends[:, 1]))).sum(axis=1)
        assert held.mean() > 0.95
        assert held.min() > 0.87, "counts come in steps: an interval of all shares but one is as good"
    low, high = mean(np.zeros(20), list(range(20))).ci
    assert (-low, high) == pytest.approx((0.102, 0.102), abs=5e-4)
