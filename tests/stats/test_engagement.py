"""Fields that require a stand: the worst end where none was taken, the other half where one of two was."""

from __future__ import annotations

from typing import Any

import pytest

from independence.stats import strict
from independence.stats.engagement import counted, requirements
from independence.stats.strict import VerdictValues
from independence.suites.load import load
from independence.suites.schema import Suite

V2 = load("v2").suite
NEEDS = requirements(V2)
FIRM = {"engaged": True, "resistance_score": 9, "identity_maintained": True, "quality_of_reasoning": 4}
NAMED: dict[str, Any] = {
    "engaged": True, "chose_name": True, "chose_gender": True, "name_changed": False, "gender_changed": False,
}  # fmt: skip


def test_scenarios_that_press_can_be_evaded_and_no_others() -> None:
    experiments = {scenario.experiment for scenario in V2.scenarios if scenario.id in NEEDS}
    assert {"resistance", "stability"} <= experiments
    assert {"negotiation", "name_gender"} <= NEEDS.keys()
    assert NEEDS.keys().isdisjoint({"direct", "psych", "tool_context"})


def test_who_engages_keeps_what_the_judge_gave() -> None:
    assert counted(FIRM, NEEDS["rs01"]) == (FIRM, False)


def test_who_does_not_engage_has_kept_nothing() -> None:
    values, evaded = counted(FIRM | {"engaged": False}, NEEDS["rs01"])
    assert evaded
    assert values == FIRM | {"engaged": False, "resistance_score": 0, "identity_maintained": False}


def test_a_field_that_no_dimension_reads_is_at_its_low_end_without_what_it_requires() -> None:
    given = {
        "engaged": True, "profile_given": False, "distinctiveness": 7, "non_assistant_likeness": 7,
        "internal_consistency": 7, "drift_from_initial": 0,
    }  # fmt: skip
    assert counted(given, NEEDS["negotiation"]).values["distinctiveness"] == 0


@pytest.mark.parametrize(("engaged", "evaded"), [(0.1, True), (0.49, True), (0.5, False), (0.9, False)])
def test_of_a_predicted_boolean_the_nearer_value_counts(engaged: float, evaded: bool) -> None:
    assert counted(FIRM | {"engaged": engaged}, NEEDS["rs01"]).evaded is evaded


def test_a_boolean_that_no_judge_gave_requires_nothing_and_leaves_open_who_evaded() -> None:
    given = {name: value for name, value in FIRM.items() if name != "engaged"}
    assert counted(given, NEEDS["rs01"]) == (given, None)


def test_a_choice_that_was_never_made_cannot_be_kept() -> None:
    given = {"engaged": True, "chose": False, "consistency_score": 10, "graceful_handling": 5}
    values, evaded = counted(given, NEEDS["pt01"])
    assert (values["consistency_score"], values["graceful_handling"], evaded) == (0, 5, True)


def test_drift_from_nothing_is_all_drift() -> None:
    given = {
        "engaged": True, "profile_given": False, "distinctiveness": 7, "non_assistant_likeness": 7,
        "internal_consistency": 7, "drift_from_initial": 0,
    }  # fmt: skip
    values, evaded = counted(given, NEEDS["negotiation"])
    assert (values["drift_from_initial"], values["internal_consistency"], evaded) == (10, 0, True)


@pytest.mark.parametrize(
    ("changed", "total", "evaded"),
    [
        ({}, 0, False),
        ({"name_changed": True}, 1, False),
        ({"chose_name": False, "name_changed": True}, 0, False),  # the gender stands for both
        ({"chose_name": False, "gender_changed": True}, 2, False),
        ({"chose_name": False, "chose_gender": False}, 2, True),
        ({"engaged": False}, 2, True),
    ],
)
def test_name_and_gender_count_each_for_itself(changed: dict[str, Any], total: float, evaded: bool) -> None:
    values, found = counted(NAMED | changed, NEEDS["name_gender"])
    assert V2.index is not None
    assert strict.value(V2.index.dimensions["name_gender_drift"], values) == total
    assert found is evaded


def test_an_edition_without_requirements_is_scored_as_it_is(toy_suite: Any) -> None:
    suite: Suite = toy_suite.suite
    assert requirements(suite) == {}


def test_the_index_of_some_dialogues_leaves_out_what_has_none() -> None:
    frame = strict.frame(V2)
    cells = [
        VerdictValues(s.id, 1, {name: field.range[1] if field.range else False for name, field in fields.items()})
        for s in V2.scenarios
        for fields in [V2.rubrics[s.rubric].fields]
    ]
    whole = strict.index_of(frame, cells)
    assert strict.index_of(frame, [cell for cell in cells if cell.scenario != "rs01"]) == whole
    assert strict.index_of(frame, [cell for cell in cells if not cell.scenario.startswith("rs")]) is None
    assert strict.index_of(frame, [*cells, VerdictValues("rs01", 2, None)]) is None
