"""`independence demo`: the embedded default, from nothing to a board without key or network."""

from __future__ import annotations

from pathlib import Path

import click

from independence.cli import options

RUNS = 10


@click.command("demo")
@click.option("--seed", type=int, default=0, show_default=True, help="Draws everything anew.")
@click.option("--suite", default="v2", show_default=True, help="A built-in suite or a folder with suite.yaml.")
@click.option("--quiet", is_flag=True, help="No progress, no notes.")
@options.output_format()
@options.db(options.DEMO_DB)
def command(seed: int, suite: str, quiet: bool, format_: str, db: Path) -> None:
    """Run a suite on the panel of simulated subjects through the loopback endpoint, grade by cues, print the board.

    No key, no network. Every subject is simulated: what it does is planted, and the board should find it.
    """
    from independence.cli import launch
    from independence.cli.job import Wanted
    from independence.clients.sim.advisers import ADVISERS
    from independence.clients.sim.panel import PANEL
    from independence.suites import load

    grid = load.load(suite).suite.grid is not None
    panel, runs = (list(ADVISERS), 1) if grid else (list(PANEL), RUNS)  # the cells of a grid are its sample
    wanted = Wanted(
        suite=suite, models=tuple(f"sim/{name}" for name in panel), runs=runs, judges=("cues",), parallel=len(panel),
        seed=seed,
    )  # fmt: skip
    launch.run(wanted, launch.Manner(db=db, format_=format_, quiet=quiet, afterword=_afterword(db, suite)))


def _afterword(db: Path, suite: str) -> str:
    return "\n".join(
        (
            "What to do next:",
            f"  independence leaderboard --db {db} --detailed",
            f"  independence generate-report --html --db {db}   writes everything, with plots, to report.html",
            f"  export OPENROUTER_API_KEY=...   then   independence run --suite {suite} -m vendor/model",
            f"  independence run --suite {suite} --local-url http://127.0.0.1:1234/v1 --local-model ID -j cues",
        )
    )
