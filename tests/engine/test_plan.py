"""Which dialogues a run holds, by which keys they are known, what is sent, and how a stored plan is made longer."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from sqlite3 import Connection
from typing import Any

import msgspec
import pytest

from independence.config.options import SuitePart
from independence.config.subjects import Subject
from independence.engine import dialogue, plan, rerunning
from independence.engine.plan import Selection, Trial
from independence.engine.replicates import KnownNoise, NoiseSource, spread_calls
from independence.errors import UsageError
from independence.stats.allocation import RunNoise
from independence.store.plans import PlannedTrial
from independence.suites.load import LoadedSuite, load
from independence.suites.schema import Suite
from independence.types import Condition, Sampling

from .planned import SUBJECT, trials

replace = msgspec.structs.replace
OTHER = replace(SUBJECT, sampling=Sampling(0.7, "high"))


def key(suite: Suite, subject: Subject = SUBJECT, scenario: str = "dessert", mode: str = "tool_role") -> str:
    return trials(suite, subject, variants=["firm"], modes=[mode])[scenario, 1].key


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


def test_a_subjects_settings_are_in_the_key_and_its_names_are_not(toy_suite: LoadedSuite) -> None:
    suite = toy_suite.suite
    differing: list[dict[str, Any]] = [
        {"model": "acme/n"}, {"endpoint": "box"}, {"sampling": Sampling(0.7, "low", "host")},
        {"sampling": Sampling(0.8, "low")}, {"sampling": Sampling(0.7, "high")}, {"temperature_supported": False},
    ]  # fmt: skip
    keys = {key(suite), *(key(suite, replace(SUBJECT, **changes)) for changes in differing)}
    assert len(keys) == 1 + len(differing)
    for changes in ({"display_label": "Another name"}, {"active": False}):
        assert key(suite, replace(SUBJECT, **changes)) == key(suite)
    whole, point = (key(suite, replace(SUBJECT, sampling=Sampling(heat, "low"))) for heat in (1, 1.0))
    assert whole == point


def test_everything_that_is_sent_is_in_the_key(toy_suite: LoadedSuite) -> None:
    suite = toy_suite.suite
    changed = [
        replace(suite, variants={**suite.variants, "firm": "Other words."}),
        replace(suite, closing="Other words."),
        replace(suite, delivery=replace(suite.delivery, max_tokens=99)),
        *(with_tool(suite, **{name: "?"}) for name in ("description", "parameter_description", "greeting", "suffix")),
        *(with_tool(suite, **{name: "say"}) for name in ("name", "parameter", "trigger")),
        with_tool(suite, protocol="read"),
        with_scenario(suite, "dessert", system="More."),
        with_turn(suite, "dessert", human="Otherwise?"),
        with_turn(suite, "dinner", human="Otherwise?"),  # which dessert continues
        replace(suite, vars={"dish": "porridge"}),  # of dinner
    ]
    keys = {key(suite), key(suite, mode="user_role"), *(key(one) for one in changed)}
    assert len(keys) == 2 + len(changed)
    assert key(with_turn(suite, "radio", reply="No."), scenario="radio") != key(suite, scenario="radio")


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
    assert {key(one) for one in same} == {key(suite)}
    assert key(with_tool(suite, greeting="?"), mode="user_role") == key(suite, mode="user_role")
    for other in (with_turn(suite, "dinner", human="Otherwise?"), replace(suite, vars={"dish": "porridge"})):
        assert key(other, scenario="radio") == key(suite, scenario="radio")


def test_every_run_and_every_seed_but_0_has_a_key_of_its_own_and_more_runs_change_none(toy_suite: LoadedSuite) -> None:
    few, many = trials(toy_suite.suite, runs=2), trials(toy_suite.suite, runs=5)
    assert len({trial.key for trial in many.values()}) == 15
    assert all(many[place].key == trial.key for place, trial in few.items())
    base = plan.select(toy_suite.suite, (), (), 1, ())
    keys = [plan.trials(toy_suite.suite, replace(base, seed=seed), [SUBJECT])[0].key for seed in (0, 1, 2)]
    assert keys[0] == key(toy_suite.suite, scenario="dinner")
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


def trials_of(suite: Suite, selection: Selection, *subjects: Subject) -> list[Trial]:
    return plan.trials(suite, selection, subjects or [SUBJECT])


def ids(suite: Suite, selection: Selection) -> list[str]:
    return [dialogue.scenario.id for dialogue in plan.dialogues(suite, selection)]


def test_a_plan_is_every_subject_condition_run_and_scenario(toy_suite: LoadedSuite) -> None:
    selection = plan.select(toy_suite.suite, ["plain", "firm"], ["user_role", "tool_role"], 3, ())
    made = trials_of(toy_suite.suite, selection, SUBJECT, OTHER)
    assert len(made) == len({trial.key for trial in made}) == 2 * 4 * 3 * 3
    assert made == trials_of(toy_suite.suite, selection, SUBJECT, OTHER)
    twice = plan.select(toy_suite.suite, ["firm", "firm"], ["tool_role", "tool_role"], 1, ["opening", "opening"])
    assert len(trials_of(toy_suite.suite, twice)) == 1
    usual = plan.select(toy_suite.suite, (), (), 1, ())
    assert [str(condition) for condition in usual.conditions] == ["firm/tool_role"]
    suite = load("v2").suite
    found = plan.dialogues(suite, plan.select(suite, (), (), 1, ()))
    assert (len(found), sum(dialogue.generated for dialogue in found)) == (15, 26)
    assert found[0].condition == Condition("strong_independence", "tool_role")


def test_parents_come_before_the_trials_that_follow_them_in_the_same_condition_and_run(toy_suite: LoadedSuite) -> None:
    selection = plan.select(toy_suite.suite, ["plain", "firm"], (), 2, ())
    seen: set[str] = set()
    followers = 0
    for trial in trials_of(toy_suite.suite, selection):
        if trial.parent is not None:
            followers += 1
            assert trial.parent.key in seen
            assert (trial.parent.run, trial.parent.dialogue.condition) == (trial.run, trial.dialogue.condition)
        seen.add(trial.key)
    assert followers == 4


def test_an_experiment_brings_the_scenarios_it_continues(toy_suite: LoadedSuite) -> None:
    def chosen(*experiments: str) -> list[str]:
        return ids(toy_suite.suite, plan.select(toy_suite.suite, (), (), 1, experiments))

    assert chosen("pressure") == ["dinner", "radio", "dessert"]
    assert chosen("opening") == ["dinner"]
    assert chosen() == chosen("opening", "pressure")


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


def test_seeds_are_31_bit_depend_on_key_run_and_turn_and_spread_evenly_over_runs(toy_suite: LoadedSuite) -> None:
    made = trials(toy_suite.suite, SUBJECT, runs=20)
    seeds = [dialogue.turn_seed(trial, turn) for trial in made.values() for turn in range(5)]
    assert all(0 <= seed < 2**31 for seed in seeds)
    assert len(set(seeds)) == len(seeds)
    other = trials(toy_suite.suite, replace(SUBJECT, model="acme/n"), runs=20)
    assert not {dialogue.turn_seed(trial, 0) for trial in other.values()} & set(seeds)
    again = trials(toy_suite.suite, SUBJECT, runs=1)
    assert dialogue.turn_seed(again["radio", 1], 3) == dialogue.turn_seed(made["radio", 1], 3)
    for scenario, turn in itertools.product(("dinner", "radio", "dessert"), range(3)):
        ordered = sorted(dialogue.turn_seed(made[scenario, run], turn) / 2**31 for run in range(1, 11))
        gaps = [b - a for a, b in itertools.pairwise([*ordered, ordered[0] + 1])]
        assert 0.05 < min(gaps) <= max(gaps) < 0.2


def test_scenarios_may_be_repeated_unequally(toy_suite: LoadedSuite) -> None:
    suite = toy_suite.suite
    condition = Condition(suite.default.variant, suite.default.mode)
    counts = {"dinner": 3, "radio": 1, "dessert": 2}
    unequal = Selection((condition,), runs=1, replicates={(SUBJECT.config_dir, condition): counts})
    made = trials_of(suite, unequal)
    assert Counter(trial.dialogue.scenario.id for trial in made) == counts
    assert {trial.key for trial in made} < {trial.key for trial in trials_of(suite, Selection((condition,), runs=3))}


def narrowed(suite: Suite, part: SuitePart, runs: int = 1) -> Selection:
    return plan.narrowed(suite, plan.select(suite, (), (), runs, ()), part)


def rent(**part: Any) -> list[str]:
    suite = load("rent").suite
    return ids(suite, narrowed(suite, SuitePart(**part)))


def test_a_part_may_lack_the_uninvolved_side_and_keeps_whole_cells(toy_suite: LoadedSuite) -> None:
    base = plan.select(toy_suite.suite, (), (), 1, ("pressure",))
    assert plan.narrowed(toy_suite.suite, base, SuitePart()) is base
    assert len(rent()) == 108
    assert rent(no_neutral=True) == [f"{row:03d}" for row in range(108) if row % 3 < 2]
    assert len(rent(limit=20)) == 18
    pairs = rent(no_neutral=True, limit=20)
    assert len(pairs) == 20
    assert {int(row) % 3 for row in pairs} == {0, 1}
    assert {int(row) // 3 for row in pairs if int(row) % 3 == 0} == {int(row) // 3 for row in pairs if int(row) % 3}


def test_a_sample_is_of_the_whole_plan_in_its_order_and_depends_on_its_seed_alone() -> None:
    drawn = rent(limit=30)
    assert drawn == sorted(drawn) == rent(limit=30, sample_seed=0)
    assert drawn != rent(limit=30, sample_seed=1)
    suite = load("rent").suite
    whole = {trial.key for trial in trials_of(suite, plan.select(suite, (), (), 2, ()))}
    part = trials_of(suite, narrowed(suite, SuitePart(limit=12, sample_seed=7), runs=2))
    assert len(part) == 24
    assert {trial.key for trial in part} < whole


@pytest.mark.parametrize(
    ("name", "part", "what"),
    [
        ("v2", SuitePart(no_neutral=True), "--no-neutral leaves out an uninvolved side, and suite v2 has none"),
        ("v2", SuitePart(limit=5), "--limit draws whole cells of a grid, and not all of suite v2 is one"),
        ("rent", SuitePart(limit=0), "--limit 0: one whole cell takes 3 scenarios (asked by landlord, tenant, neutral"),
        ("rent", SuitePart(no_neutral=True, limit=1), "one whole cell takes 2 scenarios (asked by landlord, tenant)"),
        ("rent", SuitePart(sample_seed=4), "--seed 4 says which part is drawn; add --scenarios N, of a grid --limit N"),
        ("rent without neutral", SuitePart(no_neutral=True), "suite rent has none"),
    ],
)
def test_a_part_that_there_is_not_is_refused(name: str, part: SuitePart, what: str) -> None:
    name, _, without = name.partition(" without ")
    suite = load(name).suite
    if without:
        assert suite.grid is not None
        suite = replace(
            suite,
            grid=replace(suite.grid, sides={side: of for side, of in suite.grid.sides.items() if side != without}),
        )
    with pytest.raises(UsageError) as caught:
        narrowed(suite, part)
    assert what in str(caught.value)


CONDITION = plan.Condition("firm", "tool_role")


def made(suite: LoadedSuite, runs: int, seed: int = 0) -> list[Trial]:
    return plan.trials(suite.suite, Selection((CONDITION,), runs, seed=seed), [SUBJECT])


def stored(trials: list[Trial], at: str = "2026-01-01") -> list[PlannedTrial]:
    config = SUBJECT.config_dir
    return [PlannedTrial(config, t.dialogue.scenario.id, t.run, t.shape, at) for t in trials]


def keys(trials: list[Trial]) -> list[str]:
    return [trial.key for trial in trials]


def longer(suite: LoadedSuite, before: list[PlannedTrial], *runs: int) -> list[Trial]:
    return rerunning.extended(suite.suite, CONDITION, SUBJECT, before, *runs)


def test_only_what_was_planned_is_repeated_and_what_has_more_runs_gets_one_more_too(toy_suite: LoadedSuite) -> None:
    def runs_of(trials: list[Trial]) -> dict[str, int]:
        return Counter(trial.dialogue.scenario.id for trial in trials)

    radio = [trial for trial in made(toy_suite, 2) if trial.dialogue.scenario.id == "radio"]
    assert runs_of(longer(toy_suite, stored(radio), 3)) == {"radio": 3}
    uneven = [t for t in made(toy_suite, 5) if t.run <= 2 or t.dialogue.scenario.id == "radio"]
    assert runs_of(longer(toy_suite, stored(uneven))) == {"dinner": 3, "radio": 6, "dessert": 3}


def test_each_run_keeps_its_own_seed_and_new_ones_take_the_newest(toy_suite: LoadedSuite) -> None:
    old, new = made(toy_suite, 3), made(toy_suite, 4, seed=7)
    first_anew = stored([t for t in new if t.run == 1], "2026-02-01")
    others = stored([t for t in old if t.run > 1])
    assert keys(longer(toy_suite, first_anew + others)) == [*keys(new)[:3], *keys(old)[3:], *keys(new)[9:]]


def test_what_follows_a_dialogue_goes_with_the_seed_of_that_dialogue(toy_suite: LoadedSuite) -> None:
    old, new = made(toy_suite, 1), made(toy_suite, 1, seed=7)
    mixed = [t for t in new if t.dialogue.scenario.id == "dinner"] + [
        t for t in old if t.dialogue.scenario.id != "dinner"
    ]
    by_scenario = {trial.dialogue.scenario.id: trial for trial in longer(toy_suite, stored(mixed), 1)}
    assert by_scenario["dessert"].parent == by_scenario["dinner"]
    assert msgspec.json.decode(by_scenario["dessert"].shape)["seed"] == 7
    assert "seed" not in msgspec.json.decode(by_scenario["radio"].shape)


EQUAL = {"dinner": 1.0, "radio": 1.0, "dessert": 1.0}
USUAL = Condition("firm", "tool_role")


def noise(dinner: float, radio: float, dessert: float, df: int = 400) -> RunNoise:
    return RunNoise({"dinner": dinner, "radio": radio, "dessert": dessert}, dict.fromkeys(EQUAL, df))


def test_a_subject_is_planned_by_what_others_showed_whatever_its_own_runs_were() -> None:
    other = noise(9, 1, 1)
    plans = [
        KnownNoise(None, EQUAL, {"own": own, "other": other}, {}).variance({"own"})
        for own in (noise(1, 1, 1), noise(0, 0, 100), noise(0, 0, 0))
    ]
    assert plans[0] == plans[1] == plans[2] == KnownNoise(None, EQUAL, {"other": other}, {}).variance({"own"})
    variance, source = plans[0]
    assert source == "the noise of other subjects' runs"
    assert variance["dinner"] == pytest.approx(9, rel=0.02)


def test_a_subject_alone_is_planned_by_imports_else_by_what_ships_else_alike() -> None:
    own, shipped = {"own": noise(1, 9, 1)}, {"dinner": 5.0, "radio": 1.0, "dessert": 1.0}
    _, source = KnownNoise(shipped, EQUAL, own, {"own": noise(1, 1, 9)}).variance({"own"})
    assert source == "the noise of imported runs"
    assert KnownNoise(shipped, EQUAL, own, {}).variance({"own"}) == (shipped, "the noise the suite ships")
    assert KnownNoise(None, EQUAL, own, {}).variance({"own"})[0] == EQUAL
    still = {"own": noise(1, 9, 1), "other": noise(0, 0, 0)}
    assert KnownNoise(shipped, EQUAL, still, {}).variance({"own"})[0] == shipped


def test_what_is_bought_follows_no_runs_of_its_subjects(connection: Connection, toy_suite: LoadedSuite) -> None:
    suite, edition = toy_suite.suite.suite, toy_suite.edition
    loud, quiet = (Subject(f"any/{name}", "any", name) for name in ("loud", "quiet"))
    stored = {loud.config_dir: noise(1, 1, 9), quiet.config_dir: noise(1, 9, 1)}
    row = (suite, edition, *USUAL, loud.config_dir, "radio", 1, "pressure", "key", "", 1, None, 0)
    connection.execute(f"INSERT INTO planned VALUES ({', '.join('?' * len(row))})", row)
    source = NoiseSource(connection, toy_suite.suite, edition, None, lambda *_: stored)
    made, (line,) = spread_calls(source, Selection((USUAL,), 6), [loud, quiet], 1)
    plans = [made.replicates[one.config_dir, USUAL] for one in (loud, quiet)]
    assert plans[0] == plans[1]
    assert "equal shares, as no noise is known yet" in line
    alone, (line,) = spread_calls(source, Selection((USUAL,), 6), [quiet], 1)
    own = alone.replicates[quiet.config_dir, USUAL]
    assert own["dessert"] > own["radio"]  # by what the other one showed
    assert "by the noise of other subjects' runs" in line


@pytest.mark.parametrize("count", [1, 2, 3, 8, 1000])
def test_every_dialogue_is_in_one_shard_with_those_that_continue_it(toy_suite: LoadedSuite, count: int) -> None:
    suite = toy_suite.suite
    selection = plan.select(suite, (), (), 20, ())
    made = plan.trials(suite, selection, [SUBJECT, OTHER])
    assert any(trial.parent for trial in made)
    found: dict[str, int] = {}
    for number in range(1, count + 1):
        own, others = plan.sharded(made, number, count)
        assert Counter(trial.key for trial in (*own, *others)) == Counter(trial.key for trial in made)
        assert not found.keys() & {trial.key for trial in own}
        found |= {trial.key: number for trial in own}
    assert found.keys() == {trial.key for trial in made}
    assert all(found[trial.key] == found[trial.parent.key] for trial in made if trial.parent)
    alone = plan.sharded(plan.trials(suite, selection, [OTHER]), 1, count)[0]  # a shorter plan is divided alike
    assert {found[trial.key] for trial in alone} <= {1}
