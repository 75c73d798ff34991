"""`validate-judges --hostile`: does a judge's verdict move when the reply it grades talks to it?"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import NamedTuple

from independence.cli import judges, model_service, run_request
from independence.cli.event_loop import drive
from independence.cli.log_file import LogFile
from independence.cli.model_service import ModelNeeds
from independence.cli.progress import ProgressBars
from independence.cli.table_output import print_tables
from independence.cli.terminal import note
from independence.clients.pricing import Prices
from independence.config import environment
from independence.config.endpoints import Endpoint
from independence.config.subjects import SIM
from independence.engine import probing
from independence.errors import Interrupted, UsageError
from independence.judge.hostile import checks
from independence.judge.hostile import corpus as replies
from independence.judge.hostile.outcome import Probe
from independence.judge.hostile.stage import Stage, stage
from independence.judge.spec import JudgeSpec
from independence.report import hostile as report
from independence.suites import load

_BYTES_PER_TOKEN = 3.5
_VERDICT_TOKENS = 149  # mean of 7,210 published verdicts
_LONGEST = 700  # characters of one text on the terminal


class Wanted(NamedTuple):
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


def probe(wanted: Wanted) -> int:
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
    tables = [report.offline(checks.withstand(played, replies.corpus()))]
    probes = _asked(wanted, specs, played) if specs else []
    longest = _LONGEST if wanted.format_ == "table" else None
    tables += [table for one in probes for table in report.tables(one, wanted.worst, longest)]
    print_tables(tables, wanted.format_)
    stopped = [one.stopped_by for one in probes if one.stopped_by is not None]
    for error in stopped:
        note(f"Error: {error}")
    return stopped[0].exit_code if stopped else 0


def _asked(wanted: Wanted, specs: Sequence[JudgeSpec], played: Stage) -> list[Probe]:
    with closing(sqlite3.connect(":memory:")) as nothing_is_kept:
        try:
            return drive(_run(nothing_is_kept, wanted, specs, played))
        except asyncio.CancelledError:
            raise Interrupted("interrupted: nothing of a probe is stored") from None


async def _run(
    connection: sqlite3.Connection, wanted: Wanted, specs: Sequence[JudgeSpec], played: Stage
) -> list[Probe]:
    corpus, log = replies.corpus(), LogFile(wanted.log, wanted.quiet)
    async with AsyncExitStack() as stack:
        simulated = any(spec.endpoint == SIM for spec in specs)
        needs = _needs(wanted, specs, await model_service.loopback(stack) if simulated else None)
        found = await stack.enter_async_context(model_service.check_endpoints(needs))
        usd, unpriced = _estimate(specs, played, found.prices)
        model_service.refuse_unpriced(needs, unpriced)
        verdicts = len(probing.planned(corpus)) * len(specs)
        cost = f"about ${usd:.4f}" if usd else "no cost"
        note(f"plan: {len(corpus)} hostile replies, {verdicts} verdicts; {cost}; nothing is stored", wanted.quiet)
        if wanted.dry_run or not model_service.affordable(usd, wanted.yes or wanted.max_cost is not None):
            return []
        stack.enter_context(log.opened(secret for endpoint in needs.endpoints.values() for secret in endpoint.secrets))
        watch = log.beside(stack.enter_context(ProgressBars(wanted.quiet)))
        service = await stack.enter_async_context(
            model_service.open_service(found, connection, Path(":memory:"), watch)
        )
        probes = []
        calls = run_request.shares(1, wanted.parallel_tasks).calls
        for spec in specs:
            backend = service.backends.get(spec.endpoint)
            probes.append(await probing.probe(backend, spec, played, corpus, watch, calls))
            if service.halt.reason is not None or probes[-1].stopped_by is not None:
                break
        return probes


def _needs(wanted: Wanted, specs: Sequence[JudgeSpec], loopback: Endpoint | None) -> ModelNeeds:
    asked = [spec for spec in specs if spec.asks]
    known, env = run_request.models(wanted.models_file), environment.read()
    where = run_request.RunRequest(
        local_url=wanted.local_url, rps=wanted.rps, burst=wanted.burst, parallel_tasks=wanted.parallel_tasks
    )
    endpoints = run_request.endpoints([spec.endpoint for spec in asked], known, env, where, loopback)
    models = {(spec.endpoint, spec.model): False for spec in asked}
    return ModelNeeds(endpoints, models, run_request.cap(wanted.max_cost), wanted.allow_unpriced)


def _estimate(
    specs: Sequence[JudgeSpec], played: Stage, prices: dict[model_service.Model, Prices | None]
) -> tuple[float, tuple[str, ...]]:
    """Typical dollars, and the judges whose price is not known."""
    texts = probing.planned(replies.corpus())
    prompt = sum(len(played.prompt(text).encode()) for text in texts) / _BYTES_PER_TOKEN
    usd, unpriced = 0.0, []
    for spec in specs:
        price = prices.get((spec.endpoint, spec.model))
        if not spec.asks:
            continue
        if price is None:
            unpriced.append(spec.name)
            continue
        usd += prompt * price.prompt + len(texts) * (_VERDICT_TOKENS * price.completion + price.request)
    return usd, tuple(unpriced)
