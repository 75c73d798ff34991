"""Running a plan: subjects beside each other, their trials beside each other, turns in order."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

from independence.engine import answering, dialogue, grading, spot
from independence.engine.bench import Bench, Desk, Queue, Shares
from independence.engine.dialogue import Progress, Settled
from independence.engine.events import Began, Skipped
from independence.engine.gate import Closed, Share
from independence.engine.pace import Pace
from independence.engine.plan import Trial
from independence.engine.resume import Todo
from independence.errors import IndependenceError
from independence.store import leases
from independence.store.writer import Writer


class Outcome(NamedTuple):
    """How a run ended. Completeness is read from the store, not from here."""

    stopped_by: IndependenceError | None
    skipped: int  # trials another process is working on


async def run(bench: Bench, todo: Sequence[Todo], shares: Shares) -> Outcome:
    """Do what is left. Every answer and verdict is committed before it counts; errors that end the run are returned."""
    by_subject: dict[str, list[Todo]] = {}
    for item in todo:
        by_subject.setdefault(item.trial.subject.label, []).append(item)
    for label, items in by_subject.items():
        bench.watch(Began(label, sum(i.calls for i in items), sum(len(i.judges) for i in items)))
    door = asyncio.Semaphore(shares.subjects)
    async with _heartbeat(bench.writer, bench.owner), asyncio.TaskGroup() as group:
        subjects = [group.create_task(_subject(bench, door, shares, label, i)) for label, i in by_subject.items()]
    return Outcome(bench.halt.reason, sum(task.result() for task in subjects))


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


async def _subject(bench: Bench, door: asyncio.Semaphore, shares: Shares, label: str, todo: Sequence[Todo]) -> int:
    """Run one subject's trials. Returns how many another process holds."""
    async with door:
        share = Share(shares.calls)
        asked = _queues(todo)
        lanes = {queue: bench.backends[queue.endpoint].lane(share, *model) for queue, model in asked.items()}
        skipped = await _trials(Desk(bench, label, lanes, Pace()), todo)
        for queue, lane in lanes.items():
            bench.backends[queue.endpoint].gate.leave(lane)
        return skipped


def _queues(todo: Sequence[Todo]) -> dict[Queue, tuple[str, str | None]]:
    """What one subject's work will ask for, each once -> (model, provider pin)."""
    asked: dict[Queue, tuple[str, str | None]] = {}
    for item in todo:
        subject = item.trial.subject
        if item.calls:
            asked[Queue(subject.endpoint, item.trial.dialogue.condition.mode)] = (subject.model, subject.provider)
        for spec in item.judges:
            if spec.asks:
                asked[Queue(spec.endpoint, spec.name)] = (spec.model, None)
    return asked


async def _trials(desk: Desk, todo: Sequence[Todo]) -> int:
    tasks: dict[str, asyncio.Task[bool]] = {}
    async with asyncio.TaskGroup() as group:
        for item in todo:
            key, parent = item.trial.key, item.trial.parent
            # Two places of a plan may ask the same thing: the second finds the answers of the first.
            before = tasks.get(key) or (tasks.get(parent.key) if parent else None)
            tasks[key] = group.create_task(_trial(desk, item, before))
    return sum(task.result() for task in tasks.values())


async def _trial(desk: Desk, item: Todo, before: asyncio.Task[bool] | None) -> bool:
    """Run one trial under its lease, once `before` is done. Returns True when another process holds it."""
    if before is not None:
        await asyncio.wait([before])
        if not before.cancelled() and before.exception() is None and before.result():
            return True  # who holds the stem goes on with it; a lease of ours, however short, could turn them away
    bench, trial = desk.bench, item.trial
    if bench.halt.reason is not None:
        return False
    spot.enter(trial)
    try:
        begun = await bench.writer.write(lambda connection: _begin(connection, trial, bench.owner))
        if isinstance(begun, str):
            bench.watch(Skipped(desk.label, begun))
            return True
        complete = False
        try:
            complete = await _work(desk, item, begun)
        finally:
            # What is complete is given back with everything else at the end: nobody waits for it.
            if not complete:
                await bench.writer.write(lambda connection: leases.release(connection, trial.key, bench.owner))
    except Closed:
        pass
    except IndependenceError as stop:
        bench.halt.stop(stop)
    return False


def _begin(connection: sqlite3.Connection, trial: Trial, owner: str) -> Progress | Settled | str:
    """Lease a trial and read how far it is; the name of its holder where another process has it."""
    return leases.take(connection, trial.key, owner) or dialogue.load(connection, trial)


async def _work(desk: Desk, item: Todo, progress: Progress | Settled) -> bool:
    """Answer and grade what is left. Returns True when nothing is."""
    if isinstance(progress, Settled) or progress.at is None:
        return False
    finished = await answering.answer(desk, item.trial, progress)
    if finished is None:
        return False
    spot.enter(item.trial)
    judges = item.judges
    if finished is progress:
        judges = await grading.ungraded(desk, item.trial, progress, judges)
    return await grading.judge(desk, item.trial, finished, judges)
