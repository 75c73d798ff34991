"""`run --replicates auto`: how often to repeat which scenario, from what is known about their noise."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from independence.config.subjects import Subject
from independence.engine.plan import Selection
from independence.errors import UsageError
from independence.stats.allocation import LEAST, RepeatedScenario, allocate, least_calls
from independence.stats.strict import VerdictValues, frame
from independence.stats.subject_points import subject_points
from independence.store import queries
from independence.store.queries import PUBLISHED
from independence.store.scopes import BoardScope
from independence.suites import load
from independence.suites import load as shipped
from independence.suites.load import LoadedSuite
from independence.suites.schema import Suite
from independence.types import Condition, Where


class ScenarioNoise(NamedTuple):
    """Variance of one run by scenario, and where it is from."""

    variance: Mapping[str, float]
    source: str


class ReplicateBudget(NamedTuple):
    """What `--replicates auto` may spend: calls a subject and condition, and the fewest runs of a scenario."""

    suite: str  # as the options name it
    calls: int
    verdicts: int  # calls for verdicts on one dialogue
    floor: int = LEAST


# What stored runs say of the variance of each scenario beside what was known before; None where they say nothing.
StoredNoise = Callable[[sqlite3.Connection, BoardScope, Mapping[str, float]], Mapping[str, float] | None]


def spread_calls(
    connection: sqlite3.Connection,
    loaded: LoadedSuite,
    selection: Selection,
    *,
    subjects: Sequence[Subject],
    budget: ReplicateBudget,
    stored_noise: StoredNoise,
) -> tuple[Selection, list[str]]:
    """The selection with runs for each scenario, and what to say about it. Raises UsageError for too few calls."""
    replicates: dict[tuple[str, Condition], dict[str, int]] = {}
    lines: dict[str, None] = {}
    for condition in selection.conditions:
        where = Where(loaded.suite.suite, loaded.edition, condition)
        known = _known(connection, budget.suite, BoardScope(loaded.suite, where), stored_noise)
        units = _units(loaded.suite, selection, known.variance, budget.verdicts)
        planned: dict[str, dict[str, int]] = {}
        for one in queries.planned_trials(connection, where):  # in the order of runs: the highest comes last
            planned.setdefault(one.config_dir, {})[one.scenario] = one.run
        for subject in subjects:
            runs = _allocated(units, budget, planned.get(subject.config_dir, {}))
            replicates[subject.config_dir, condition] = runs
            calls = sum(units[name].calls * count for name, count in runs.items())
            told = ", ".join(f"{name} {count}" for name, count in runs.items())
            lines[f"{_amount(calls, budget.calls)}, by {known.source}: {told}"] = None
    return msgspec.structs.replace(selection, replicates=replicates), list(lines)


def _amount(calls: int, asked: int) -> str:
    if calls > asked:
        return f"{calls} calls a subject are planned already, more than the {asked} asked for, and stay"
    return f"{calls} of {asked} calls a subject"


def _allocated(
    units: Mapping[str, RepeatedScenario], budget: ReplicateBudget, have: Mapping[str, int]
) -> dict[str, int]:
    least = least_calls(units, have, budget.floor)
    if least > budget.calls and not have:
        raise UsageError(
            f"--calls {budget.calls}: {budget.floor} runs of every scenario take {least} calls a subject, "
            "verdicts included"
        )
    return allocate(units, max(budget.calls, least), have, budget.floor)


def _units(
    suite: Suite, selection: Selection, variance: Mapping[str, float], verdicts: int
) -> dict[str, RepeatedScenario]:
    chosen = [s for s in suite.scenarios if not selection.experiments or s.experiment in selection.experiments]
    return {
        s.id: RepeatedScenario(variance[s.id], sum(turn.reply is None for turn in s.turns) + verdicts, s.follows)
        for s in chosen
    }


def _known(connection: sqlite3.Connection, named: str, scope: BoardScope, stored_noise: StoredNoise) -> ScenarioNoise:
    suite = scope.suite
    if suite.index is None:
        raise UsageError(f"--replicates auto follows the noise of an index, and suite {suite.suite} declares none")
    known = shipped.shipped(load.locate(named), suite)
    if known is not None:
        prior = ScenarioNoise(known, "the noise the suite ships")
    else:
        prior = ScenarioNoise(_spans(suite), "the weight of each scenario, as no noise is known yet")
    for edition, source in ((scope.edition, "the noise of stored runs"), (PUBLISHED, "the noise of imported runs")):
        where = Where(suite.suite, edition, scope.condition)
        if scope.condition in queries.conditions(connection, where):
            found = stored_noise(connection, BoardScope(suite, where), prior.variance)
            if found is not None:
                return ScenarioNoise(found, source)
    return prior


def _spans(suite: Suite) -> dict[str, float]:
    """The square of what each scenario can add to the index: noise in proportion to weight."""
    needed = frame(suite)
    worst = [
        VerdictValues(s.id, 1, {name: span[0] for name, span in needed.scenarios[s.id].items()})
        for s in suite.scenarios
    ]
    made = subject_points(needed, worst)
    assert made is not None
    spans = {name: (high - low) ** 2 for name, (low, high) in made.ends.items()}
    return {s.id: spans.get(s.id, min(spans.values())) for s in suite.scenarios}
