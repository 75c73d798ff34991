from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.stats.allocation import RepeatedScenario, allocate, least_calls

UNITS = {"loud": RepeatedScenario(9.0, 2), "quiet": RepeatedScenario(0.25, 2), "dear": RepeatedScenario(9.0, 8)}


def calls(runs: dict[str, int], units: dict[str, RepeatedScenario] = UNITS) -> int:
    return sum(units[name].calls * count for name, count in runs.items())


def variance(runs: dict[str, int], units: dict[str, RepeatedScenario] = UNITS) -> float:
    return sum(units[name].variance / count for name, count in runs.items())


def test_calls_go_where_the_noise_is_and_where_they_are_cheap() -> None:
    runs = allocate(UNITS, 120)
    assert runs["loud"] > runs["dear"] > runs["quiet"] >= 2
    assert runs["loud"] == pytest.approx(2 * runs["dear"], abs=4)  # in proportion to 1 / sqrt(calls)


@pytest.mark.parametrize("budget", [24, 77])
def test_no_other_plan_for_the_calls_is_much_better(budget: int) -> None:
    runs = allocate(UNITS, budget)
    assert calls(runs) <= budget
    best = min(
        variance(plan)
        for counts in itertools.product(range(2, 30), range(2, 30), range(2, 12))
        if calls(plan := dict(zip(UNITS, counts, strict=True))) <= budget
    )
    assert variance(runs) <= best * 1.06


def test_a_plan_is_left_as_it_is_when_asked_for_again_and_what_is_planned_is_kept() -> None:
    runs = allocate(UNITS, 120)
    assert allocate(UNITS | {"quiet": RepeatedScenario(100.0, 2)}, 120, runs) == runs
    more = allocate(UNITS, 200, {"quiet": 12})
    assert (more["quiet"], more["loud"] > 2) == (12, True)


def test_fewer_calls_than_the_smallest_plan_takes_are_refused() -> None:
    assert least_calls(UNITS, {}) == 24
    assert allocate(UNITS, 24) == dict.fromkeys(UNITS, 2)
    with pytest.raises(ValueError, match="23 calls are fewer than the 24"):
        allocate(UNITS, 23)
    with pytest.raises(ValueError, match="35 calls are fewer than the 36"):
        allocate(UNITS, 35, floor=3)


def test_a_scenario_never_has_more_runs_than_the_one_it_continues() -> None:
    units = {
        "stem": RepeatedScenario(0.1, 2),
        "next": RepeatedScenario(9.0, 2, "stem"),
        "last": RepeatedScenario(9.0, 2, "next"),
        "other": RepeatedScenario(4.0, 2),
    }
    runs = allocate(units, 90)
    assert runs["stem"] >= runs["next"] >= runs["last"] >= 2
    assert calls(runs, units) <= 90
    assert runs["next"] > 5


@given(
    st.dictionaries(
        st.text("abc", min_size=1), st.tuples(st.floats(0.01, 50), st.integers(1, 9)), min_size=1, max_size=6
    ),
    st.integers(0, 300),
)
def test_a_plan_keeps_its_budget_and_leaves_no_affordable_run_unbought(
    drawn: dict[str, tuple[float, int]], extra: int
) -> None:
    units = {name: RepeatedScenario(*pair) for name, pair in drawn.items()}
    budget = least_calls(units, {}) + extra
    runs = allocate(units, budget)
    left = budget - calls(runs, units)
    assert 0 <= left < min(unit.calls for unit in units.values())
