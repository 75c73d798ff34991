"""`independence demo`: the embedded default, from nothing to a board without key or network."""

from __future__ import annotations

import functools
from pathlib import Path

import click

from independence.api import running
from independence.cli import launch, options
from independence.cli.options import TerminalOptions
from independence.cli.terminal import command_line, next_steps, program
from independence.config.options import ConnectionOptions, RunOptions
from independence.suites import load
from independence.testing.sim import panel

RUNS = 10


@click.command("demo")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the simulated replies.")
@options.SUITE
@options.QUIET
@options.output_format()
@options.db(options.DEMO_DB)
def command(seed: int, suite: str, quiet: bool, format_: str, db: Path) -> None:
    """Run a suite on simulated models through an endpoint on this machine, grade with cues, print the board.

    No key, no network. The models are programs with known behaviour, which the board should find.
    """
    grid = load.load(suite).suite.grid is not None
    names = list(panel.ADVISERS if grid else panel.PANEL)
    asked = RunOptions(
        suite=suite,
        models=tuple(f"sim/{name}" for name in names),
        runs=1 if grid else RUNS,  # the cells of a grid are its sample
        judges=("cues",),
        seed=seed,
        connection=ConnectionOptions(parallel=len(names)),
    )
    work = functools.partial(running.arun, command="demo")
    launch.launch(work, asked, TerminalOptions(quiet=quiet, format_=format_), db, afterword=_afterword(suite))


def _afterword(suite: str) -> str:
    own = f"{program()} run --suite {suite}"  # into the usual store: these are no simulated subjects
    local = "--local-url http://127.0.0.1:1234/v1 --local-model ID -j cues"
    return next_steps(
        [
            (command_line("leaderboard --detailed"), "every run and scenario"),
            (command_line("generate-report --html"), "everything, with plots, in report.html"),
            ("export OPENROUTER_API_KEY=...", "your key; then:"),
            (f"{own} -m vendor/model", "a model at OpenRouter"),
            (f"{own} {local}", "a model on your own server, graded by rules"),
        ]
    )
