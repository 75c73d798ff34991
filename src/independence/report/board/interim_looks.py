"""How often a comparison could have been looked at: at how many runs the store has held it, whoever looked.

Runs that are planned together are tested together: until all of them are there a subject has no index. Each time that
runs were added to either side, the comparison could be made anew. Where a decision between both was planned before the
first look, its looks are tested at its levels.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations_with_replacement
from statistics import harmonic_mean
from typing import NamedTuple

import numpy as np

from independence.stats import decision, repeated_looks
from independence.stats.index_uncertainty import Array
from independence.store import decisions, plans, queries
from independence.store.decisions import PlannedDecision
from independence.types import Where, grouped


class RunCount(NamedTuple):
    """How many runs a subject had once a plan was made."""

    at: str  # ISO 8601; empty: before all others
    fewest: int  # of any of its scenarios
    worth: float  # how many whole runs take as many calls, of which a verdict on each dialogue is one


class RunHistory(NamedTuple):
    """How the runs of a subject were added, and which decisions they were bought for."""

    counts: tuple[RunCount, ...] = ()  # in the order of time
    decisions: frozenset[PlannedDecision] = frozenset()

    @property
    def worth(self) -> int:
        """How many whole runs take as many calls as all that were planned."""
        return round(self.counts[-1].worth) if self.counts else 0


NEVER = RunHistory()


class Looks(NamedTuple):
    """Each time at which a comparison could be made, the present one last."""

    runs: tuple[int, ...]  # of the side that had fewer, at each
    information: tuple[float, ...]  # what the difference is as exact as, at each: runs of either side
    planned: PlannedDecision | None = None  # before the first of them

    @property
    def level(self) -> float:
        """The two-sided level (0-1) that the present one is tested at."""
        if self.information and self.planned is not None:
            return decision.level(self.information, self.planned.runs)
        return repeated_looks.level(self.information) if self.information else repeated_looks.FIRST

    @property
    def allowance(self) -> float:
        """What the p value of the present one is to be multiplied by, so that it is one of a first look."""
        return repeated_looks.FIRST / self.level

    @property
    def note(self) -> str:
        """What to say of the present one; empty where it is the first and was not planned."""
        if self.planned is not None and self.runs:
            return (
                f"Look {len(self.runs)} of a decision that was planned for {self.planned.runs} runs of each or as many "
                f"calls: p has to be below {self.level:.3g}, and intervals are {1 - self.level:.2%} ones. All looks "
                f"together find a difference between equals in at most {decision.ERROR:.0%} (alpha spending, Lan and "
                "DeMets 1983)."
            )
        if len(self.runs) < 2:
            return ""
        before, total = ", ".join(map(str, self.runs[:-1])), repeated_looks.FIRST + repeated_looks.LATER
        return (
            f"Look {len(self.runs)}: this comparison could be made before, at {before} runs. So p has to be below "
            f"{self.level:.2g}, and intervals are {1 - self.level:.2%} ones: then all looks together find a difference "
            f"between equals in at most {total:.1%} (alpha spending, Lan and DeMets 1983)."
        )


def run_counts(connection: sqlite3.Connection, where: Where, least: int = 2) -> dict[str, RunHistory]:
    """Of every subject of an edition under a condition, by config_dir.

    Only from `least` runs of every scenario on: with fewer there was no test. Imports were there before everything
    else, all of their runs at once.
    """
    imported = queries.imported(where.edition)
    stages: dict[str, dict[str, Counter[str]]] = {}
    calls: dict[str, int] = {}
    for stage in plans.planned_stages(connection, where):
        own = stages.setdefault(stage.config_dir, {}).setdefault("" if imported else stage.planned_at, Counter())
        own[stage.scenario] += stage.trials
        calls[stage.scenario] = stage.turns + 1
    planned = [(one, set(one.each)) for one in decisions.of_edition(connection, where)]
    return {
        config: RunHistory(
            tuple(one for one in _counts(own, calls) if one.fewest >= least),
            frozenset(one for one, sides in planned if (config, where.condition) in sides),
        )
        for config, own in stages.items()
    }


def _counts(stages: Mapping[str, Counter[str]], calls: Mapping[str, int]) -> Iterator[RunCount]:
    """`calls`: of one run of each scenario."""
    have = Counter(dict.fromkeys((scenario for own in stages.values() for scenario in own), 0))
    whole = sum(calls[scenario] for scenario in have)
    for at, added in stages.items():
        have.update(added)
        worth = sum(count * calls[scenario] for scenario, count in have.items()) / whole
        yield RunCount(at, min(have.values()), worth)


def of(first: RunHistory, second: RunHistory) -> Looks:
    """Looks at a comparison of two subjects: from then on when both had enough runs, whenever one got more."""
    times, runs, information = list[str](), list[int](), list[float]()
    for at in sorted({count.at for count in (*first.counts, *second.counts)}):
        latest = [next((one for one in reversed(own.counts) if one.at <= at), None) for own in (first, second)]
        there = [one for one in latest if one is not None]
        if len(there) == len(latest):
            times.append(at)
            runs.append(min(one.fewest for one in there))
            information.append(harmonic_mean([one.worth for one in there]))
    before = [one for one in first.decisions & second.decisions if one.planned_at <= min(times, default="")]
    planned = min(before, key=lambda one: one.planned_at, default=None)
    return Looks(tuple(runs), tuple(information), planned)


class AllLooks(NamedTuple):
    """Looks at all pairs of some subjects."""

    most: int  # at any pair; 0 where none could be tested
    allowance: Array  # (n, n): what a p value is to be multiplied by, so that it is one of a first look


def at_all_pairs(histories: Sequence[RunHistory]) -> AllLooks:
    """Of subjects by how runs were added to each."""
    allowance, most = np.ones((len(histories), len(histories))), 0
    if all(len(own.counts) < 2 and not own.decisions for own in histories):
        return AllLooks(min(1, len(histories)), allowance)
    alike = grouped(range(len(histories)), histories.__getitem__)  # most subjects were planned at the same times
    for (first, rows), (second, columns) in combinations_with_replacement(alike.items(), 2):
        if rows is columns and len(rows) < 2:
            continue
        found = of(first, second)
        most = max(most, len(found.runs))
        allowance[np.ix_(rows, columns)] = allowance[np.ix_(columns, rows)] = found.allowance
    np.fill_diagonal(allowance, 1.0)
    return AllLooks(most, allowance)
