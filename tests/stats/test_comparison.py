"""Differences of two subjects: tests, adjusted p values, equivalence, and the power of each."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from scipy import stats

from independence.stats import power
from independence.stats.comparison import Difference, adjusted, adjusted_by_name, difference, paired
from independence.stats.index_uncertainty import IndexEstimate, these_scenarios
from independence.stats.power import minimum_detectable
from tests.stats import sheets


def test_a_difference_is_welch_s() -> None:
    a, b = [10.0, 12.0, 11.0, 15.0], [3.0, 7.0, 8.0]
    first, second = (IndexEstimate(float(np.mean(own)), float(stats.sem(own)), len(own) - 1) for own in (a, b))
    made = difference(first, second)
    welch = stats.ttest_ind(a, b, equal_var=False)
    assert made.p == pytest.approx(welch.pvalue)
    assert made.interval() == pytest.approx(tuple(welch.confidence_interval()))


def of_share(successes: int, tries: int) -> IndexEstimate:
    """A share as an index of 0 to 100, known as well as so many tries make it."""
    place = successes / tries
    error = 100 * (max(place * (1 - place), 1e-3) / tries) ** 0.5
    return IndexEstimate(100 * place, error, 1e5, dispersion=1 / tries)


NEWCOMBE = [  # (first share, second share, interval by method 10): Newcombe 1998, table II
    ((56, 70), (48, 80), (0.0524, 0.3339)), ((9, 10), (3, 10), (0.1705, 0.8090)), ((6, 7), (2, 7), (0.0582, 0.8062)),
    ((5, 56), (0, 29), (-0.0381, 0.1926)), ((0, 10), (0, 20), (-0.1611, 0.2775)), ((0, 10), (0, 10), (-0.2775, 0.2775)),
    ((10, 10), (0, 20), (0.6791, 1.0)), ((10, 10), (0, 10), (0.6075, 1.0)),
]  # fmt: skip


def test_differences_of_shares_are_newcombe_s_and_tests_agree_with_them() -> None:
    for first, second, ends in NEWCOMBE:
        found = difference(of_share(*first), of_share(*second))
        low, high = found.interval()
        assert (low / 100, high / 100) == pytest.approx(ends, abs=6e-5)
        turned = difference(of_share(*second), of_share(*first))
        assert turned.interval() == pytest.approx((-high, -low))
        assert (turned.p, turned.equivalent(30)) == pytest.approx((found.p, found.equivalent(30)))
        if found.points:  # an interval of the confidence 1 - p just reaches 0
            assert min(map(abs, found.interval(1 - found.p))) == pytest.approx(0, abs=1e-4)
        else:
            assert found.p == 1
        for margin in (5.0, 30.0, 90.0):
            p = found.equivalent(margin)
            assert (p == 1) is (abs(found.points) >= margin)
            if 1e-9 < p < 0.5:
                least, most = found.interval(1 - 2 * p)
                assert max(-least, most) == pytest.approx(margin, abs=1e-4)


def test_perfect_scores_of_few_runs_are_not_equivalent_within_little() -> None:
    """Both could be as low as their board says."""
    flat = sheets.of(*[[20.0, 20.0]] * 5)
    own = these_scenarios([flat, flat])[0]
    found = difference(own, own)
    assert found.interval().high >= 0.99 * (100 - own.interval().low)
    assert (found.p, found.equivalent(2.0) > 0.05) == (1, True)
    assert power.of_equivalence(found, 2.0) < 0.06


def test_what_both_borrow_from_one_fleet_is_counted_once() -> None:
    alike = IndexEstimate(80, 1, 12, borrowed=1.0, lent_df=12)  # all that is known is one variance
    assert difference(alike, alike).df == pytest.approx(12)
    own = IndexEstimate(80, 1, 12)
    assert difference(own, own).df == pytest.approx(24)
    half = IndexEstimate(80, 1, 12, borrowed=0.5, lent_df=12)
    assert difference(half, half).df == pytest.approx(4 / (2 / 12 + 2 * 0.75 / 12))


def test_pairs_of_scenarios_are_a_paired_t_test() -> None:
    a, b = [[10.0, 11.0], [5.0, 6.0], [14.0, 12.0]], [[7.0, 8.5], [4.0, 4.5], [7.0, 9.0]]
    first, second = sheets.of(*a), sheets.of(*b)
    floor = difference(*(these_scenarios([one])[0] for one in (first, second)))
    made = paired(first, second, floor._replace(se=0.0, testable=True))
    reference = stats.ttest_rel([np.mean(own) for own in a], [np.mean(own) for own in b])
    assert made.p == pytest.approx(reference.pvalue)
    assert made.points == pytest.approx(first.index - second.index)


def test_a_pair_is_never_surer_about_scenarios_like_these_than_about_these() -> None:
    first, second = sheets.of([10.0, 12.0], [8.0, 10.0]), sheets.of([7.0, 9.0], [5.0, 7.0])
    floor = difference(*(these_scenarios([one])[0] for one in (first, second)))
    assert paired(first, second, floor) == floor


def test_every_number_of_a_difference_is_a_plain_float_so_that_json_can_hold_it() -> None:
    first, second = sheets.of([10.0, 14.0, 15.0]), sheets.of([3.0, 7.0, 9.0])  # a stratum of one scenario
    made = paired(first, second, difference(*(these_scenarios([one])[0] for one in (first, second)))._replace(se=0.0))
    interval = made.interval()
    numbers = (made.points, made.se, made.df, made.p, *interval, made.equivalent(2))
    assert {type(number) for number in numbers} == {float}


def test_equivalence_is_two_one_sided_tests_and_no_spread_proves_nothing() -> None:
    for points, error in ((0.4, 0.7), (-1.5, 0.3)):
        found = Difference(points, error, 9.0).equivalent(2.0)
        assert found == pytest.approx(stats.t.sf((2.0 - abs(points)) / error, 9))
    assert Difference(2.4, 0.5, 9.0).equivalent(2.0) == 1
    same = difference(IndexEstimate(80, 0, 1), IndexEstimate(70, 0, 1))
    assert (same.p, same.interval(), same.equivalent(2)) == (1.0, None, 1.0)


def test_adjusted_p_values_are_holm_s_and_benjamini_hochberg_s() -> None:
    p = np.random.default_rng(0).uniform(0, 0.2, 17)
    order = np.argsort(p)
    holm = np.empty(17)
    worst = 0.0
    for place, at in enumerate(order):
        worst = max(worst, min(1.0, (17 - place) * p[at]))
        holm[at] = worst
    assert adjusted(p) == pytest.approx(holm)
    named: dict[int | str, float | None] = {**dict(enumerate(p.tolist())), "untested": None}
    assert adjusted_by_name(named) == dict(enumerate(adjusted(p).tolist()))
    assert adjusted_by_name({"untested": None}) == {}


@pytest.mark.parametrize(("se", "df"), [(0.5, 2), (1.0, 30), (1.4, 12), (0.9, 3.5)])
def test_equal_sides_are_called_equivalent_as_often_as_said(se: float, df: float) -> None:
    rng, draws = np.random.default_rng(3), 40_000
    points, error = rng.normal(0, se, draws), se * np.sqrt(rng.chisquare(df, draws) / df)
    called = np.mean((2.0 - np.abs(points)) / error > stats.t.ppf(0.95, df))
    said = power.of_equivalence(Difference(0.3, se, df), 2.0)
    assert said == pytest.approx(called, abs=4 * np.sqrt(called * (1 - called) / draws) + 1e-4)


def test_where_nothing_can_be_shown_the_power_is_0() -> None:
    assert power.of_equivalence(Difference(0, 50.0, 20), 2.0) < 1e-6
    assert power.of_equivalence(Difference(0, 0.0, 1), 2.0) == 0


def test_equal_sides_with_enough_runs_are_called_equivalent_in_half_of_cases() -> None:
    found = Difference(3.0, 2.0, 40.0)
    runs = power.runs_for_equivalence(found, 5, 2.0)

    def chance(runs: int) -> float:
        return power.of_equivalence(Difference(0.0, 2.0 * (5 / runs) ** 0.5, 8.0 * runs), 2.0)

    assert runs is not None
    assert chance(runs - 1) < 0.5 <= chance(runs)
    assert power.runs_for_equivalence(found, 5, 2.0, level=0.005) > runs
    estimates = [IndexEstimate(at, at / 40, 40.0, 0.2, 30.0, (at / 40) ** 2 / at / (100 - at)) for at in (60, 40)]
    of_sides = power.runs_for_equivalence(difference(*estimates), 5, 2.0)
    assert of_sides is not None
    half = [power.of_equivalence(difference(*estimates).with_runs(runs / 5), 2.0) for runs in (of_sides - 1, of_sides)]
    assert half[0] < 0.5 <= half[1]
    known = Difference(20.0, difference(*estimates).se, 40.0)
    assert of_sides == pytest.approx(power.runs_for_equivalence(known, 5, 2.0), rel=0.05)
    assert power.runs_for_equivalence(Difference(0.0, 2.0, 40.0), 5, 0.01) is None
    assert power.runs_for_equivalence(Difference(0.0, 0.0, 1.0), 5, 2.0) is None


def test_the_first_of_all_pairs_needs_a_larger_difference() -> None:
    assert power.first_level(20) == pytest.approx(0.05 / 190)
    assert power.first_level(1) == 0.05
    fleet = [IndexEstimate(80, 1.5, 1e6)] * 20
    one, first = power.minimum_detectable(fleet), power.minimum_detectable(fleet, level=power.first_level(20))
    own, first_of_all, powered = (NormalDist().inv_cdf(share) for share in (0.975, 1 - 0.025 / 190, 0.8))
    assert first / one == pytest.approx((first_of_all + powered) / (own + powered), rel=1e-4)


def test_a_smallest_difference_is_about_a_subject_that_is_lower_by_so_much() -> None:
    fleet = [IndexEstimate(point, 100 * (0.004 * point / 100 * (1 - point / 100)) ** 0.5, 1e6, dispersion=0.004)
             for point in (70.0, 95.0)]  # fmt: skip
    points, seen = power.minimum_detectable(fleet), []
    for own in fleet:
        other = own._replace(point=own.point - points)
        errors, _ = difference(own, other).reached(-points)
        seen.append(NormalDist().cdf(errors - NormalDist().inv_cdf(0.975)))
    assert np.mean(seen) == pytest.approx(0.8, abs=1e-3)
    assert seen[1] > seen[0]


def test_the_smallest_difference_has_the_power_it_claims() -> None:
    estimates = [IndexEstimate(80, 1.5, 20)] * 2
    apart = minimum_detectable(estimates)
    rng = np.random.default_rng(2)
    se = 1.5 * np.sqrt(rng.chisquare(20, (20_000, 2)) / 20)
    seen = apart + rng.normal(0, 1.5, 20_000) - rng.normal(0, 1.5, 20_000)
    joint = np.sqrt((se**2).sum(axis=1))
    df = (se**2).sum(axis=1) ** 2 / (se**4 / 20).sum(axis=1)
    found = np.abs(seen) / joint > stats.t.ppf(0.975, df)
    assert found.mean() == pytest.approx(0.8, abs=0.02)
    assert minimum_detectable(estimates[:1]) is None


def test_without_a_difference_on_the_scale_that_could_be_seen_there_is_none() -> None:
    assert power.minimum_detectable([IndexEstimate(50.0, 60.0, 2)] * 3) is None
    assert power.minimum_detectable([IndexEstimate(50.0, 1.0, 9)]) is None
    assert power.minimum_detectable([IndexEstimate(50.0, 0.0, 1)] * 3) is None
