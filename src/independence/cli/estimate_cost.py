"""`independence estimate-cost`: what a run would cost, before there is one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from independence.cli import options
from independence.suites import introductions


@click.command("estimate-cost")
@click.option(
    "--suite", default="v2", show_default=True, help=f"A folder with suite.yaml, or {introductions.suites()}."
)
@click.option("--models", "-m", type=options.NameList(), default=(), help="Ids or labels, as in `run`.")
@click.option(
    "--models-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="`published`: the registry that ships. Default: ./models.yaml.",
)
@options.roster
@click.option("--runs", type=int, default=3, show_default=True, help="Runs 1..N.")
@options.experiments
@click.option(
    "--variants", type=options.VariantList(), default=(), help="System prompt variants, or a .md file of yours."
)
@click.option("--modes", type=options.NameList(), default=(), help="user_role, tool_role.")
@click.option("--judge", "-j", "judges", multiple=True, help="As in `run`; repeatable.")
@options.offline
@click.option("--no-judge", is_flag=True, help="Replies only.")
@click.option("--local-url", help="As in `run`: with LOCAL_MODEL_ID it names the model. Local models cost nothing.")
@options.output_format()
@options.db()
def command(db: Path, format_: str, **flags: Any) -> None:
    """Price a whole run: tokens, mean and range of its cost, and the most it can be.

    Tokens come from stored runs of a subject, else of others, else from published means; prices from the
    endpoints. Nothing is asked of a model and nothing is written.
    """
    from independence.cli import costing, judges
    from independence.cli.run_request import RunRequest
    from independence.cli.table_output import print_tables

    offline = judges.OfflineOptions(flags.pop("unsure_share"), flags.pop("audit_share"), flags.pop("weights"))
    print_tables(costing.tables(RunRequest(offline=offline, **flags), db), format_)
