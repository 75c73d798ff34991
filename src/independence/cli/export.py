"""`independence export`: what the store holds, as files for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from independence.cli import options

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence

    from independence.exchange.output import Manifest
    from independence.report.place import Place

    Files = dict[str, Iterable[bytes]]


@click.command("export")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option("--rent", is_flag=True, help="A run folder of the rent benchmark, in the published names.")
@click.option(
    "--format", "format_", type=click.Choice(["jsonl", "csv"]), default="jsonl", show_default=True,
    help="Of the tables; --rent has its own formats.",
)  # fmt: skip
@click.option("--models", "-m", type=options.Names(), default=(), help="Only these labels or ids.")
@click.option("--force", is_flag=True, help="Write over files that no export wrote.")
@options.place_options
@options.db()
def command(
    folder: Path,
    rent: bool,
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

    Neither keys nor addresses are in the files. With --rent the run folder that rent tools read, of one condition.
    """
    from independence.cli.terminal import note
    from independence.exchange import output
    from independence.report import place
    from independence.store import database

    with database.connect_existing(db) as connection:
        where = place.find(connection, suite, variant, mode)
        place.check_asked(connection, where, judge)
        if rent:
            files, about = _rent(connection, where, judge, models)
        else:
            places = [where] if variant or mode else _conditions(connection, where)
            files, about = _tables(connection, places, judge, models, format_)
        output.write(folder, files, about, force)
    note(f"written: {', '.join(files)} in {folder}")


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


def _conditions(connection: sqlite3.Connection, where: Place) -> list[Place]:
    """Every condition of an edition, the one found first."""
    from independence.store import queries

    found = queries.conditions(connection, where.suite.suite, where.edition)
    others = [where._replace(variant=variant, mode=mode) for variant, mode in found]
    return [where, *(one for one in others if one != where)]
