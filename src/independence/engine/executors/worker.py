"""A worker: clients, gates and judges of its own; what it writes, and what it may use, goes through messages.

A write resolves once the process that runs the command has committed it: no answer counts before it is on disk.
"""

from __future__ import annotations

import asyncio
import itertools
import pickle
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from typing import Any

import msgspec

from independence import __version__
from independence.clients.leases import LeasedBuckets, LeasedBudget, LeasedThrottle
from independence.clients.protocol import Told
from independence.clients.transport import open_session
from independence.config.subjects import SIM
from independence.engine import service
from independence.engine.events import POSITION, Event, RunPosition, RunStopping
from independence.engine.executors import local
from independence.engine.executors.messages import Chunk, FromWorker, Job, ToWorker, Written
from independence.engine.gate import ConcurrencyLimit, StopSignal
from independence.engine.merits import merits_of
from independence.engine.run_context import EndpointBackend, RunContext, SubjectWorker
from independence.errors import UsageError
from independence.store.writer import StoreCall, T, Write, nothing

_GATHER_S = 0.004  # a message costs about as much as ten answers: wait for company
_POLL_S, _WANTING_S = 0.05, 0.01  # after which a message goes out although nothing happened


class RemoteWriter:
    """Writes by way of messages."""

    def __init__(self, news: Callable[[], None]) -> None:
        self.calls: list[tuple[int, StoreCall[Any]]] = []
        self._news = news
        self._numbers = itertools.count()
        self._open: dict[int, asyncio.Future[Any]] = {}

    async def write(self, write: Write[T], /) -> T:
        """Send a write; what it returns, once it is committed."""
        assert isinstance(write, StoreCall), "only calls that can be pickled are sent"
        number, future = next(self._numbers), asyncio.get_running_loop().create_future()
        self._open[number] = future
        self.calls.append((number, write))
        self._news()
        return await future  # type: ignore[no-any-return]

    def settle(self, written: Written) -> None:
        """A write is committed, or has failed."""
        future = self._open.pop(written.number)
        if future.done():
            return
        if written.error is not None:
            future.set_exception(written.error)
        else:
            future.set_result(written.result)


class TrialWorker:
    """Carries out the trials that it is sent. Its methods are called from one event loop."""

    def __init__(self) -> None:
        self._news = asyncio.Event()
        self._writer = RemoteWriter(self._news.set)
        self._stack = AsyncExitStack()
        self._buckets: dict[str, LeasedBuckets] = {}
        self._throttles: dict[str, LeasedThrottle] = {}
        self._subjects: dict[str, SubjectWorker] = {}
        self._working: Counter[str] = Counter()  # subject -> its chunks that are worked on
        self._tasks: set[asyncio.Task[None]] = set()
        self._events: list[tuple[Event, RunPosition | None]] = []
        self._done: list[tuple[int, int]] = []
        self._bug = ""

    async def open(self, version: str, message: bytes) -> None:
        """Get ready. Raises UsageError where the package is another one here."""
        if version != __version__:
            raise UsageError(
                f"a machine of the cluster has version {__version__} of this package, not {version}:",
                "install the same version on all of them",
            )
        job: Job = pickle.loads(message)  # noqa: S301 - from the process that started this one
        self._calls, self._total = job.calls, ConcurrencyLimit(job.total)
        self._budget = LeasedBudget(job.cap, self._news.set)
        if job.cap is None:  # what is lent under a cap is in the ledger already
            self._budget.record_by(lambda *_: self._writer.write(StoreCall(nothing)))
        session = await self._stack.enter_async_context(open_session())
        backends = {}
        for name, (asked, catalogue) in job.endpoints.items():
            endpoint = asked
            if name == SIM:  # simulated models answer alike wherever they are served
                address = (await service.loopback(self._stack, merits_of(job.suite))).base_url
                endpoint = msgspec.structs.replace(asked, base_url=address)
            throttle, buckets = LeasedThrottle(), LeasedBuckets(endpoint)
            self._throttles[name], self._buckets[name] = throttle, buckets
            limits = service.EndpointLimits(self._budget, throttle, buckets)
            backends[name] = service.backend(endpoint, session, catalogue, limits, self._hears, job.known[name])
        self._backends: dict[str, EndpointBackend] = backends
        self._stop = StopSignal([one.gate for one in backends.values()], self._tell)
        self._context = RunContext(
            job.suite,
            job.rubrics,
            backends=backends,
            writer=self._writer,
            on_event=self._tell,
            stop_signal=self._stop,
            lease_owner=job.lease_owner,
        )

    async def exchange(self, message: bytes) -> bytes:
        """Take in what is new, and say what is, as soon as anything is."""
        self._take(pickle.loads(message))  # noqa: S301 - from the process that started this one
        wanting = self._budget.report().wanted or any(self._waiting().values())
        with suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), _WANTING_S if wanting else _POLL_S)
            await asyncio.sleep(_GATHER_S)
        self._news.clear()
        return pickle.dumps(self._report())

    async def close(self) -> None:
        """Nothing more is asked."""
        await self._stack.aclose()

    def _take(self, new: ToWorker) -> None:
        for written in new.written:
            self._writer.settle(written)
        if new.stop is not None:
            self._stop.stop(new.stop)
        for name, (slots, epoch) in new.slots.items():
            self._throttles[name].lend(slots, epoch)
            self._backends[name].gate.dispatch()
        self._budget.lend(new.usd, short=new.short, refused=new.refused)
        for (name, *key), tokens in new.tokens.items():
            self._buckets[name].lent[tuple(key)].lend(tokens)  # type: ignore[index]
        for chunk in new.chunks:
            task = asyncio.create_task(self._work(chunk))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _work(self, chunk: Chunk) -> None:
        self._working[chunk.label] += 1
        if chunk.label not in self._subjects:
            self._subjects[chunk.label] = SubjectWorker(self._context, chunk.label, self._calls, self._total)
        try:
            skipped = await local.carry_out(self._subjects[chunk.label], chunk.todo)
            self._working[chunk.label] -= 1
            if not self._working[chunk.label]:
                await self._subjects.pop(chunk.label).close()
            self._done.append((chunk.number, skipped))
        except Exception:  # noqa: BLE001 - a bug is told where a person sees it
            self._bug = traceback.format_exc()
        self._news.set()

    def _tell(self, event: Event) -> None:
        if isinstance(event, RunStopping):
            self._news.set()  # the process that runs the command says so itself
        else:
            self._events.append((event, POSITION.get()))

    def _hears(self, what: Told) -> None:
        service.hear(what, self._stop, self._tell)

    def _waiting(self) -> dict[tuple[str, str, str | None], int]:
        return {(name, *key): bucket.wanted for name, own in self._buckets.items() for key, bucket in own.lent.items()}

    def _report(self) -> FromWorker:
        writes, self._writer.calls = tuple(self._writer.calls), []
        events, self._events = tuple(self._events), []
        done, self._done = tuple(self._done), []
        gates = {name: backend.gate for name, backend in self._backends.items()}
        emptied = {}
        for name, own in self._buckets.items():
            for key, bucket in own.lent.items():
                if bucket.emptied is not None:
                    emptied[name, *key], bucket.emptied = bucket.emptied, None
        return FromWorker(
            writes=writes,
            events=events,
            done=done,
            slots={n: self._throttles[n].report(gate.demand, gate.busy) for n, gate in gates.items()},
            dollars=self._budget.report(),
            waiting={key: count for key, count in self._waiting().items() if count},
            emptied=emptied,
            stop=self._stop.reason,
            bug=self._bug,
        )
