"""`independence compare`: two subjects, or one under two conditions or judges, paired by scenario."""

from __future__ import annotations

import math
from pathlib import Path

import click

from independence.cli import options
from independence.errors import UsageError


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
    from independence.api import comparing, reading
    from independence.cli import place_lookup
    from independence.cli.activity import working
    from independence.cli.table_output import print_tables

    against = (against_variant, against_mode, against_judge)
    _check(first, second, against, equivalence)
    with working("comparing"), reading.Store(db) as store:
        with store.reading() as connection:
            place_lookup.find(connection, suite, variant, mode)
        other = second if second is not None else comparing.OtherSide(against_variant, against_mode, against_judge)
        compared = comparing.compare(
            store, first, other,
            suite=suite, variant=variant, mode=mode, judge=judge, equivalence=equivalence,
        )  # fmt: skip
    print_tables(compared.tables, format_)


def _check(first: str, second: str | None, against: tuple[str | None, str | None, str | None], margin: float) -> None:
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
    variant, mode, judge = against
    if judge and (variant or mode):
        raise UsageError(
            "compare one thing at a time: --against-judge is about the same replies, in the same condition"
        )
