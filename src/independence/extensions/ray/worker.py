"""A worker: clients, gates and judges of its own, in a process on some machine of the cluster; and what it is told."""

from __future__ import annotations

import asyncio
import itertools
import pickle
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from typing import Any, NamedTuple

import msgspec

from independence import __version__
from independence.clients.catalogue import Catalogue
from independence.clients.connection import KnownServer
from independence.clients.limits import Budget
from independence.clients.transport import open_session
from independence.config.endpoints import Endpoint
from independence.config.subjects import SIM
from independence.engine import service
from independence.engine.concurrency import StopSignal
from independence.engine.events import POSITION, Event, RunPosition, RunStopping
from independence.engine.executors.local import LocalExecutor
from independence.engine.merits import merits_of
from independence.engine.progress import RunProgress
from independence.engine.resume import PendingTrial
from independence.engine.run import RunOutcome
from independence.engine.run_context import Parallelism, RunContext
from independence.errors import IndependenceError, UsageError
from independence.store.writer import StoreCall
from independence.suites.schema import Suite

_GATHER_S = 0.004  # a message costs about as much as ten answers: wait for company


class Spending(NamedTuple):
    """The dollars of a worker."""

    spent: float = 0.0  # those of unknown outcome included
    unknown: float = 0.0
    held: float = 0.0  # for requests that may leave once this is in the ledger


class Job(NamedTuple):
    """A shard, and what a worker may use for it. It holds API keys: it is sent in a message and stored nowhere."""

    todo: list[PendingTrial]
    suite: Suite
    rubrics: Mapping[str, str]  # scenario -> digest
    endpoints: Mapping[str, tuple[Endpoint, Catalogue, KnownServer]]  # with this worker's part of what they take
    shares: Parallelism  # this worker's part
    cap: float | None  # dollars of the whole command
    gone: Spending  # what of the cap is not for this worker
    lease_owner: str


class News(NamedTuple):
    """What is new at a worker."""

    writes: list[tuple[int, StoreCall[Any] | Spending]]  # number -> what is to be on disk before the worker goes on
    events: list[tuple[Event, RunPosition | None]]
    ended: RunOutcome | None = None  # of the shard


class ShardWorker:
    """Carries out one shard after the other. Its methods are called from one event loop, as Ray does for an actor."""

    def __init__(self) -> None:
        self._news = asyncio.Event()
        self._numbers = itertools.count()
        self._gathered = News([], [])
        self._open: dict[int, asyncio.Future[Any]] = {}
        self._told: IndependenceError | None = None  # why the command begins no further call
        self._stop = StopSignal([], self._tell)

    async def run(self, version: str, message: bytes) -> AsyncIterator[bytes]:
        """Carry out a `Job`; every item is `News`, the last one with how it ended. Raises UsageError."""
        if version != __version__:
            raise UsageError(
                f"a machine of the cluster has version {__version__} of this package, not {version}:",
                "install the same version on all of them",
            )
        task = asyncio.create_task(self._carry_out(pickle.loads(message)))  # noqa: S301 - from who started this process
        task.add_done_callback(lambda _: self._news.set())
        while not task.done():
            await self._news.wait()
            await asyncio.sleep(_GATHER_S)
            self._news.clear()
            news, self._gathered = self._gathered, News([], [])
            yield pickle.dumps(news)
        yield pickle.dumps(self._gathered._replace(ended=task.result()))
        self._gathered = News([], [])

    async def committed(self, message: bytes) -> None:
        """Writes are on disk, or have failed: the number of each, what it returned, and why it failed."""
        for number, result, error in pickle.loads(message):  # noqa: S301 - from the process that started this one
            future = self._open.pop(number)
            if not future.done():
                future.set_result((result, error))

    async def stop(self, message: bytes) -> None:
        """Begin no further call; those in flight are waited for."""
        self._told = pickle.loads(message)  # noqa: S301 - from the process that started this one
        self._stop.stop(self._told)

    async def write(self, what: Any, /) -> Any:
        """What a call returns, once the process that runs the command has it on disk. Raises what that raises."""
        number, future = next(self._numbers), asyncio.get_running_loop().create_future()
        self._open[number] = future
        self._gathered.writes.append((number, what))
        self._news.set()
        result, error = await future
        if error is not None:
            raise error
        return result

    def _tell(self, event: Event) -> None:
        if not isinstance(event, RunStopping):  # the process that runs the command says so itself
            self._gathered.events.append((event, POSITION.get()))
            self._news.set()

    async def _carry_out(self, job: Job) -> RunOutcome:
        # The cap of the command, of which all but this worker's part is gone: so its errors say what a person knows.
        budget, gone = Budget(job.cap), job.gone
        budget.hold(gone.unknown).keep()
        budget.hold(0.0).settle(gone.spent - gone.unknown)

        async def record(most: float, _: float) -> None:
            held = most - budget.spent
            await self.write(Spending(budget.spent - gone.spent, budget.unknown - gone.unknown, held))

        budget.record_by(record)
        async with AsyncExitStack() as stack:
            session = await stack.enter_async_context(open_session())
            backends = {}
            for name, (endpoint, catalogue, known) in job.endpoints.items():
                reached = endpoint
                if name == SIM:  # simulated models answer alike wherever they are served
                    address = (await service.loopback(stack, merits_of(job.suite))).base_url
                    reached = msgspec.structs.replace(endpoint, base_url=address)
                notify = lambda told: service.hear(told, self._stop, self._tell)  # noqa: E731
                backends[name] = service.backend(reached, session, catalogue, budget, notify, known=known)
            self._stop = StopSignal([one.gate for one in backends.values()], self._tell)
            if self._told is not None:  # while this got ready
                self._stop.stop(self._told)
            context = RunContext(
                job.suite, job.rubrics, backends=backends, writer=self, on_event=self._tell, stop_signal=self._stop,
                lease_owner=job.lease_owner, budget=budget, counts=RunProgress(),
            )  # fmt: skip
            async with LocalExecutor().trials(context, job.shares) as run_trials:
                skipped = await run_trials(job.todo)
            await record(budget.spent, 0.0)
        return RunOutcome(self._stop.reason, skipped)
