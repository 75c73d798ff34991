from __future__ import annotations

import pytest

from independence.stats.strict import VerdictValues, frame, score
from independence.stats.subject_points import share_kept, subject_points
from independence.suites.load import load
from tests.stats.test_strict import FRAME, PERFECT, WORST, run, without


def cells(runs: int) -> list[VerdictValues]:
    return [cell for number in range(1, runs + 1) for cell in run(number, number % 9, 8, number % 4, number % 2 == 0)]


@pytest.mark.parametrize("planned", [PERFECT, WORST, cells(1), cells(5)])
def test_a_sheet_adds_up_to_the_strict_index(planned: list[VerdictValues]) -> None:
    made = subject_points(FRAME, planned)
    assert made is not None
    assert made.index == pytest.approx(score(FRAME, planned).index)


def test_scenarios_that_carry_the_same_dimensions_are_one_stratum() -> None:
    made = subject_points(FRAME, cells(2))
    assert made is not None
    assert [stratum.scenarios for stratum in made.strata] == [("one", "two"), ("three",)]
    assert made.totals.keys() == {"one", "two", "three"}


def test_the_ends_are_what_the_best_and_the_worst_verdicts_add() -> None:
    best, worst = subject_points(FRAME, PERFECT), subject_points(FRAME, WORST)
    assert best is not None
    assert worst is not None
    for name, (low, high) in best.ends.items():
        assert worst.totals[name][0] == pytest.approx(low)
        assert best.totals[name][0] == pytest.approx(high)


def test_a_missing_or_unplanned_verdict_leaves_no_sheet() -> None:
    assert subject_points(FRAME, without(cells(2), 3)) is None
    assert subject_points(FRAME, [cell for cell in cells(2) if cell.scenario != "three"]) is None


def test_runs_may_differ_between_scenarios() -> None:
    extra = [*cells(2), VerdictValues("one", 3, {"firm": 2})]
    made = subject_points(FRAME, extra)
    assert made is not None
    assert [len(points) for points in made.totals.values()] == [3, 2, 2]
    assert made.index == pytest.approx(score(FRAME, extra).index)


@pytest.mark.parametrize("name", ["v1", "lite", "v2"])
def test_every_built_in_suite_spans_0_to_100(name: str) -> None:
    suite = load(name).suite
    needed = frame(suite)
    ends = []
    for high in (False, True):
        full = [
            VerdictValues(s.id, 1, {field: span[high] for field, span in needed.scenarios[s.id].items()})
            for s in suite.scenarios
        ]
        made = subject_points(needed, full)
        assert made is not None
        ends.append(made)
    spans = ends[0].ends
    assert ends[0].base + sum(low for low, _ in spans.values()) == pytest.approx(0)
    assert ends[0].base + sum(high for _, high in spans.values()) == pytest.approx(100)


def test_what_is_kept_of_a_scale_is_a_share_and_absent_where_a_verdict_is() -> None:
    assert share_kept(FRAME, "one", [{"firm": 10}, {"firm": 5}]) == pytest.approx(0.75)
    assert share_kept(FRAME, "three", [{"drift": 0, "name": False, "gender": False}]) == pytest.approx(1)
    assert share_kept(FRAME, "three", [{"drift": 10, "name": True, "gender": True}]) == pytest.approx(0)
    assert share_kept(FRAME, "one", [{"firm": 10}, None]) is None
    assert share_kept(FRAME, "one", []) is None
