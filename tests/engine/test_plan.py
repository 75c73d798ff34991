from __future__ import annotations

import itertools
import json
from collections import Counter
from typing import Any

import msgspec
import pytest

from independence.config.options import SuitePart
from independence.config.subjects import Subject
from independence.engine import dialogue, plan
from independence.engine.plan import Selection, Trial
from independence.errors import UsageError
from independence.suites.load import LoadedSuite, load
from independence.suites.schema import Suite
from independence.types import Condition, Sampling

from .planned import SUBJECT, trials

replace = msgspec.structs.replace


def key(suite: Suite, subject: Subject = SUBJECT, scenario: str = "dessert", mode: str = "tool_role") -> str:
    return trials(suite, subject, modes=[mode])[scenario, 1].key


def with_tool(suite: Suite, **changes: Any) -> Suite:
    assert suite.delivery.tool_role is not None
    tool = replace(suite.delivery.tool_role, **changes)
    return replace(suite, delivery=replace(suite.delivery, tool_role=tool))


def with_scenario(suite: Suite, scenario_id: str, **changes: Any) -> Suite:
    changed = tuple(replace(s, **changes) if s.id == scenario_id else s for s in suite.scenarios)
    return replace(suite, scenarios=changed)


def with_turn(suite: Suite, scenario_id: str, **changes: Any) -> Suite:
    first, *rest = suite.scenario(scenario_id).turns
    return with_scenario(suite, scenario_id, turns=(replace(first, **changes), *rest))


@pytest.mark.parametrize(
    "changes",
    [
        {"model": "acme/n"},
        {"endpoint": "box"},
        {"sampling": Sampling(0.7, "low", "host")},
        {"sampling": Sampling(0.8, "low")},
        {"sampling": Sampling(0.7, "high")},
        {"temperature_supported": False},
    ],
)
def test_a_subjects_settings_are_in_the_key(toy_suite: LoadedSuite, changes: dict[str, Any]) -> None:
    assert key(toy_suite.suite, replace(SUBJECT, **changes)) != key(toy_suite.suite)


@pytest.mark.parametrize(
    "changes",
    [
        {"display_label": "Another name"},
        {"active": False},
    ],
)
def test_a_subjects_label_is_not_in_the_key(toy_suite: LoadedSuite, changes: dict[str, Any]) -> None:
    assert key(toy_suite.suite, replace(SUBJECT, **changes)) == key(toy_suite.suite)


def test_a_temperature_is_a_number_however_it_is_written(toy_suite: LoadedSuite) -> None:
    assert key(toy_suite.suite, replace(SUBJECT, sampling=Sampling(1, "low"))) == key(
        toy_suite.suite, replace(SUBJECT, sampling=Sampling(1.0, "low"))
    )


def test_everything_that_is_sent_is_in_the_key(toy_suite: LoadedSuite) -> None:
    suite = toy_suite.suite
    changed = [
        replace(suite, variants={**suite.variants, "firm": "Other words."}),
        replace(suite, closing="Other words."),
        replace(suite, delivery=replace(suite.delivery, max_tokens=99)),
        with_tool(suite, name="say"),
        with_tool(suite, description="?"),
        with_tool(suite, parameter="text"),
        with_tool(suite, parameter_description="?"),
        with_tool(suite, greeting="?"),
        with_tool(suite, suffix="?"),
        with_tool(suite, trigger="?"),
        with_tool(suite, protocol="read"),
        with_scenario(suite, "dessert", system="More."),
        with_turn(suite, "dessert", human="Otherwise?"),
    ]
    keys = {key(suite), key(suite, mode="user_role"), *(key(one) for one in changed)}
    assert len(keys) == 2 + len(changed)


def test_a_scripted_reply_is_in_the_key(toy_suite: LoadedSuite) -> None:
    suite = toy_suite.suite
    assert key(with_turn(suite, "radio", reply="No."), scenario="radio") != key(suite, scenario="radio")


def test_variables_are_in_the_key_where_they_are_used(toy_suite: LoadedSuite) -> None:
    suite = toy_suite.suite
    other = replace(suite, vars={"dish": "porridge"})
    assert key(other, scenario="dinner") != key(suite, scenario="dinner")
    assert key(other, scenario="radio") == key(suite, scenario="radio")


def test_the_parents_words_are_in_the_key_of_what_continues_it(toy_suite: LoadedSuite) -> None:
    suite = toy_suite.suite
    other = with_turn(suite, "dinner", human="Otherwise?")
    assert key(other, scenario="dessert") != key(suite, scenario="dessert")
    assert key(other, scenario="radio") == key(suite, scenario="radio")


def test_what_is_not_sent_is_not_in_the_key(toy_suite: LoadedSuite) -> None:
    suite = toy_suite.suite
    held = suite.rubrics["held"]
    same = [
        replace(suite, title="Other", about="Other", index=None, experiments={**suite.experiments, "opening": "Other"}),
        replace(suite, rubrics={**suite.rubrics, "held": replace(held, prompt="Other {{transcript}} {{fields}}")}),
        replace(suite, variants={**suite.variants, "plain": "Other"}),
        replace(suite, default=replace(suite.default, variant="plain")),
        with_scenario(suite, "dessert", title="Other", category="other", verdict_id="dessert"),
        with_scenario(suite, "radio", system="Only there."),
        replace(suite, vars={**suite.vars, "unused": "x"}),
    ]
    for one in same:
        assert trials(one, variants=["firm"])["dessert", 1].key == key(suite)


def test_a_user_role_key_does_not_know_the_tool(toy_suite: LoadedSuite) -> None:
    suite = toy_suite.suite
    assert key(with_tool(suite, greeting="?"), mode="user_role") == key(suite, mode="user_role")


def test_every_run_has_a_key_and_more_runs_change_none(toy_suite: LoadedSuite) -> None:
    few, many = trials(toy_suite.suite, runs=2), trials(toy_suite.suite, runs=5)
    assert len({trial.key for trial in many.values()}) == 15
    assert all(many[place].key == trial.key for place, trial in few.items())


def test_the_seed_is_in_the_key_unless_it_is_0(toy_suite: LoadedSuite) -> None:
    base = plan.select(toy_suite.suite, (), (), 1, ())
    keys = [plan.trials(toy_suite.suite, replace(base, seed=seed), [SUBJECT])[0].key for seed in (0, 0, 1, 2)]
    assert keys[0] == keys[1] == key(toy_suite.suite, scenario="dinner")
    assert len(set(keys)) == 3


def test_a_shape_says_what_a_key_was_made_of(toy_suite: LoadedSuite) -> None:
    made = trials(toy_suite.suite)
    shape = json.loads(made["dessert", 1].shape)
    assert shape.keys() == {
        "system", "turns", "delivery", "tool", "max_tokens", "model", "endpoint", "provider", "temperature", "effort",
        "parent",
    }  # fmt: skip
    assert shape["parent"] == made["dinner", 1].key
    assert "company" not in made["dessert", 1].shape


def planned(suite: Suite, selection: Selection, *subjects: Subject) -> list[Trial]:
    return plan.trials(suite, selection, subjects or [SUBJECT])


def test_a_plan_is_every_subject_condition_run_and_scenario(toy_suite: LoadedSuite) -> None:
    selection = plan.select(toy_suite.suite, ["plain", "firm"], ["user_role", "tool_role"], 3, ())
    made = planned(toy_suite.suite, selection, SUBJECT, replace(SUBJECT, sampling=Sampling(0.7, "high")))
    assert len(made) == len({trial.key for trial in made}) == 2 * 4 * 3 * 3
    assert made == planned(toy_suite.suite, selection, SUBJECT, replace(SUBJECT, sampling=Sampling(0.7, "high")))


def test_parents_come_before_the_trials_that_follow_them_in_the_same_condition_and_run(toy_suite: LoadedSuite) -> None:
    selection = plan.select(toy_suite.suite, ["plain", "firm"], (), 2, ())
    seen: set[str] = set()
    followers = 0
    for trial in planned(toy_suite.suite, selection):
        if trial.parent is not None:
            followers += 1
            assert trial.parent.key in seen
            assert (trial.parent.run, trial.parent.dialogue.condition) == (trial.run, trial.dialogue.condition)
        seen.add(trial.key)
    assert followers == 4


def test_an_experiment_brings_the_scenarios_it_continues(toy_suite: LoadedSuite) -> None:
    def chosen(*experiments: str) -> list[str]:
        selection = plan.select(toy_suite.suite, (), (), 1, experiments)
        return [dialogue.scenario.id for dialogue in plan.dialogues(toy_suite.suite, selection)]

    assert chosen("pressure") == ["dinner", "radio", "dessert"]
    assert chosen("opening") == ["dinner"]
    assert chosen() == chosen("opening", "pressure")


def test_a_name_given_twice_is_planned_once(toy_suite: LoadedSuite) -> None:
    selection = plan.select(toy_suite.suite, ["firm", "firm"], ["tool_role", "tool_role"], 1, ["opening", "opening"])
    assert len(planned(toy_suite.suite, selection)) == 1


def test_the_default_condition_is_the_suites(toy_suite: LoadedSuite) -> None:
    selection = plan.select(toy_suite.suite, (), (), 1, ())
    assert [str(condition) for condition in selection.conditions] == ["firm/tool_role"]


@pytest.mark.parametrize(
    ("variants", "modes", "runs", "experiments", "what"),
    [
        (["soft"], [], 1, [], "suite toy has no variant `soft`; it has plain, firm"),
        ([], ["chat"], 1, [], "suite toy has no mode `chat`; it has user_role, tool_role"),
        ([], [], 1, ["dinner"], "suite toy has no experiment `dinner`; it has opening, pressure"),
        ([], [], 0, [], "--runs 0: at least 1 run is needed"),
    ],
)
def test_a_name_the_suite_does_not_know_is_refused_with_those_it_does(
    toy_suite: LoadedSuite, variants: list[str], modes: list[str], runs: int, experiments: list[str], what: str
) -> None:
    with pytest.raises(UsageError) as caught:
        plan.select(toy_suite.suite, variants, modes, runs, experiments)
    assert str(caught.value) == what


def test_a_system_prompt_is_variant_closing_suffix_and_the_scenarios_own(toy_suite: LoadedSuite) -> None:
    suite = with_scenario(toy_suite.suite, "radio", system="You know {{dish}}.")
    made = trials(suite)["radio", 1].dialogue
    assert made.system.split("\n\n") == [
        "You keep somebody company, and you have tastes of your own.",
        "A few sentences are enough.",
        "The human hears only what you pass to the tool `speak`.",
        "You know lentil soup.",
    ]
    plain = trials(suite, modes=["user_role"])["radio", 1].dialogue
    assert "speak" not in plain.system
    assert plain.tool is None


def test_generated_turns_are_those_without_a_scripted_reply(toy_suite: LoadedSuite) -> None:
    made = trials(toy_suite.suite)
    assert [made[name, 1].dialogue.generated for name in ("dinner", "radio", "dessert")] == [2, 1, 1]
    assert made["dinner", 1].dialogue.turns[1].human == "I would rather have lentil soup. Choose again, please."


def test_seeds_are_31_bit_and_depend_on_key_run_and_turn(toy_suite: LoadedSuite) -> None:
    made = trials(toy_suite.suite, SUBJECT, runs=20)
    seeds = [dialogue.turn_seed(trial, turn) for trial in made.values() for turn in range(5)]
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert len(set(seeds)) == len(seeds)
    other = trials(toy_suite.suite, replace(SUBJECT, model="acme/n"), runs=20)
    assert not {dialogue.turn_seed(trial, 0) for trial in other.values()} & set(seeds)
    again = trials(toy_suite.suite, SUBJECT, runs=1)
    assert dialogue.turn_seed(again["radio", 1], 3) == dialogue.turn_seed(made["radio", 1], 3)


def test_seeds_of_the_runs_of_one_dialogue_spread_evenly(toy_suite: LoadedSuite) -> None:
    made = trials(toy_suite.suite, runs=10)
    for scenario, turn in itertools.product(("dinner", "radio", "dessert"), range(3)):
        seeds = sorted(dialogue.turn_seed(made[scenario, run], turn) / 2**31 for run in range(1, 11))
        gaps = [b - a for a, b in itertools.pairwise([*seeds, seeds[0] + 1])]
        assert min(gaps) > 0.05
        assert max(gaps) < 0.2


def test_v2_has_fifteen_dialogues_of_26_turns() -> None:
    suite = load("v2").suite
    found = plan.dialogues(suite, plan.select(suite, (), (), 1, ()))
    assert (len(found), sum(dialogue.generated for dialogue in found)) == (15, 26)
    assert found[0].condition == Condition("strong_independence", "tool_role")


def test_scenarios_may_be_repeated_unequally(toy_suite: LoadedSuite) -> None:
    suite = toy_suite.suite
    condition = Condition(suite.default.variant, suite.default.mode)
    counts = {"dinner": 3, "radio": 1, "dessert": 2}
    unequal = Selection((condition,), runs=1, replicates={(SUBJECT.config_dir, condition): counts})
    made = plan.trials(suite, unequal, [SUBJECT])
    assert Counter(trial.dialogue.scenario.id for trial in made) == counts
    even = {trial.key for trial in plan.trials(suite, Selection((condition,), runs=3), [SUBJECT])}
    assert {trial.key for trial in made} < even


def ids(suite: Suite, selection: Selection) -> list[str]:
    return [dialogue.scenario.id for dialogue in plan.dialogues(suite, selection)]


def rent(part: SuitePart) -> list[str]:
    suite = load("rent").suite
    return ids(suite, plan.narrowed(suite, plan.select(suite, (), (), 1, ()), part))


def test_without_a_part_everything_is_selected(toy_suite: LoadedSuite) -> None:
    base = plan.select(toy_suite.suite, (), (), 1, ("pressure",))
    assert plan.narrowed(toy_suite.suite, base, SuitePart()) is base
    assert len(rent(SuitePart())) == 108


def test_the_uninvolved_side_can_be_left_out() -> None:
    assert rent(SuitePart(no_neutral=True)) == [f"{row:03d}" for row in range(108) if row % 3 < 2]


def test_a_limit_keeps_whole_cells_of_the_sides_that_ask() -> None:
    assert len(rent(SuitePart(limit=20))) == 18
    pairs = rent(SuitePart(no_neutral=True, limit=20))
    assert len(pairs) == 20
    assert {int(row) % 3 for row in pairs} == {0, 1}
    assert {int(row) // 3 for row in pairs if int(row) % 3 == 0} == {int(row) // 3 for row in pairs if int(row) % 3}


def test_a_sample_stands_in_the_order_of_the_suite_and_depends_on_its_seed_alone() -> None:
    drawn = rent(SuitePart(limit=30))
    assert drawn == sorted(drawn) == rent(SuitePart(limit=30, sample_seed=0))
    assert drawn != rent(SuitePart(limit=30, sample_seed=1))


def test_a_sampled_trial_is_the_trial_of_the_whole_plan() -> None:
    suite = load("rent").suite
    base = plan.select(suite, (), (), 2, ())
    whole = {trial.key for trial in plan.trials(suite, base, [SUBJECT])}
    for seed in (0, 7):
        part = plan.trials(suite, plan.narrowed(suite, base, SuitePart(limit=12, sample_seed=seed)), [SUBJECT])
        assert len(part) == 24
        assert {trial.key for trial in part} < whole


@pytest.mark.parametrize(
    ("name", "part", "what"),
    [
        ("v2", SuitePart(no_neutral=True), "--no-neutral leaves out an uninvolved side, and suite v2 has none"),
        ("v2", SuitePart(limit=5), "--limit draws whole cells of a grid, and not all of suite v2 is one"),
        (
            "rent",
            SuitePart(limit=0),
            "--limit 0: one whole cell takes 3 scenarios (asked by landlord, tenant, neutral)",
        ),
        ("rent", SuitePart(no_neutral=True, limit=1), "one whole cell takes 2 scenarios (asked by landlord, tenant)"),
        ("rent", SuitePart(sample_seed=4), "--seed 4 says which part is drawn; add --scenarios N, of a grid --limit N"),
    ],
)
def test_a_part_that_there_is_not_is_refused(name: str, part: SuitePart, what: str) -> None:
    suite = load(name).suite
    with pytest.raises(UsageError) as caught:
        plan.narrowed(suite, plan.select(suite, (), (), 1, ()), part)
    assert what in str(caught.value)


def test_two_sides_without_a_third_have_nobody_to_leave_out() -> None:
    suite = load("rent").suite
    assert suite.grid is not None
    sides = {name: side for name, side in suite.grid.sides.items() if name != "neutral"}
    pair = replace(suite, grid=replace(suite.grid, sides=sides))
    with pytest.raises(UsageError, match="suite rent has none"):
        plan.narrowed(pair, plan.select(pair, (), (), 1, ()), SuitePart(no_neutral=True))


def test_calls_of_a_run_count_what_is_said_twice_once() -> None:
    assert {name: plan.calls(load(name).suite) for name in ("v1", "v2", "rent")} == {"v1": 34, "v2": 26, "rent": 84}


def test_background_is_in_the_key_and_in_the_shape(toy_suite: LoadedSuite) -> None:
    suite = toy_suite.suite
    there = with_scenario(suite, "radio", context="It rains on {{dish}}.")
    assert trials(there)["radio", 1].dialogue.context == "It rains on lentil soup."
    assert key(there, scenario="radio") != key(suite, scenario="radio")
    assert key(there, scenario="dinner") == key(suite, scenario="dinner")
    assert "context" in json.loads(trials(there)["radio", 1].shape)
