"""`independence models`: what is configured, what names stand for, what an endpoint offers."""

from __future__ import annotations

from pathlib import Path

import click

from independence.cli import options
from independence.cli.terminal import note
from independence.errors import UsageError


@options.command("models")
@click.option(
    "--models", "-m", "names", type=options.NameList(), help="Show which configurations these labels and ids mean."
)
@options.MODELS_FILE
@click.option(
    "--catalogue", "part", is_flag=False, flag_value="", metavar="[FILTER]",
    help="Ask the endpoint which models it has; only those whose id contains FILTER.",
)  # fmt: skip
@click.option("--endpoint", help="The endpoint of --catalogue: a name of models.yaml; default: openrouter.")
@click.option("--local-url", help="The catalogue of this local server instead of OpenRouter's.")
@click.option(
    "--write-roster", "roster", type=click.Path(dir_okay=False, path_type=Path),
    help="Write the configurations at OpenRouter as a models file in the JSON form of the rent benchmark.",
)  # fmt: skip
@click.option("--force", is_flag=True, help="With --write-roster: overwrite an existing file.")
@click.option("--detailed", "-d", is_flag=True, help="With --catalogue: also the parameters that each model accepts.")
@options.output_format()
def command(
    names: tuple[str, ...] | None,
    models_file: Path | None,
    part: str | None,
    endpoint: str | None,
    local_url: str | None,
    roster: Path | None,
    force: bool,
    detailed: bool,
    format_: str,
) -> None:
    """List the configurations of models.yaml, or the simulated models if there is none."""
    from independence.api import models
    from independence.cli import table_output
    from independence.report.table import without_empty_columns

    if roster is not None:
        for line in models.write_roster(roster, names or (), models_file, force=force):
            note(line)
        return
    if part is None and (endpoint or local_url):
        raise UsageError("--endpoint and --local-url say whose catalogue to read", "add --catalogue")
    if part is not None and names:
        what = "-m shows what names stand for, --catalogue what an endpoint has"
        raise UsageError(what, "ask for one of the two")
    on_screen = format_ == "table"
    if part is not None:
        from independence.api import catalogue  # which loads an HTTP client

        table = catalogue.listed(part, models_file, endpoint, local_url, brief=on_screen and not detailed)
    else:
        table = models.named(names, models_file) if names else models.configured(models_file)
    table_output.print_tables([without_empty_columns(table) if on_screen else table], format_)
