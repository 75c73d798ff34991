"""`independence generate-report`: everything the store says about one place, to be read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from independence.cli import activity, options
from independence.cli.terminal import note
from independence.config.options import Place
from independence.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from independence.report.table import Section
    from independence.stats.comparison import Correction

_LONGEST = 100  # signs of a file's name, without its ending


@click.command("generate-report")
@click.option(
    "--output", "-o", "path", type=click.Path(dir_okay=False, path_type=Path),
    help="The file to write, in HTML where it ends in .html; default: report.md or report.html.",
)  # fmt: skip
@click.option(
    "--html", "as_html", is_flag=True, help="One self-contained HTML file instead of Markdown with figures beside it."
)
@click.option("--tables", type=click.Path(file_okay=False, path_type=Path), help="Also every table as CSV and JSON.")
@options.SHOWN_MODELS
@options.FORCE
@options.SCORING
@options.READING
@options.PLACE
@options.db()
def command(
    db: Path,
    place: Place,
    path: Path | None,
    as_html: bool,
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
    from independence.api import reading
    from independence.config import user_files
    from independence.report import board, html

    path = path or Path("report.html" if as_html else "report.md")
    if as_html and path.suffix.lower() == ".md":
        raise UsageError(f"--html writes no Markdown, and --output names {path}", "name a .html file, or drop --html")
    as_html = as_html or path.suffix.lower() in (".html", ".htm")
    user_files.check(path, "--output", user_files.MARK, forcible=True, force=force)
    with reading.Store(db, note) as store, activity.working("making the report"):
        asked = board.InferenceOptions(generalises_to, correction)
        title, sections = store.report(**place, scoring=scoring, models=models, reading=asked)
    if tables is not None:
        note(f"written: {_write_tables(tables, sections, force)} tables in {tables}")
    _write({path: html.page(title, sections)} if as_html else _markdown(path, title, sections), force)
    note(f"written: {path}")


def _markdown(path: Path, title: str, sections: Sequence[Section]) -> dict[Path, str]:
    """The report and its figures."""
    from independence.report import table

    folder = path.parent / f"{path.stem}-figures"
    text = table.document(title, sections, lambda name: f"{folder.name}/{name}.svg")
    figures = [block for section in sections for block in section.body if isinstance(block, table.Svg)]
    return {path: text, **{folder / f"{figure.id}.svg": figure.svg for figure in figures}}


def _write_tables(folder: Path, sections: Sequence[Section], force: bool) -> int:
    import hashlib

    from independence.exchange import output
    from independence.report import table

    def file_name(name: str) -> str:  # short enough for a file: some ids hold the name of a model
        digest = hashlib.sha256(name.encode()).hexdigest()[:8]
        return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}-{digest}"

    found = [block for section in sections for block in section.body if isinstance(block, table.Table)]
    files: dict[str, list[bytes]] = {}
    for one in found:
        for ending, text in (("csv", table.to_csv(one)), ("json", table.to_json([one]) + "\n")):
            files[f"{file_name(one.id)}.{ending}"] = [text.encode("utf-8", "backslashreplace")]
    output.write(folder, files, output.Manifest(), force)
    return len(found)


def _write(files: Mapping[Path, str], force: bool) -> None:
    """Write all files, or none where one of them is not ours."""
    from independence.config import user_files

    for path in files:
        user_files.check(path, "--output", user_files.MARK, forcible=True, force=force)
    for path, text in files.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{text}{user_files.MARK.decode()}\n", encoding="utf-8", errors="backslashreplace")
        except OSError as error:
            what = f"{path}: cannot be written ({error.strerror}); name another place with --output"
            raise UsageError(what) from error
