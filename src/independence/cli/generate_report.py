"""`independence generate-report`: everything the store says about one place, to be read."""

from __future__ import annotations

from pathlib import Path

import click

from independence.cli import activity, options
from independence.cli.terminal import note
from independence.config.options import Place
from independence.errors import UsageError


@options.command("generate-report")
@click.option(
    "--output", "-o", "path", type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write, in HTML where it ends in .html; default: report.md or report.html.",
)  # fmt: skip
@click.option(
    "--html", "as_html", is_flag=True, help="One HTML file with the viewer and its data in it, instead of Markdown."
)
@click.option("--with-dialogues", is_flag=True, help="With --html: every dialogue, not only those that are quoted.")
@click.option("--redact-prompts", is_flag=True, help="With --html: leave out system prompts that are your own.")
@click.option("--tables", type=click.Path(file_okay=False, path_type=Path), help="Also every table as CSV and JSON.")
@options.SHOWN_MODELS
@options.FORCE
@options.SCORING
@options.POOLED
@options.READING
@options.PLACE
@options.db(reads=True)
def command(
    db: Path,
    place: Place,
    path: Path | None,
    as_html: bool,
    with_dialogues: bool,
    redact_prompts: bool,
    tables: Path | None,
    models: tuple[str, ...],
    scoring: str,
    generalises_to: str,
    pooled: bool,
    force: bool,
) -> None:
    """Write a report on one suite edition under one condition.

    Quoted passages, board, charts, costs, judges, run health, and what the suite's analysis adds: scenarios, conditions
    and hosts for an index; tilt, merit, pairs and domains for paired sides; the published columns for the rent
    benchmark. With --html it is one file that opens without a server, with the dialogues that it quotes.
    """
    from independence.api import reading, reporting
    from independence.report import board

    path = path or Path("report.html" if as_html else "report.md")
    if as_html and path.suffix.lower() == ".md":
        raise UsageError(f"--html writes no Markdown, and --output names {path}", "name a .html file, or drop --html")
    as_html = as_html or path.suffix.lower() in (".html", ".htm")
    if (with_dialogues or redact_prompts) and not as_html:
        raise UsageError("--with-dialogues and --redact-prompts are about the file of --html", "add --html")
    asked: reading.ReportOptions = {
        "scoring": scoring, "models": models, "reading": board.InferenceOptions(generalises_to),
        "pooled": pooled, **place,
    }  # fmt: skip
    with reading.Store(db, note) as store, activity.working("making the report"):
        if as_html:
            from independence.viewer import report_file

            written = report_file.write_report_file(
                store, path, with_dialogues=with_dialogues, redact_prompts=redact_prompts, tables=tables, force=force,
                **asked,
            )  # fmt: skip
        else:
            written = reporting.write_report(store, path, tables=tables, force=force, **asked)
    for line in written:
        note(line)
