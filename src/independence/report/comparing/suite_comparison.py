"""Two editions of a suite, or a suite and its translation, scenario by scenario over the subjects that both have."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import NamedTuple

import msgspec

from independence.errors import StoreError, UsageError, listed
from independence.report import analysis
from independence.report.board import judge_choice
from independence.report.board.measures import SubjectMeasure, SuiteMeasures
from independence.report.board.notes import SIMULATED_NOTE
from independence.report.comparing.comparison_tables import tested_p
from independence.report.comparing.subject_comparison import solid
from independence.report.files import table_layouts
from independence.report.files.table import Kind, Table, Value, percent
from independence.stats.comparison import Difference, adjusted_by_name, mean_difference
from independence.store import queries, scopes
from independence.store.scopes import BoardScope


class ComparedSuite(NamedTuple):
    """One of the two."""

    scope: BoardScope
    measures: SuiteMeasures

    @property
    def name(self) -> str:
        """`suite@edition`."""
        return self.scope.where.edition_name


class SharedSubject(NamedTuple):
    """A subject that both suites measured."""

    config: str
    first: SubjectMeasure
    second: SubjectMeasure

    @property
    def values(self) -> tuple[float, float] | None:
        """Its two numbers; None where one is missing."""
        own, other = self.first.value, self.second.value
        return None if own is None or other is None else (own, other)


class PairedScenario(NamedTuple):
    """A scenario, or a cell of a grid, that both suites have: means over the subjects measured in both."""

    name: str
    first: float
    second: float
    subjects: int
    difference: Difference | None  # first minus second over subjects; None below two


class ComparedSuites(msgspec.Struct, frozen=True):
    """Two suites under one condition, by one judge."""

    first: ComparedSuite
    second: ComparedSuite
    judge: str

    @property
    def common(self) -> list[SharedSubject]:
        """The subjects that both have, the highest of the first suite first, those without both numbers last."""
        own, other = self.first.measures.subjects, self.second.measures.subjects
        shared = [SharedSubject(config, own[config], other[config]) for config in own if config in other]
        return sorted(shared, key=lambda one: (one.values is None, -(one.first.value or 0.0), one.config))

    @property
    def measured(self) -> list[SharedSubject]:
        """Those of them that have both numbers."""
        return [one for one in self.common if one.values is not None]

    @property
    def difference(self) -> Difference | None:
        """The mean of first minus second over the subjects; None below two."""
        return mean_difference([own - other for own, other in (one.values for one in self.measured if one.values)])

    @property
    def scenarios(self) -> list[PairedScenario]:
        """Scenario by scenario, in the order of the first suite."""
        values: dict[str, list[tuple[float, float]]] = {}
        for one in self.measured:
            for name, own in one.first.parts.items():
                if name in one.second.parts:
                    values.setdefault(name, []).append((own, one.second.parts[name]))
        made = []
        for name, pairs in values.items():
            apart = mean_difference([own - other for own, other in pairs])
            first, second = (fmean(side) for side in zip(*pairs, strict=True))
            made.append(PairedScenario(name, first, second, len(pairs), solid(apart) if apart else None))
        return made


def places(
    connection: sqlite3.Connection, suites: tuple[str, str], variant: str | None, mode: str | None
) -> tuple[BoardScope, BoardScope]:
    """Two suites, each `NAME` or `NAME@EDITION`, under a condition of both: the one named, else the first's own.

    Raises UsageError where they are one, StoreError for one that is not there or without a condition in common.
    """
    first, second = (scopes.conditions(connection, name, variant, mode) for name in suites)
    own, other = (there[0].where.edition_name for there in (first, second))
    if own == other:
        what = f"`{suites[0]}` and `{suites[1]}` are the same edition, {own}"
        raise UsageError(what, f"the store has {scopes.names(queries.editions(connection))}")
    under = {one.condition: one for one in second}
    shared = [one for one in first if one.condition in under]
    if not shared:
        held = (
            f"{there[0].where.edition_name} has {', '.join(str(one.condition) for one in there)}"
            for there in (first, second)
        )
        raise StoreError(f"no condition is common to both: {'; '.join(held)}", "run one of them under the other's")
    return shared[0], under[shared[0].condition]


def read(
    connection: sqlite3.Connection, first: BoardScope, second: BoardScope, judge: str | None = None
) -> ComparedSuites:
    """Read both under a judge (None: the usual one of both).

    Raises UsageError where they measure different things, StoreError without a common judge or subject.
    """
    if first.suite.original != second.suite.original:
        what = f"{first.suite.suite} and {second.suite.suite} share no scenario"
        raise UsageError(what, "name two editions of one suite (NAME@EDITION), or a suite and its translation")
    by = _judge_of_both(connection, first, second, judge)
    own, other = (analysis.of(one.suite.analysis).measures(connection, one, by) for one in (first, second))
    if own.quantity != other.quantity:
        what = f"{first.suite.suite} measures {own.quantity} and {second.suite.suite} measures {other.quantity}"
        raise UsageError(what, "only suites that measure the same are compared")
    compared = ComparedSuites(ComparedSuite(first, own), ComparedSuite(second, other), by)
    if not compared.common:
        what = f"{compared.first.name} and {compared.second.name} have no subject in common under {first.condition}"
        # no import can be run
        left, there = (compared.first, other) if queries.imported(second.edition) else (compared.second, own)
        names = listed([one.name for one in there.subjects.values()])
        raise StoreError(what, f"run {left.name} on subjects of the other: {names}")
    return compared


def _judge_of_both(connection: sqlite3.Connection, first: BoardScope, second: BoardScope, asked: str | None) -> str:
    graded = [queries.judges(connection, one.where) for one in (first, second)]
    by = judge_choice.shared_judge(*graded)
    if asked is not None:
        name = judge_choice.judge([one for own in graded for one in own], asked)
        by = name if all(name in {one.judge for one in own} for own in graded) else None
    if by is None:
        held = (
            f"{place.where.edition_name} has {', '.join(sorted({one.judge for one in own})) or 'no verdicts'}"
            for place, own in zip((first, second), graded, strict=True)
        )
        what = f"judge {asked} did not grade both" if asked else "no judge graded both"
        raise StoreError(f"{what}: {'; '.join(held)}", "`independence judge` grades stored replies")
    return by


def tables(compared: ComparedSuites) -> list[Table]:
    """Both suites, every subject and the scenarios."""
    measures = compared.first.measures
    made = [_suites(compared), _subjects(compared), _scenarios(compared, compared.scenarios)]
    kinds: dict[Kind, Kind] = {"interval": measures.interval}  # numbers as the quantity's boards print them
    for at, table in enumerate(made):
        columns = (one._replace(kind=kinds.get(one.kind, one.kind), digits=measures.digits) for one in table.columns)
        made[at] = msgspec.structs.replace(table, columns=tuple(columns))
    return made


def _suites(compared: ComparedSuites) -> Table:
    first, second = compared.first, compared.second
    rows: list[tuple[Value, ...]] = []
    for at, (letter, one) in enumerate((("A", first), ("B", second))):
        values = [both.values[at] for both in compared.measured if both.values is not None]
        spread = stdev(values) if len(values) > 1 else None
        planned = len(one.measures.subjects)
        rows.append((letter, one.name, one.scope.suite.language, planned, fmean(values) if values else None, spread))
    about = f"{first.measures.quantity} over {_counted(len(compared.measured))} measured in both"
    notes = [f"{first.scope.condition}, judge {compared.judge}. Mean and SD of {about}."]
    if found := compared.difference:
        digits, ends = first.measures.digits, solid(found).interval()
        sure = f" (95% {ends[0]:+.{digits}f} to {ends[1]:+.{digits}f})" if ends else ""
        notes.append(f"Mean A − B: {found.points:+.{digits}f}{sure}, for other subjects like these.")
    notes += [
        f"{one.name} is a translation of {one.scope.suite.original}."
        for one in (first, second)
        if one.scope.suite.translation_of
    ]
    title = f"{first.name} against {second.name}"
    notes += [*_incomplete(compared), *[SIMULATED_NOTE] * any(one.first.simulated for one in compared.common)]
    return table_layouts.made("comparisons/suites", rows, notes, title=title)


def _counted(subjects: int) -> str:
    return f"{subjects} subject{'' if subjects == 1 else 's'}"


def _incomplete(compared: ComparedSuites) -> list[str]:
    """Whose numbers rest on part of the verdicts, and who has none for want of them."""
    lines = []
    for one in compared.common:
        shares = ((letter, own.coverage) for letter, own in (("A", one.first), ("B", one.second)))
        holes = [f"{percent(share)} of {letter}'s verdicts" for letter, share in shares if share < 1]
        said = "left out, with" if one.values is None else "from"
        lines += [f"{one.first.name}: {said} {' and '.join(holes)}."] if holes else []
    return lines


def _subjects(compared: ComparedSuites) -> Table:
    rows = [
        (
            one.first.name, one.first.value, one.first.ci, one.second.value, one.second.ci,
            one.values[0] - one.values[1] if one.values else None,
        )
        for one in compared.common
    ]  # fmt: skip
    return table_layouts.made("comparisons/suite-subjects", rows)


def _scenarios(compared: ComparedSuites, paired: Sequence[PairedScenario]) -> Table:
    p = {one.name: tested_p(one.difference) for one in paired}
    holm = adjusted_by_name(p)
    rows = [
        (
            one.name, one.first, one.second, one.first - one.second,
            one.difference.interval() if one.difference else None, one.subjects, p[one.name], holm.get(one.name),
        )
        for one in paired
    ]  # fmt: skip
    part = compared.first.measures.part
    quantity = compared.first.measures.quantity
    return table_layouts.made(
        "comparisons/suite-scenarios", rows, part=part, small=part.lower(), quantity=quantity, tested=len(holm)
    )
