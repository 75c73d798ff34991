"""`independence leaderboard`: the board of what the store holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from independence.cli import options

if TYPE_CHECKING:
    from independence.stats.comparison import Correction


@click.command("leaderboard")
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
) -> None:
    """Print the board of one suite edition under one condition."""
    from independence.cli import printed
    from independence.report import board, place
    from independence.store import database, queries

    if variant is not None and variant.endswith(".md"):
        from independence.cli.job import persona

        variant, _ = persona(Path(variant))
    with database.connect_existing(db) as connection:
        where = place.find(connection, suite, variant, mode)
        if judge is not None:
            condition = (where.variant, where.mode)
            place.check_judge(queries.verdicts(connection, where.suite.suite, where.edition, condition), judge)
        built = board.board(connection, where, scoring, judge, board.Reading(generalises_to, correction))
        printed.board(connection, where, built, format_, detailed)
