"""`independence validate-judges`: how far judges agree, whom they favour, what they cost."""

from __future__ import annotations

from typing import Annotated

import click

from independence.cli import options
from independence.cli.options import Format, OnlyModels, ReadDb
from independence.cli.output import activity
from independence.cli.output.terminal import STORE, note
from independence.config.flags import Flag
from independence.config.options import Place

_LONGEST = 700  # characters of one text on the terminal; the other formats hold all of it


@options.command("validate-judges")
def command(
    *,
    judge: Annotated[tuple[str, ...], Flag("Only these judges; repeatable. Default: all.", "-j")] = (),
    models: OnlyModels = (),
    worst: Annotated[int, Flag("Number of disagreements to list.", type=click.IntRange(min=0))] = 10,
    place: Place,
    format_: Format = "table",
    db: ReadDb = STORE,
) -> None:
    """Compare judges on the dialogues that more than one of them graded.

    Prints a board per judge, agreement, self-preference, costs, the dialogues on which two judges differ most, and what
    each made of the suite's known dialogues.
    """
    from independence.api import reading, validating
    from independence.cli.output import table_output
    from independence.report.judges.judge_validation import ValidationOptions

    asked = ValidationOptions(judge, models, worst, _LONGEST if format_ == "table" else None)

    with activity.working("comparing judges"), reading.Store(db, note) as store:
        tables = validating.validate_judges(store, asked, **place)
    table_output.print_tables(tables, format_)
