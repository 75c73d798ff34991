"""`independence leaderboard`: the board of what the store holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from independence.cli import options

if TYPE_CHECKING:
    import sqlite3

    from independence.report.place import Place
    from independence.stats.comparison import Correction


@click.command("leaderboard")
@click.option("--matrix", is_flag=True, help="Prompt and delivery instead: every condition beside the baseline.")
@options.board_options
@options.output_format()
@options.db()
def command(
    db: Path,
    format_: str,
    suite: str | None,
    scoring: str,
    judge: str | None,
    variant: str | None,
    mode: str | None,
    detailed: bool,
    generalises_to: str,
    correction: Correction,
    matrix: bool,
) -> None:
    """Print the board of one suite edition under one condition."""
    from independence.cli import printed
    from independence.cli.given import given
    from independence.report import analysis, place
    from independence.report.board import Reading
    from independence.store import database

    if variant is not None and variant.endswith(".md"):
        from independence.cli.job import persona

        variant, _ = persona(Path(variant))
    with database.connect_existing(db) as connection:
        where = place.find(connection, suite, variant, mode)
        analysis.refuse(where.suite, given())
        place.check_asked(connection, where, judge)
        if matrix:
            _matrix(connection, where, judge, format_)
            return
        asked = analysis.Asked(scoring, judge, Reading(generalises_to, correction))
        built = analysis.board(connection, where, asked)
        printed.board(connection, where, built, format_, detailed)


def _matrix(connection: sqlite3.Connection, where: Place, judge: str | None, format_: str) -> None:
    from independence.cli.tabled import print_tables
    from independence.errors import StoreError
    from independence.report import matrix

    tables = matrix.tables(connection, where.suite, where.edition, judge)
    if not tables:
        raise StoreError(
            f"{where.suite.suite}@{where.edition} has trials under one condition only ({where.condition}); "
            "`independence run --variants A,B --modes user_role,tool_role` adds others"
        )
    print_tables(tables, format_)
