"""`independence judge`: grade stored replies with another judge."""

from __future__ import annotations

from pathlib import Path

import click

from independence.api import running
from independence.cli import launch, options, run_options
from independence.cli.run_options import TerminalOptions
from independence.config.options import GradeOptions


@click.command("judge")
@run_options.GRADE
@run_options.TERMINAL
@options.db()
def command(options: GradeOptions, terminal: TerminalOptions, db: Path) -> None:
    """Grade every finished dialogue of one edition and condition, imported ones included.

    Verdicts are added to those of other judges and never overwritten. What this judge graded already is not graded
    again. With --audit, one model grades a sample of each scenario, which corrects the board of the offline judge.
    """
    launch.launch(
        lambda approve, hooks: running.agrade(options, store=db, approve=approve, hooks=hooks),
        options.connection,
        terminal,
        db,
    )
