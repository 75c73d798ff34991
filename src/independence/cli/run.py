"""`independence run`: plan, show the cost estimate, run, grade, print the board."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from independence.api import running
from independence.cli import hints, launch, next_steps, options, run_options
from independence.cli.run_options import TerminalOptions
from independence.config.options import RunOptions


@click.command("run")
@run_options.RUN
@click.option("--fail-under", type=float, help="Exit with code 1 if a subject's index is below this.")
@run_options.TERMINAL
@options.db()
def command(options: RunOptions, fail_under: float | None, terminal: TerminalOptions, db: Path) -> None:
    """Run a suite on models, grade every dialogue, print the board.

    The same command resumes an interrupted run: a stored reply is never asked again.
    """
    launch.check_floor(options.suite, fail_under)
    launch.launch(
        lambda approve, hooks: running.arun(options, store=db, approve=approve, hooks=hooks),
        options.connection,
        terminal,
        db,
        fail_under=fail_under,
        afterword=_afterword(),
    )


def _afterword() -> str:
    """What to do next, for a person at a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return ""
    return next_steps.listed(
        [
            (hints.command("leaderboard --detailed"), "every run and scenario"),
            (hints.command("generate-report --html"), "everything, with plots, in report.html"),
            (hints.command("rerun"), "one more run of every subject: narrower intervals"),
        ]
    )
