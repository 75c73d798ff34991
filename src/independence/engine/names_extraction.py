"""Names out of stored answers: what is left to read, and the reading. One call a run; subjects are asked nothing."""

from __future__ import annotations

import asyncio
import math
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.clients.pricing import Prices
from independence.clients.protocol import GaveUp, Parked, Policy
from independence.config import environment
from independence.config.endpoints import Endpoint
from independence.config.options import ConnectionOptions
from independence.config.subjects import OPENROUTER
from independence.engine import connections, service
from independence.engine.estimate import CostEstimate
from independence.engine.events import CallUnresolved, SubjectStarted, VerdictCommitted
from independence.engine.gate import ConcurrencyLimit, QueueClosed
from independence.engine.run_context import CallLatency, Parallelism, QueueKey, RunContext, SubjectWorker
from independence.engine.service import Hooks, ModelNeeds
from independence.errors import IndependenceError, UsageError
from independence.judge.kinds import CUES
from independence.judge.model import ModelJudge
from independence.judge.names import cues, model
from independence.judge.names.extracted import ExtractedNames, NameAnswer
from independence.judge.names.model import render
from independence.judge.names.spec import source
from independence.judge.protocol import Judge
from independence.judge.reasking import REASKS
from independence.store import leases, names, records
from independence.store.names import FirstAnswer, NamesRow, RunKey, StoredName
from independence.store.records import FailureRow
from independence.store.sessions import SessionLedger
from independence.suites.schema import Suite
from independence.types import Missing, Where

_BYTES_PER_TOKEN = 3.5
_LIST_TOKENS = 120  # of a typical answer
_COMPLAINT_TOKENS = 200  # what is said about a list that cannot be used
_MARGIN = 1.3  # as much as a request's reservation adds to its estimated prompt
_LONGER = 1 + Policy().reasks  # attempts with twice the budget


class NamesSelection(NamedTuple):
    """What to read, and who reads."""

    where: Where
    scenarios: Sequence[str]
    labels: Mapping[str, str]  # of the subjects to read, by config_dir
    spec: Judge
    force: bool = False  # read again what is read


class NamesTask(NamedTuple):
    """One run to read."""

    label: str
    row: NamesRow  # where the reading belongs, and what it rests on; not read yet
    answers: tuple[NameAnswer, ...]
    trial: str  # that a call which could not be settled is put down to


class NamesPlan(NamedTuple):
    """The runs of a place, sorted."""

    todo: list[NamesTask]
    known: int  # read already, `broken` among them
    broken: int  # read already, and nothing usable came
    stale: int  # read before from other answers or in another way; among `todo`
    silent: int  # without a single answer to read
    absent: Counter[str]  # scenario -> runs of `todo` without an answer in it


class NamesJob(NamedTuple):
    """What is left to read, by whom, and how that is asked."""

    suite: Suite
    spec: Judge
    plan: NamesPlan
    options: ConnectionOptions


class NamesOutcome(NamedTuple):
    """How the reading ended. Completeness is read from the store, not from here."""

    stopped_by: IndependenceError | None = None
    spent_usd: float = 0.0
    unknown_usd: float = 0.0


def plan(connection: sqlite3.Connection, wanted: NamesSelection) -> NamesPlan:
    """What is left to read."""
    stored = {
        (row.config_dir, row.run): row
        for row in names.stored(connection, wanted.where)
        if row.extractor == wanted.spec.name
    }
    answers = names.first_answers(connection, wanted.where, wanted.scenarios)
    todo: list[NamesTask] = []
    known = broken = stale = silent = 0
    absent: Counter[str] = Counter()
    for run in names.runs(connection, wanted.where, wanted.scenarios):
        if run[0] not in wanted.labels:
            continue
        if run not in answers:
            silent += 1
            continue
        row, before = _unread(wanted, run, answers[run]), stored.get(run)
        if before and before.source == row.source and not wanted.force:
            known, broken = known + 1, broken + (before.missing is not None)
            continue
        stale += before is not None and before.source != row.source
        absent.update(set(wanted.scenarios) - {one.scenario for one in answers[run]})
        todo.append(_item(connection, wanted, row, answers[run]))
    return NamesPlan(todo=todo, known=known, broken=broken, stale=stale, silent=silent, absent=absent)


def unread(connection: sqlite3.Connection, wanted: NamesSelection) -> set[RunKey]:
    """The runs of these subjects with an answer of which there is no usable reading by this extractor."""
    answers = names.first_answers(connection, wanted.where, wanted.scenarios)
    read = {
        (row.config_dir, row.run)
        for row in names.stored(connection, wanted.where)
        if row.extractor == wanted.spec.name
        and row.missing is None
        and (row.config_dir, row.run) in answers
        and row.source == _unread(wanted, (row.config_dir, row.run), answers[row.config_dir, row.run]).source
    }
    return {run for run in answers if run[0] in wanted.labels} - read


def _unread(wanted: NamesSelection, run: RunKey, answers: Sequence[FirstAnswer]) -> NamesRow:
    rests_on = source(wanted.spec.name, [(one.scenario, one.digest) for one in answers])
    config_dir, number = run
    return NamesRow(wanted.where, config_dir, number, extractor=wanted.spec.name, source=rests_on)


def _item(
    connection: sqlite3.Connection, wanted: NamesSelection, row: NamesRow, answers: Sequence[FirstAnswer]
) -> NamesTask:
    texts = tuple(NameAnswer(one.scenario, names.text(connection, one.trial)) for one in answers)
    return NamesTask(wanted.labels[row.config_dir], row, texts, answers[0].trial)


def estimate(todo: Sequence[NamesTask], spec: Judge, prices: Prices | None) -> CostEstimate:
    """What reading will cost; `prices` None for unknown. The most counts every attempt and every further question."""
    if not spec.needs_model or prices is None:
        return CostEstimate(0, len(todo), 0.0, 0.0, () if not spec.needs_model else (spec.name,))
    dear = max(prices.completion, prices.internal_reasoning)
    asks, attempts, budgets = 1 + REASKS, 1 + _LONGER, 1 + 2 * _LONGER
    typical = most = 0.0
    for item in todo:
        prompt = len(render(item.answers).encode()) / _BYTES_PER_TOKEN
        longest = asks * prompt + REASKS * (2 * spec.max_tokens + _COMPLAINT_TOKENS)
        typical += prompt * prices.prompt + _LIST_TOKENS * prices.completion + prices.request
        most += attempts * longest * _MARGIN * prices.prompt + asks * budgets * spec.max_tokens * dear
        most += asks * attempts * prices.request
    return CostEstimate(0, len(todo), typical, most, ())


async def extract(
    job: NamesJob,
    connection: sqlite3.Connection,
    path: Path,
    approve: Callable[[CostEstimate, Mapping[str, Endpoint]], bool],
    hooks: Hooks,
) -> NamesOutcome | None:
    """Check, estimate, ask for approval, read. None where approval was refused; then nothing was sent.

    Raises UsageError, naming the rules where a key is missing.
    """
    spec = job.spec
    async with service.check_endpoints(_needs(job)) as found:
        cost = estimate(job.plan.todo, spec, found.prices.get((spec.endpoint, spec.model)))
        service.refuse_unpriced(job.options, cost.unpriced)
        if not approve(cost, found.needs.endpoints) or job.options.dry_run:
            return None
        ledger = None if not spec.needs_model else SessionLedger("extract-names", "names")
        async with service.open_service(found, connection, path, hooks, ledger) as opened:
            context = RunContext(
                job.suite,
                {},
                backends=opened.backends,
                writer=opened.writer,
                on_event=hooks.on_event,
                stop_signal=opened.stop_signal,
                lease_owner=leases.owner(),
            )
            stopped_by = await carry_out(
                context, job.plan.todo, spec, Parallelism(job.options.parallel, job.options.calls)
            )
            return NamesOutcome(stopped_by, opened.budget.spent, opened.budget.unknown)


def _needs(job: NamesJob) -> ModelNeeds:
    spec = job.spec
    if not spec.needs_model:
        return ModelNeeds({}, {}, job.options)
    known, env = connections.models(job.options.models_file), environment.read()
    try:
        endpoints = connections.endpoints([spec.endpoint], known, env, job.options)
    except UsageError as error:
        if spec.endpoint != OPENROUTER:
            raise
        raise UsageError(f"reading names needs a key: {error}; or read them by rules: -x {CUES}") from error
    return ModelNeeds(endpoints, {(spec.endpoint, spec.model): False}, job.options)


async def carry_out(
    context: RunContext, todo: Sequence[NamesTask], spec: Judge, shares: Parallelism
) -> IndependenceError | None:
    """Read what is left, every reading committed before it counts. Returns what ended it early."""
    by_subject: dict[str, list[NamesTask]] = {}
    for item in todo:
        by_subject.setdefault(item.label, []).append(item)
    for label, items in by_subject.items():
        context.on_event(SubjectStarted(label, 0, len(items)))
    door = asyncio.Semaphore(shares.subjects)
    async with asyncio.TaskGroup() as group:
        for items in by_subject.values():
            group.create_task(_subject(context, door, shares, spec, items))
    return context.stop_signal.reason


async def _subject(
    context: RunContext, door: asyncio.Semaphore, shares: Parallelism, spec: Judge, items: list[NamesTask]
) -> None:
    async with door:
        queue = QueueKey(spec.endpoint, spec.name)
        queues = {}
        if spec.needs_model:
            queues[queue] = context.backends[queue.endpoint].open_queue(ConcurrencyLimit(shares.calls), spec.model)
        worker = SubjectWorker(context, items[0].label, queues, CallLatency())
        async with asyncio.TaskGroup() as group:
            for item in items:
                group.create_task(_read(worker, spec, item))
        for open_queue in queues.values():
            context.backends[queue.endpoint].gate.remove_queue(open_queue)


async def _read(worker: SubjectWorker, spec: Judge, item: NamesTask) -> None:
    """Read one run. What goes wrong with it stops the others only where it ends the whole command."""
    if worker.context.stop_signal.reason is not None:
        return
    try:
        if isinstance(spec, ModelJudge):
            await _by_model(worker, spec, item)
        else:
            await _keep(worker, item, cues.read(item.answers))
    except QueueClosed:
        pass
    except IndependenceError as stop:
        worker.context.stop_signal.stop(stop)


async def _by_model(worker: SubjectWorker, spec: ModelJudge, item: NamesTask) -> None:
    queue = QueueKey(spec.endpoint, spec.name)
    client = worker.context.backends[queue.endpoint].client
    async with worker.slot(queue, math.inf, item.row.run):
        try:
            outcome = await model.read(client, spec, item.answers, int(item.row.source[:8], 16) % 2**31)
        except (Parked, GaveUp, IndependenceError) as stop:
            if isinstance(stop, Parked):
                worker.stop_queue(queue, stop)
            await _unsettled(worker, spec, item, stop)
            if isinstance(stop, IndependenceError):
                raise
            return
        await _keep(worker, item, outcome)


async def _unsettled(
    worker: SubjectWorker, spec: Judge, item: NamesTask, stop: Parked | GaveUp | IndependenceError
) -> None:
    """Keep what a call tried that could not be settled; it is asked again next time."""
    if stop.attempts:
        row = FailureRow(item.trial, f"names by {spec.name}", type(stop).__name__, str(stop), stop.attempts)
        await worker.context.writer.write(lambda connection: records.add_failure(connection, row))
    if isinstance(stop, GaveUp) and worker.context.stop_signal.reason is None:
        worker.context.on_event(CallUnresolved(worker.label, f"names of run {item.row.run}", stop.why))


async def _keep(worker: SubjectWorker, item: NamesTask, outcome: ExtractedNames | Missing) -> None:
    row = _row(item, outcome)
    await worker.context.writer.write(lambda connection: names.add(connection, row))
    worker.context.on_event(VerdictCommitted(worker.label, row.extractor, row.usage.cost_usd, row.missing))


def _row(item: NamesTask, outcome: ExtractedNames | Missing) -> NamesRow:
    came = {"usage": outcome.usage, "raw": outcome.raw, "attempts": outcome.attempts}
    if isinstance(outcome, Missing):
        return msgspec.structs.replace(item.row, missing=outcome.reason, **came)
    picks = tuple(StoredName(named.name, named.sources) for named in outcome.names)
    return msgspec.structs.replace(item.row, names=picks, declined=outcome.declined, primary=outcome.primary, **came)
