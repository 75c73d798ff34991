from __future__ import annotations

import numpy as np
import pytest

from independence.stats.index_uncertainty import repeated, scenarios_like_these, these_scenarios
from independence.stats.subject_points import Stratum, SubjectPoints
from tests.stats import sheets


def test_alone_it_is_the_stratified_t_interval() -> None:
    from scipy import stats

    runs = [[10.0, 12.0, 11.0], [3.0, 7.0, 8.0], [9.0, 9.0, 12.0]]
    (made,) = these_scenarios([sheets.of(*runs)])
    parts = np.array([np.var(own, ddof=1) / 3 for own in runs])
    df = parts.sum() ** 2 / (parts**2 / 2).sum()
    assert made.se == pytest.approx(np.sqrt(parts.sum()))
    assert made.df == pytest.approx(df)
    interval = made.interval()
    assert interval is not None
    half = stats.t.ppf(0.975, df) * np.sqrt(parts.sum())
    assert interval == pytest.approx((made.point - half, made.point + half))


def test_alone_the_second_reading_is_a_t_interval_over_scenario_means() -> None:
    from scipy import stats

    runs = [[10.0, 12.0], [3.0, 7.0], [9.0, 12.0], [15.0, 14.0]]
    (made,) = scenarios_like_these([sheets.of(*runs)])
    means = np.array([np.mean(own) for own in runs]) * 4  # each scenario as if it were the whole index
    low, high = stats.t.interval(0.95, 3, means.mean(), stats.sem(means))
    assert made.interval() == pytest.approx((low, high))


def test_the_second_reading_is_never_the_surer_one() -> None:
    rng = np.random.default_rng(3)
    fleet = [sheets.drawn(rng) for _ in range(30)]
    for these, like_these in zip(these_scenarios(fleet), scenarios_like_these(fleet), strict=True):
        inner, outer = these.interval(), like_these.interval()
        assert inner is not None
        assert outer is not None
        assert outer.low <= inner.low
        assert outer.high >= inner.high


def test_runs_that_agree_get_a_width_from_the_fleet_and_none_alone() -> None:
    same = sheets.of([12.0] * 5, [12.0] * 5)
    rng = np.random.default_rng(3)
    estimate, *_ = these_scenarios([same, *(sheets.drawn(rng, 2) for _ in range(6))])
    interval = estimate.interval()
    assert interval is not None
    assert interval.high - interval.low > 0.5
    for constant in (12.0, 0.7):  # the second leaves a rest in binary
        (alone,) = these_scenarios([sheets.of([constant] * 3, [constant] * 3)])
        assert alone.interval() is None


def test_a_single_scenario_carries_its_run_variance_alone() -> None:
    one = Stratum(("x",), (np.array([4.0, 8.0, 6.0]),), ((0.0, 10.0),))
    (these,), (like_these,) = (
        these_scenarios([SubjectPoints(0.0, (one,))]),
        scenarios_like_these([SubjectPoints(0.0, (one,))]),
    )
    assert these == like_these


def test_what_one_verdict_adds_to_two_strata_moves_together() -> None:
    shared = np.array([1.0, 5.0, 3.0, 4.0])
    wide = Stratum(("a", "b"), (shared, np.array([2.0, 2.5, 2.0, 2.2])), ((0.0, 10.0),) * 2)
    bound, free = (
        SubjectPoints(0.0, (wide, Stratum(("a",), (own,), ((0.0, 10.0),)))) for own in (shared, shared[::-1].copy())
    )
    (together,), (apart,) = scenarios_like_these([bound]), scenarios_like_these([free])
    assert together.se > apart.se


def test_a_single_run_shows_no_spread() -> None:
    assert not repeated(sheets.of([1.0], [2.0, 3.0]))
    assert repeated(sheets.of([1.0, 1.0], [2.0, 3.0]))


def test_more_runs_of_one_scenario_help_that_scenario() -> None:
    few, many = sheets.of([8.0, 12.0], [5.0, 6.0]), sheets.of([8.0, 12.0] * 5, [5.0, 6.0])
    assert these_scenarios([many])[0].se < these_scenarios([few])[0].se


def test_an_empty_fleet_has_no_estimates() -> None:
    assert these_scenarios([]) == scenarios_like_these([]) == []
