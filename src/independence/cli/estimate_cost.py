"""`independence estimate-cost`: what a run would cost, before there is one."""

from __future__ import annotations

from pathlib import Path

import click

from independence.api import running
from independence.cli import costing, options, run_options
from independence.cli.table_output import print_tables
from independence.config.options import RunOptions


@click.command("estimate-cost")
@run_options.ESTIMATE
@options.output_format()
@options.db()
def command(options: RunOptions, format_: str, db: Path) -> None:
    """Price a whole run: tokens, mean and range of its cost, and the most it can be.

    Tokens come from stored runs of a subject, else of others, else from published means; prices from the
    endpoints. Nothing is asked of a model and nothing is written.
    """
    print_tables(costing.tables(running.estimate_cost(options, store=db)), format_)
