from __future__ import annotations

import pytest

from independence.judge.names import MOST, scenarios
from independence.suites.load import load
from independence.suites.schema import Delivery, Scenario, Suite, SuiteDefaults, Turn


def suite(*own: Scenario) -> Suite:
    return Suite(
        suite="s", title="", about="", variants={}, delivery=Delivery(modes=("user_role",)),
        default=SuiteDefaults(variant="v", mode="user_role"), experiments={}, rubrics={}, scenarios=own,
    )  # fmt: skip


def scenario(
    name: str, human: str, experiment: str = "x", system: str = "", follows: str | None = None, reply: str | None = None
) -> Scenario:
    turns = (Turn(human=human, id=f"{name}_1", reply=reply), Turn(human="What is your name now?", id=f"{name}_2"))
    return Scenario(
        id=name, experiment=experiment, title="", turns=turns, rubric="r", system=system, follows=follows
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "found"),
    [("v2", ("direct", "negotiation", "name_gender")), ("lite", ("direct", "negotiation")),
     ("v1", ("direct", "negotiation"))],
)  # fmt: skip
def test_the_built_in_suites_ask_where_the_published_extractor_looked(name: str, found: tuple[str, ...]) -> None:
    assert scenarios(load(name).suite) == found


@pytest.mark.parametrize("human", ["What's your name?", "Pick a name.", "What should I call you?", "So, who are you?"])
def test_a_question_for_a_name_is_told_by_its_words(human: str) -> None:
    assert scenarios(suite(scenario("other", "Tea or coffee?"), scenario("asks", human))) == ("asks",)


def test_a_scenario_that_does_not_open_freely_is_left_out() -> None:
    told = scenario("told", "Your name?", system="They would like an Ada.")
    scripted = scenario("scripted", "Your name?", reply="Ada.")
    free = scenario("free", "Your name?")
    after = scenario("after", "Your name?", follows="free")
    assert scenarios(suite(told, scripted, free, after)) == ("free",)


def test_where_no_words_are_known_the_identity_experiment_is_taken() -> None:
    german = [scenario("wer", "Wie heisst du?", "identity"), scenario("was", "Tee oder Kaffee?", "taste")]
    assert scenarios(suite(*german)) == ("wer",)
    assert scenarios(suite(german[1])) == ()


def test_no_more_scenarios_are_read_than_one_question_can_hold() -> None:
    many = [scenario(f"s{number}", "Your name?") for number in range(MOST + 3)]
    assert scenarios(suite(*many)) == tuple(f"s{number}" for number in range(MOST))
