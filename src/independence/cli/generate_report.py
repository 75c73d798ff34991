"""`independence generate-report`: everything the store says about one place, to be read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from independence.cli import options
from independence.cli.options import Force, GeneralisesTo, Pooled, ReadDb, Scoring, ShownModels
from independence.cli.output import activity
from independence.cli.output.terminal import STORE, note
from independence.config.flags import Flag
from independence.config.options import Place
from independence.errors import UsageError


@options.command("generate-report")
def command(
    *,
    output: Annotated[Path | None, Flag(
        "The file to write, in HTML where it ends in .html; default: report.md or report.html.", "-o"
    )] = None,
    html: Annotated[bool, Flag("One HTML file with the viewer and its data in it, instead of Markdown.")] = False,
    with_dialogues: Annotated[bool, Flag("With --html: every dialogue, not only those that are quoted.")] = False,
    redact_prompts: Annotated[bool, Flag("With --html: leave out system prompts that are your own.")] = False,
    tables: Annotated[Path | None, Flag("Also every table as CSV and JSON.", type=click.Path(path_type=Path))] = None,
    models: ShownModels = (),
    force: Force = False,
    pooled: Pooled = False,
    place: Place,
    scoring: Scoring = "strict",
    generalises_to: GeneralisesTo = "these-scenarios",
    db: ReadDb = STORE,
) -> None:  # fmt: skip
    """Write a report on one suite edition under one condition.

    Quoted passages, board, charts, costs, judges, run health, and what the suite's analysis adds: scenarios, conditions
    and hosts for an index; tilt, merit, pairs and domains for paired sides; the published columns for the rent
    benchmark. With --html it is one file that opens without a server, with the dialogues that it quotes.
    """
    from independence.api import reading, reporting
    from independence.report.board import board

    path = output or Path("report.html" if html else "report.md")
    if html and path.suffix.lower() == ".md":
        raise UsageError(f"--html writes no Markdown, and --output names {path}", "name a .html file, or drop --html")
    as_html = html or path.suffix.lower() in (".html", ".htm")
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
