"""Trials in this process: subjects beside each other, their trials beside each other, turns in order."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import math
import sqlite3
import sys
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager

from independence.engine import asking, dialogue, events, grading, plan
from independence.engine.concurrency import ConcurrencyLimit, QueueClosed
from independence.engine.dialogue import FailedTurn, TrialProgress
from independence.engine.events import TrialSkipped
from independence.engine.executors.protocol import RunTrials
from independence.engine.plan import Trial
from independence.engine.resume import PendingTrial
from independence.engine.run_context import Parallelism, RunContext, SubjectWorker
from independence.errors import IndependenceError
from independence.store import attempts, leases
from independence.store.attempts import StoredAttempt
from independence.store.writer import StoreCall
from independence.types import grouped

_LEAST_AHEAD = 2  # trials of a subject: the one that begins next, and the one after


class LocalExecutor:
    """The process that runs the command does all of its work."""

    @asynccontextmanager
    async def trials(self, context: RunContext, shares: Parallelism) -> AsyncIterator[RunTrials]:
        """Ready to carry out trials."""
        yield lambda todo: _stage(context, shares, todo)


async def _stage(context: RunContext, shares: Parallelism, todo: Sequence[PendingTrial]) -> int:
    """Work of one or more runs. Returns how many trials another process holds."""
    subjects = grouped(todo, lambda item: item.trial.subject.label)
    if shares.subjects == 1:  # a server that loads one model at a time would load them in turns
        return sum([await _subject(context, shares, items) for items in subjects.values()])
    total = ConcurrencyLimit(shares.total)
    ahead = max(_LEAST_AHEAD, 2 * shares.total // max(1, len(subjects)))
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(_subject(context, shares, items, total, beside=len(subjects), ahead=ahead))
            for items in subjects.values()
        ]
    return sum(task.result() for task in tasks)


async def _subject(
    context: RunContext,
    shares: Parallelism,
    todo: Sequence[PendingTrial],
    total: ConcurrencyLimit | None = None,
    *,
    beside: int = 1,
    ahead: float = math.inf,
) -> int:
    """Work of one subject of `beside` that are worked on at once."""
    subject = todo[0].trial.subject
    backend = context.backends.get(subject.endpoint)  # none where replies are only graded
    slots = min(shares.calls, min(shares.total, backend.gate.limit) // beside) if backend else 0
    last_runs = None if shares.bought else _last_runs(todo, slots)
    worker = SubjectWorker(context, subject.label, shares.calls, total, last_runs=last_runs)
    try:
        return await run_trials(worker, todo, min(ahead, shares.calls))
    finally:
        await worker.close()


def _last_runs(todo: Iterable[PendingTrial], slots: int) -> int:
    """The lowest run from which on all dialogues fit into the slots, or the last one.

    In order of their runs the last dialogues would begin when others are done, and end beside slots that nobody needs.
    """
    dialogues, lowest = 0, sys.maxsize
    for run, count in sorted(Counter(item.trial.run for item in todo).items(), reverse=True):
        dialogues += count
        if dialogues > slots and lowest < sys.maxsize:
            break
        lowest = run
    return lowest


async def run_trials(worker: SubjectWorker, todo: Sequence[PendingTrial], ahead: float = math.inf) -> int:
    """Carry out trials of one subject side by side. Returns how many another process holds.

    At most `ahead` of them wait for their first slot, in the order of the worker: what a run needs of memory does not
    grow with its length.
    """
    line = _StartingLine(todo, worker)
    worker.late.update(item.trial.key for item in todo if item.refused)
    waiting = skipped = 0
    moved = asyncio.Event()

    def begin() -> None:
        nonlocal waiting
        waiting -= 1
        moved.set()

    async def trial(item: PendingTrial) -> None:
        nonlocal skipped
        worker.on_begin[item.trial.key] = begin
        held = await _trial(worker, item)
        if held:
            skipped += 1 + line.drop_followers(item)
        else:
            line.release_followers(item)
        worker.on_begin.pop(item.trial.key, moved.set)()

    async with asyncio.TaskGroup() as group:
        while line.unfinished:
            while line.ready and waiting < ahead:
                waiting += 1
                group.create_task(trial(line.pop()))
            moved.clear()
            await moved.wait()
    return skipped


class _StartingLine:
    """Trials in the order in which they begin. What continues one of them, or asks the same, comes after it."""

    def __init__(self, todo: Sequence[PendingTrial], worker: SubjectWorker) -> None:
        self._worker = worker
        self.unfinished = len(todo)
        self.ready: list[tuple[bool, tuple[int, float], tuple[bool, str], int, PendingTrial]] = []
        self._order = itertools.count()
        self._continued = {plan.root(item.trial).key for item in todo if item.trial.parent}
        self._followers: dict[str, list[PendingTrial]] = {}
        first: set[str] = set()
        for item in todo:
            key, parent = item.trial.key, item.trial.parent
            # Two places of a plan may ask the same thing: the second finds the answers of the first.
            before = key if key in first else parent.key if parent and parent.key in first else None
            first.add(key)
            if before is None:
                self._push(item)
            else:
                self._followers.setdefault(before, []).append(item)

    def _push(self, item: PendingTrial) -> None:
        # What has to be graded alone goes first, as in the gate; then what others wait for. Keys are digests, so their
        # order is one of chance, and what continues a dialogue stays beside it, where a server still has it.
        run, left = self._worker.place(item.trial.run, item.calls or math.inf, begins=True)
        first = plan.root(item.trial).key
        chance = first not in self._continued, first
        heapq.heappush(self.ready, (item.refused, (run, -left), chance, next(self._order), item))

    def pop(self) -> PendingTrial:
        """The next one."""
        return heapq.heappop(self.ready)[-1]

    def release_followers(self, item: PendingTrial) -> None:
        """A trial is done; who waited for it may begin."""
        self.unfinished -= 1
        for follower in self._followers.pop(item.trial.key, ()):
            self._push(follower)

    def drop_followers(self, item: PendingTrial) -> int:
        """Another process holds a trial, and goes on with what follows. Returns how many that are."""
        self.unfinished -= 1
        # A lease of ours, however short, could turn the other process away.
        followers = self._followers.pop(item.trial.key, [])
        return len(followers) + sum(map(self.drop_followers, followers))


async def _trial(worker: SubjectWorker, item: PendingTrial) -> bool:
    """Run one trial under its lease. Returns True when another process holds it."""
    context, trial = worker.context, item.trial
    if context.stop_signal.reason is not None:
        return False
    events.set_position(trial)
    try:
        done, worker.done = worker.done, []
        begun = await context.writer.write(StoreCall(_lease_trial, trial, context.lease_owner, done))
        if isinstance(begun, str):
            context.on_event(TrialSkipped(worker.label, begun))
            return True
        progress, earlier = begun
        if earlier:
            worker.earlier[trial.key] = earlier
        complete = False
        try:
            complete = await _work(worker, item, progress)
        finally:
            worker.earlier.pop(trial.key, None)
            # What is complete is given back when the next trial begins: nobody waits for it.
            if complete:
                worker.done.append(trial.key)
            else:
                await context.writer.write(StoreCall(leases.release, [trial.key], context.lease_owner))
    except QueueClosed:
        pass
    except IndependenceError as stop:
        context.stop_signal.stop(stop)
    return False


def _lease_trial(
    connection: sqlite3.Connection, trial: Trial, owner: str, done: Sequence[str]
) -> tuple[TrialProgress | FailedTurn, dict[str, list[StoredAttempt]]] | str:
    """Lease a trial and read how far it is, and what was tried of calls that are not settled (by turn id or judge); the
    name of its holder where another process has it.

    `done`: keys of others that are given back.
    """
    leases.release(connection, done, owner)
    holder = leases.take(connection, trial.key, owner)
    return holder or (dialogue.load(connection, trial), attempts.of_trial(connection, trial.key))


async def _work(worker: SubjectWorker, item: PendingTrial, progress: TrialProgress | FailedTurn) -> bool:
    """Answer and grade what is left. Returns True when nothing is."""
    if isinstance(progress, FailedTurn) or progress.context is None:
        return False
    finished = await asking.answer(worker, item.trial, progress)
    if finished is None:
        return False
    events.set_position(item.trial)
    judges = item.judges
    if finished is progress:
        judges = await grading.ungraded(worker, item.trial, progress, judges)
    return await grading.judge(worker, item.trial, finished, judges)
