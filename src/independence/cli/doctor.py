"""`independence doctor`: what stands between you and a run, and what to do about it."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from independence.cli import options
from independence.cli.terminal import note
from independence.errors import UsageError


@click.command("doctor")
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
    from independence.cli import checkup, table_output
    from independence.config.subjects import LOCAL
    from independence.report import checks
    from independence.report.table import without_empty_columns

    if salvage is not None:
        _salvage(db, salvage)
        return
    if endpoint and (model or judge or local_url or local_model):
        what = "--endpoint checks a server; a model is looked for at its own"
        raise UsageError(what, "leave --endpoint out, or write the model as ENDPOINT/ID")
    model = model or (local_model and f"{LOCAL}/{local_model.removeprefix(f'{LOCAL}/')}")
    found = checkup.findings(
        model=model, judge=judge, models_file=models_file, local_url=local_url, endpoint=endpoint, db=db, whole=verify
    )
    call = f"doctor --local-url {local_url} -m {LOCAL}/ID" if local_url else "doctor -m MODEL"
    notes = () if model or judge else (f"No model was asked; `independence {call}` does, with about 30 short calls.",)
    shown = [checks.table(found, notes)]
    if format_ == "table":
        shown = [without_empty_columns(one) for one in checks.terminal_table(found, notes)]
    if not (model or judge or endpoint):
        shown.append(checks.keys_table(checkup.keys()))
    table_output.print_tables(shown, format_)
    sys.exit(1 if checks.failed(found) else 0)


def _salvage(db: Path, out: Path) -> None:
    from independence.store import integrity

    found = integrity.salvage(db, out)
    for one in found:
        if one.rows or one.written:
            lost = f" of {one.written}" if one.written is not None else ""
            print(f"{one.table}: {one.rows}{lost} rows")
    note(f"{out}: holds what is whole of {db}; `run` with --db {out} asks again for what is not")
