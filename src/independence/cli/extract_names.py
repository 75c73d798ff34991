"""`independence extract-names`: the names that subjects took when they were free to."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import click
import msgspec

from independence.cli import options, place_lookup, run_options
from independence.cli.launch import MISSING
from independence.cli.run_options import TerminalOptions, Together
from independence.cli.screen import Screen
from independence.cli.table_output import print_tables
from independence.cli.terminal import note
from independence.config.endpoints import Endpoint
from independence.config.options import ConnectionOptions
from independence.engine import connections, names_extraction
from independence.engine.estimate import CostEstimate
from independence.engine.event_loop import drive
from independence.engine.names_extraction import NamesJob, NamesOutcome
from independence.errors import Interrupted, StoreError
from independence.judge.kinds import CUES
from independence.judge.names import spec as where_asked
from independence.judge.names.spec import DEFAULT_EXTRACTOR, extractor
from independence.judge.protocol import Judge
from independence.report import board
from independence.report import names as report
from independence.store import database, name_lookup, names, scopes
from independence.store.scopes import BoardScope

_SHOWN = 25  # names of a table on the terminal and in Markdown


class NamesOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Which names are read, and who reads them."""

    extractors: tuple[str, ...] = ()  # each reads what those before it could not
    force: bool = False
    models: tuple[str, ...] = ()
    suite: str | None = None
    variant: str | None = None
    mode: str | None = None
    connection: ConnectionOptions = ConnectionOptions()


_NAMES = Together(
    "asked",
    NamesOptions,
    click.option(
        "--extractor",
        "-x",
        "extractors",
        multiple=True,
        help="A model id, or `cues` (rules: no key, no cost). Default: the default judge. Repeatable: the next one "
        "reads what the one before could not.",
    ),
    click.option("--force", "-f", is_flag=True, help="Read all again."),
    click.option(
        "--models",
        "-m",
        type=options.NameList(),
        default=(),
        help="Show only these labels or ids; intervals are still computed from all subjects.",
    ),
    *run_options.STORED_PLACE,
    run_options.connection(),
)


@click.command("extract-names")
@_NAMES
@run_options.TERMINAL
@options.db()
def command(asked: NamesOptions, terminal: TerminalOptions, db: Path) -> None:
    """Read the names that subjects chose from stored answers, one call per run, and print them.

    A run that was read is not read again. Imported runs have their names already.
    """
    with closing(database.connect_existing(db)) as connection:
        try:
            sys.exit(_Extraction(connection, db, asked, terminal).run())
        except asyncio.CancelledError:
            raise Interrupted("interrupted: calls in flight were dropped; the same command goes on") from None
        except sqlite3.Error as error:
            raise database.translate(error, db) from error


class _Extraction(NamedTuple):
    """One run of the command."""

    connection: sqlite3.Connection
    db: Path
    asked: NamesOptions
    terminal: TerminalOptions

    def run(self) -> int:
        """Read what is left and print the tables. Returns the exit code. Raises UsageError, StoreError."""
        connection, asked = self.connection, self.asked
        scope = place_lookup.find(connection, asked.suite, asked.variant, asked.mode)
        suite = scopes.grading(connection, scope)
        scenarios = where_asked.scenarios(suite)
        if not scenarios:
            raise StoreError(
                f"suite {scope.suite.suite} asks for no name: no scenario opens with a question for one, and none that "
                f"opens freely belongs to an experiment `{where_asked.IDENTITY}`"
            )
        labels = _subjects(connection, scope, asked.models)
        readers, code = None, 0
        if not asked.extractors and not asked.force and names.imported(connection, scope.where):
            note(
                "these imported runs have their names already; -x MODEL or -x cues reads them again",
                self.terminal.quiet,
            )
        else:
            chain = [
                names_extraction.NamesSelection(scope.where, scenarios, labels, spec, asked.force)
                for spec in _specs(asked)
            ]
            readers = [one.spec.name for one in chain]
            code = self._read_in_turn(scope, chain)
        if not asked.connection.dry_run:
            top = _SHOWN if self.terminal.format_ in ("table", "md") else None
            only = labels if asked.models else None
            ranks = _ranks(connection, scope)
            tables = report.tables(connection, scope, extractors=readers, only=only, top=top, ranks=ranks)
            print_tables(tables, self.terminal.format_)
        return code

    def _read_in_turn(self, scope: BoardScope, chain: Sequence[names_extraction.NamesSelection]) -> int:
        """Let one extractor after the other read what those before it could not. Returns the exit code."""
        code, connection = 0, self.connection
        for position, wanted in enumerate(chain):
            plan = names_extraction.plan(connection, wanted)
            if position:
                left = set.intersection(*(names_extraction.unread(connection, before) for before in chain[:position]))
                plan = plan._replace(todo=[item for item in plan.todo if (item.row.config_dir, item.row.run) in left])
                if not left:
                    return 0
            code = self._read(NamesJob(scope.suite, wanted.spec, plan, self.asked.connection), wanted)
            if code not in (0, MISSING):
                return code
        if code == MISSING and not set.intersection(*(names_extraction.unread(connection, wanted) for wanted in chain)):
            return 0  # what the last one could not read, one before it had
        return code

    def _read(self, job: NamesJob, wanted: names_extraction.NamesSelection) -> int:
        """Read what is left. Returns the exit code. Raises UsageError."""
        quiet = self.terminal.quiet
        for line in _findings(job):
            note(line, quiet)
        ended = self._drive(job) if job.plan.todo else NamesOutcome()
        if ended is None:
            return 0
        if ended.spent_usd:
            lost = f", ${ended.unknown_usd:.4f} of it reserved for calls whose cost never came back"
            note(f"spent ${ended.spent_usd:.4f}" + lost * bool(ended.unknown_usd), quiet)
        if ended.stopped_by is not None:
            note(f"Error: {ended.stopped_by}")
            note("every run read so far is stored; the same command goes on", quiet)
            return ended.stopped_by.exit_code
        after = names_extraction.plan(self.connection, wanted._replace(force=False))
        missing = [f"{len(after.todo)} runs not read, the same command asks again"] * bool(after.todo)
        missing += [f"{after.broken} runs in which nothing could be read, --force asks again"] * bool(after.broken)
        if missing:
            note(f"missing: {'; '.join(missing)}")
        return MISSING if missing else 0

    def _drive(self, job: NamesJob) -> NamesOutcome | None:
        with Screen(self.terminal, job.options) as screen:

            def approve(cost: CostEstimate, endpoints: Mapping[str, Endpoint]) -> bool:
                return screen.agree([_plan_line(job.spec, cost)], cost.typical_usd, endpoints)

            return drive(names_extraction.extract(job, self.connection, self.db, approve, screen.hooks))


def _ranks(connection: sqlite3.Connection, scope: BoardScope) -> dict[str, int | None] | None:
    """config_dir -> rank on the board; None where a suite has no index."""
    if scope.suite.index is None or scope.suite.analysis != "index":
        return None
    return {row.config: row.rank for row in board.board(connection, scope).rows}


def _subjects(connection: sqlite3.Connection, scope: BoardScope, models: tuple[str, ...]) -> dict[str, str]:
    """config_dir -> label of the subjects that are meant. Raises StoreError where a name fits none."""
    known = name_lookup.of_edition(connection, scope.where)
    chosen = name_lookup.subjects(models, known, "here") if models else list(known)
    return {config: known[config].label for config in chosen}


def _specs(asked: NamesOptions) -> list[Judge]:
    return [_spec(asked, name) for name in dict.fromkeys(asked.extractors or (DEFAULT_EXTRACTOR,))]


def _spec(asked: NamesOptions, name: str) -> Judge:
    if name == CUES:
        return extractor(CUES)
    subject = connections.models(asked.connection.models_file).default(name)
    return extractor(name, subject.endpoint, subject.model)


def _findings(job: NamesJob) -> list[str]:
    """What is there and what is not, before anything is read."""
    plan = job.plan
    lines = [f"names by {job.spec.name}: {len(plan.todo)} runs to read, {plan.known} are read already"]
    if plan.stale:
        lines.append(f"{plan.stale} of them were read before from other answers or in another way; they are read again")
    for scenario, count in sorted(plan.absent.items()):
        lines.append(f"{count} runs have no answer in `{scenario}`; it is left out there")
    if plan.silent:
        lines.append(f"{plan.silent} runs have no answer in which a name could be taken; they are left out")
    return lines


def _plan_line(spec: Judge, cost: CostEstimate) -> str:
    if not spec.needs_model:
        return f"plan: {cost.verdicts} runs, read by rules; no cost"
    dollars = f"about ${cost.typical_usd:.4f}, at most ${cost.most_usd:.4f}" if cost.most_usd else "no cost"
    unpriced = f"no price known for {', '.join(cost.unpriced)}"
    return f"plan: {cost.verdicts} runs, one call each; {unpriced if cost.unpriced else dollars}"
