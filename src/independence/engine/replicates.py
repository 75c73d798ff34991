"""How often to repeat which scenario of runs that are bought stage by stage, from what is known about their noise."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import msgspec

from independence.config.subjects import Subject
from independence.engine.plan import Selection, StoredNoise
from independence.errors import listed
from independence.stats.allocation import RepeatedScenario, RunNoise, allocate, least_calls, pooled
from independence.store import plans, queries
from independence.store.queries import PUBLISHED
from independence.store.scopes import BoardScope
from independence.suites.schema import Suite
from independence.types import Condition, Where


class NoiseSource(NamedTuple):
    """Who knows how far one run of a scenario strays: stored runs, else the suite."""

    connection: sqlite3.Connection
    suite: Suite
    edition: str
    shipped: Mapping[str, float] | None
    stored: StoredNoise

    def known(self, condition: Condition) -> KnownNoise:
        """What is known under a condition."""
        own, imported = (self._read(edition, condition) for edition in (self.edition, PUBLISHED))
        return KnownNoise(self.shipped, {scenario.id: 1.0 for scenario in self.suite.scenarios}, own, imported)

    def _read(self, edition: str, condition: Condition) -> Mapping[str, RunNoise]:
        where = Where(self.suite.suite, edition, condition)
        there = condition in queries.conditions(self.connection, where)
        return self.stored(self.connection, BoardScope(self.suite, where)) if there else {}


class KnownNoise(NamedTuple):
    """Variance of one run by scenario, as far as it is known under one condition."""

    shipped: Mapping[str, float] | None
    equal: Mapping[str, float]
    own: Mapping[str, RunNoise]  # of the subjects of the edition, by config_dir
    imported: Mapping[str, RunNoise]

    def variance(self, but: Collection[str]) -> tuple[Mapping[str, float], str]:
        """What a subject's plan follows, and where it is from; never runs of those (`but`), of which it is one.

        Its own runs count in its index. A scenario that failed in them by chance would be repeated more than one that
        did not, its failure diluted, and the index would come out too high on average.
        """
        prior = self.shipped or self.equal
        others = [noise for name, noise in self.own.items() if name not in but]
        for parts, source in (
            (others, "the noise of other subjects' runs"),
            (self.imported.values(), "the noise of imported runs"),
        ):
            found = pooled(parts)
            if found is not None and any(found.variance.values()):
                return {**prior, **found.moderated(prior)}, source
        return prior, "the noise the suite ships" if self.shipped else "equal shares, as no noise is known yet"


def spread_calls(
    noise: NoiseSource, selection: Selection, subjects: Sequence[Subject], verdicts: int
) -> tuple[Selection, list[str]]:
    """The selection with runs for each scenario, as many calls as its whole runs take, and what to say about it.

    `verdicts`: calls for verdicts on one dialogue.
    """
    replicates: dict[tuple[str, Condition], dict[str, int]] = {}
    lines: dict[str, list[str]] = {}
    for condition in selection.conditions:
        planned: dict[str, dict[str, int]] = {}
        where = Where(noise.suite.suite, noise.edition, condition)
        for one in plans.planned_trials(noise.connection, where):  # in the order of runs: the highest comes last
            planned.setdefault(one.config_dir, {})[one.scenario] = one.run
        # What is bought stage by stage follows nothing that earlier stages have shown: of two subjects, each would
        # spend all on the one scenario in which the other has failed, and leave its own at two runs.
        variance, source = noise.known(condition).variance({subject.config_dir for subject in subjects})
        units = _units(noise.suite, selection, variance, verdicts)
        calls = selection.runs * sum(unit.calls for unit in units.values())
        for subject in subjects:
            have = planned.get(subject.config_dir, {})
            runs = allocate(units, max(calls, least_calls(units, have)), have)
            replicates[subject.config_dir, condition] = runs
            line = _told(runs, sum(units[name].calls * count for name, count in runs.items()), calls, source)
            lines.setdefault(line, []).append(subject.label)
    told = [line if len(lines) == 1 else f"{listed(labels)}: {line}" for line, labels in lines.items()]
    return msgspec.structs.replace(selection, replicates=replicates), told


def _told(runs: Mapping[str, int], calls: int, most: int, source: str) -> str:
    spent = f"{calls} of {most} calls a subject"
    if calls > most:
        spent = f"{calls} calls a subject are planned already, more than the {most} asked for, and stay"
    alike = len(set(runs.values())) == 1
    each = (
        f"{max(runs.values())} runs of each" if alike else ", ".join(f"{name} {count}" for name, count in runs.items())
    )
    return f"{spent}, by {source}: {each}"


def _units(
    suite: Suite, selection: Selection, variance: Mapping[str, float], verdicts: int
) -> dict[str, RepeatedScenario]:
    calls = calls_of_scenarios(suite, verdicts)
    chosen = [s for s in suite.scenarios if not selection.experiments or s.experiment in selection.experiments]
    return {s.id: RepeatedScenario(variance[s.id], calls[s.id], s.follows) for s in chosen}


def calls_of_scenarios(suite: Suite, verdicts: int) -> dict[str, int]:
    """Calls of one run of each scenario; `verdicts`: how many a dialogue gets for which somebody is asked."""
    return {s.id: sum(turn.reply is None for turn in s.turns) + verdicts for s in suite.scenarios}
