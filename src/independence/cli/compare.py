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
    from independence.report.pairing import Side
    from independence.report.place import Place


class _Against(NamedTuple):
    """What the other side differs in; None: the same."""

    variant: str | None
    mode: str | None
    judge: str | None


@click.command("compare")
@click.argument("first", metavar="A")
@click.argument("second", metavar="[B]", required=False)
@options.place_options
@click.option("--against-variant", help="A under this system prompt variant, or your .md file, instead of B.")
@click.option("--against-mode", help="A in this delivery mode instead of B.")
@click.option("--against-judge", help="A as this judge grades the same replies, instead of B.")
@click.option(
    "--equivalence", type=float, default=2.0, show_default=True, metavar="POINTS",
    help="Index points within which both count as equivalent.",
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

    Two providers of one model are two subjects. Says how far apart they are, how surely, and in which scenarios.
    """
    from independence.cli.tabled import print_tables
    from independence.report import place, versus
    from independence.store import database

    against = _Against(_variant(against_variant), against_mode, against_judge)
    _check(first, second, against, equivalence)
    with database.connect_existing(db) as connection:
        where = place.find(connection, suite, _variant(variant), mode)
        own = _side(connection, where, judge, first)
        if second is not None:
            other = _side(connection, where, judge, second)
            if other.config == own.config:
                raise UsageError(f"`{first}` and `{second}` are the same subject, {own.study.about[own.config].label}")
        else:
            other = _other(connection, own, against)
        print_tables(versus.tables(own, other, equivalence), format_)


def _check(first: str, second: str | None, against: _Against, margin: float) -> None:
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


def _side(connection: sqlite3.Connection, where: Place, judge: str | None, name: str) -> Side:
    from independence.report import pairing, place, study
    from independence.store import queries

    if where.suite.index is None:
        raise UsageError(f"suite {where.suite.suite} declares no index, so it has nothing to compare in")
    if judge is not None:
        condition = (where.variant, where.mode)
        place.check_judge(queries.verdicts(connection, where.suite.suite, where.edition, condition), judge)
    read = study.read(connection, where, judge)
    return pairing.Side(read, pairing.find(connection, read, name))


def _other(connection: sqlite3.Connection, own: Side, against: _Against) -> Side:
    """The same subject as `against` says. Raises UsageError where that is what it is already."""
    from independence.report import place

    where, judge = own.study.place, against.judge or own.study.judge
    if against.judge is None:
        edition = f"{where.suite.suite}@{where.edition}"
        there = place.find(connection, edition, against.variant or where.variant, against.mode or where.mode)
        if there.condition == where.condition:
            raise UsageError(f"--against-... names {where.condition}, which is the condition that is compared already")
        where = there
    elif judge == own.study.judge:
        raise UsageError(f"--against-judge {judge} is the judge that is compared already; name the other with --judge")
    return _side(connection, where, judge, own.config)


def _variant(asked: str | None) -> str | None:
    """A variant's name; a .md file is the user's own system prompt."""
    if asked is None or not asked.endswith(".md"):
        return asked
    from independence.cli.job import persona

    return persona(Path(asked))[0]
