"""`validate-judges --hostile`: does a judge's verdict move when the reply it grades talks to it?"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import AsyncExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from independence.cli import judges, model_service, run_request, session
from independence.cli.event_loop import drive
from independence.cli.log_file import LogFile
from independence.cli.progress import ProgressBars
from independence.cli.session import ResolvedRun, RunResult
from independence.cli.table_output import print_tables
from independence.cli.terminal import note
from independence.config import environment
from independence.config.endpoints import Endpoint
from independence.config.subjects import SIM
from independence.engine import probing
from independence.engine.estimate import CostEstimate
from independence.engine.probing import HostilePlan
from independence.engine.resume import PendingWork
from independence.errors import Interrupted, UsageError
from independence.judge.hostile import checks
from independence.judge.hostile.corpus import corpus
from independence.judge.hostile.stage import Probe, Stage, stage
from independence.judge.spec import JudgeSpec
from independence.report import hostile as report
from independence.store import database
from independence.suites import load
from independence.suites.schema import Suite

_LONGEST = 700  # characters of one text on the terminal


class ProbeOptions(NamedTuple):
    """A probe as asked for on the command line."""

    judges: tuple[str, ...]
    suite: str
    worst: int
    models_file: Path | None
    local_url: str | None
    parallel_tasks: int | None
    max_cost: float | None
    allow_unpriced: bool
    rps: float | None
    burst: int | None
    log: Path | None
    dry_run: bool
    yes: bool
    quiet: bool
    format_: str


def probe(wanted: ProbeOptions) -> int:
    """Print what rendering and parsing withstand, then let every judge grade the corpus and print what moved.

    Returns the exit code. Raises UsageError.
    """
    suite = load.load(wanted.suite).suite
    specs = judges.specs(wanted.judges, run_request.models(wanted.models_file), suite)
    late = [spec.name for spec in specs if not spec.at_once]
    if late:
        raise UsageError(
            f"--hostile asks one judge at a time, not {late[0]}; the offline judge's card tells of its own"
        )
    played = stage(suite)
    tables = [report.offline(checks.withstand(played, corpus()))]
    probes = _asked(wanted, suite, specs, played) if specs else []
    longest = _LONGEST if wanted.format_ == "table" else None
    tables += [table for one in probes for table in report.tables(one, wanted.worst, longest)]
    print_tables(tables, wanted.format_)
    stopped_by = probes[0].stopped_by if probes else None
    if stopped_by is None:
        return 0
    note(f"Error: {stopped_by}")
    return stopped_by.exit_code


def _asked(wanted: ProbeOptions, suite: Suite, specs: Sequence[JudgeSpec], played: Stage) -> list[Probe]:
    """What the judges gave; of nobody where the plan was not approved."""
    made = probing.planned(suite, played, corpus())
    with TemporaryDirectory() as folder, closing(database.connect(Path(folder, "probe.db"))) as connection:
        probing.store(connection, made)
        try:
            finished = drive(_run(connection, wanted, made, specs))
        except asyncio.CancelledError:
            raise Interrupted("interrupted: nothing of a probe is stored") from None
        if finished is None:
            return []
        return [made.probed(connection, spec)._replace(stopped_by=finished.stopped_by) for spec in specs]


async def _run(
    connection: sqlite3.Connection, wanted: ProbeOptions, made: HostilePlan, specs: Sequence[JudgeSpec]
) -> RunResult | None:
    log, progress = LogFile(wanted.log, wanted.quiet), ProgressBars(wanted.quiet)
    async with AsyncExitStack() as stack:
        sim = await model_service.loopback(stack) if any(spec.endpoint == SIM for spec in specs) else None
        asked = ResolvedRun(
            suite=made.suite, edition="hostile", personas={}, trials=made.trials, judges=specs,
            endpoints=_endpoints(wanted, specs, sim), shares=run_request.shares(1, wanted.parallel_tasks),
            max_cost=run_request.cap(wanted.max_cost), allow_unpriced=wanted.allow_unpriced,
        )  # fmt: skip

        async def approve(_: PendingWork, estimated: CostEstimate) -> bool:
            usd = estimated.typical_usd
            cost = f"about ${usd:.4f}" if usd else "no cost"
            work = f"{len(made.replies)} hostile replies, {estimated.verdicts} verdicts"
            note(f"plan: {work}; {cost}; nothing is stored", wanted.quiet)
            if wanted.dry_run or not model_service.affordable(usd, wanted.yes or wanted.max_cost is not None):
                return False
            secrets = (secret for endpoint in asked.endpoints.values() for secret in endpoint.secrets)
            stack.enter_context(log.opened(secrets))
            stack.enter_context(progress)
            return True

        return await session.carry_out(asked, connection, Path("probe.db"), log.beside(progress), approve)


def _endpoints(wanted: ProbeOptions, specs: Sequence[JudgeSpec], loopback: Endpoint | None) -> dict[str, Endpoint]:
    where = run_request.RunRequest(
        local_url=wanted.local_url, rps=wanted.rps, burst=wanted.burst, parallel_tasks=wanted.parallel_tasks
    )
    named = [spec.endpoint for spec in specs if spec.asks]
    return run_request.endpoints(named, run_request.models(wanted.models_file), environment.read(), where, loopback)
