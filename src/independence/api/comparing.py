"""Two subjects, one under two conditions or judges, or two suites, as `independence compare` compares them."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from typing import ClassVar, NamedTuple

from independence.api.reading import Store
from independence.api.results import Tabular, printed
from independence.config import functions
from independence.config.functions import Asked
from independence.errors import UsageError
from independence.report import analysis
from independence.report.board import board_data, judge_choice
from independence.report.board.rows import STRICT
from independence.report.comparing import comparison_tables, rule_comparison, subject_comparison, suite_comparison
from independence.report.comparing.subject_comparison import ComparedSubject, IndexGap
from independence.report.comparing.suite_comparison import ComparedSuites
from independence.report.files import html, table
from independence.report.files.table import Table, flat
from independence.stats.comparison import Difference
from independence.store import queries, scopes
from independence.store.file import database
from independence.store.scopes import BoardScope


class Compared(Tabular):
    """Two sides as tables, of which one is what is compared, row by row."""

    ROWS: ClassVar[str]  # the id of that table
    tables: list[Table]

    def records(self) -> Iterator[dict[str, object]]:
        """One flat row for each scenario that is compared, or subject."""
        keys, rows = flat(next(table for table in self.tables if table.id == self.ROWS))
        return (dict(zip(keys, row, strict=True)) for row in rows)

    def to_json(self) -> str:
        """As `independence compare --format json` prints it."""
        return table.to_json(self.tables)

    @property
    def shown(self) -> list[Table]:
        """The tables as people read them: without columns in which nothing stands."""
        return [table.without_empty_columns(one) for one in self.tables]

    def __repr__(self) -> str:
        return printed(self.tables[0].title, *self.shown[:2])

    def _repr_html_(self) -> str:
        """The comparison for a notebook, all of it escaped."""
        return html.fragment(self.shown)


class ComparisonResult(Compared):
    """Two sides paired by scenario; every difference is the first minus the second."""

    ROWS = "scenarios"

    def __init__(
        self, first: ComparedSubject, second: ComparedSubject, equivalence: float, scoring: str = STRICT
    ) -> None:
        self.first = first
        self.second = second
        self.equivalence = equivalence  # index points
        self.scoring = scoring
        self.by_runs: Difference | None = None
        """By another rule than strict: how far apart the runs of both are on average; None where a side has one run."""
        if scoring == STRICT:
            self.tables: list[Table] = comparison_tables.tables(first, second, equivalence)
        else:
            own, other = (rule_comparison.ruled(side, scoring) for side in (first, second))
            self.tables = rule_comparison.tables(own, other, equivalence, scoring)
            self.by_runs = rule_comparison.difference(own.row, other.row)

    @property
    def difference(self) -> IndexGap | None:
        """How far apart both are in index points, with standard errors: for these scenarios and for others like them.

        By strict scoring, whatever rule was asked for. None where a side is incomplete or has a scenario with a single
        run.
        """
        return subject_comparison.gap(self.first, self.second)


class StemComparisonResult(Compared):
    """Two subjects of a battery, paired by stem; every difference is the first minus the second."""

    ROWS = "stems"

    def __init__(self, tables: list[Table]) -> None:
        self.tables: list[Table] = tables


class SuiteComparisonResult(Compared):
    """Two suites over the subjects that both have; every difference is the first minus the second."""

    ROWS = "subjects"

    def __init__(self, compared: ComparedSuites) -> None:
        self.compared = compared
        self.tables: list[Table] = suite_comparison.tables(compared)


class OtherSide(NamedTuple):
    """What a subject is compared with itself in: another condition, or another judge of the same replies."""

    variant: str | None = None  # None: the same
    mode: str | None = None
    judge: str | None = None


def compare(  # noqa: PLR0913 - its arguments are those of the command
    store: Store,
    first: Asked,
    second: Asked | OtherSide,
    *,
    suite: str | None = None,
    variant: str | None = None,
    mode: str | None = None,
    judge: str | None = None,
    equivalence: float = comparison_tables.MARGIN,
    scoring: str = STRICT,
) -> ComparisonResult | StemComparisonResult:
    """Compare two subjects, or one with itself as `OtherSide` says; first minus second.

    A side is a label, id or config name, or a function. `equivalence`: index points, above 0, within which both count
    as equivalent. `scoring`: a published rule leaves missing verdicts out, where strict scoring has no difference. The
    rest is as for `Store.board`. Raises UsageError where the sides are one or the suite has no index, StoreError for
    names the store does not hold.
    """
    first = str(functions.named([first])[0])
    second = second if isinstance(second, OtherSide) else str(functions.named([second])[0])
    if not (equivalence > 0 and math.isfinite(equivalence)):
        raise UsageError(f"--equivalence {equivalence:g}: write index points above 0")
    with store.reading() as connection, database.collecting_seldom():
        scope = store.board_scope(suite, variant, mode)
        if isinstance(second, str) and scope.suite.index is None:
            by = judge_choice.judge_here(connection, scope, judge)
            return StemComparisonResult(
                analysis.of(scope.suite.analysis).compared(connection, scope, by, (first, second))
            )
        if isinstance(second, str):
            own = _side(connection, scope, judge, first)
            other = ComparedSubject(own.study, subject_comparison.find(connection, own.study, second))
            if other.config == own.config:
                raise UsageError(f"`{first}` and `{second}` are the same subject, {own.study.about[own.config].label}")
        elif second.judge is not None:
            if scoring != STRICT:
                raise UsageError(f"two judges of the same replies are compared by strict scoring, not by {scoring}")
            if second.variant or second.mode:
                raise UsageError("compare one thing at a time: another judge is about the same replies")
            own, other = _two_judges(connection, scope, first, (judge, second.judge))
        else:
            own, other = _two_conditions(connection, scope, first, judge, second)
        return ComparisonResult(own, other, equivalence, scoring)


def in_places(connection: sqlite3.Connection, judge: str, *both: tuple[BoardScope, str]) -> ComparisonResult:
    """Two sides, each a config_dir in a place, by one judge."""
    own, other = (ComparedSubject(board_data.read(connection, place, judge), config) for place, config in both)
    return ComparisonResult(own, other, comparison_tables.MARGIN)


def compare_suites(
    store: Store,
    first: str,
    second: str,
    *,
    variant: str | None = None,
    mode: str | None = None,
    judge: str | None = None,
) -> SuiteComparisonResult:
    """Compare two suites, or editions of one, over the subjects that both have; a suite is NAME or NAME@EDITION.

    Both are read under one condition, the first suite's own unless named, by one judge. Where the second is a
    translation or another edition of the first, scenarios are paired. Raises UsageError where they are the same or
    measure different things, StoreError where they share no condition, judge or subject.
    """
    with store.reading() as connection, database.collecting_seldom():
        found = suite_comparison.places(connection, (first, second), variant, mode)
        for scope, asked in zip(found, (first, second), strict=True):
            if said := scopes.newest(connection, scope, asked):
                store.notice(said)
        return SuiteComparisonResult(suite_comparison.read(connection, *found, judge))


def _side(connection: sqlite3.Connection, scope: BoardScope, judge: str | None, name: str) -> ComparedSubject:
    if scope.suite.index is None:
        raise UsageError(f"suite {scope.suite.suite} declares no index, so it has nothing to compare in")
    read = board_data.read(connection, scope, judge_choice.judge_here(connection, scope, judge))
    return ComparedSubject(read, subject_comparison.find(connection, read, name))


def _two_judges(
    connection: sqlite3.Connection, scope: BoardScope, name: str, judges: tuple[str | None, str]
) -> tuple[ComparedSubject, ComparedSubject]:
    """One subject as two judges grade it. Raises UsageError where they are one."""
    first, second = (_side(connection, scope, judge, name) for judge in judges)
    if first.study.judge == second.study.judge:
        raise UsageError(
            f"--against-judge {judges[1]} is the judge that is compared already; name the other with --judge"
        )
    return first, second


def _two_conditions(
    connection: sqlite3.Connection, scope: BoardScope, name: str, judge: str | None, against: OtherSide
) -> tuple[ComparedSubject, ComparedSubject]:
    """One subject under two conditions, by a judge that graded both. Raises UsageError where they are one."""
    variant, mode = against.variant or scope.condition.variant, against.mode or scope.condition.mode
    there = scopes.find(connection, scope.where.edition_name, variant, mode)
    if scope.beside:
        there = scopes.with_same_wording(connection, there)
    if there.condition == scope.condition:
        what = f"--against-... names {scope.condition}, which is the condition that is compared already"
        raise UsageError(what, "name another with --system-prompt or --delivery; `independence run` asks under one")
    graded = (queries.judges(connection, one.where) for one in (scope, there))
    first = _side(connection, scope, judge or judge_choice.shared_judge(*graded), name)
    return first, _side(connection, there, first.study.judge, first.config)
