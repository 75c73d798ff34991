"""`independence validate-judges`: how far judges agree, whom they favour, what they cost."""

from __future__ import annotations

from pathlib import Path

import click

from independence.cli import activity, options
from independence.cli.terminal import note

_LONGEST = 700  # characters of one text on the terminal; the other formats hold all of it


@options.command("validate-judges")
@click.option(
    "--judge", "-j", "names", type=options.NameList(), multiple=True,
    help="Only these judges; repeatable. Default: all.",
)  # fmt: skip
@options.ONLY_MODELS
@click.option(
    "--worst", type=click.IntRange(min=0), default=10, show_default=True, help="Number of disagreements to list."
)
@options.each(*options.STORED_PLACE)
@options.QUIET
@options.output_format()
@options.db(reads=True)
def command(
    names: tuple[tuple[str, ...], ...],
    models: tuple[str, ...],
    worst: int,
    suite: str | None,
    variant: str | None,
    mode: str | None,
    quiet: bool,
    format_: str,
    db: Path,
) -> None:
    """Compare judges on the dialogues that more than one of them graded.

    Prints a board per judge, agreement, self-preference, costs, the dialogues on which two judges differ most, and what
    each made of the suite's known dialogues.
    """
    from independence.api import reading, validating
    from independence.cli import table_output
    from independence.report.judge_validation import ValidationOptions

    named = tuple(name for each in names for name in each)
    asked = ValidationOptions(named, models, worst, _LONGEST if format_ == "table" else None)

    def say(line: str) -> None:
        note(line, quiet)

    with activity.working("comparing judges", quiet), reading.Store(db, say) as store:
        tables = validating.validate_judges(store, asked, suite=suite, variant=variant, mode=mode)
    table_output.print_tables(tables, format_)
