"""`independence demo`: the embedded default, from nothing to a board without key or network."""

from __future__ import annotations

from pathlib import Path

import click

from independence.api import running
from independence.cli import hints, launch, next_steps, options
from independence.cli.run_options import TerminalOptions
from independence.config.options import ConnectionOptions, RunOptions
from independence.suites import load
from independence.testing.sim.panel import ADVISERS, PANEL

RUNS = 10


@click.command("demo")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the simulated replies.")
@options.suite
@click.option("--quiet", is_flag=True, help="No progress, no notes.")
@options.output_format()
@options.db(options.DEMO_DB)
def command(seed: int, suite: str, quiet: bool, format_: str, db: Path) -> None:
    """Run a suite on simulated models through an endpoint on this machine, grade with cues, print the board.

    No key, no network. The models are programs with known behaviour, which the board should find.
    """
    grid = load.load(suite).suite.grid is not None
    panel, runs = (list(ADVISERS), 1) if grid else (list(PANEL), RUNS)  # the cells of a grid are its sample
    wanted = RunOptions(
        suite=suite,
        models=tuple(f"sim/{name}" for name in panel),
        runs=runs,
        judges=("cues",),
        seed=seed,
        connection=ConnectionOptions(parallel=len(panel)),
    )
    launch.launch(
        lambda approve, hooks: running.arun(wanted, store=db, approve=approve, hooks=hooks, command="demo"),
        wanted.connection,
        TerminalOptions(quiet=quiet, format_=format_),
        db,
        afterword=_afterword(suite),
    )


def _afterword(suite: str) -> str:
    own = f"{hints.program()} run --suite {suite}"  # into the usual store: these are no simulated subjects
    return next_steps.listed(
        [
            (hints.command("leaderboard --detailed"), "every run and scenario"),
            (hints.command("generate-report --html"), "everything, with plots, in report.html"),
            ("export OPENROUTER_API_KEY=...", "your key; then:"),
            (f"{own} -m vendor/model", "a model at OpenRouter"),
            (
                f"{own} --local-url http://127.0.0.1:1234/v1 --local-model ID -j cues",
                "a model on your own server, graded by rules",
            ),
        ]
    )
