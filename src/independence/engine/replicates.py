"""`run --replicates auto`: how often to repeat which scenario, from what is known about their noise."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from independence.config.subjects import Subject
from independence.engine.plan import Selection, StoredNoise
from independence.errors import UsageError
from independence.stats.allocation import LEAST, RepeatedScenario, allocate, least_calls
from independence.store import queries
from independence.store.queries import PUBLISHED
from independence.store.scopes import BoardScope
from independence.suites.schema import Suite
from independence.types import Condition, Where


class ReplicateBudget(NamedTuple):
    """What `--replicates auto` may spend: calls a subject and condition, and the fewest runs of a scenario."""

    calls: int
    verdicts: int  # calls for verdicts on one dialogue
    floor: int = LEAST


class NoiseSource(NamedTuple):
    """Who knows how far one run of a scenario strays: the store, else the suite."""

    connection: sqlite3.Connection
    suite: Suite
    edition: str
    shipped: Mapping[str, float] | None
    stored: StoredNoise

    def variance(self, condition: Condition) -> tuple[Mapping[str, float], str]:
        """Variance of one run by scenario, and where it is from. Raises UsageError for a suite without an index."""
        suite = self.suite
        if suite.index is None:
            raise UsageError(f"--replicates auto follows the noise of an index, and suite {suite.suite} declares none")
        prior = self.shipped or {scenario.id: 1.0 for scenario in suite.scenarios}
        for edition, source in ((self.edition, "the noise of stored runs"), (PUBLISHED, "the noise of imported runs")):
            where = Where(suite.suite, edition, condition)
            if condition in queries.conditions(self.connection, where):
                found = self.stored(self.connection, BoardScope(suite, where), prior)
                if found is not None:
                    return found, source
        return prior, "the noise the suite ships" if self.shipped else "equal shares, as no noise is known yet"


def spread_calls(
    noise: NoiseSource, selection: Selection, subjects: Sequence[Subject], budget: ReplicateBudget
) -> tuple[Selection, list[str]]:
    """The selection with runs for each scenario, and what to say about it. Raises UsageError for too few calls."""
    replicates: dict[tuple[str, Condition], dict[str, int]] = {}
    lines: dict[str, None] = {}
    for condition in selection.conditions:
        variance, source = noise.variance(condition)
        units = _units(noise.suite, selection, variance, budget.verdicts)
        planned: dict[str, dict[str, int]] = {}
        where = Where(noise.suite.suite, noise.edition, condition)
        for one in queries.planned_trials(noise.connection, where):  # in the order of runs: the highest comes last
            planned.setdefault(one.config_dir, {})[one.scenario] = one.run
        for subject in subjects:
            runs = _allocated(units, budget, planned.get(subject.config_dir, {}))
            replicates[subject.config_dir, condition] = runs
            calls = sum(units[name].calls * count for name, count in runs.items())
            spent = f"{calls} of {budget.calls} calls a subject"
            if calls > budget.calls:
                spent = f"{calls} calls a subject are planned already, more than the {budget.calls} asked for, and stay"
            counts = ", ".join(f"{name} {count}" for name, count in runs.items())
            lines[f"{spent}, by {source}: {counts}"] = None
    return msgspec.structs.replace(selection, replicates=replicates), list(lines)


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
