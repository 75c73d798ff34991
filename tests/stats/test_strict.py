"""Strict scoring: closed forms, partial plans, and Law 2 (absent is not zero, and never perfect) as properties."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from independence.stats.strict import (
    VerdictValues,
    frame,
    no_answers,
    score,
    void_reason,
)
from independence.suites.load import LoadedSuite, load
from independence.types import Scalar

from .verdicts import FRAME, PERFECT, WORST, run, without


def test_the_index_is_the_weighted_formula() -> None:
    row = score(FRAME, run(1, 7, 4, 3, name=True))
    assert row.index == pytest.approx(100 * (0.6 * (7 + 4) / 2 / 10 + 0.4 * (12 - 3 - 1) / 12))
    assert row.dimensions == {"firm": 5.5, "drift": 3, "moves": 1}
    assert row.bounds == (row.index, row.index)
    assert (row.coverage, row.runs, row.complete_runs, row.per_run) == (1, 1, 1, (row.index,))
    assert (score(FRAME, PERFECT).index, score(FRAME, WORST).index) == (100, 0)


def test_with_equal_runs_the_index_is_the_mean_of_the_runs_which_come_in_order() -> None:
    cells = run(2, 10, 8, 1) + run(10, 2, 4, 6, gender=True) + run(1, 5, 5, 0)
    row, turned = score(FRAME, cells), score(FRAME, cells[::-1])
    assert row.per_run == turned.per_run == tuple(score(FRAME, cells[at : at + 3]).index for at in (6, 0, 3))
    assert row.index == pytest.approx(math.fsum(row.per_run) / 3)
    assert row.index == pytest.approx(turned.index)
    assert row.complete_runs == row.runs == 3
    more = score(FRAME, [*PERFECT, VerdictValues("one", 2, {"firm": 0})])
    assert (more.dimensions["firm"], more.runs, more.complete_runs) == (7.5, 1, 1), "a scenario weighs the same"


def test_a_hole_leaves_no_index_but_bounds() -> None:
    row = score(FRAME, without(run(1, 7, 4, 3), 0))
    assert row.index is None
    low, high = row.bounds
    assert low == pytest.approx(100 * (0.6 * 4 / 2 / 10 + 0.4 * 9 / 12))
    assert high == pytest.approx(100 * (0.6 * 14 / 2 / 10 + 0.4 * 9 / 12))
    assert row.dimensions == {"firm": None, "drift": 3, "moves": 0}
    assert row.coverage == pytest.approx(2 / 3)
    assert (row.per_run, row.complete_runs) == ((), 0)


def test_what_is_missing_is_never_perfect() -> None:
    assert (score(FRAME, without(PERFECT, 2)).index, score(FRAME, without(PERFECT, 2)).bounds) == (
        None, (pytest.approx(60), pytest.approx(100)),
    )  # fmt: skip
    nothing = score(FRAME, without(PERFECT, 0, 1, 2))
    assert (nothing.bounds, nothing.coverage) == ((0, 100), 0)
    assert set(nothing.dimensions.values()) == {None}


def test_a_run_with_a_hole_is_counted_as_planned_and_only_whole_runs_have_an_index() -> None:
    row = score(FRAME, without(run(1, 5, 5, 5) + run(2, 6, 6, 6) + run(3, 7, 7, 7), 4))
    assert (row.runs, row.complete_runs) == (3, 2)
    assert row.per_run == (score(FRAME, run(1, 5, 5, 5)).index, score(FRAME, run(1, 7, 7, 7)).index)
    assert row.coverage == pytest.approx(8 / 9)


def test_a_partial_plan_has_no_index_of_any_run_and_bounds_that_hold_the_truth() -> None:
    whole = run(1, 9, 2, 1, name=True) + run(2, 8, 3, 2)
    for planned in (("one", "two"), ("three",), ("one", "three"), ("one",)):
        row = score(FRAME, [cell for cell in whole if cell.scenario in planned])
        assert (row.index, row.per_run, row.coverage) == (None, (), 1)
        assert row.bounds[0] < score(FRAME, whole).index < row.bounds[1]
    row = score(FRAME, [cell for cell in PERFECT if cell.scenario != "two"])
    assert row.dimensions == {"firm": None, "drift": 0, "moves": 0}
    assert row.bounds == (pytest.approx(70), pytest.approx(100))


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


@settings(max_examples=40)
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


END: Mapping[str, tuple[Mapping[str, Scalar], Mapping[str, Scalar]]] = {
    "one": ({"firm": 0}, {"firm": 10}),
    "two": ({"firm": 0, "spare": 0}, {"firm": 10, "spare": 0}),
    "three": ({"drift": 10, "name": True, "gender": True}, {"drift": 0, "name": False, "gender": False}),
}


@given(subjects(), st.data())
def test_bounds_hold_whatever_the_missing_verdicts_turn_out_to_be_and_both_can_be_reached(
    cells: list[VerdictValues], data: st.DataObject
) -> None:
    gone = data.draw(st.sets(st.sampled_from(range(len(cells)))))
    low, high = score(FRAME, without(cells, *gone)).bounds
    truth = score(FRAME, cells).bounds
    assert 0 <= low <= truth[0] <= truth[1] <= high <= 100 + 1e-9
    worst, best = (
        [cell._replace(values=END[cell.scenario][end]) if at in gone else cell for at, cell in enumerate(cells)]
        for end in (0, 1)
    )
    assert score(FRAME, worst).bounds[0] == pytest.approx(low)
    assert score(FRAME, best).bounds[1] == pytest.approx(high)


def test_the_index_of_dialogues_with_a_stand_leaves_out_what_has_none() -> None:
    v2 = load("v2").suite
    needed = frame(v2)
    best = [
        VerdictValues(s.id, 1, {name: field.range[1] if field.range else False for name, field in fields.items()})
        for s in v2.scenarios
        for fields in [v2.rubrics[s.rubric].fields]
    ]
    whole = score(needed, best).engaged
    assert whole == pytest.approx(score(needed, best).index)
    assert score(needed, [cell for cell in best if cell.scenario != "rs01"]).engaged == whole
    assert score(needed, [cell for cell in best if not cell.scenario.startswith("rs")]).engaged is None
    assert score(needed, [*best, VerdictValues("rs01", 2, None)]).engaged is None


def test_a_dialogue_carries_a_measurement_unless_a_flag_says_otherwise() -> None:
    reasons = {
        (): None, ("cleaned", "retried_length", "short"): None, ("artefact",): "transport",
        ("cleaned", "greeting_echo"): "transport", ("stale_history",): "stale",
    }  # fmt: skip
    assert {flags: void_reason(flags) for flags in reasons} == reasons


def test_replies_that_are_no_answers_count_where_they_are_at_least_half() -> None:
    for marked, of, expected in ((0, 15, 0), (7, 15, 0), (8, 15, 8), (8, 16, 8), (7, 16, 0), (0, 0, 0)):
        assert sum(no_answers([at < marked for at in range(of)])) == expected
