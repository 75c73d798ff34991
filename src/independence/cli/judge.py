"""`independence judge`: grade stored replies with another judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from independence.cli import options


@click.command("judge")
@click.option("--judge", "-j", "judges", multiple=True, required=True, help="A model id or `cues`; repeatable.")
@click.option("--suite", help="NAME or NAME@EDITION; may be left out when the store holds one.")
@click.option("--variant", "--variants", "variant", help="System prompt variant; default: the suite's.")
@click.option("--mode", "--modes", "mode", help="Delivery mode; default: the suite's.")
@click.option("--models", "-m", type=options.Names(), default=(), help="Only these labels or ids.")
@click.option("--models-file", type=click.Path(dir_okay=False, path_type=Path), help="Default: ./models.yaml.")
@click.option("--parallel", "-p", type=int, default=8, show_default=True, help="Subjects at once.")
@click.option(
    "--parallel-tasks", "-pt", type=int, default=20, show_default=True, help="Calls at once within a subject."
)
@click.option("--local-url", help="Base URL of a local server; for local/ ids only.")
@click.option("--max-cost", type=float, help="Hard cap in dollars for this command, retries included.")
@click.option("--allow-unpriced", is_flag=True, help="Ask judges without a known price under --max-cost.")
@click.option("--dry-run", is_flag=True, help="Plan and estimate only.")
@click.option("--yes", is_flag=True, help="Do not ask before an expensive run.")
@click.option("--quiet", is_flag=True, help="No progress, no notes.")
@options.output_format()
@options.db()
def command(**flags: Any) -> None:
    """Grade every finished dialogue of one edition and condition, imported ones included.

    Verdicts are added beside those of other judges, never overwritten; what is graded already is not graded again.
    """
    from independence.cli import job, launch
    from independence.config.subjects import SIM
    from independence.store import database

    database.connect_existing(flags["db"]).close()
    wanted = job.Regrade(**{name: flags[name] for name in job.Regrade.__struct_fields__})
    simulated = any(name.startswith(f"{SIM}/") for name in wanted.judges)
    manner = launch.Manner(**{name: flags[name] for name in launch.Manner.__struct_fields__ if name in flags})
    launch.carry_out(launch.Order(lambda connection, sim: job.regrade(wanted, connection, sim), simulated), manner)
