"""Item analysis: numbers against closed forms and scipy, and what is not known where there is too little."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import stats

from independence.stats import items
from independence.stats.contributions import Array


@pytest.fixture
def table() -> Array:
    rng = np.random.default_rng(3)
    return np.clip(rng.normal(70, 15, (12, 1)) + rng.normal(0, 10, (12, 4)), 0, 100)


def test_an_items_correlation_with_the_rest_is_pearsons_with_fishers_interval(table: Array) -> None:
    for at in range(4):
        r, ends = items.item_rest(table, at)
        reference = stats.pearsonr(table[:, at], np.delete(table, at, axis=1).mean(axis=1))
        assert r == pytest.approx(reference.statistic)
        assert ends == pytest.approx(tuple(reference.confidence_interval()))


def test_who_lacks_an_item_is_left_out_of_it_and_counts_by_its_others_in_the_rest(table: Array) -> None:
    table[0, 0] = table[1, 2] = np.nan
    r, _ = items.item_rest(table, 0)
    rest = np.nanmean(table[1:, 1:], axis=1)
    assert r == pytest.approx(np.corrcoef(table[1:, 0], rest)[0, 1])
    assert items.cronbach(table) == pytest.approx(items.cronbach(table[2:]))


def test_alpha_of_parallel_items_is_the_formula_of_spearman_and_brown() -> None:
    rng = np.random.default_rng(1)
    raw = rng.normal(size=(50, 5)) + rng.normal(size=(50, 1))
    z = (raw - raw.mean(axis=0)) / raw.std(axis=0, ddof=1)
    r = (np.corrcoef(raw.T).sum() - 5) / 20
    assert items.cronbach(z) == pytest.approx(5 * r / (1 + 4 * r))
    assert items.cronbach(np.repeat(raw[:, :1], 5, axis=1)) == pytest.approx(1.0)


def test_reliability_is_what_runs_leave_of_the_variance_between_subjects() -> None:
    rng = np.random.default_rng(2)
    true = rng.normal(0, 2, 4000)
    runs = [level + rng.normal(0, 3, 5) for level in true]
    assert items.reliability(runs) == pytest.approx(4 / (4 + 9 / 5), abs=0.02)
    assert items.reliability([*runs, np.array([1e6])]) == items.reliability(runs)  # one run says nothing of chance
    equals = [rng.normal(0, 3, 5) for _ in range(4000)]
    assert items.reliability(equals) == pytest.approx(0.0, abs=0.04)


def test_pairs_that_differ_are_those_that_holm_leaves() -> None:
    p = np.ones((4, 4))
    p[0, 1], p[0, 2], p[0, 3] = 0.001, -0.009, 0.02  # 6 pairs: .001 * 6, .009 * 5, .02 * 4
    assert items.differing(p) == 2


def test_nothing_is_said_of_too_few_subjects_or_of_what_is_always_the_same(table: Array) -> None:
    constant = table.copy()
    constant[:, 1] = 100.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert items.item_rest(constant, 1) == (None, None)
        assert items.item_rest(table[:4], 0) == (None, None)
        assert items.item_rest(table[:, :1], 0) == (None, None)
        assert items.item_rest(np.full((9, 3), 100.0), 0) == (None, None)
        r, ends = items.item_rest(np.repeat(table[:, :1], 2, axis=1), 0)
        assert (r, ends) == (pytest.approx(1.0), None)
        for none in (table[:1], table[:, :1], np.full((9, 3), 100.0), table[:0]):
            assert items.cronbach(none) is None
        assert items.share_at(table[:0], 100.0) is None
        for once in ([], [np.array([5.0])], [np.array([5.0]), np.array([1.0, 2.0])], [np.full(3, 7.0)] * 4):
            assert items.reliability(once) is None
        assert items.differing(np.ones((0, 0))) == items.differing(np.ones((1, 1))) == 0


def test_the_share_at_an_end_counts_means_that_computing_left_a_trace_of() -> None:
    values = np.array([100.0, 100 * (0.1 + 0.2) / 0.3, 99.9, np.nan])
    assert items.share_at(values, 100.0) == pytest.approx(2 / 3)
