"""`independence generate-report`: everything the store says about one place, to be read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from independence.cli import options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from independence.report.table import Section
    from independence.stats.comparison import Correction

_LONGEST = 100  # signs of a file's name, without its ending


@click.command("generate-report")
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write; default: report.md or report.html.",
)
@click.option("--html", is_flag=True, help="One self-contained HTML file instead of Markdown with figures beside it.")
@click.option("--tables", type=click.Path(file_okay=False, path_type=Path), help="Also every table as CSV and JSON.")
@click.option(
    "--models",
    "-m",
    type=options.NameList(),
    default=(),
    help="Show only these labels or ids; intervals are still computed from all subjects.",
)
@click.option("--force", is_flag=True, help="Overwrite files that no report wrote; never a store.")
@click.option(
    "--scoring",
    default="strict",
    show_default=True,
    help="Scoring rule: strict, published, or the name of a published rule.",
)
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
    scoring: str,
    generalises_to: str,
    correction: Correction,
    force: bool,
) -> None:
    """Write a report on one suite edition under one condition.

    Board, plots, costs, judges, run health, and what the suite's analysis adds: scenarios, conditions and hosts for an
    index; tilt, merit, pairs and domains for paired sides; the published columns for the rent benchmark.
    """
    from independence.cli import place_lookup
    from independence.cli.activity import working
    from independence.cli.options import written_options
    from independence.cli.terminal import note
    from independence.config import user_files
    from independence.report import analysis, index_report
    from independence.report.analysis import BoardOptions
    from independence.report.board import InferenceOptions
    from independence.store import database

    path = output or Path("report.html" if html else "report.md")
    user_files.check(path, "--output", user_files.MARK, forcible=True, force=force)
    with database.reading(db) as connection:
        scope = place_lookup.find(connection, suite, variant, mode)
        analysis.refuse(scope.suite, written_options())
        judge = place_lookup.judge(connection, [scope], judge)
        asked = BoardOptions(scoring, judge, InferenceOptions(generalises_to, correction))
        with working("making the report"):
            made = analysis.report(connection, scope, asked, models)
        if tables is not None:
            note(f"written: {_write_tables(tables, made, force)} tables in {tables}")
        title = index_report.title(scope)
        _write_html(path, title, made, force) if html else _write_markdown(path, title, made, force)
        note(f"written: {path}")


def _write_html(path: Path, title: str, sections: Sequence[Section], force: bool) -> None:
    from independence.report import html

    _write({path: html.page(title, sections)}, force)


def _write_markdown(path: Path, title: str, sections: Sequence[Section], force: bool) -> None:
    from independence.report import table
    from independence.report.table import Svg

    folder = path.parent / f"{path.stem}-figures"
    text = table.document(title, sections, lambda name: f"{folder.name}/{name}.svg")
    figures = [block for section in sections for block in section.body if isinstance(block, Svg)]
    _write({path: text, **{folder / f"{figure.id}.svg": figure.svg for figure in figures}}, force)


def _write_tables(folder: Path, sections: Sequence[Section], force: bool) -> int:
    from independence.exchange import output
    from independence.report.table import Table, to_csv, to_json

    found = [block for section in sections for block in section.body if isinstance(block, Table)]
    files: dict[str, list[bytes]] = {}
    for table in found:
        name = _file_name(table.id)
        for ending, text in (("csv", to_csv(table)), ("json", to_json([table]) + "\n")):
            files[f"{name}.{ending}"] = [text.encode("utf-8", "backslashreplace")]
    output.write(folder, files, output.Manifest(), force)
    return len(found)


def _file_name(table: str) -> str:
    """The id of a table, short enough for a file: some hold the name of a model."""
    import hashlib

    return table if len(table) <= _LONGEST else f"{table[:_LONGEST]}-{hashlib.sha256(table.encode()).hexdigest()[:8]}"


def _write(files: Mapping[Path, str], force: bool) -> None:
    """Write all files, or none where one of them is not ours."""
    from independence.config import user_files
    from independence.errors import UsageError

    for path in files:
        user_files.check(path, "--output", user_files.MARK, forcible=True, force=force)
    for path, text in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{text}{user_files.MARK.decode()}\n", encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            raise UsageError(
                f"{path}: cannot be written ({error.strerror}); name another place with --output"
            ) from error
