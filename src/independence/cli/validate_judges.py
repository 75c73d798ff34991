"""`independence validate-judges`: how far judges agree, whom they favour, what they cost."""

from __future__ import annotations

from pathlib import Path

import click

from independence.cli import activity, options
from independence.cli.terminal import note
from independence.errors import StoreError

_LONGEST = 700  # characters of one text on the terminal; the other formats hold all of it


@click.command("validate-judges")
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
@options.db()
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
    from independence.api import reading
    from independence.cli import table_output
    from independence.engine import examining
    from independence.report import judge_known
    from independence.report import judge_validation as validation
    from independence.store import scopes

    named = tuple(name for each in names for name in each)
    longest = _LONGEST if format_ == "table" else None
    wanted = validation.ValidationOptions(named, models, worst, longest)
    with activity.working("comparing judges", quiet), reading.Store(db, note) as store:
        scope = store.scope(suite, variant, mode)
        with store.reading() as opened:
            known = [
                one
                for one in examining.stored(opened, scopes.grading(opened, scope))
                if not named or one.judge in named
            ]
            tables = [judge_known.table(known)] if known else []
            try:
                tables = [*validation.validate(opened, scope, wanted), *tables]
            except StoreError as error:
                if not tables:
                    raise
                note(str(error), quiet)
    table_output.print_tables(tables, format_)
