"""Two subjects, or one subject under two conditions or two judges: how far apart, and how surely.

Both sides answered the same scenarios, so everything is paired by scenario. Two judges on the same replies are paired
by dialogue: what a reply is worth cancels, and the spread is that of their differences.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from independence.errors import StoreError, ambiguous
from independence.report.board import interim_looks
from independence.report.board.board_data import BoardData
from independence.report.board.interim_looks import NEVER, Looks
from independence.report.board.verdict_frame import PlannedVerdict
from independence.stats import index_uncertainty, single_runs
from independence.stats.comparison import Difference, difference, paired
from independence.stats.index_uncertainty import IndexEstimate
from independence.stats.subject_points import Points, Stratum, SubjectPoints, with_holes
from independence.store import queries, scopes
from independence.store.scopes import Names
from independence.types import Ends

_NOISE = 1e-9  # index points


class ComparedSubject(msgspec.Struct, frozen=True):
    """One subject as one study saw it."""

    study: BoardData
    config: str

    @property
    def planned(self) -> Sequence[PlannedVerdict]:
        """Its planned verdicts."""
        return self.study.planned[self.config]

    @property
    def index(self) -> float | None:
        """The strict index, 0-100; None while a verdict is missing."""
        whole = self.study.points.get(self.config)
        return whole.index if whole else None

    @property
    def bounds(self) -> Ends:
        """Worst and best index the missing verdicts allow."""
        return self.study.scores[self.config].bounds


class IndexGap(NamedTuple):
    """First minus second in index points, in both readings."""

    these: Difference
    like_these: Difference


def looks(first: ComparedSubject, second: ComparedSubject) -> Looks:
    """How often two sides could be compared."""
    return interim_looks.of(*(side.study.run_counts.get(side.config, NEVER) for side in (first, second)))


def find(connection: sqlite3.Connection, read: BoardData, name: str) -> str:
    """The config_dir of the subject with that label, id or config_dir. Raises StoreError, with near names."""
    scope = read.scope
    where = f"in {scope.where.edition_name} under {scope.condition}"
    known = {config: Names(config, about.label, about.model_id) for config, about in read.about.items()}
    fitting = scopes.fitting(name, known)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise StoreError(*ambiguous(name, f"subjects {where}", sorted(known[config].label for config in fitting)))
    for info in sorted(queries.editions(connection), key=lambda info: info.edition != scope.edition):
        elsewhere = scopes.of_edition(connection, info.where)
        if info.suite == scope.suite.suite and scopes.fitting(name, elsewhere):
            there = f"it is in {info.where.edition_name}"
            if info.edition == scope.edition:
                raise StoreError(f"`{name}` has no trials {where}; {there} under another condition")
            raise StoreError(f"`{name}` has no trials {where}; {there}, and editions are never compared")
    raise StoreError(*scopes.unfit(name, known, where))


def same_replies(first: ComparedSubject, second: ComparedSubject) -> bool:
    """True for one subject in one place, seen by two judges: each grades the dialogues that the other grades."""
    return first.config == second.config and first.study.scope == second.study.scope


def gap(first: ComparedSubject, second: ComparedSubject) -> IndexGap | None:
    """How far apart two sides are; None where one is incomplete or has a scenario with fewer than two runs.

    Of many scenarios with one run each there is a difference on scenarios like these, and none with an error on these.
    Raises StoreError for sides of two editions or suites.
    """
    same_edition(first, second)
    if same_replies(first, second):
        return _between_judges(first, second)
    own, other = _run_error(first), _run_error(second)
    if own is None or other is None:
        return None
    floor = difference(own, other)
    like_these = paired(first.study.points[first.config], second.study.points[second.config], floor)
    if any(side.config in side.study.single_runs for side in (first, second)):
        floor = floor._replace(se=0.0)
    return IndexGap(solid(floor), solid(like_these))


def _run_error(side: ComparedSubject) -> IndexEstimate | None:
    """How sure its index is for these scenarios; as if certain where many were run once."""
    once = side.study.single_runs.get(side.config)
    return side.study.same_scenarios.get(side.config) or (once and once._replace(se=0.0))


def solid(found: Difference) -> Difference:
    """Without a standard error where it is but the error of computing it: what is always the same has no spread."""
    return found if found.se > _NOISE else found._replace(se=0.0)


def same_edition(first: ComparedSubject, second: ComparedSubject) -> None:
    """Raises StoreError for sides of two editions or suites."""
    own, other = (side.study.scope.where.under(None) for side in (first, second))
    if own != other:
        raise StoreError(
            f"{own.edition_name} and {other.edition_name} ask other questions: editions are never compared"
        )


def _between_judges(first: ComparedSubject, second: ComparedSubject) -> IndexGap | None:
    fleet = {
        config: _less(first.study.points[config], second.study.points[config])
        for config in first.study.same_scenarios
        if config in second.study.same_scenarios and same_dialogues(first.study, second.study, config)
    }
    if first.config not in fleet:
        # Of many scenarios with one run each: the differences by scenario are the sample.
        once = all(first.config in side.study.single_runs for side in (first, second))
        if not once or not same_dialogues(first.study, second.study, first.config):
            return None
        found = single_runs.like_these(_less(first.study.points[first.config], second.study.points[first.config]))
        return found and IndexGap(Difference(found.point, 0.0, 1.0), _of_less(found))
    at, sheets = list(fleet).index(first.config), list(fleet.values())
    these = index_uncertainty.these_scenarios(sheets, prior_df=0)
    like_these = index_uncertainty.scenarios_like_these(sheets, prior_df=0)
    return IndexGap(_of_less(these[at]), _of_less(like_these[at]))


def same_dialogues(first: BoardData, second: BoardData, config: str) -> bool:
    """True when two readings of one place hold the same dialogues of a subject: a run may have gone on in between."""
    own, other = ([(cell.scenario, cell.run) for cell in read.planned[config]] for read in (first, second))
    return own == other


def _of_less(found: IndexEstimate) -> Difference:
    return solid(Difference(found.point, found.se, found.df))


def _less(first: SubjectPoints, second: SubjectPoints) -> SubjectPoints:
    """The differences of two judges' points, dialogue by dialogue."""
    strata = [
        Stratum(
            own.scenarios,
            tuple(a - b for a, b in zip(own.points, other.points, strict=True)),
            tuple((low - high, high - low) for low, high in own.ends),
        )
        for own, other in zip(first.strata, second.strata, strict=True)
    ]
    return SubjectPoints(first.base - second.base, tuple(strata))


Fleet = dict[str, dict[str, Points]]  # config_dir -> scenario -> points of its runs


class ScenarioGap(NamedTuple):
    """One scenario's part in a difference. Shares lie between 0, the worst end of its scale, and 1, the best."""

    scenario: str
    first: float | None  # None where a verdict of it is missing
    second: float | None
    points: float | None  # first minus second; over all scenarios they add up to the difference of the indices
    gap: Difference | None  # None below two runs


def items(first: ComparedSubject, second: ComparedSubject) -> list[ScenarioGap]:
    """Every scenario of the index in the suite's order. Raises StoreError for sides of two editions or suites."""
    same_edition(first, second)
    ends = with_holes(first.study.frame, first.planned).ends
    order = [scenario.id for scenario in first.study.scope.suite.scenarios if scenario.id in ends]
    own = _fleet(first)
    repeated = first.study.same_scenarios
    together = first.study is second.study and first.config in repeated and second.config in repeated
    fleets = own, own if together else _fleet(second)
    return [_item(scenario, ends[scenario], (first, second), fleets) for scenario in order]


def _item(
    scenario: str, ends: Ends, sides: tuple[ComparedSubject, ComparedSubject], fleets: tuple[Fleet, Fleet]
) -> ScenarioGap:
    own, other = (fleet[side.config].get(scenario) for fleet, side in zip(fleets, sides, strict=True))
    points = gap = None
    if own is not None and other is not None:
        points = float(own.mean() - other.mean())
        gap = _gap(scenario, ends, sides, fleets) if len(own) > 1 and len(other) > 1 else None
    return ScenarioGap(scenario, _share(own, ends), _share(other, ends), points, gap)


def _share(points: Points | None, ends: Ends) -> float | None:
    low, high = ends
    return None if points is None else (float(points.mean()) - low) / (high - low)


def _gap(
    scenario: str, ends: Ends, sides: tuple[ComparedSubject, ComparedSubject], fleets: tuple[Fleet, Fleet]
) -> Difference | None:
    first, second = sides
    own, other = (
        {config: points[scenario] for config, points in fleet.items() if len(points.get(scenario, ())) > 1}
        for fleet in fleets
    )
    if not same_replies(first, second):
        estimates = _estimates(ends, own)
        others = estimates if fleets[0] is fleets[1] else _estimates(ends, other)
        return solid(difference(estimates[first.config], others[second.config]))
    less = {
        config: own[config] - other[config]
        for config in own
        if config in other and same_dialogues(first.study, second.study, config)
    }
    low, high = ends
    if first.config not in less:
        return None
    return _of_less(_estimates((low - high, high - low), less)[first.config])


def _estimates(ends: Ends, fleet: Mapping[str, Points]) -> dict[str, IndexEstimate]:
    """One scenario as if it were a whole index, by config_dir."""
    return dict(zip(fleet, index_uncertainty.of_one_unit(list(fleet.values()), ends), strict=True))


def _fleet(side: ComparedSubject) -> Fleet:
    """The subjects that moderate the index's variances, and the side itself as far as it is whole."""
    fleet = {config: side.study.points[config].totals for config in side.study.same_scenarios}
    if side.config not in fleet:
        own = with_holes(side.study.frame, side.planned).totals
        fleet[side.config] = {name: points for name, points in own.items() if not np.isnan(points).any()}
    return fleet
