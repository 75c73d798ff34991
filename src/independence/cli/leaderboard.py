"""`independence leaderboard`: the board of what the store holds."""

from __future__ import annotations

from typing import Annotated

from independence.cli import options
from independence.cli.options import Detailed, Format, GeneralisesTo, Pooled, ReadDb, Scoring, ShownModels
from independence.cli.output import activity
from independence.cli.output.terminal import STORE, note
from independence.config.flags import Flag
from independence.config.options import Place
from independence.errors import UsageError


@options.command("leaderboard")
def command(
    *,
    matrix: Annotated[bool, Flag("Compare system prompts and delivery modes with the baseline instead.")] = False,
    pooled: Pooled = False,
    models: ShownModels = (),
    place: Place,
    detailed: Detailed = False,
    explain: Annotated[bool, Flag("Say below the board what every column, mark and interval means.")] = False,
    scoring: Scoring = "strict",
    generalises_to: GeneralisesTo = "these-scenarios",
    format_: Format = "table",
    db: ReadDb = STORE,
) -> None:
    """Print the board of one suite edition under one condition."""
    from independence.api import reading
    from independence.cli.output import table_output
    from independence.report.board import board

    if pooled and matrix:
        raise UsageError("--pooled is one board over every condition, and --matrix compares them; choose one")
    if matrix and models:
        raise UsageError("--matrix shows means over all subjects; leave --models out")
    with reading.Store(db, note) as store:
        if matrix:
            with activity.working("building the tables"):
                tables = store.matrix(**place)
            table_output.print_tables(tables, format_)
            return
        asked = board.InferenceOptions(generalises_to)
        with activity.working("building the board"):
            made = store.board(**place, scoring=scoring, models=models, reading=asked, pooled=pooled)
        more = f"More: --explain{'' if detailed else ', --detailed'}."
        table_output.print_boards([made.built], format_, detailed, explain, [more])
