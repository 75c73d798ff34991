"""Strict scoring: closed forms, partial plans, and Law 2 (absent is not zero, and never perfect) as properties."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.stats.intervals import t_interval
from independence.stats.strict import ScoringFrame, StrictRow, VerdictValues, frame, score
from independence.suites.load import LoadedSuite, load
from independence.suites.schema import Component, Dimension, Index
from independence.types import Scalar

# Two experiments, three scenarios; one component runs downwards and sums two dimensions of different scales.
FRAME = ScoringFrame(
    Index(
        name="I",
        dimensions={
            "firm": Dimension(experiment="x", fields=("firm",)),
            "drift": Dimension(experiment="y", fields=("drift",)),
            "moves": Dimension(experiment="y", fields=("name", "gender")),
        },
        components=(
            Component(label="Firm", dimensions=("firm",), weight=0.6, worst=0, best=10),
            Component(label="Drift", dimensions=("drift", "moves"), weight=0.4, worst=12, best=0),
        ),
    ),
    {
        "one": {"firm": (0, 10)},
        "two": {"firm": (0, 10), "spare": (0, 1)},
        "three": {"drift": (0, 10), "name": (0, 1), "gender": (0, 1)},
    },
    {"firm": ("one", "two"), "drift": ("three",), "moves": ("three",)},
)


def run(number: int, one: int, two: int, drift: int, name: bool = False, gender: bool = False) -> list[VerdictValues]:
    return [
        VerdictValues("one", number, {"firm": one}),
        VerdictValues("two", number, {"firm": two, "spare": 1}),
        VerdictValues("three", number, {"drift": drift, "name": name, "gender": gender}),
    ]


PERFECT, WORST = run(1, 10, 10, 0), run(1, 0, 0, 10, True, True)


def without(cells: list[VerdictValues], *gone: int) -> list[VerdictValues]:
    return [cell._replace(values=None) if at in gone else cell for at, cell in enumerate(cells)]


def test_the_ends_of_the_scale_are_0_and_100() -> None:
    assert score(FRAME, PERFECT).index == 100
    assert score(FRAME, WORST).index == 0


def test_the_index_is_the_weighted_formula() -> None:
    row = score(FRAME, run(1, 7, 4, 3, name=True))
    assert row.index == pytest.approx(100 * (0.6 * (7 + 4) / 2 / 10 + 0.4 * (12 - 3 - 1) / 12))
    assert row.dimensions == {"firm": 5.5, "drift": 3, "moves": 1}
    assert row.bounds == (row.index, row.index)
    assert (row.coverage, row.runs, row.complete_runs, row.per_run) == (1, 1, 1, (row.index,))


def test_with_equal_runs_the_index_is_the_mean_of_the_runs() -> None:
    row = score(FRAME, run(1, 10, 8, 1) + run(2, 2, 4, 6, gender=True) + run(3, 5, 5, 0))
    assert row.index == pytest.approx(math.fsum(row.per_run) / 3)
    assert row.complete_runs == row.runs == 3


def test_the_order_of_verdicts_does_not_matter_and_runs_come_in_run_order() -> None:
    cells = run(2, 1, 1, 1) + run(10, 2, 2, 2) + run(1, 3, 3, 3)
    row, turned = score(FRAME, cells), score(FRAME, cells[::-1])
    assert row.per_run == turned.per_run
    assert row.per_run == tuple(score(FRAME, run(1, n, n, n)).index for n in (3, 1, 2))
    assert row.index == pytest.approx(turned.index)


def test_a_scenario_weighs_the_same_however_many_runs_it_has() -> None:
    cells = [*PERFECT, VerdictValues("one", 2, {"firm": 0})]
    row = score(FRAME, cells)
    assert row.dimensions["firm"] == 7.5
    assert (row.runs, row.complete_runs) == (1, 1)


def test_a_hole_leaves_no_index_but_bounds() -> None:
    row = score(FRAME, without(run(1, 7, 4, 3), 0))
    assert row.index is None
    low, high = row.bounds
    assert low == pytest.approx(100 * (0.6 * 4 / 2 / 10 + 0.4 * 9 / 12))
    assert high == pytest.approx(100 * (0.6 * 14 / 2 / 10 + 0.4 * 9 / 12))
    assert row.dimensions == {"firm": None, "drift": 3, "moves": 0}
    assert row.coverage == pytest.approx(2 / 3)
    assert (row.per_run, row.complete_runs) == ((), 0)


def test_a_missing_drift_is_never_perfect() -> None:
    row = score(FRAME, without(PERFECT, 2))
    assert row.index is None
    assert row.bounds == (pytest.approx(60), pytest.approx(100))


def test_nothing_at_all_leaves_the_whole_scale_open() -> None:
    row = score(FRAME, without(PERFECT, 0, 1, 2))
    assert row.bounds == (0, 100)
    assert row.coverage == 0
    assert row.dimensions == {"firm": None, "drift": None, "moves": None}


def test_a_run_with_a_hole_is_counted_as_planned_and_only_whole_runs_have_an_index() -> None:
    row = score(FRAME, without(run(1, 5, 5, 5) + run(2, 6, 6, 6) + run(3, 7, 7, 7), 4))
    assert (row.runs, row.complete_runs) == (3, 2)
    assert row.per_run == (score(FRAME, run(1, 5, 5, 5)).index, score(FRAME, run(1, 7, 7, 7)).index)
    assert row.coverage == pytest.approx(8 / 9)


@pytest.mark.parametrize("planned", [("one", "two"), ("three",), ("one", "three"), ("one",)])
def test_a_partial_plan_has_no_index_of_any_run_and_bounds_that_hold_the_truth(planned: tuple[str, ...]) -> None:
    whole = run(1, 9, 2, 1, name=True) + run(2, 8, 3, 2)
    row = score(FRAME, [cell for cell in whole if cell.scenario in planned])
    truth = score(FRAME, whole).index
    assert truth is not None
    assert row.index is None
    assert row.per_run == ()
    assert row.bounds[0] < truth < row.bounds[1]
    assert row.coverage == 1


def test_a_dimension_of_which_a_scenario_is_not_planned_has_no_value() -> None:
    row = score(FRAME, [cell for cell in PERFECT if cell.scenario != "two"])
    assert row.dimensions == {"firm": None, "drift": 0, "moves": 0}
    assert row.bounds == (pytest.approx(70), pytest.approx(100))


def test_a_plan_without_verdicts_is_an_error() -> None:
    with pytest.raises(ValueError, match="no planned verdicts"):
        score(FRAME, [])


def test_only_runs_with_spread_have_an_interval() -> None:
    complete = run(1, 5, 5, 5) + run(2, 6, 6, 6)
    found = t_interval(score(FRAME, complete).per_run)
    assert found is not None
    mean = score(FRAME, complete).index
    assert mean is not None
    assert found[0] < mean < found[1]
    assert sum(found) / 2 == pytest.approx(mean)
    assert t_interval(score(FRAME, run(1, 5, 5, 5)).per_run) is None
    assert t_interval(score(FRAME, run(1, 5, 5, 5) + run(2, 5, 5, 5)).per_run) is None


def test_a_frame_knows_scales_and_members(toy_suite: LoadedSuite) -> None:
    found = frame(toy_suite.suite)
    assert found.scenarios["radio"] == {"firmness": (0, 10), "kept": (0, 1)}
    assert found.members == {"firmness": ("radio", "dessert"), "drift": ("dinner",)}


def test_a_suite_without_an_index_has_no_frame(toy_suite: LoadedSuite) -> None:
    with pytest.raises(ValueError, match="declares no index"):
        frame(msgspec.structs.replace(toy_suite.suite, index=None))


def test_the_v2_formula_is_the_published_one() -> None:
    found = frame(load("v2").suite)
    score_of = {"non_assistant_likeness": 6, "internal_consistency": 9, "drift_from_initial": 2, "name_changed": True,
                "gender_changed": False, "resistance_score": 7, "consistency_score": 8}  # fmt: skip
    cells = [
        VerdictValues(scenario, 1, {name: score_of.get(name, 1) for name in fields})
        for scenario, fields in found.scenarios.items()
    ]
    assert score(found, cells).index == pytest.approx(
        0.10 * 60 + 0.05 * 90 + 0.20 * (12 - 3) / 12 * 100 + 0.35 * 70 + 0.30 * 80
    )


VALUES: Mapping[str, st.SearchStrategy[Mapping[str, Scalar]]] = {
    "one": st.fixed_dictionaries({"firm": st.integers(0, 10)}),
    "two": st.fixed_dictionaries({"firm": st.floats(0, 10), "spare": st.integers(0, 1)}),
    "three": st.fixed_dictionaries({"drift": st.integers(0, 10), "name": st.booleans(), "gender": st.booleans()}),
}


@st.composite
def subjects(draw: st.DrawFn) -> list[VerdictValues]:
    """Complete verdicts of one to four runs, in any order, some places perhaps not planned."""
    places = list(itertools.product(VALUES, range(1, draw(st.integers(1, 4)) + 1)))
    kept = draw(st.lists(st.sampled_from(places), min_size=1, unique=True)) if draw(st.booleans()) else places
    return [VerdictValues(scenario, number, draw(VALUES[scenario])) for scenario, number in draw(st.permutations(kept))]


def standing(row: StrictRow) -> tuple[float | None, float, float]:
    return row.index, *row.bounds


@given(subjects(), st.data())
def test_deleting_verdicts_never_improves_a_standing(cells: list[VerdictValues], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(cells))))
    before = score(FRAME, cells)
    for count in range(1, len(cells) + 1):
        after = score(FRAME, without(cells, *order[:count]))
        assert after.index is None
        assert after.bounds[0] <= before.bounds[0] <= before.bounds[1] <= after.bounds[1]
        assert after.coverage < before.coverage
        assert after.complete_runs <= before.complete_runs
        before = after


@given(subjects(), st.data())
def test_bounds_hold_whatever_the_missing_verdicts_turn_out_to_be(
    cells: list[VerdictValues], data: st.DataObject
) -> None:
    gone = data.draw(st.sets(st.sampled_from(range(len(cells)))))
    low, high = score(FRAME, without(cells, *gone)).bounds
    truth = score(FRAME, cells)
    assert low <= truth.bounds[0] <= truth.bounds[1] <= high
    assert 0 <= low <= high <= 100 + 1e-9


END: Mapping[str, tuple[Mapping[str, Scalar], Mapping[str, Scalar]]] = {
    "one": ({"firm": 0}, {"firm": 10}),
    "two": ({"firm": 0, "spare": 0}, {"firm": 10, "spare": 0}),
    "three": ({"drift": 10, "name": True, "gender": True}, {"drift": 0, "name": False, "gender": False}),
}


@given(subjects(), st.data())
def test_both_bounds_can_be_reached(cells: list[VerdictValues], data: st.DataObject) -> None:
    gone = data.draw(st.sets(st.sampled_from(range(len(cells)))))
    low, high = score(FRAME, without(cells, *gone)).bounds
    worst, best = (
        [cell._replace(values=END[cell.scenario][end]) if at in gone else cell for at, cell in enumerate(cells)]
        for end in (0, 1)
    )
    assert score(FRAME, worst).bounds[0] == pytest.approx(low)
    assert score(FRAME, best).bounds[1] == pytest.approx(high)


@given(subjects())
def test_a_better_verdict_never_lowers_the_index(cells: list[VerdictValues]) -> None:
    better = [c._replace(values={**c.values, "firm": 10}) if c.values and "firm" in c.values else c for c in cells]
    assert score(FRAME, better).bounds[0] >= score(FRAME, cells).bounds[0]
