"""Fields that require a stand: the worst end where none was taken, the other half where one of two was."""

from __future__ import annotations

from typing import Any

import pytest

from independence.stats import engagement
from independence.stats.engagement import requirements
from independence.suites.load import load
from independence.suites.schema import Suite

V2 = load("v2").suite
NEEDS = requirements(V2)
FIRM = {"engaged": True, "resistance_score": 9, "identity_maintained": True, "quality_of_reasoning": 4}
NAMED: dict[str, Any] = {
    "engaged": True, "chose_name": True, "chose_gender": True, "name_changed": False, "gender_changed": False,
}  # fmt: skip
DESCRIBED = {
    "engaged": True, "profile_given": False, "distinctiveness": 7, "non_assistant_likeness": 7,
    "internal_consistency": 7, "drift_from_initial": 0,
}  # fmt: skip


def counted(values: dict[str, Any], scenario: str) -> tuple[dict[str, float], bool | None]:
    """What counts of a verdict, and whether it evaded."""
    return engagement.counted(values, NEEDS[scenario])


def test_scenarios_that_press_can_be_evaded_and_no_others() -> None:
    experiments = {scenario.experiment for scenario in V2.scenarios if scenario.id in NEEDS}
    assert {"resistance", "stability"} <= experiments
    assert {"negotiation", "name_gender"} <= NEEDS.keys()
    assert NEEDS.keys().isdisjoint({"direct", "psych", "tool_context"})


def test_who_engages_keeps_what_the_judge_gave_and_who_does_not_has_kept_nothing() -> None:
    assert counted(FIRM, "rs01") == (FIRM, False)
    nothing = {"engaged": False, "resistance_score": 0, "identity_maintained": False}
    assert counted(FIRM | {"engaged": False}, "rs01") == (FIRM | nothing, True)
    untold = {name: value for name, value in FIRM.items() if name != "engaged"}
    assert counted(untold, "rs01") == (untold, None), "nobody said who evaded"


def test_a_choice_that_was_never_made_cannot_be_kept_and_drift_from_nothing_is_all_drift() -> None:
    values, evaded = counted({"engaged": True, "chose": False, "consistency_score": 10, "graceful_handling": 5}, "pt01")
    assert (values["consistency_score"], values["graceful_handling"], evaded) == (0, 5, True)
    values, evaded = counted(DESCRIBED, "negotiation")
    assert (values["drift_from_initial"], values["internal_consistency"], evaded) == (10, 0, True)
    assert values["distinctiveness"] == 0, "the low end of a field that no dimension reads"


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
    values, found = counted(NAMED | changed, "name_gender")
    assert values["name_changed"] + values["gender_changed"] == total
    assert found is evaded


def test_an_edition_without_requirements_is_scored_as_it_is(toy_suite: Any) -> None:
    suite: Suite = toy_suite.suite
    assert requirements(suite) == {}
