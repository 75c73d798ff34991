"""`independence rerun`: more runs of subjects that the store holds."""

from __future__ import annotations

from pathlib import Path

import click

from independence.api import running
from independence.cli import launch, options, run_options
from independence.cli.run_options import TerminalOptions
from independence.config.options import RerunOptions


@click.command("rerun")
@run_options.RERUN
@run_options.TERMINAL
@options.db()
def command(options: RerunOptions, terminal: TerminalOptions, db: Path) -> None:
    """More runs of stored subjects, in the words of their edition.

    Stored replies are kept and missing ones are filled. Imported subjects cannot be asked again.
    """
    launch.launch(
        lambda approve, hooks: running.arerun(options, store=db, approve=approve, hooks=hooks),
        options.connection,
        terminal,
        db,
    )
