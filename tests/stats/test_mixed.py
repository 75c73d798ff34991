from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from independence.stats import mixed
from independence.stats.mixed import MixedFit


def nested() -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.intp], NDArray[np.intp]]:
    """162 values in 36 unequal cells of 6 domains; no draws, so that constants from elsewhere stay true."""
    cell = np.repeat(np.arange(36), [3 + (5 * number) % 4 for number in range(36)])
    domain, merit, row = cell // 6, cell % 3 - 1.0, np.arange(len(cell))
    noise = 0.5 * np.sin(5.0 * domain + 1) + 0.3 * np.sin(7.0 * cell**2 + 2) + 0.6 * np.sin(11.0 * row**2 + 3)
    return (0.3 + 0.4 * merit + noise).round(3), np.column_stack([np.ones(len(cell)), merit]), domain, cell


def fitted(y: NDArray[np.float64], x: NDArray[np.float64], *factors: NDArray[np.intp]) -> MixedFit:
    found = mixed.fit(y, x, factors)
    assert found is not None
    return found


def test_balanced_groups_are_the_classical_analysis_of_variance() -> None:
    rng = np.random.default_rng(7)
    groups, each = 12, 4
    code = np.repeat(np.arange(groups), each)
    y = 2 + rng.normal(0, 0.7, groups)[code] + rng.normal(0, 1, groups * each)
    table = y.reshape(groups, each)
    between = each * table.mean(axis=1).var(ddof=1)
    within = table.var(axis=1, ddof=1).mean()
    found = fitted(y, np.ones((len(y), 1)), code)
    assert found.beta == pytest.approx([y.mean()])
    assert found.variances == pytest.approx([(between - within) / each, within], rel=1e-4)
    assert found.se == pytest.approx([math.sqrt(between / len(y))], rel=1e-4)
    assert found.df == pytest.approx([groups - 1], rel=1e-4)


def test_what_differs_within_groups_alone_is_a_paired_t_test() -> None:
    rng = np.random.default_rng(8)
    level, shift = rng.normal(0, 1, 15), rng.normal(0.3, 0.4, 15)
    y, side = np.concatenate([level + shift, level - shift]), np.repeat([1.0, -1.0], 15)
    found = fitted(y, np.column_stack([np.ones(30), side]), np.tile(np.arange(15), 2))
    paired = stats.ttest_rel(y[:15], y[15:])
    assert found.beta[1] / found.se[1] == pytest.approx(paired.statistic, rel=1e-4)
    assert found.df[1] == pytest.approx(14, rel=1e-4)


def test_groups_more_alike_than_chance_leave_ordinary_least_squares() -> None:
    table = np.array([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0], [1.0, 2.0, 0.1]])
    x = np.column_stack([np.ones(9), np.arange(9.0)])
    found = fitted(table.ravel(), x, np.repeat(np.arange(3), 3))
    line = stats.linregress(np.arange(9.0), table.ravel())
    assert found.variances[0] == 0
    assert (found.beta[1], found.se[1], found.df[1]) == pytest.approx((line.slope, line.stderr, 7))


def test_no_factor_at_all_is_ordinary_least_squares() -> None:
    y = np.array([1.0, 3.0, 2.0, 5.0])
    found = fitted(y, np.ones((4, 1)))
    assert (found.se[0], found.df[0]) == pytest.approx((stats.sem(y), 3))


def test_nested_unequal_groups_agree_with_statsmodels() -> None:
    """MixedLM of statsmodels 0.15.0 (REML; domains as groups, cells as a variance component), run once by hand."""
    y, x, domain, cell = nested()
    found = fitted(y, x, domain, cell)
    assert found.beta == pytest.approx([0.37943383, 0.4934325], abs=1e-6)
    assert found.variances == pytest.approx([0.2000105, 0.0487113, 0.1723799], rel=3e-4)
    assert found.se == pytest.approx([0.18919168, 0.06071573], rel=1e-3)
    constant = (len(y) - 2) / 2 * math.log(2 * math.pi)
    assert found.log_likelihood - constant == pytest.approx(-111.72280728, abs=1e-6)
    alone = fitted(y, x, cell)
    assert alone.beta == pytest.approx([0.37926848, 0.49722733], abs=1e-6)
    assert alone.variances == pytest.approx([0.22252602, 0.17255503], rel=3e-4)
    assert alone.se == pytest.approx([0.08548421, 0.10469705], rel=1e-3)


def test_no_variances_nearby_are_likelier() -> None:
    y, x, domain, cell = nested()
    found = fitted(y, x, domain, cell)
    shared = [np.equal.outer(codes, codes).astype(float) for codes in (domain, cell)]

    def likelihood(first: float, second: float, noise: float) -> float:
        inverse = np.linalg.inv(v := first * shared[0] + second * shared[1] + noise * np.eye(len(y)))
        information = x.T @ inverse @ x
        residual = y - x @ np.linalg.solve(information, x.T @ inverse @ y)
        parts = np.linalg.slogdet(v)[1], np.linalg.slogdet(information)[1], residual @ inverse @ residual
        return -float(sum(parts)) / 2

    assert likelihood(*found.variances) == pytest.approx(found.log_likelihood)
    for factors in product((0.9, 1.0, 1.1), repeat=3):
        if factors != (1, 1, 1):
            assert likelihood(*(found.variances * factors)) < found.log_likelihood


def test_runs_that_never_differ_still_leave_their_cells_to_judge_by() -> None:
    cells = np.array([0.1, -0.2, 0.4, 0.3, 0.0, 0.2])
    found = fitted(np.repeat(cells, 3), np.ones((18, 1)), np.repeat(np.arange(6), 3))
    assert found.se[0] == pytest.approx(stats.sem(cells), rel=1e-3)
    assert found.df[0] == pytest.approx(5, rel=1e-2)


@pytest.mark.parametrize(
    ("y", "x"),
    [
        ([1.0, 2.0, 3.0], [[1.0, 1.0]] * 3),
        ([1.0, 2.0], [[1.0, 0.0], [1.0, 1.0]]),
        ([0.3] * 5, [[1.0]] * 5),
    ],
    ids=["columns that say the same", "no row to spare", "nothing left to explain"],
)
def test_what_cannot_be_fitted_is_no_fit(y: list[float], x: list[list[float]]) -> None:
    assert mixed.fit(np.array(y), np.array(x), [np.arange(len(y)) // 2]) is None


def test_groups_that_x_tells_apart_already_cannot_be_fitted() -> None:
    group = np.repeat([0, 1], 6)
    x = np.column_stack([np.ones(12), 2.0 * group - 1])
    assert mixed.fit(np.random.default_rng(1).normal(0, 1, 12), x, [group]) is None
