"""`independence run`, `rerun` and `judge`: plan, show the cost estimate, ask and grade, print the board."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from independence.api import running
from independence.cli import launch, options
from independence.cli.options import TerminalOptions
from independence.cli.terminal import command_line, next_steps
from independence.config.options import GradeOptions, RerunOptions, RunOptions
from independence.errors import UsageError
from independence.report import analysis
from independence.suites import load

_HIGHEST = 100


@click.command("run")
@options.RUN
@click.option("--fail-under", type=float, help="Exit with code 1 if a subject's index is below this.")
@options.TERMINAL
@options.db()
def run(options: RunOptions, fail_under: float | None, terminal: TerminalOptions, db: Path) -> None:
    """Run a suite on models, grade every dialogue, print the board.

    The same command resumes an interrupted run: a stored reply is never asked again.
    """
    if fail_under is not None:
        if not 0 <= fail_under <= _HIGHEST:
            raise UsageError(f"--fail-under {fail_under:g}: an index is a number from 0 to {_HIGHEST}")
        analysis.refuse(load.load(options.suite).suite, ["--fail-under"])
    launch.launch(running.arun, options, terminal, db, fail_under=fail_under, afterword=_afterword())


@click.command("rerun")
@options.RERUN
@options.TERMINAL
@options.db()
def rerun(options: RerunOptions, terminal: TerminalOptions, db: Path) -> None:
    """More runs of stored subjects, in the words of their edition.

    Stored replies are kept and missing ones are filled. Imported subjects cannot be asked again.
    """
    launch.launch(running.arerun, options, terminal, db)


@click.command("judge")
@options.GRADE
@options.TERMINAL
@options.db()
def judge(options: GradeOptions, terminal: TerminalOptions, db: Path) -> None:
    """Grade every finished dialogue of one edition and condition, imported ones included.

    Verdicts are added to those of other judges and never overwritten. What this judge graded already is not graded
    again. With --audit, one model grades a sample of each scenario, which corrects the board of the offline judge.
    """
    launch.launch(running.agrade, options, terminal, db)


def _afterword() -> str:
    """What to do next, for a person at a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        return ""
    return next_steps(
        [
            (command_line("leaderboard --detailed"), "every run and scenario"),
            (command_line("generate-report --html"), "everything, with plots, in report.html"),
            (command_line("rerun"), "one more run of every subject: narrower intervals"),
        ]
    )
