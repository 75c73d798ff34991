"""`independence leaderboard`: the board of what the store holds."""

from __future__ import annotations

from pathlib import Path

import click

from independence.cli import activity, options
from independence.cli.terminal import note
from independence.config.options import Place
from independence.errors import UsageError


@options.command("leaderboard")
@click.option("--matrix", is_flag=True, help="Compare system prompts and delivery modes with the baseline instead.")
@options.POOLED
@options.SHOWN_MODELS
@options.SCORING
@options.PLACE
@options.READING
@options.DETAILED
@click.option("--explain", is_flag=True, help="Say below the board what every column, mark and interval means.")
@options.output_format()
@options.db(reads=True)
def command(
    db: Path,
    format_: str,
    place: Place,
    scoring: str,
    detailed: bool,
    explain: bool,
    generalises_to: str,
    matrix: bool,
    models: tuple[str, ...],
    pooled: bool,
) -> None:
    """Print the board of one suite edition under one condition."""
    from independence.api import reading
    from independence.cli import table_output
    from independence.report import board

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
