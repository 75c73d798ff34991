"""`independence validate-judges`: how far judges agree, whom they favour, what they cost."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from independence.cli import hostile as hostility
from independence.cli import options, place_lookup, run_options
from independence.cli.activity import working
from independence.cli.run_options import TerminalOptions
from independence.cli.table_output import print_tables
from independence.config.options import ConnectionOptions
from independence.report.judge_validation import ValidationOptions, validate
from independence.store import database

_LONGEST = 700  # characters of one text on the terminal; the other formats hold all of it


@click.command("validate-judges")
@click.option(
    "--judge",
    "-j",
    "judges",
    type=options.NameList(),
    multiple=True,
    help="Only these judges; repeatable. Default: all.",
)
@click.option("--models", "-m", type=options.NameList(), default=(), help="Only these labels or ids.")
@click.option(
    "--worst", type=click.IntRange(min=0), default=10, show_default=True, help="Number of disagreements to list."
)
@click.option("--hostile", is_flag=True, help="Let the judges grade hostile replies instead; nothing is stored.")
@click.option("--suite", help="NAME or NAME@EDITION in the store; with --hostile a built-in suite or a folder.")
@click.option(
    "--variant", "--variants", "variant", help="System prompt variant, or your .md file; default: the suite's."
)
@click.option("--mode", "--modes", "mode", help="Delivery mode; default: the suite's.")
@run_options.connection()
@run_options.TERMINAL
@options.db()
def command(
    judges: tuple[tuple[str, ...], ...],
    models: tuple[str, ...],
    worst: int,
    hostile: bool,
    suite: str | None,
    variant: str | None,
    mode: str | None,
    connection: ConnectionOptions,
    terminal: TerminalOptions,
    db: Path,
) -> None:
    """Compare judges on the dialogues that more than one of them graded.

    Prints a board per judge, agreement, self-preference, costs, and the dialogues on which two judges differ most.
    With --hostile: how often a verdict changes if the graded reply contains text that addresses the judge.
    """
    named = tuple(name for names in judges for name in names)
    if hostile:
        sys.exit(hostility.probe(named, suite or "v2", worst, connection, terminal))
    wanted = ValidationOptions(named, models, worst, _LONGEST if terminal.format_ == "table" else None)
    with working("comparing judges", terminal.quiet), database.reading(db) as store:
        tables = validate(store, place_lookup.find(store, suite, variant, mode), wanted)
    print_tables(tables, terminal.format_)
