"""`independence export`: what the store holds, as files for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from independence.cli import options
from independence.cli.working import working
from independence.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from independence.exchange.output import Manifest
    from independence.report.place import Place

    Files = dict[str, Iterable[bytes]]


@click.command("export")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--rent", is_flag=True, help="A run folder of the rent benchmark, in the published names.")
@click.option("--published", is_flag=True, help="The published cache layout, which the published viewer reads.")
@click.option(
    "--format", "format_", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True,
    help="Of the tables; --rent and --published have their own formats.",
)  # fmt: skip
@click.option("--models", "-m", type=options.Names(), default=(), help="Only these labels or ids.")
@click.option("--force", is_flag=True, help="Write over files that no export wrote; never over a store.")
@options.place_options
@options.db()
def command(
    folder: Path,
    rent: bool,
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

    Neither keys nor addresses are in the files. With --rent the run folder that rent tools read, of one condition; with
    --published one file a turn, verdicts of one judge, which `independence import` reads back.
    """
    from independence.cli import location, opening
    from independence.cli.terminal import note
    from independence.exchange import output
    from independence.report import place

    if rent and published:
        raise UsageError("--rent and --published are two layouts; export one after the other, into two folders")
    with opening.reading(db) as connection:
        places = place.conditions(connection, suite, variant, mode)
        location.tell(connection, places[0], suite)
        judge = place.judge_anywhere(connection, places, judge)
        if rent:
            where = place.find(connection, suite, variant, mode)
            files, about = _rent(connection, where, judge, models)
        elif published:
            files, about = _published(connection, places, judge, models)
        else:
            files, about = _tables(connection, places, judge, models, format_)
        with working(f"writing {len(files):,} files"):
            output.write(folder, files, about, force)
    note(f"written: {len(files):,} files in {folder}" if published else f"written: {', '.join(files)} in {folder}")


def _rent(
    connection: sqlite3.Connection, where: Place, judge: str | None, models: Sequence[str]
) -> tuple[Files, Manifest]:
    from independence.cli.terminal import note
    from independence.exchange.output import Manifest
    from independence.exchange.rent import stored, writer

    run = stored.read(connection, where, judge, models)
    if run.judge is None:
        note(f"no verdicts yet: {writer.JUDGED} and {writer.SUMMARY} are left out; `independence judge` grades")
    elif judge is None and len(run.judges) > 1:
        note(f"scores are those of {run.judge}; --judge takes another of {', '.join(run.judges)}")
    repeated = sum(kept.repeated for kept in run.kept)
    if repeated:
        note(f"{repeated} records repeat another one's answer: prompts in the same words are asked once")
    about = Manifest(
        suite=where.suite.suite, edition=where.edition, conditions=(where.condition,), judge=run.judge
    )  # fmt: skip
    return {name: [content] for name, content in writer.files(run).items()}, about


def _published(
    connection: sqlite3.Connection, places: Sequence[Place], judge: str | None, models: Sequence[str]
) -> tuple[Files, Manifest]:
    from independence.exchange import cache, chosen
    from independence.exchange.output import Manifest

    about = chosen.subjects(connection, places[0], models)
    with working("reading the store"):
        files: Files = {name: [content] for name, content in cache.files(connection, places, judge, about)}
    if not files:
        raise UsageError("nothing was answered yet, so there is no file to write; `independence run` asks")
    conditions = tuple(place.condition for place in places)
    return files, Manifest(
        suite=places[0].suite.suite, edition=places[0].edition, conditions=conditions, judge=judge
    )  # fmt: skip


def _tables(
    connection: sqlite3.Connection, places: Sequence[Place], judge: str | None, models: Sequence[str], format_: str
) -> tuple[Files, Manifest]:
    from independence.exchange import boards, chosen, encoded
    from independence.exchange.output import Manifest
    from independence.exchange.sheets import Edition, sheets

    about = chosen.subjects(connection, places[0], models)
    encode = encoded.jsonl if format_ == "jsonl" else encoded.to_csv
    files: Files = {f"{one.name}.{format_}": encode(one) for one in sheets(Edition(connection, places, about))}
    built = boards.read(connection, places, judge)
    if built:
        lines = boards.jsonl(built, about) if format_ == "jsonl" else [boards.to_csv(places[0], built, about)]
        files[f"{boards.NAME}.{format_}"] = lines
    conditions = tuple(place.condition for place in places)
    return files, Manifest(
        suite=places[0].suite.suite, edition=places[0].edition, conditions=conditions, judge=judge
    )  # fmt: skip
