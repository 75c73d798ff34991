"""`independence doctor`: what stands between you and a run, and what to do about it."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from independence.cli import options
from independence.cli.terminal import note
from independence.errors import UsageError


@options.command("doctor")
@click.option("--model", "--models", "-m", "model", help="A model id or label to call: some cheap calls.")
@click.option("--judge", "-j", "judge", help="The judge to call; default: that of `run`, if at the same endpoint.")
@options.MODELS_FILE
@options.LOCAL_URL
@options.LOCAL_MODEL
@click.option("--endpoint", help="Check this endpoint alone: a name of models.yaml, `openrouter`, `openai-api`, ...")
@click.option("--verify", is_flag=True, help="Read all of the store, and compare it with the digests of its rows.")
@click.option("--salvage", type=click.Path(path_type=Path), metavar="OUT", help="Copy what is whole into a new store.")
@options.output_format()
@options.db()
def command(
    model: str | None,
    judge: str | None,
    models_file: Path | None,
    local_url: str | None,
    local_model: str | None,
    endpoint: str | None,
    verify: bool,
    salvage: Path | None,
    format_: str,
    db: Path,
) -> None:
    """Check key, endpoint, model, tools, price and store, each on its own. Exit code 1 if any check fails.

    Without --model and --judge no model is asked, and nothing is spent. Endpoints whose key is not set are asked only
    if they are named.
    """
    from independence.api import checkup
    from independence.cli import activity, table_output

    if salvage is not None:
        for line in checkup.salvage(db, salvage):
            print(line)
        note(f"{salvage}: holds what is whole of {db}; `run` with --db {salvage} asks again for what is not")
        return
    if endpoint and (model or judge or local_url or local_model):
        what = "--endpoint checks a server; a model is looked for at its own"
        raise UsageError(what, "leave --endpoint out, or write the model as ENDPOINT/ID")
    model = model or (local_model and f"local/{local_model.removeprefix('local/')}")
    found = checkup.checkup(
        db, checkup.Doctor(note, activity.working), model=model, judge=judge, models_file=models_file,
        local_url=local_url, endpoint=endpoint, whole=verify,
    )  # fmt: skip
    call = f"doctor --local-url {local_url} -m local/ID" if local_url else "doctor -m MODEL"
    notes = () if model or judge else (f"No model was asked; `independence {call}` does, with about 30 short calls.",)
    table_output.print_tables(found.tables(notes, terminal=format_ == "table"), format_)
    sys.exit(1 if found.failed else 0)
