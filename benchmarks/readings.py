"""What the product says of one simulated board: the only place that calls it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.grid import Array, Flags
from benchmarks.verdict_world import SimulatedSubjects
from independence.report.comparing.comparison_tables import equivalence_p
from independence.stats import comparison, index_uncertainty, power, ranks, repeated_looks, single_runs
from independence.stats.comparison import Difference
from independence.stats.index_uncertainty import IndexEstimate
from independence.stats.ranks import RankedSubject
from independence.stats.subject_points import SubjectPoints

Estimates = Callable[[Sequence[SubjectPoints]], list[IndexEstimate]]
THESE: Estimates = index_uncertainty.these_scenarios
LIKE_THESE: Estimates = index_uncertainty.scenarios_like_these


class Ends(NamedTuple):
    """Intervals of n subjects, each (n,); nan where there is none."""

    low: Array
    high: Array
    se: Array

    def hold(self, truth: Array) -> Flags:
        """Whether each holds its truth; none at all does not."""
        return np.asarray((self.low <= truth) & (truth <= self.high))

    @property
    def width(self) -> float:
        """Mean of those that are there."""
        return float(np.nanmean(self.high - self.low))


def intervals(subjects: SimulatedSubjects, fleet: int, estimates: Estimates) -> Ends:
    """Of subjects that stand on boards of `fleet`, one board after the other."""
    count = len(subjects.points[0])
    found: list[IndexEstimate | None] = []
    for start in range(0, count, fleet):
        sheets = subjects.sheets(slice(start, start + fleet))
        if all(map(index_uncertainty.repeated, sheets)):
            found += estimates(sheets)
        else:
            found += [single_runs.like_these(sheet) if estimates is LIKE_THESE else None for sheet in sheets]
    known = [one for one in found if one is not None]
    ends = iter(index_uncertainty.intervals(known))
    both = np.array([(one is not None and next(ends)) or (np.nan, np.nan) for one in found])
    return Ends(both[:, 0], both[:, 1], np.array([np.nan if one is None else one.se for one in found]))


class Standings(NamedTuple):
    """Where subjects of one board stand, each (n,): tiers from 1, and the ends of their ranks."""

    tier: Array
    low: Array
    high: Array


def standings(estimates: Sequence[IndexEstimate]) -> Standings:
    """As a board on these scenarios says it with Holm's correction; nobody without an error has a place."""
    order = [at for at in np.argsort([-one.point for one in estimates], kind="stable") if estimates[at].se > 0]
    p = _pairs([estimates[at] for at in order])
    tiers = comparison.tiers(ranks.adjusted_pairs(np.abs(p)))
    found = np.full((3, len(estimates)), np.nan)
    for at, tier, ends in zip(order, tiers, ranks.rank_intervals(p), strict=True):
        found[:, at] = tier, *ends
    return Standings._make(found)


def _pairs(estimates: Sequence[IndexEstimate]) -> Array:
    complete = [RankedSubject(one.point, one.point, one, SubjectPoints(0.0, ())) for one in estimates]
    return ranks.pair_p_values(complete, like_these=False)


def told_apart(first: IndexEstimate, second: IndexEstimate, looks: Sequence[int] = (1,)) -> bool:
    """Whether one comparison says that they differ; `looks`: runs at each look, the present one last."""
    return comparison.difference(first, second).p < repeated_looks.level(looks)


def told_apart_once(first: SubjectPoints, second: SubjectPoints) -> bool:
    """The same of two subjects of many scenarios, each run once."""
    return comparison.paired(first, second, Difference(0.0, 0.0, 1.0)).p < 0.05


def equivalent(first: IndexEstimate, second: IndexEstimate, *, margin: float) -> bool:
    """Whether one comparison says that they are equivalent within that many points; none where it is not tested."""
    near = equivalence_p(comparison.difference(first, second), margin)
    return near is not None and near < 0.05


def told_apart_on_board(estimates: Sequence[IndexEstimate], first: int, second: int, level: float = 0.05) -> bool:
    """Whether a board of these, with Holm's correction, says that two of them differ."""
    p = ranks.adjusted_pairs(np.abs(_pairs(estimates)))
    return bool(p[first, second] < level)


def smallest_visible(estimates: Sequence[IndexEstimate], *, by_tiers: bool) -> float:
    """The difference in points that the board prints as visible with 80% power; nan without any."""
    level = power.first_level(sum(one.se > 0 for one in estimates)) if by_tiers else 0.05
    found = power.minimum_detectable(estimates, level=level)
    return np.nan if found is None else found
