"""A stored plan made longer has the keys it had, so that nothing stored is asked again."""

from __future__ import annotations

from collections import Counter

import msgspec

from independence.engine import plan, rerunning
from independence.engine.plan import Selection, Trial
from independence.store.plans import PlannedTrial
from independence.suites.load import LoadedSuite

from . import planned

CONDITION = plan.Condition("firm", "tool_role")


def made(suite: LoadedSuite, runs: int, seed: int = 0) -> list[Trial]:
    return plan.trials(suite.suite, Selection((CONDITION,), runs, seed=seed), [planned.SUBJECT])


def stored(trials: list[Trial], at: str = "2026-01-01") -> list[PlannedTrial]:
    config = planned.SUBJECT.config_dir
    return [PlannedTrial(config, t.dialogue.scenario.id, t.run, t.shape, at) for t in trials]


def keys(trials: list[Trial]) -> list[str]:
    return [trial.key for trial in trials]


def longer(suite: LoadedSuite, before: list[PlannedTrial], *runs: int) -> list[Trial]:
    return rerunning.extended(suite.suite, CONDITION, planned.SUBJECT, before, *runs)


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
