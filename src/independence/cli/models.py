"""`independence models`: what is configured, what names stand for, what an endpoint offers."""

from __future__ import annotations

from pathlib import Path

import click

from independence.cli import options


@click.command("models")
@click.option("--models", "-m", "names", type=options.Names(), help="Show what these labels and ids stand for.")
@click.option("--models-file", type=click.Path(dir_okay=False, path_type=Path), help="Default: ./models.yaml.")
@click.option(
    "--catalogue", "part", is_flag=False, flag_value="", metavar="[FILTER]",
    help="Ask the endpoint which models it has; only those whose id holds FILTER.",
)  # fmt: skip
@click.option("--endpoint", help="Whose catalogue: a name of models.yaml; default: openrouter.")
@click.option("--local-url", help="Base URL of a local server: its catalogue instead of OpenRouter's.")
@options.output_format()
def command(
    names: tuple[str, ...] | None,
    models_file: Path | None,
    part: str | None,
    endpoint: str | None,
    local_url: str | None,
    format_: str,
) -> None:
    """List the configurations of models.yaml, or the simulated panel where there is none."""
    from independence.cli import offers
    from independence.cli.tabled import print_tables
    from independence.report.narrow import narrow

    asked = offers.Asked(names or (), models_file, part, endpoint, local_url)
    table = offers.table(asked)
    print_tables([narrow(table) if format_ == "table" else table], format_)
