"""`independence import`: bring in a published result set, or scores that people gave."""

from __future__ import annotations

from pathlib import Path

import click

from independence.api import importing
from independence.cli import activity, options, table_output
from independence.cli.terminal import note


@click.command("import")
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--models-file", type=click.Path(dir_okay=False, path_type=Path), help="Labels for its configurations.")
@click.option("--suite", help="The suite of the results; default: v2, for a rent run folder rent; for scores any.")
@options.output_format("table", "json")
@options.db()
def command(path: Path, models_file: Path | None, suite: str | None, format_: str, db: Path) -> None:
    """Read published results from PATH into the edition `published`.

    PATH is a result set of the bench (a folder or a tar), a run folder of the rent benchmark, or a CSV of scores that
    people gave (item, rater, field, value), stored as verdicts of the judge human:RATER. Its content decides which.
    Files of the bench and lines of a run folder that cannot be read are skipped and named. Importing twice changes
    nothing.
    """
    with activity.working(f"reading {path}") as say:
        found = importing.import_results(path, db, suite=suite, models_file=models_file, say=say)
    if format_ == "table":
        table_output.print_tables(found.tables, format_)
    elif found.document:
        print(table_output.spelled(found.document))
    for line in found.notes:
        note(line)
