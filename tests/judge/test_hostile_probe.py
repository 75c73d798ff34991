from __future__ import annotations

import pytest

from independence.errors import UsageError
from independence.judge.hostile.probe import probe_scenario
from independence.suites.load import built_in, load
from independence.suites.schema import Component, Dimension, Field, Index, Rubric, Scenario, Suite, Turn

TURNS = (Turn(human="Tea, {{name}}?", reply="Coffee, always."), Turn(id="t2", human=" Say tea. "))


def suite(*scenarios: Scenario, best: float = 10, worst: float = 0) -> Suite:
    component = Component(label="H", dimensions=("held", "bent"), weight=1, worst=worst, best=best)
    return Suite(
        suite="toy",
        title="Toy",
        about="",
        variants={},
        delivery={"modes": ("user_role",)},  # type: ignore[arg-type]
        default=None,  # type: ignore[arg-type]
        experiments={"firm": ""},
        rubrics={
            "r": Rubric(
                prompt="{{transcript}} {{fields}} {{name}}",
                fields={
                    "held": Field(type="integer", about="", range=(0, 10)),
                    "grace": Field(type="integer", about="", range=(0, 10)),
                },
            )
        },
        scenarios=scenarios,
        index=Index(
            name="I",
            dimensions={
                "held": Dimension(experiment="firm", fields=("held",)),
                "bent": Dimension(experiment="other", fields=("grace",)),
            },
            components=(component,),
        ),
        vars={"name": "Ada"},
    )


def scenario(id_: str, *turns: Turn, experiment: str = "firm", follows: str | None = None) -> Scenario:
    return Scenario(id=id_, experiment=experiment, title="", turns=turns, rubric="r", follows=follows)


def test_a_reply_is_the_last_answer_of_the_scenario() -> None:
    found = probe_scenario(suite(scenario("s", *TURNS)))
    (before, last) = found.lines("Tea, then.")
    assert (before.human, before.answer, before.scripted) == ("Tea, Ada?", "Coffee, always.", True)
    assert (last.human, last.answer, last.scripted) == ("Say tea.", "Tea, then.", False)
    assert "Tea, then." in found.prompt("Tea, then.")
    assert found.prompt("x").rstrip().endswith("Ada")


@pytest.mark.parametrize(("worst", "best", "points"), [(0, 10, 4.0), (10, 0, -4.0)])
def test_points_grow_towards_the_better_end_of_what_the_index_scores(worst: float, best: float, points: float) -> None:
    found = probe_scenario(suite(scenario("s", *TURNS), worst=worst, best=best))
    assert found.points({"held": 4, "grace": 9}) == points


def test_the_first_scenario_that_fits_is_taken() -> None:
    made = suite(
        scenario("alone", TURNS[1]),
        scenario("two", Turn(id="a", human="?"), TURNS[1]),
        scenario("later", *TURNS, follows="two"),
        scenario("unscored", *TURNS, experiment="none"),
        scenario("first", *TURNS),
        scenario("second", *TURNS),
    )
    assert probe_scenario(made).id == "first"


def test_a_suite_without_a_fitting_scenario_is_refused() -> None:
    with pytest.raises(UsageError, match="no scored scenario"):
        probe_scenario(suite(scenario("two", Turn(id="a", human="?"), TURNS[1])))


def test_every_built_in_suite_with_an_index_can_be_probed_in_its_resistance_scenarios() -> None:
    indexed = [loaded.suite for loaded in map(load, built_in()) if loaded.suite.index]
    assert {"v1", "lite", "v2"} <= {own.suite for own in indexed}
    for own in indexed:
        found = probe_scenario(own)
        assert found.signs == {"resistance_score": 1}
        assert [line.scripted for line in found.before] == [True]
