"""How often a comparison could have been looked at: at how many runs the store has held it, whoever looked.

Runs that are planned together are tested together: until all of them are there a subject has no index. Each time that
runs were added to either side, the comparison could be made anew.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from statistics import harmonic_mean
from typing import NamedTuple

import numpy as np
from msgspec import UNSET, UnsetType

from independence.stats import repeated_looks
from independence.stats.index_uncertainty import Array
from independence.store import plans, queries
from independence.types import Where


class RunCount(NamedTuple):
    """How many runs a subject had once a plan was made."""

    at: str  # ISO 8601; empty: before all others
    fewest: int  # of any of its scenarios
    mean: float  # harmonic mean over its scenarios: what its index is as exact as


class Looks(NamedTuple):
    """Each time at which a comparison could be made, the present one last."""

    runs: tuple[int, ...]  # of the side that had fewer, at each
    information: tuple[float, ...]  # what the difference is as exact as, at each: runs of either side

    @property
    def level(self) -> float:
        """The two-sided level (0-1) that the present one is tested at."""
        return repeated_looks.level(self.information) if self.information else repeated_looks.FIRST

    @property
    def allowance(self) -> float:
        """What the p value of the present one is to be multiplied by, so that it is one of a first look."""
        return repeated_looks.FIRST / self.level

    @property
    def note(self) -> str:
        """What to say of the present one; empty where it is the first."""
        if len(self.runs) < 2:
            return ""
        before, total = ", ".join(map(str, self.runs[:-1])), repeated_looks.FIRST + repeated_looks.LATER
        return (
            f"Look {len(self.runs)}: this comparison could be made before, at {before} runs. So p has to be below "
            f"{self.level:.2g}, and intervals are {1 - self.level:.2%} ones: then all looks together find a difference "
            f"between equals in at most {total:.1%} (alpha spending, Lan and DeMets 1983)."
        )


def run_counts(connection: sqlite3.Connection, where: Where, least: int = 2) -> dict[str, tuple[RunCount, ...]]:
    """Of every subject of an edition under a condition, by config_dir, in the order of time.

    Only from `least` runs of every scenario on: with fewer there was no test. Imports were there before everything
    else, all of their runs at once.
    """
    imported = queries.imported(where.edition)
    stages: dict[str, dict[str, Counter[str]]] = {}
    for stage in plans.planned_stages(connection, where):
        own = stages.setdefault(stage.config_dir, {}).setdefault("" if imported else stage.planned_at, Counter())
        own[stage.scenario] += stage.trials
    counts = {config: _counts(own) for config, own in stages.items()}
    return {config: tuple(one for one in own if one.fewest >= least) for config, own in counts.items()}


def _counts(stages: Mapping[str, Counter[str]]) -> tuple[RunCount, ...]:
    have = Counter(dict.fromkeys((scenario for own in stages.values() for scenario in own), 0))
    out = []
    for at, added in stages.items():
        have.update(added)
        out.append(RunCount(at, min(have.values()), _mean(tuple(have.values()))))
    return tuple(out)


@lru_cache(maxsize=256)  # most subjects are planned alike
def _mean(counts: tuple[int, ...]) -> float:
    return harmonic_mean(counts)


def of(first: Sequence[RunCount], second: Sequence[RunCount]) -> Looks:
    """Looks at a comparison of two subjects: from then on when both had enough runs, whenever one got more."""
    runs, information = [], []
    for at in sorted({count.at for count in (*first, *second)}):
        latest = [next((one for one in reversed(own) if one.at <= at), None) for own in (first, second)]
        there = [one for one in latest if one is not None]
        if len(there) == len(latest):
            runs.append(min(one.fewest for one in there))
            information.append(harmonic_mean([one.mean for one in there]))
    return Looks(tuple(runs), tuple(information))


class AllLooks(NamedTuple):
    """Looks at all pairs of some subjects."""

    most: int  # at any pair; 0 where none could be tested
    allowance: Array  # (n, n): what a p value is to be multiplied by, so that it is one of a first look

    @property
    def most_of_several(self) -> int | UnsetType:
        """The same where it is more than one."""
        return self.most if self.most > 1 else UNSET


def at_all_pairs(counts: Sequence[Sequence[RunCount]]) -> AllLooks:
    """Of subjects by how runs were added to each."""
    allowance, most = np.ones((len(counts), len(counts))), 0
    if all(len(own) < 2 for own in counts):
        return AllLooks(min(1, len(counts)), allowance)
    alike: dict[tuple[RunCount, ...], list[int]] = {}  # most subjects were planned at the same times
    for at, own in enumerate(counts):
        alike.setdefault(tuple(own), []).append(at)
    for (first, rows), (second, columns) in combinations_with_replacement(alike.items(), 2):
        if rows is columns and len(rows) < 2:
            continue
        found = of(first, second)
        most = max(most, len(found.runs))
        allowance[np.ix_(rows, columns)] = allowance[np.ix_(columns, rows)] = found.allowance
    np.fill_diagonal(allowance, 1.0)
    return AllLooks(most, allowance)
