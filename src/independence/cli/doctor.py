"""`independence doctor`: what stands between you and a run, and what to do about it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import click

from independence.cli import options
from independence.cli.options import Db, Format
from independence.cli.output.terminal import STORE, note
from independence.config.flags import Flag
from independence.config.options import ConnectionOptions
from independence.errors import UsageError


@options.command("doctor")
def command(
    *,
    model: Annotated[str | None, Flag(
        "A model id or label to call: some cheap calls.", "--model", "--models", "-m"
    )] = None,
    judge: Annotated[str | None, Flag(
        "The judge to call; default: that of `run`, if at the same endpoint.", "-j"
    )] = None,
    connection: ConnectionOptions,
    endpoint: Annotated[str | None, Flag(
        "Check this endpoint alone: a name of models.yaml, `openrouter`, `openai-api`, ..."
    )] = None,
    verify: Annotated[bool, Flag("Read all of the store, and compare it with the digests of its rows.")] = False,
    salvage: Annotated[Path | None, Flag(
        "Copy what is whole into a new store.", metavar="OUT", type=click.Path(path_type=Path)
    )] = None,
    format_: Format = "table",
    db: Db = STORE,
) -> None:  # fmt: skip
    """Check key, endpoint, model, tools, price and store, each on its own. Exit code 1 if any check fails.

    Without --model and --judge no model is asked, and nothing is spent. Endpoints whose key is not set are asked only
    if they are named.
    """
    from independence.api import checkup
    from independence.cli.output import activity, table_output

    if salvage is not None:
        for line in checkup.salvage(db, salvage):
            print(line)
        note(f"{salvage}: holds what is whole of {db}; `run` with --db {salvage} asks again for what is not")
        return
    local_url, local_model = connection.local_url, connection.local_model
    if endpoint and (model or judge or local_url or local_model):
        what = "--endpoint checks a server; a model is looked for at its own"
        raise UsageError(what, "leave --endpoint out, or write the model as ENDPOINT/ID")
    model = model or (local_model and f"local/{local_model.removeprefix('local/')}")
    found = checkup.checkup(
        db, checkup.Doctor(note, activity.working), model=model, judge=judge, models_file=connection.models_file,
        local_url=local_url, endpoint=endpoint, whole=verify,
    )  # fmt: skip
    call = f"doctor --local-url {local_url} -m local/ID" if local_url else "doctor -m MODEL"
    notes = () if model or judge else (f"No model was asked; `independence {call}` does, with about 30 short calls.",)
    table_output.print_tables(found.tables(notes, terminal=format_ == "table"), format_)
    sys.exit(1 if found.failed else 0)
