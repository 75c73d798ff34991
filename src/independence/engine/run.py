"""Running a plan: subjects beside each other, their trials beside each other, turns in order."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple, TypeVar

from independence.engine import dialogue, events, grading
from independence.engine.dialogue import FailedTurn, TrialProgress
from independence.engine.events import SubjectStarted, TrialSkipped
from independence.engine.gate import QueueClosed
from independence.engine.plan import Trial
from independence.engine.resume import PendingTrial
from independence.engine.run_context import Parallelism, RunContext, SubjectWorker
from independence.errors import IndependenceError
from independence.store import leases
from independence.store.writer import Writer

K = TypeVar("K", bound=Hashable)


class RunOutcome(NamedTuple):
    """How a run ended. Completeness is read from the store, not from here."""

    stopped_by: IndependenceError | None
    skipped: int  # trials another process is working on


# Given what is left by run number, once everything before it is done: how many of these runs may begin together.
# Raises what ends the run there.
BeginRuns = Callable[[Sequence[Sequence[PendingTrial]]], Awaitable[int]]


async def run(
    context: RunContext, todo: Sequence[PendingTrial], shares: Parallelism, begin: BeginRuns | None = None
) -> RunOutcome:
    """Do what is left, run 1 of every subject before run 2, so that a run which is stopped leaves whole ones.

    Without `begin` the next run fills slots that the one before leaves free. Every answer and verdict is committed
    before it counts; errors that end the run are returned.
    """
    by_subject = _grouped(todo, lambda item: item.trial.subject.label)
    for label, items in by_subject.items():
        context.on_event(SubjectStarted(label, sum(i.calls for i in items), sum(len(i.judges) for i in items)))
    subjects = _SubjectPool(context, shares)
    skipped = 0
    async with _heartbeat(context.writer, context.lease_owner):
        async for stage in _stages(context, todo, begin):
            skipped += await _stage(subjects, stage)
    subjects.close()
    return RunOutcome(context.stop_signal.reason, skipped)


def _grouped(todo: Iterable[PendingTrial], by: Callable[[PendingTrial], K]) -> dict[K, list[PendingTrial]]:
    groups: dict[K, list[PendingTrial]] = {}
    for item in todo:
        groups.setdefault(by(item), []).append(item)
    return groups


async def _stages(
    context: RunContext, todo: Sequence[PendingTrial], begin: BeginRuns | None
) -> AsyncIterator[Sequence[PendingTrial]]:
    """What is worked on together: everything, or as many runs as `begin` lets."""
    if begin is None:
        yield todo
        return
    runs = [items for _, items in sorted(_grouped(todo, lambda item: item.trial.run).items())]
    while runs and context.stop_signal.reason is None:
        try:
            count = await begin(runs)
        except IndependenceError as stop:
            context.stop_signal.stop(stop)
            return
        yield [item for items in runs[:count] for item in items]
        runs = runs[count:]


async def _stage(subjects: _SubjectPool, todo: Sequence[PendingTrial]) -> int:
    """Work of one or more runs, the lowest run first. Returns how many trials another process holds."""
    runs = _grouped(todo, lambda item: (item.trial.run, item.trial.subject.label))
    # One subject at a time is asked for where a server loads one model at a time: all its runs before the next subject.
    order = runs if subjects.alone else sorted(runs, key=lambda group: group[0])
    tasks = []
    async with asyncio.TaskGroup() as group:
        for run_label in order:
            worker = await subjects.enter(run_label[1])
            tasks.append(group.create_task(_group(subjects, worker, runs[run_label])))
    return sum(task.result() for task in tasks)


async def _group(subjects: _SubjectPool, worker: SubjectWorker, todo: Sequence[PendingTrial]) -> int:
    try:
        return await _trials(worker, todo)
    finally:
        subjects.exit(worker.label)


class _SubjectPool:
    """The subjects of a run: at most so many work at once, and each keeps its queues and its latency to the end."""

    def __init__(self, context: RunContext, shares: Parallelism) -> None:
        self._context = context
        self._shares = shares
        self._workers: dict[str, SubjectWorker] = {}
        self._working: Counter[str] = Counter()
        self._left = asyncio.Event()

    @property
    def alone(self) -> bool:
        """Whether one subject works at a time."""
        return self._shares.subjects == 1

    async def enter(self, label: str) -> SubjectWorker:
        """A subject begins a run, once there is room for it."""
        while label not in self._working and len(self._working) >= self._shares.subjects:
            self._left.clear()
            await self._left.wait()
        self._working[label] += 1
        if label not in self._workers:
            self._workers[label] = SubjectWorker(self._context, label, self._shares.calls)
        return self._workers[label]

    def exit(self, label: str) -> None:
        """A subject has done a run."""
        self._working[label] -= 1
        if not self._working[label]:
            del self._working[label]
            self._left.set()

    def close(self) -> None:
        """Nobody works any more."""
        for worker in self._workers.values():
            worker.close()


@asynccontextmanager
async def _heartbeat(writer: Writer, owner: str) -> AsyncIterator[None]:
    async def beat() -> None:
        while True:
            await asyncio.sleep(leases.HEARTBEAT_S)
            with suppress(IndependenceError):  # a full disk is reported by the call that could not be stored
                await writer.write(lambda connection: leases.renew(connection, owner))

    task = asyncio.create_task(beat())
    try:
        yield
    finally:
        task.cancel()
        with suppress(IndependenceError):
            await writer.write(lambda connection: leases.release_all(connection, owner))


async def _trials(worker: SubjectWorker, todo: Sequence[PendingTrial]) -> int:
    tasks: dict[str, asyncio.Task[bool]] = {}
    async with asyncio.TaskGroup() as group:
        for item in todo:
            key, parent = item.trial.key, item.trial.parent
            # Two places of a plan may ask the same thing: the second finds the answers of the first.
            before = tasks.get(key) or (tasks.get(parent.key) if parent else None)
            tasks[key] = group.create_task(_trial(worker, item, before))
    return sum(task.result() for task in tasks.values())


async def _trial(worker: SubjectWorker, item: PendingTrial, before: asyncio.Task[bool] | None) -> bool:
    """Run one trial under its lease, once `before` is done. Returns True when another process holds it."""
    if before is not None:
        await asyncio.wait([before])
        if not before.cancelled() and before.exception() is None and before.result():
            return True  # who holds the stem goes on with it; a lease of ours, however short, could turn them away
    context, trial = worker.context, item.trial
    if context.stop_signal.reason is not None:
        return False
    events.set_position(trial)
    try:
        begun = await context.writer.write(lambda connection: _lease_trial(connection, trial, context.lease_owner))
        if isinstance(begun, str):
            context.on_event(TrialSkipped(worker.label, begun))
            return True
        complete = False
        try:
            complete = await _work(worker, item, begun)
        finally:
            # What is complete is given back with everything else at the end: nobody waits for it.
            if not complete:
                await context.writer.write(
                    lambda connection: leases.release(connection, trial.key, context.lease_owner)
                )
    except QueueClosed:
        pass
    except IndependenceError as stop:
        context.stop_signal.stop(stop)
    return False


def _lease_trial(connection: sqlite3.Connection, trial: Trial, owner: str) -> TrialProgress | FailedTurn | str:
    """Lease a trial and read how far it is; the name of its holder where another process has it."""
    return leases.take(connection, trial.key, owner) or dialogue.load(connection, trial)


async def _work(worker: SubjectWorker, item: PendingTrial, progress: TrialProgress | FailedTurn) -> bool:
    """Answer and grade what is left. Returns True when nothing is."""
    if isinstance(progress, FailedTurn) or progress.context is None:
        return False
    finished = await dialogue.answer(worker, item.trial, progress)
    if finished is None:
        return False
    events.set_position(item.trial)
    judges = item.judges
    if finished is progress:
        judges = await grading.ungraded(worker, item.trial, progress, judges)
    return await grading.judge(worker, item.trial, finished, judges)
