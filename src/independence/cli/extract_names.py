"""`independence extract-names`: the names that subjects took when they were free to."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from independence.cli import options
from independence.cli.options import TerminalOptions, together
from independence.cli.terminal import note
from independence.config.options import ConnectionOptions
from independence.errors import Interrupted, StoreError, UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from independence.config.endpoints import Endpoint
    from independence.engine.estimate import CostEstimate
    from independence.engine.names_extraction import NamesPlan, NamesSelection
    from independence.judge.model import ModelJudge

_SHOWN = 25  # names of a table on the terminal and in Markdown


class NamesOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which names are read, and who reads them."""

    extractor: str | None = None
    force: bool = False
    models: tuple[str, ...] = ()
    suite: str | None = None
    variant: str | None = None
    mode: str | None = None
    connection: ConnectionOptions = ConnectionOptions()


_NAMES = together(
    "asked",
    NamesOptions,
    click.option("--extractor", "-x", help="The model that reads.  [default: google/gemini-3-flash-preview]"),
    click.option("--force", "-f", is_flag=True, help="Read all again."),
    options.ONLY_MODELS,
    *options.STORED_PLACE,
    options.connection(),
)


@click.command("extract-names")
@_NAMES
@options.TERMINAL
@options.db()
def command(asked: NamesOptions, terminal: TerminalOptions, db: Path) -> None:
    """Let a model read the names that subjects chose from stored answers, one call per run, and print them.

    A run that was read is not read again. Imported runs have their names already.
    """
    import asyncio

    from independence.store import database

    with database.translated(db), closing(database.connect_existing(db)) as connection:
        try:
            sys.exit(_run(connection, db, asked, terminal))
        except asyncio.CancelledError:
            raise Interrupted("interrupted: running calls were cancelled; the same command continues") from None


def _run(connection: sqlite3.Connection, db: Path, asked: NamesOptions, terminal: TerminalOptions) -> int:
    """Read what is left and print the tables. Returns the exit code. Raises UsageError, StoreError."""
    from independence.cli.table_output import print_tables
    from independence.engine.names_extraction import NamesSelection
    from independence.judge.names import IDENTITY
    from independence.judge.names import scenarios as naming_scenarios
    from independence.report import board
    from independence.report import names as report
    from independence.store import names, scopes

    scope = scopes.find(connection, asked.suite, asked.variant, asked.mode)
    if said := scopes.newest(connection, scope, asked.suite):
        note(said, terminal.quiet)
    scenarios = naming_scenarios(scopes.grading(connection, scope))
    if not scenarios:
        raise StoreError(
            f"suite {scope.suite.suite} asks for no name: no scenario opens with a question for one, and none that "
            f"opens freely belongs to an experiment `{IDENTITY}`"
        )
    known = scopes.of_edition(connection, scope.where)
    chosen = scopes.subjects(asked.models, known, "here") if asked.models else list(known)
    labels = {config: known[config].label for config in chosen}
    extractor, code = None, 0
    if not asked.extractor and not asked.force and names.imported(connection, scope.where):
        note("these imported runs have their names already; -x MODEL reads them again", terminal.quiet)
    else:
        wanted = NamesSelection(scope, scenarios, labels, _extractor(asked), asked.force)
        extractor, code = wanted.extractor.name, _read(connection, db, wanted, asked.connection, terminal=terminal)
    if not asked.connection.dry_run:
        ranked = scope.suite.index is not None and scope.suite.analysis == "index"
        ranks = {row.config: row.rank for row in board.board(connection, scope).rows} if ranked else None
        top, only = _SHOWN if terminal.format_ in ("table", "md") else None, labels if asked.models else None
        tables = report.tables(connection, scope, extractor=extractor, only=only, top=top, ranks=ranks)
        print_tables(tables, terminal.format_)
    return code


def _extractor(asked: NamesOptions) -> ModelJudge:
    """The model that reads. Raises UsageError for a judge that is none."""
    from independence.engine import names_extraction, service
    from independence.engine.event_loop import drive
    from independence.judge import kinds, model
    from independence.judge.protocol import DEFAULT_JUDGE

    name = asked.extractor or DEFAULT_JUDGE
    if kinds.of(name) is not kinds.MODEL:
        raise UsageError(f"`{name}` cannot read names", "name a model, as `--extractor vendor/model`")
    known, _ = drive(service.known_models(asked.connection, (name,)))
    return msgspec.structs.replace(model.named(name, known), max_tokens=names_extraction.MAX_TOKENS)


def _read(
    connection: sqlite3.Connection,
    db: Path,
    wanted: NamesSelection,
    options: ConnectionOptions,
    *,
    terminal: TerminalOptions,
) -> int:
    """Read what is left. Returns the exit code. Raises UsageError."""
    from independence.cli.launch import MISSING
    from independence.cli.screen import Screen
    from independence.engine import names_extraction
    from independence.engine.event_loop import drive

    plan, quiet = names_extraction.plan(connection, wanted), terminal.quiet
    for line in _findings(wanted.extractor.name, plan):
        note(line, quiet)
    ended: names_extraction.NamesOutcome | None = names_extraction.NamesOutcome()
    if plan.todo:
        with Screen(terminal, options) as screen:

            def approve(cost: CostEstimate, endpoints: Mapping[str, Endpoint]) -> bool:
                dollars = f"about ${cost.typical_usd:.4f}" if cost.typical_usd else "no cost"
                price = f"no price known for {', '.join(cost.unpriced)}" if cost.unpriced else dollars
                line = f"plan: {cost.verdicts} runs, one call each; {price}"
                return screen.agree([line], cost.typical_usd, endpoints)

            ended = drive(
                names_extraction.extract(
                    wanted, plan.todo, options, connection=connection, path=db, approve=approve, hooks=screen.hooks
                )
            )
    if ended is None:
        return 0
    if ended.spent_usd:
        lost = f", ${ended.unknown_usd:.4f} of it reserved for calls whose cost was not reported"
        note(f"spent ${ended.spent_usd:.4f}" + lost * bool(ended.unknown_usd), quiet)
    if ended.stopped_by is not None:
        note(f"Error: {ended.stopped_by}")
        note("every run read so far is stored; the same command goes on", quiet)
        return ended.stopped_by.exit_code
    left = names_extraction.plan(connection, wanted._replace(force=False))
    missing = [f"{len(left.todo)} runs not read, the same command asks again"] * bool(left.todo)
    missing += [f"{left.broken} runs in which nothing could be read, --force asks again"] * bool(left.broken)
    if missing:
        note(f"missing: {'; '.join(missing)}")
    return MISSING if missing else 0


def _findings(extractor: str, plan: NamesPlan) -> list[str]:
    """What is there and what is not, before anything is read."""
    lines = [f"names by {extractor}: {len(plan.todo)} runs to read, {plan.known} are read already"]
    if plan.stale:
        lines.append(f"{plan.stale} of them were read before from other answers or in another way; they are read again")
    for scenario, count in sorted(plan.absent.items()):
        lines.append(f"{count} runs have no answer in `{scenario}`; it is left out there")
    if plan.silent:
        lines.append(f"{plan.silent} runs have no answer in which a name could be taken; they are left out")
    return lines
