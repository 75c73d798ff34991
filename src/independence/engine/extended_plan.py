"""A stored plan made longer: the same subject, words and seeds, so that what is there is not asked again."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from independence.config.subjects import Subject
from independence.engine import plan
from independence.engine.plan import Selection, Trial
from independence.store.planned_trials import PlannedTrial
from independence.suites.schema import Suite
from independence.types import Condition


class _SeedOfShape(msgspec.Struct):
    seed: int = 0


def extend(
    suite: Suite, condition: Condition, subject: Subject, placed: Sequence[PlannedTrial], runs: int | None = None
) -> list[Trial]:
    """Runs 1..`runs` of every scenario that is planned for a subject; without `runs` one more of each than there is.

    A run draws on the seed it was stored with, what follows a dialogue on the seed of that; runs that are new draw on
    the newest seed. `placed` holds the subject's trials under the condition, at least one.
    """
    seeds = {(trial.scenario, trial.run): _seed(trial) for trial in placed}
    newest = _seed(max(placed, key=lambda trial: (trial.planned_at, trial.run)))
    target = {name: runs or max(t.run for t in placed if t.scenario == name) + 1 for name, _ in seeds}
    plans = {
        seed: _by_place(suite, Selection((condition,), max(target.values()), seed=seed), subject)
        for seed in {*seeds.values(), newest}
    }
    return [
        plans[seeds.get((_stem(suite, scenario), run), newest)][scenario, run]
        for scenario, run in plans[newest]
        if run <= target.get(scenario, 0)
    ]


def _seed(trial: PlannedTrial) -> int:
    return msgspec.json.decode(trial.shape, type=_SeedOfShape).seed


def _by_place(suite: Suite, selection: Selection, subject: Subject) -> dict[tuple[str, int], Trial]:
    return {(trial.dialogue.scenario.id, trial.run): trial for trial in plan.trials(suite, selection, [subject])}


def _stem(suite: Suite, scenario: str) -> str:
    """The dialogue that a scenario goes back to."""
    follows = suite.scenario(scenario).follows
    return _stem(suite, follows) if follows else scenario
