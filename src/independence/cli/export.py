"""`independence export`: what the store holds, as files for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from independence.cli import options
from independence.cli.activity import working
from independence.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from independence.exchange.output import Manifest
    from independence.store.scopes import BoardScope

    Files = dict[str, Iterable[bytes]]


@click.command("export")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--summary", is_flag=True, help="Only summary.csv, in the published columns of the rent benchmark.")
@click.option("--published", is_flag=True, help="The published cache layout, which the published viewer reads.")
@click.option(
    "--format", "format_", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True,
    help="Of the tables; --summary and --published have their own formats.",
)  # fmt: skip
@click.option("--models", "-m", type=options.NameList(), default=(), help="Only these labels or ids.")
@click.option("--force", is_flag=True, help="Write over files that no export wrote; never over a store.")
@options.place_options
@options.db()
def command(
    folder: Path,
    summary: bool,
    published: bool,
    format_: str,
    models: tuple[str, ...],
    force: bool,
    suite: str | None,
    variant: str | None,
    mode: str | None,
    judge: str | None,
    db: Path,
) -> None:
    """Write one suite edition into DIR: subjects, dialogues, verdicts and the board.

    Neither keys nor addresses are in the files. With --summary the summary of a suite such as rent, of one condition
    and judge; with --published one file a turn, verdicts of one judge, which `independence import` reads back.
    """
    from independence.cli import place_lookup
    from independence.cli.terminal import note
    from independence.engine import open_store
    from independence.exchange import output

    if summary and published:
        raise UsageError("--summary and --published are two layouts; export one after the other, into two folders")
    with open_store.reading(db) as connection:
        places = place_lookup.conditions(connection, suite, variant, mode)
        judge = place_lookup.judge(connection, places, judge)
        if summary:
            scope = place_lookup.find(connection, places[0].where.edition_name, variant, mode)
            files, about = _summary(connection, scope, judge, models)
        elif published:
            files, about = _published(connection, places, judge, models)
        else:
            files, about = _tables(connection, places, judge, models, format_)
        with working(f"writing {len(files):,} files"):
            output.write(folder, files, about, force)
    note(f"written: {len(files):,} files in {folder}" if published else f"written: {', '.join(files)} in {folder}")


def _summary(
    connection: sqlite3.Connection, scope: BoardScope, judge: str | None, models: Sequence[str]
) -> tuple[Files, Manifest]:
    from independence.cli.terminal import note
    from independence.exchange.output import Manifest
    from independence.exchange.rent import summary

    scores = summary.read(connection, scope, judge, models)
    if scores.judge is None:
        raise UsageError("no verdicts yet, so there is no score to sum up; `independence judge` grades")
    if judge is None and len(scores.judges) > 1:
        note(f"scores are those of {scores.judge}; --judge takes another of {', '.join(scores.judges)}")
    conditions = (str(scope.condition),)
    about = Manifest(suite=scope.suite.suite, edition=scope.edition, conditions=conditions, judge=scores.judge)
    content = summary.to_csv(scores.rated, scores.sides).encode("utf-8", "backslashreplace")
    return {summary.NAME: [content]}, about


def _published(
    connection: sqlite3.Connection, places: Sequence[BoardScope], judge: str | None, models: Sequence[str]
) -> tuple[Files, Manifest]:
    from independence.exchange import cache
    from independence.exchange.export_tables import chosen_subjects
    from independence.exchange.output import Manifest

    about = chosen_subjects(connection, places[0], models)
    with working("reading the store"):
        files: Files = {name: [content] for name, content in cache.files(connection, places, judge, about)}
    if not files:
        raise UsageError("nothing was answered yet, so there is no file to write; `independence run` asks")
    conditions = tuple(str(place.condition) for place in places)
    return files, Manifest(
        suite=places[0].suite.suite, edition=places[0].edition, conditions=conditions, judge=judge
    )  # fmt: skip


def _tables(
    connection: sqlite3.Connection, places: Sequence[BoardScope], judge: str | None, models: Sequence[str], format_: str
) -> tuple[Files, Manifest]:
    from independence.exchange import boards, export_tables
    from independence.exchange.output import Manifest

    about = export_tables.chosen_subjects(connection, places[0], models)
    encode = export_tables.jsonl if format_ == "jsonl" else export_tables.to_csv
    edition = export_tables.ExportedEdition(connection, places, about)
    files: Files = {f"{one.name}.{format_}": encode(one) for one in export_tables.tables(edition)}
    built = boards.read(connection, places, judge)
    if built:
        lines = boards.jsonl(built, about) if format_ == "jsonl" else [boards.to_csv(built, about)]
        files[f"{boards.NAME}.{format_}"] = lines
    conditions = tuple(str(place.condition) for place in places)
    return files, Manifest(
        suite=places[0].suite.suite, edition=places[0].edition, conditions=conditions, judge=judge
    )  # fmt: skip
