"""`independence models`: what is configured, what names stand for, what an endpoint offers."""

from __future__ import annotations

from typing import Annotated

from independence.cli import options
from independence.cli.options import Format
from independence.config.flags import Flag
from independence.config.options import ConnectionOptions
from independence.errors import UsageError


@options.command("models")
def command(
    *,
    models: Annotated[tuple[str, ...], Flag("Show which configurations these labels and ids mean.", "-m")] = (),
    connection: ConnectionOptions,
    catalogue: Annotated[str | None, Flag(
        "Ask the endpoint which models it has; only those whose id contains FILTER.",
        is_flag=False, flag_value="", metavar="[FILTER]",
    )] = None,
    endpoint: Annotated[str | None, Flag(
        "The endpoint of --catalogue: a name of models.yaml; default: openrouter."
    )] = None,
    detailed: Annotated[bool, Flag("With --catalogue: also the parameters that each model accepts.", "-d")] = False,
    format_: Format = "table",
) -> None:  # fmt: skip
    """List the configurations of models.yaml, or the simulated models if there is none."""
    from independence.api import models as api
    from independence.cli.output import table_output
    from independence.report.files.table import without_empty_columns

    local_url, models_file = connection.local_url, connection.models_file
    if catalogue is None and (endpoint or local_url):
        raise UsageError("--endpoint and --local-url say whose catalogue to read", "add --catalogue")
    if catalogue is not None and models:
        what = "-m shows what names stand for, --catalogue what an endpoint has"
        raise UsageError(what, "ask for one of the two")
    on_screen = format_ == "table"
    if catalogue is not None:
        from independence.api import catalogue as listing  # which loads an HTTP client

        table = listing.listed(catalogue, models_file, endpoint, local_url, brief=on_screen and not detailed)
    else:
        table = api.named(models, models_file) if models else api.configured(models_file)
    table_output.print_tables([without_empty_columns(table) if on_screen else table], format_)
