"""Names out of stored answers: what is left to read, and the reading. One call a run; subjects are asked nothing."""

from __future__ import annotations

import asyncio
import math
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.clients.limits import BYTES_PER_TOKEN, Prices
from independence.config import environment
from independence.config.endpoints import Endpoint
from independence.config.options import ConnectionOptions
from independence.engine import connections, models, service
from independence.engine.concurrency import ConcurrencyLimit, QueueClosed
from independence.engine.estimate import CostEstimate
from independence.engine.events import SubjectStarted, VerdictCommitted
from independence.engine.grading import seed_of
from independence.engine.run_context import Parallelism, QueueKey, RunContext, SubjectWorker
from independence.engine.service import Hooks
from independence.errors import IndependenceError, StoreUnwritable
from independence.judge import name_extraction
from independence.judge.model import ModelJudge
from independence.judge.names import ExtractedNames
from independence.store import attempts, names, records
from independence.store.names import NamesRow, RunKey
from independence.store.scopes import BoardScope
from independence.store.spending import SessionLedger
from independence.store.writer import AnswerCall, StoreCall
from independence.types import Missing

MAX_TOKENS = 512  # of an extractor's answer
_LIST_TOKENS = 120  # of a typical answer


class NamesSelection(NamedTuple):
    """What to read, and who reads."""

    scope: BoardScope
    scenarios: Sequence[str]
    labels: Mapping[str, str]  # of the subjects to read, by config_dir
    extractor: ModelJudge
    force: bool = False  # read again what is read
    others: tuple[str, ...] = ()  # extractors, too; what one of them has read is left alone


class NamesTask(NamedTuple):
    """One run to read."""

    label: str
    row: NamesRow  # where the reading belongs, and what it rests on; not read yet
    answers: Mapping[str, str]  # by scenario
    trial: str  # that a call which could not be settled is put down to


class NamesPlan(NamedTuple):
    """The runs of a place, sorted."""

    todo: list[NamesTask]
    known: int  # read already, `broken` among them
    broken: int  # read already, and nothing usable came
    stale: int  # read before from other answers or in another way; among `todo`
    silent: int  # without a single answer to read
    absent: Counter[str]  # scenario -> runs of `todo` without an answer in it


class NamesOutcome(NamedTuple):
    """How the reading ended. Completeness is read from the store, not from here."""

    stopped_by: IndependenceError | None = None
    spent_usd: float = 0.0
    unknown_usd: float = 0.0


def plan(connection: sqlite3.Connection, wanted: NamesSelection) -> NamesPlan:
    """What is left to read."""
    who, where = wanted.extractor.name, wanted.scope.where
    stored: dict[RunKey, dict[str, NamesRow]] = defaultdict(dict)
    for row in names.stored(connection, where):
        stored[row.config_dir, row.run][row.extractor] = row
    answers = names.first_answers(connection, where, wanted.scenarios)
    todo: list[NamesTask] = []
    known = broken = stale = silent = 0
    absent: Counter[str] = Counter()
    for run in names.runs(connection, where, wanted.scenarios):
        if run[0] not in wanted.labels:
            continue
        if run not in answers:
            silent += 1
            continue
        told, read, before = answers[run], stored[run], stored[run].get(who)
        texts_of = [(one.scenario, one.digest) for one in told]
        rests_on = name_extraction.source(who, texts_of)
        by = {name for name, row in read.items() if row.source == name_extraction.source(name, texts_of)}
        if any(read[name].missing is None for name in by.intersection(wanted.others)):
            known += 1
            continue
        if before and who in by and not wanted.force:
            known, broken = known + 1, broken + (before.missing is not None)
            continue
        stale += before is not None and before.source != rests_on
        absent.update(set(wanted.scenarios) - {one.scenario for one in told})
        row = NamesRow(where, run[0], run[1], extractor=who, source=rests_on)
        texts = {one.scenario: names.text(connection, one.trial) for one in told}
        todo.append(NamesTask(wanted.labels[run[0]], row, texts, told[0].trial))
    return NamesPlan(todo=todo, known=known, broken=broken, stale=stale, silent=silent, absent=absent)


def estimate(todo: Sequence[NamesTask], extractor: ModelJudge, prices: Prices | None) -> CostEstimate:
    """What reading will cost; `prices` None for unknown."""
    if prices is None:
        return CostEstimate(0, len(todo), 0.0, (extractor.name,))
    prompt = sum(len(name_extraction.render(item.answers).encode()) for item in todo) / BYTES_PER_TOKEN
    each = _LIST_TOKENS * prices.completion + prices.request
    return CostEstimate(0, len(todo), prompt * prices.prompt + len(todo) * each, ())


async def extract(
    wanted: NamesSelection,
    todo: Sequence[NamesTask],
    options: ConnectionOptions,
    *,
    connection: sqlite3.Connection,
    path: Path,
    approve: Callable[[CostEstimate, Mapping[str, Endpoint]], bool],
    hooks: Hooks,
) -> NamesOutcome | None:
    """Check, estimate, ask for approval, read. None where approval was refused; then nothing was sent."""
    extractor = wanted.extractor
    known = models.read(options.models_file).registry
    endpoints = connections.endpoints([extractor.endpoint], known, environment.read(), options)
    model = (extractor.endpoint, extractor.model)
    async with service.check_endpoints(endpoints, {model: False}, options) as found:
        cost = estimate(todo, extractor, found.prices.get(model))
        service.refuse_unpriced(options, cost.unpriced)
        if not approve(cost, found.endpoints) or options.dry_run:
            return None
        ledger = SessionLedger("extract-names", "names")
        async with service.opened(found, wanted.scope.suite, {}, connection, path, hooks, ledger) as context:
            stopped_by = await read_all(context, todo, extractor, Parallelism(options.parallel, options.calls))
            if isinstance(stopped_by, StoreUnwritable):
                raise stopped_by
            return NamesOutcome(stopped_by, context.budget.spent, context.budget.unknown)


async def read_all(
    context: RunContext, todo: Sequence[NamesTask], extractor: ModelJudge, shares: Parallelism
) -> IndependenceError | None:
    """Read what is left, every reading committed before it counts. Returns what ended it early."""
    runs = Counter(item.label for item in todo)
    for label, count in runs.items():
        context.on_event(SubjectStarted(label, 0, count))
    total = ConcurrencyLimit(shares.total)
    workers = {label: SubjectWorker(context, label, shares.calls, total) for label in runs}
    async with asyncio.TaskGroup() as group:
        for item in todo:
            group.create_task(_read(workers[item.label], extractor, item))
    for worker in workers.values():
        await worker.close()
    return context.stop_signal.reason


async def _read(worker: SubjectWorker, extractor: ModelJudge, item: NamesTask) -> None:
    """Read one run. What goes wrong with it stops the others only where it ends the whole command."""
    queue = QueueKey(extractor.endpoint, extractor.name, extractor.model)
    what = f"names of run {item.row.run} by {extractor.name}"
    worker.earlier[item.trial] = await worker.context.writer.write(StoreCall(attempts.of_trial, item.trial))
    client = worker.client(queue.endpoint, item.trial, what)
    seed = seed_of(item.row.source)
    with suppress(QueueClosed, IndependenceError):  # the slot has told whoever waits what ended the command
        async with worker.slot(queue, math.inf, item.row.run):
            call = name_extraction.extract(client, extractor, item.answers, seed)
            keep = partial(_keep, worker, item, what)
            outcome = await worker.resolve(call, queue, keep, trial=item.trial, what=what)
            if outcome is not None:
                await keep(outcome)


async def _keep(worker: SubjectWorker, item: NamesTask, what: str, outcome: ExtractedNames | Missing) -> None:
    grade, found = None, msgspec.structs.asdict(outcome)
    if isinstance(outcome, Missing):
        grade = outcome
        found = {"missing": outcome.reason, "raw": outcome.raw, "attempts": outcome.attempts, "usage": outcome.usage}
    row = msgspec.structs.replace(item.row, **found)
    await worker.context.writer.write(AnswerCall(_settle, item.trial, what, row))
    worker.context.on_event(VerdictCommitted(worker.label, row.extractor, row.usage.cost_usd, row.missing, grade))


def _settle(connection: sqlite3.Connection, trial: str, what: str, row: NamesRow) -> None:
    records.settle(connection, trial, what)
    names.add(connection, row)
