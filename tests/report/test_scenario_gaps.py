from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from independence.report import subject_comparison
from independence.types import Condition

from .filled import Scores, Toy
from .test_subject_comparison import HIGH, LOW


def own_error(runs: list[Scores]) -> float:
    """Squared error of the index of the toy suite: what radio, dessert and dinner (drift) add in points of it."""
    points = np.array(runs) * [75 / 10 / 2, 75 / 10 / 2, 25 / 10]
    return float((points.var(axis=0, ddof=1) / len(points)).sum())


def test_scenarios_come_in_the_suites_order_and_add_up_to_the_difference(toy: Toy) -> None:
    toy.complete("a", HIGH)
    toy.complete("b", LOW)
    first, second = toy.side("a"), toy.side("b")
    found = subject_comparison.items(first, second)
    whole = subject_comparison.gap(first, second)
    assert whole is not None
    assert [item.scenario for item in found] == ["dinner", "radio", "dessert"]
    assert sum(item.points for item in found if item.points) == pytest.approx(whole.these.points)


def test_a_share_is_where_the_mean_lies_between_the_worst_and_the_best_end(toy: Toy) -> None:
    toy.complete("a", HIGH)
    toy.complete("b", LOW)
    found = subject_comparison.items(toy.side("a"), toy.side("b"))
    by_scenario = {item.scenario: (item.first, item.second) for item in found}
    assert by_scenario["radio"] == (pytest.approx(0.9), pytest.approx(0.55))
    assert by_scenario["dinner"] == (pytest.approx(0.9), pytest.approx(0.55))  # drift: least is best


def test_without_a_fleet_a_scenario_is_tested_as_welch_did(toy: Toy) -> None:
    """A subject under two conditions, alone in each: nothing moderates."""
    toy.complete("a", HIGH)
    toy.complete("a", [(r, 5, 5) for r, _, _ in LOW], judge="other")
    first, second = toy.side("a"), toy.side("a", "other")
    independent = subject_comparison.ComparedSubject(
        second.study._replace(scope=second.study.scope.under(Condition("firm", "user_role"))), "a"
    )
    (radio,) = (item for item in subject_comparison.items(first, independent) if item.scenario == "radio")
    welch = stats.ttest_ind([run[0] for run in HIGH], [run[0] for run in LOW], equal_var=False)
    assert radio.gap is not None
    assert radio.gap.p == pytest.approx(welch.pvalue)
    errors = [item.gap.se**2 for item in subject_comparison.items(first, independent) if item.gap]
    assert sum(errors) == pytest.approx(own_error(HIGH) + own_error([(r, 5, 5) for r, _, _ in LOW]))


def test_judges_on_the_same_replies_are_compared_run_by_run(toy: Toy) -> None:
    strict: list[Scores] = [(7, 8, 1), (7, 9, 2), (8, 7, 1), (8, 9, 0)]
    toy.complete("a", HIGH)
    toy.complete("a", strict, judge="strict")
    found = subject_comparison.items(toy.side("a"), toy.side("a", "strict"))
    gaps = {item.scenario: item.gap for item in found}
    paired = stats.ttest_rel([run[0] for run in HIGH], [run[0] for run in strict])
    assert gaps["radio"] is not None
    assert gaps["radio"].p == pytest.approx(paired.pvalue)
    assert gaps["dessert"] is not None
    assert gaps["dessert"].interval() is None


def test_what_two_judges_differ_by_adds_up_over_scenarios_too(toy: Toy) -> None:
    mild: list[Scores] = [(10, 9, 0), (9, 10, 1), (10, 10, 1), (10, 9, 0)]
    for config, runs in (("a", HIGH), ("b", LOW)):
        toy.complete(config, runs)
        toy.complete(config, mild, judge="mild")
    first, second = toy.side("a"), toy.side("a", "mild")
    found, whole = subject_comparison.items(first, second), subject_comparison.gap(first, second)
    assert whole is not None
    assert sum(item.points for item in found if item.points) == pytest.approx(whole.these.points)


def test_an_incomplete_side_still_has_the_scenarios_that_are_whole(toy: Toy) -> None:
    toy.complete("a", HIGH)
    toy.complete("holed", [(5, None, 4), (7, 3, 5), (4, 5, 3), (6, 6, 6)])
    found = subject_comparison.items(toy.side("a"), toy.side("holed"))
    by_scenario = {item.scenario: item for item in found}
    hole = by_scenario["dessert"]
    assert (hole.second, hole.points, hole.gap) == (None, None, None)
    assert hole.first is not None
    radio = by_scenario["radio"]
    assert radio.points == pytest.approx(100 * 0.75 / 2 / 10 * (9 - 5.5))
    assert radio.gap is not None
    assert radio.gap.p < 0.05


def test_a_scenario_of_one_run_has_points_and_no_interval(toy: Toy) -> None:
    toy.complete("a", HIGH)
    toy.complete("once", LOW[:1])
    found = subject_comparison.items(toy.side("a"), toy.side("once"))
    assert all(item.gap is None for item in found)
    assert np.isfinite([item.points for item in found if item.points is not None]).sum() == 3
