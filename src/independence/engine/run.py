"""Running a plan: what is begun together, and how it ends. Who carries it out is the executor's affair."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

from independence.engine.events import SubjectStarted
from independence.engine.executors.local import LocalExecutor
from independence.engine.executors.protocol import Executor
from independence.engine.progress import repeated
from independence.engine.resume import PendingTrial
from independence.engine.run_context import Parallelism, RunContext
from independence.errors import IndependenceError
from independence.store import leases
from independence.store.writer import StoreCall, StoreWriter
from independence.types import grouped


class RunOutcome(NamedTuple):
    """How a run ended. Completeness is read from the store, not from here."""

    stopped_by: IndependenceError | None
    skipped: int  # trials another process is working on


# Given what is left by run number, once everything before it is done: how many of these runs may begin together.
# Raises what ends the run there.
BeginRuns = Callable[[Sequence[Sequence[PendingTrial]]], Awaitable[int]]


_HERE = LocalExecutor()


async def run(
    context: RunContext,
    todo: Sequence[PendingTrial],
    shares: Parallelism,
    begin: BeginRuns | None = None,
    executor: Executor = _HERE,
) -> RunOutcome:
    """Do what is left, run 1 of every subject before run 2, so that a run which is stopped leaves whole ones.

    The last ones of a subject, as far as their dialogues fit into its share of the slots, go side by side: so these
    stay full to the end.
    Without `begin` the next run fills slots that the one before leaves free. Every answer and verdict is committed
    before it counts; errors that end the run are returned.
    """
    by_subject = grouped(todo, lambda item: item.trial.subject.label)
    for label, items in by_subject.items():
        context.on_event(SubjectStarted(label, sum(i.calls for i in items), sum(len(i.judges) for i in items)))
    skipped = 0
    async with _heartbeat(context.writer, context.lease_owner), executor.trials(context, shares) as run_trials:
        async for stage in _stages(context, todo, begin):
            skipped += await run_trials(stage)
    return RunOutcome(context.stop_signal.reason, skipped)


async def _stages(
    context: RunContext, todo: Sequence[PendingTrial], begin: BeginRuns | None
) -> AsyncIterator[Sequence[PendingTrial]]:
    """What is worked on together: everything, or as many runs as `begin` lets."""
    if begin is None:
        yield todo
        return
    runs = [items for _, items in sorted(grouped(todo, lambda item: item.trial.run).items())]
    while runs and context.stop_signal.reason is None:
        try:
            count = await begin(runs)
        except IndependenceError as stop:
            context.stop_signal.stop(stop)
            return
        yield [item for items in runs[:count] for item in items]
        runs = runs[count:]


@asynccontextmanager
async def _heartbeat(writer: StoreWriter, owner: str) -> AsyncIterator[None]:
    async def beat() -> None:
        await writer.write(StoreCall(leases.renew, owner))

    try:
        async with repeated(beat, leases.HEARTBEAT_S):
            yield
    finally:
        with suppress(IndependenceError):
            await writer.write(StoreCall(leases.release_all, owner))
