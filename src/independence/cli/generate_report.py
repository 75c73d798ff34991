"""`independence generate-report`: everything the store says about one place, to be read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from independence.cli import options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from independence.report.section import Section
    from independence.stats.comparison import Correction


@click.command("generate-report")
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Default: report.md or report.html."
)
@click.option("--html", is_flag=True, help="One self-contained HTML file instead of Markdown with figures beside it.")
@click.option("--tables", type=click.Path(file_okay=False, path_type=Path), help="Also every table as CSV and JSON.")
@click.option("--models", "-m", type=options.Names(), default=(), help="Only these labels or ids.")
@options.reading_options
@options.place_options
@options.db()
def command(
    db: Path,
    suite: str | None,
    variant: str | None,
    mode: str | None,
    judge: str | None,
    output: Path | None,
    html: bool,
    tables: Path | None,
    models: tuple[str, ...],
    generalises_to: str,
    correction: Correction,
) -> None:
    """Write a report on one suite edition under one condition.

    Board, plots, costs, judges, run health, and what a suite's analysis has to say beyond: scenarios, conditions and
    hosts of an index; tilt, merit, pairs and domains of paired sides; the published columns of an instrument.
    """
    from independence.cli.given import given
    from independence.cli.terminal import note
    from independence.report import analysis, full, place
    from independence.report.board import Reading
    from independence.store import database

    with database.connect_existing(db) as connection:
        where = place.find(connection, suite, variant, mode)
        analysis.refuse(where.suite, given())
        place.check_asked(connection, where, judge)
        asked = analysis.Asked(judge=judge, reading=Reading(generalises_to, correction))
        made = analysis.report(connection, where, asked, models)
        path = output or Path("report.html" if html else "report.md")
        _write_html(path, full.title(where), made) if html else _write_markdown(path, full.title(where), made)
        note(f"written: {path}")
        if tables is not None:
            note(f"written: {_write_tables(tables, made)} tables in {tables}")


def _write_html(path: Path, title: str, sections: Sequence[Section]) -> None:
    from independence.report import html

    _write(path, html.page(title, sections))


def _write_markdown(path: Path, title: str, sections: Sequence[Section]) -> None:
    from independence.report import markdown
    from independence.report.section import Svg

    folder = path.parent / f"{path.stem}-figures"
    _write(path, markdown.document(title, sections, lambda name: f"{folder.name}/{name}.svg"))
    for section in sections:
        for block in section.body:
            if isinstance(block, Svg):
                _write(folder / f"{block.id}.svg", block.svg)


def _write_tables(folder: Path, sections: Sequence[Section]) -> int:
    from independence.report import tables
    from independence.report.table import Table

    found = [block for section in sections for block in section.body if isinstance(block, Table)]
    for table in found:
        _write(folder / f"{table.id}.csv", tables.to_csv(table))
        _write(folder / f"{table.id}.json", tables.to_json([table]) + "\n")
    return len(found)


def _write(path: Path, text: str) -> None:
    from independence.errors import UsageError

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written ({error.strerror}); name another place with --output") from error
