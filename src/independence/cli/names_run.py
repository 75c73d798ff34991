"""Driving `extract-names`: what is left to read, approval, the reading, the tables, the exit code."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.cli import model_service, place_lookup, run_request
from independence.cli.event_loop import drive
from independence.cli.launch import MISSING
from independence.cli.log_file import LogFile
from independence.cli.model_service import ModelNeeds
from independence.cli.progress import ProgressBars
from independence.cli.table_output import print_tables
from independence.cli.terminal import note
from independence.config import environment
from independence.config.endpoints import Endpoint
from independence.config.subjects import OPENROUTER, SIM
from independence.engine import names_extraction
from independence.engine.estimate import CostEstimate
from independence.engine.names_extraction import NamesPlan
from independence.engine.run_context import RunContext
from independence.errors import IndependenceError, Interrupted, StoreError, UsageError
from independence.judge.names import name_scenarios as where_asked
from independence.judge.names.spec import DEFAULT_EXTRACTOR, extractor
from independence.judge.spec import CUES, JudgeSpec
from independence.report import board
from independence.report import names as report
from independence.store import database, leases, name_lookup, names, scopes
from independence.store.scopes import BoardScope

_SHOWN = 25  # names of a table on the terminal and in Markdown


class NamesRequest(msgspec.Struct, frozen=True, kw_only=True):
    """An extraction as asked for on the command line."""

    db: Path
    suite: str | None = None
    variant: str | None = None
    mode: str | None = None
    models: tuple[str, ...] = ()
    extractors: tuple[str, ...] = ()  # each reads what those before it could not
    force: bool = False
    models_file: Path | None = None
    parallel: int = 8
    parallel_tasks: int | None = None
    local_url: str | None = None
    max_cost: float | None = None
    allow_unpriced: bool = False
    rps: float | None = None
    burst: int | None = None
    log: Path | None = None
    dry_run: bool = False
    yes: bool = False
    quiet: bool = False
    format_: str = "table"


class NamesJob(NamedTuple):
    """What is left to read, and by whom."""

    scope: BoardScope
    asked: names_extraction.NamesSelection
    plan: NamesPlan

    @property
    def spec(self) -> JudgeSpec:
        """Who reads."""
        return self.asked.spec


class NamesOutcome(NamedTuple):
    """How the reading ended. Completeness is read from the store, not from here."""

    stopped_by: IndependenceError | None
    spent_usd: float
    unknown_usd: float


def extract(wanted: NamesRequest) -> int:
    """Read what is left and print the tables. Returns the exit code. Raises UsageError, StoreError."""
    with closing(database.connect_existing(wanted.db)) as connection:
        try:
            return _extract(connection, wanted)
        except asyncio.CancelledError:
            raise Interrupted("interrupted: calls in flight were dropped; the same command goes on") from None
        except sqlite3.Error as error:
            raise database.translate(error, wanted.db) from error


def _extract(connection: sqlite3.Connection, wanted: NamesRequest) -> int:
    scope = _place(connection, wanted)
    scenarios = where_asked.scenarios(scopes.grading(connection, scope))
    if not scenarios:
        raise StoreError(
            f"suite {scope.suite.suite} asks for no name: no scenario opens with a question for one, and none that "
            f"opens freely belongs to an experiment `{where_asked.IDENTITY}`"
        )
    labels = _subjects(connection, scope, wanted.models)
    readers, code = None, 0
    if not wanted.extractors and not wanted.force and names.imported(connection, scope.where):
        note("these runs brought their names along; -x MODEL or -x cues reads them anew", wanted.quiet)
    else:
        chain = [
            names_extraction.NamesSelection(scope.where, scenarios, labels, spec, wanted.force)
            for spec in _specs(wanted)
        ]
        readers = [asked.spec.name for asked in chain]
        code = _read_in_turn(connection, wanted, scope, chain)
    if not wanted.dry_run:
        top = _SHOWN if wanted.format_ in ("table", "md") else None
        only = labels if wanted.models else None
        ranks = _ranks(connection, scope)
        tables = report.tables(connection, scope, extractors=readers, only=only, top=top, ranks=ranks)
        print_tables(tables, wanted.format_)
    return code


def _ranks(connection: sqlite3.Connection, scope: BoardScope) -> dict[str, int | None] | None:
    """config_dir -> rank on the board; None where a suite has no index."""
    if scope.suite.index is None or scope.suite.analysis != "index":
        return None
    return {row.config: row.rank for row in board.board(connection, scope).rows}


def _place(connection: sqlite3.Connection, wanted: NamesRequest) -> BoardScope:
    return place_lookup.find(connection, wanted.suite, wanted.variant, wanted.mode)


def _subjects(connection: sqlite3.Connection, scope: BoardScope, models: tuple[str, ...]) -> dict[str, str]:
    """config_dir -> label of the subjects that are meant. Raises StoreError where a name fits none."""
    known = name_lookup.of_edition(connection, scope.where)
    chosen = name_lookup.subjects(models, known, "here") if models else list(known)
    return {config: known[config].label for config in chosen}


def _specs(wanted: NamesRequest) -> list[JudgeSpec]:
    return [_spec(wanted, name) for name in dict.fromkeys(wanted.extractors or (DEFAULT_EXTRACTOR,))]


def _spec(wanted: NamesRequest, name: str) -> JudgeSpec:
    if name == CUES:
        return extractor(CUES)
    subject = run_request.models(wanted.models_file).default(name)
    return extractor(name, subject.endpoint, subject.model)


def _read_in_turn(
    connection: sqlite3.Connection,
    wanted: NamesRequest,
    scope: BoardScope,
    chain: Sequence[names_extraction.NamesSelection],
) -> int:
    """Let one extractor after the other read what those before it could not. Returns the exit code."""
    code = 0
    for position, asked in enumerate(chain):
        plan = names_extraction.plan(connection, asked)
        if position:
            left = set.intersection(*(names_extraction.unread(connection, before) for before in chain[:position]))
            plan = plan._replace(todo=[item for item in plan.todo if (item.row.config_dir, item.row.run) in left])
            if not left:
                return 0
        code = _read(connection, wanted, NamesJob(scope, asked, plan))
        if code not in (0, MISSING):
            return code
    if code == MISSING and not set.intersection(*(names_extraction.unread(connection, asked) for asked in chain)):
        return 0  # what the last one could not read, one before it had
    return code


def _read(connection: sqlite3.Connection, wanted: NamesRequest, work: NamesJob) -> int:
    """Read what is left. Returns the exit code. Raises UsageError."""
    for line in _findings(work):
        note(line, wanted.quiet)
    ended = drive(_run(connection, wanted, work)) if work.plan.todo else NamesOutcome(None, 0.0, 0.0)
    if ended is None:
        return 0
    if ended.spent_usd:
        lost = f", ${ended.unknown_usd:.4f} of it reserved for calls whose cost never came back"
        note(f"spent ${ended.spent_usd:.4f}" + lost * bool(ended.unknown_usd), wanted.quiet)
    if ended.stopped_by is not None:
        note(f"Error: {ended.stopped_by}")
        note("every run read so far is stored; the same command goes on", wanted.quiet)
        return ended.stopped_by.exit_code
    after = names_extraction.plan(connection, work.asked._replace(force=False))
    missing = [f"{len(after.todo)} runs not read, the same command asks again"] * bool(after.todo)
    missing += [f"{after.broken} runs in which nothing could be read, --force asks again"] * bool(after.broken)
    if missing:
        note(f"missing: {'; '.join(missing)}")
    return MISSING if missing else 0


def _findings(work: NamesJob) -> list[str]:
    """What is there and what is not, before anything is read."""
    plan = work.plan
    lines = [f"names by {work.spec.name}: {len(plan.todo)} runs to read, {plan.known} are read already"]
    if plan.stale:
        lines.append(f"{plan.stale} of them were read before from other answers or in another way; they are read again")
    for scenario, count in sorted(plan.absent.items()):
        lines.append(f"{count} runs have no answer in `{scenario}`; it is left out there")
    if plan.silent:
        lines.append(f"{plan.silent} runs have no answer in which a name could be taken; they are left out")
    return lines


async def _run(connection: sqlite3.Connection, wanted: NamesRequest, work: NamesJob) -> NamesOutcome | None:
    """Check, estimate, ask for approval, read. None where approval was refused; then nothing was sent."""
    shares, log = run_request.shares(wanted.parallel, wanted.parallel_tasks), LogFile(wanted.log, wanted.quiet)
    async with AsyncExitStack() as stack:
        needs = _needs(wanted, work.spec, await model_service.loopback(stack) if work.spec.endpoint == SIM else None)
        found = await stack.enter_async_context(model_service.check_endpoints(needs))
        cost = names_extraction.estimate(
            work.plan.todo, work.spec, found.prices.get((work.spec.endpoint, work.spec.model))
        )
        model_service.refuse_unpriced(needs, cost.unpriced)
        note(_plan_line(work.spec, cost), wanted.quiet)
        agreed = wanted.yes or wanted.max_cost is not None
        if wanted.dry_run or not model_service.affordable(cost.typical_usd, agreed):
            return None
        stack.enter_context(log.opened(secret for endpoint in needs.endpoints.values() for secret in endpoint.secrets))
        watch = log.beside(stack.enter_context(ProgressBars(wanted.quiet)))
        service = await stack.enter_async_context(model_service.open_service(found, connection, wanted.db, watch))
        bench = RunContext(work.scope.suite, {}, service.backends, service.writer, watch, service.halt, leases.owner())
        stopped_by = await names_extraction.carry_out(bench, work.plan.todo, work.spec, shares)
        return NamesOutcome(stopped_by, service.budget.spent, service.budget.unknown)


def _plan_line(spec: JudgeSpec, cost: CostEstimate) -> str:
    if spec.kind == CUES:
        return f"plan: {cost.verdicts} runs, read by rules; no cost"
    dollars = f"about ${cost.typical_usd:.4f}, at most ${cost.most_usd:.4f}" if cost.most_usd else "no cost"
    unpriced = f"no price known for {', '.join(cost.unpriced)}"
    return f"plan: {cost.verdicts} runs, one call each; {unpriced if cost.unpriced else dollars}"


def _needs(wanted: NamesRequest, spec: JudgeSpec, loopback: Endpoint | None) -> ModelNeeds:
    """Whom to ask and at what cost. Raises UsageError, naming the rules where a key is missing."""
    cap = run_request.cap(wanted.max_cost)
    if spec.kind == CUES:
        return ModelNeeds({}, {}, cap, wanted.allow_unpriced)
    known, env = run_request.models(wanted.models_file), environment.read()
    asked = run_request.RunRequest(
        local_url=wanted.local_url,
        rps=wanted.rps,
        burst=wanted.burst,
        parallel_tasks=wanted.parallel_tasks,
        dry_run=wanted.dry_run,
    )
    try:
        endpoints = run_request.endpoints([spec.endpoint], known, env, asked, loopback)
    except UsageError as error:
        if spec.endpoint != OPENROUTER:
            raise
        raise UsageError(f"reading names needs a key: {error}; or read them by rules: -x {CUES}") from error
    return ModelNeeds(endpoints, {(spec.endpoint, spec.model): False}, cap, wanted.allow_unpriced, "names")
