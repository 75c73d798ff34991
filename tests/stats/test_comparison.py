from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from independence.stats.comparison import adjusted, adjusted_by_name, difference, paired
from independence.stats.index_uncertainty import IndexEstimate, these_scenarios
from tests.stats import sheets


def test_a_difference_is_welch_s() -> None:
    a, b = [10.0, 12.0, 11.0, 15.0], [3.0, 7.0, 8.0]
    first, second = (IndexEstimate(float(np.mean(own)), float(stats.sem(own)), len(own) - 1) for own in (a, b))
    made = difference(first, second)
    welch = stats.ttest_ind(a, b, equal_var=False)
    assert made.p == pytest.approx(welch.pvalue)
    assert made.interval() == pytest.approx(tuple(welch.confidence_interval()))


def test_what_both_borrow_from_one_fleet_is_counted_once() -> None:
    alike = IndexEstimate(80, 1, 12, borrowed=1.0, fleet_df=12)  # all that is known is one variance
    assert difference(alike, alike).df == pytest.approx(12)
    own = IndexEstimate(80, 1, 12)
    assert difference(own, own).df == pytest.approx(24)
    half = IndexEstimate(80, 1, 12, borrowed=0.5, fleet_df=12)
    assert difference(half, half).df == pytest.approx(4 / (2 / 12 + 2 * 0.75 / 12))


def test_pairs_of_scenarios_are_a_paired_t_test() -> None:
    a, b = [[10.0, 11.0], [5.0, 6.0], [14.0, 12.0]], [[7.0, 8.5], [4.0, 4.5], [7.0, 9.0]]
    first, second = sheets.of(*a), sheets.of(*b)
    floor = difference(*(these_scenarios([one])[0] for one in (first, second)))
    made = paired(first, second, floor._replace(se=0.0))
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
    assert interval is not None
    numbers = (*made, made.p, *interval, made.equivalent(2))
    assert {type(number) for number in numbers} == {float}


def test_equivalence_needs_both_sides_within_the_margin() -> None:
    near, far = IndexEstimate(80, 0.4, 30), IndexEstimate(83, 0.4, 30)
    assert difference(near, IndexEstimate(80.2, 0.4, 30)).equivalent(2) < 0.05
    assert difference(near, far).equivalent(2) > 0.5
    assert difference(near, IndexEstimate(80, 4, 30)).equivalent(2) > 0.05


def test_no_spread_proves_nothing() -> None:
    same = difference(IndexEstimate(80, 0, 1), IndexEstimate(70, 0, 1))
    assert (same.p, same.interval(), same.equivalent(2)) == (1.0, None, 1.0)


@pytest.mark.parametrize("seed", range(5))
def test_adjusted_p_values_are_holm_s_and_benjamini_hochberg_s(seed: int) -> None:
    p = np.random.default_rng(seed).uniform(0, 0.2, 17)
    assert adjusted(p, "bh") == pytest.approx(stats.false_discovery_control(p))
    order = np.argsort(p)
    holm = np.empty(17)
    worst = 0.0
    for place, at in enumerate(order):
        worst = max(worst, min(1.0, (17 - place) * p[at]))
        holm[at] = worst
    assert adjusted(p, "holm") == pytest.approx(holm)
    assert adjusted(p, "none").tolist() == p.tolist()
    named: dict[int | str, float | None] = {**dict(enumerate(p.tolist())), "untested": None}
    assert adjusted_by_name(named, "holm") == dict(enumerate(adjusted(p, "holm").tolist()))
    assert adjusted_by_name({"untested": None}, "holm") == {}
