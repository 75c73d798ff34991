"""`independence compare`: two subjects, or one under two conditions or judges, paired by scenario."""

from __future__ import annotations

import math
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from independence.cli import options
from independence.errors import UsageError

if TYPE_CHECKING:
    from independence.report.subject_comparison import ComparedSubject
    from independence.store.scopes import BoardScope


class _OtherSide(NamedTuple):
    """What the other side differs in; None: the same."""

    variant: str | None
    mode: str | None
    judge: str | None


@click.command("compare")
@click.argument("first", metavar="A")
@click.argument("second", metavar="[B]", required=False)
@options.place_options
@click.option("--against-variant", help="Compare A with itself under this system prompt variant, or your .md file.")
@click.option("--against-mode", help="Compare A with itself in this delivery mode.")
@click.option("--against-judge", help="Compare the verdicts of this judge on the same replies of A.")
@click.option(
    "--equivalence", type=float, default=2.0, show_default=True, metavar="POINTS",
    help="Both count as equivalent if the difference is certainly smaller than this.",
)  # fmt: skip
@options.output_format()
@options.db()
def command(
    db: Path,
    format_: str,
    first: str,
    second: str | None,
    suite: str | None,
    variant: str | None,
    mode: str | None,
    judge: str | None,
    against_variant: str | None,
    against_mode: str | None,
    against_judge: str | None,
    equivalence: float,
) -> None:
    """Compare two subjects (labels, ids or config names), or A with itself under another condition or judge.

    Two providers of one model are two subjects. Prints the difference, its interval, tests, and the scenarios.
    """
    from independence.cli import place_lookup
    from independence.cli.activity import working
    from independence.cli.table_output import print_tables
    from independence.engine import open_store
    from independence.report import comparison_tables

    against = _OtherSide(against_variant, against_mode, against_judge)
    _check(first, second, against, equivalence)
    with working("comparing"), open_store.reading(db) as connection:
        scope = place_lookup.find(connection, suite, variant, mode)
        if second is not None:
            own, other = (_side(connection, scope, judge, name) for name in (first, second))
            if other.config == own.config:
                raise UsageError(f"`{first}` and `{second}` are the same subject, {own.study.about[own.config].label}")
        elif against.judge is not None:
            own, other = _two_judges(connection, scope, first, (judge, against.judge))
        else:
            own, other = _two_conditions(connection, scope, first, judge, against)
        tables = comparison_tables.tables(own, other, equivalence)
    print_tables(tables, format_)


def _check(first: str, second: str | None, against: _OtherSide, margin: float) -> None:
    if not (margin > 0 and math.isfinite(margin)):
        raise UsageError(f"--equivalence {margin:g}: write index points above 0")
    if second is None and not any(against):
        raise UsageError(
            f"`{first}` against what? Name a second subject, or another condition or judge with --against-variant, "
            "--against-mode or --against-judge"
        )
    if second is not None and any(against):
        raise UsageError(
            "compare one thing at a time: a second subject, or the same one with --against-..., not both; two subjects "
            "under another condition or judge: --variant, --mode, --judge"
        )
    if against.judge and (against.variant or against.mode):
        raise UsageError(
            "compare one thing at a time: --against-judge is about the same replies, in the same condition"
        )


def _side(connection: sqlite3.Connection, scope: BoardScope, judge: str | None, name: str) -> ComparedSubject:
    from independence.report import judge_choice, study, subject_comparison

    if scope.suite.index is None:
        raise UsageError(f"suite {scope.suite.suite} declares no index, so it has nothing to compare in")
    read = study.read(connection, scope, judge_choice.judge_here(connection, scope, judge))
    return subject_comparison.ComparedSubject(read, subject_comparison.find(connection, read, name))


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
    connection: sqlite3.Connection, scope: BoardScope, name: str, judge: str | None, against: _OtherSide
) -> tuple[ComparedSubject, ComparedSubject]:
    """One subject under two conditions, by a judge that graded both. Raises UsageError where they are one."""
    from independence.cli import place_lookup

    variant, mode = against.variant or scope.condition.variant, against.mode or scope.condition.mode
    there = place_lookup.find(connection, scope.where.edition_name, variant, mode)
    if there.condition == scope.condition:
        raise UsageError(f"--against-... names {scope.condition}, which is the condition that is compared already")
    first = _side(connection, scope, judge or _of_both(connection, scope, there), name)
    return first, _side(connection, there, first.study.judge, first.config)


def _of_both(connection: sqlite3.Connection, *places: BoardScope) -> str | None:
    """The usual one of the judges that graded under both conditions; None where none did."""
    from independence.report import judge_choice
    from independence.store import queries

    return judge_choice.shared_judge(*(queries.verdicts(connection, one.where) for one in places))
