"""`independence leaderboard`: the board of what the store holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from independence.cli import options
from independence.errors import UsageError

if TYPE_CHECKING:
    import sqlite3

    from independence.stats.comparison import Correction
    from independence.store.scopes import BoardScope


@click.command("leaderboard")
@click.option("--matrix", is_flag=True, help="Compare system prompts and delivery modes with the baseline instead.")
@click.option("--pooled", is_flag=True, help="One board over all conditions together, as the boards of V1.")
@click.option(
    "--models",
    "-m",
    type=options.NameList(),
    default=(),
    help="Show only these labels or ids; ranks and tiers are still computed from all subjects.",
)
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
    models: tuple[str, ...],
    pooled: bool,
) -> None:
    """Print the board of one suite edition under one condition."""
    from independence.cli import place_lookup
    from independence.cli.activity import working
    from independence.cli.board_output import print_board
    from independence.cli.options import written_options
    from independence.report import analysis
    from independence.report.analysis import BoardOptions
    from independence.report.board import InferenceOptions
    from independence.store import database, scopes

    if pooled and (matrix or detailed or variant or mode):
        raise UsageError("--pooled is one board over every condition: without --matrix, --detailed, --variant, --mode")
    with database.reading(db) as connection:
        scope = (
            scopes.conditions(connection, suite)[0] if pooled else place_lookup.find(connection, suite, variant, mode)
        )
        analysis.refuse(scope.suite, written_options())
        judge = place_lookup.judge(connection, [scope], judge)
        if matrix:
            if models:
                raise UsageError("--matrix shows means over all subjects; leave --models out")
            _matrix(connection, scope, judge, format_)
            return
        asked = BoardOptions(scoring, judge, InferenceOptions(generalises_to, correction), pooled, models)
        with working("building the board"):
            built = analysis.board(connection, scope, asked)
        print_board(built, format_, detailed)


def _matrix(connection: sqlite3.Connection, scope: BoardScope, judge: str | None, format_: str) -> None:
    from independence.cli.activity import working
    from independence.cli.table_output import print_tables
    from independence.errors import StoreError
    from independence.report import matrix

    with working("building the tables"):
        tables = matrix.tables(connection, scope.suite, scope.edition, judge)
    if not tables:
        raise StoreError(
            f"{scope.where.edition_name} has trials under one condition only ({scope.condition}); "
            "`independence run --variants A,B --modes user_role,tool_role` adds others"
        )
    print_tables(tables, format_)
