"""Two subjects, or one subject under two conditions or two judges: how far apart, and how surely.

Both sides answered the same scenarios, so everything is paired by scenario. Two judges on the same replies are paired
by dialogue: what a reply is worth cancels, and the spread is that of their differences.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from independence.errors import StoreError
from independence.report import study
from independence.report.planned_verdicts import PlannedVerdict
from independence.report.study import Study
from independence.stats import index_uncertainty, strict
from independence.stats.comparison import Difference, difference, paired
from independence.stats.strict import Ends
from independence.stats.subject_points import Stratum, SubjectPoints
from independence.store import name_lookup, queries
from independence.store.name_lookup import Names

_NOISE = 1e-9  # index points


class ComparedSubject(msgspec.Struct, frozen=True):
    """One subject as one study saw it."""

    study: Study
    config: str

    @property
    def planned(self) -> Sequence[PlannedVerdict]:
        """Its planned verdicts."""
        return self.study.planned[self.config]

    @property
    def index(self) -> float | None:
        """The strict index, 0-100; None while a verdict is missing."""
        whole = self.study.sheets.get(self.config)
        return whole.index if whole else None

    @property
    def bounds(self) -> Ends:
        """Worst and best index the missing verdicts allow."""
        return strict.score(self.study.frame, study.scored(self.planned)).bounds


class IndexGap(NamedTuple):
    """First minus second in index points, in both readings."""

    these: Difference
    like_these: Difference


def find(connection: sqlite3.Connection, read: Study, name: str) -> str:
    """The config_dir of the subject with that label, id or config_dir. Raises StoreError, with near names."""
    scope = read.scope
    where = f"in {scope.where.edition_name} under {scope.condition}"
    known = {config: Names(config, about.label, about.model_id) for config, about in read.about.items()}
    fitting = name_lookup.fitting(name, known)
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        held = name_lookup.listed(sorted(known[config].label for config in fitting))
        raise StoreError(f"`{name}` names several subjects {where}; use a label: {held}")
    for info in sorted(queries.editions(connection), key=lambda info: info.edition != scope.edition):
        elsewhere = name_lookup.of_edition(connection, info.where)
        if info.suite == scope.suite.suite and name_lookup.fitting(name, elsewhere):
            there = f"it stands in {info.where.edition_name}"
            if info.edition == scope.edition:
                raise StoreError(f"`{name}` has no trials {where}; {there} under another condition")
            raise StoreError(f"`{name}` has no trials {where}; {there}, and editions are never compared")
    raise StoreError(name_lookup.unknown(name, known, where))


def same_replies(first: ComparedSubject, second: ComparedSubject) -> bool:
    """True for one subject in one place, seen by two judges: each grades the dialogues that the other grades."""
    return first.config == second.config and first.study.scope == second.study.scope


def gap(first: ComparedSubject, second: ComparedSubject) -> IndexGap | None:
    """How far apart two sides are; None where one is incomplete or has a scenario with fewer than two runs.

    Raises StoreError for sides of two editions or suites.
    """
    same_edition(first, second)
    if same_replies(first, second):
        return _between_judges(first, second)
    own, other = first.study.these.get(first.config), second.study.these.get(second.config)
    if own is None or other is None:
        return None
    floor = difference(own, other)
    like_these = paired(first.study.sheets[first.config], second.study.sheets[second.config], floor)
    return IndexGap(solid(floor), solid(like_these))


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
        config: _less(first.study.sheets[config], second.study.sheets[config])
        for config in first.study.these
        if config in second.study.these and same_dialogues(first.study, second.study, config)
    }
    if first.config not in fleet:
        return None
    at, sheets = list(fleet).index(first.config), list(fleet.values())
    these, like_these = (
        index_uncertainty.these_scenarios(sheets)[at],
        index_uncertainty.scenarios_like_these(sheets)[at],
    )
    return IndexGap(solid(Difference(*these)), solid(Difference(*like_these)))


def same_dialogues(first: Study, second: Study, config: str) -> bool:
    """True when two readings of one place hold the same dialogues of a subject: a run may have gone on in between."""
    own, other = ([(cell.scenario, cell.run) for cell in read.planned[config]] for read in (first, second))
    return own == other


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
