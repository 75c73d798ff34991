"""Trials on the workers of a Ray cluster. The process that runs the command is the only writer, and counts everything.

Every worker is asked again and again what is new, in one message for all of it; that message takes along new trials,
what became of writes, and what the worker may use. A worker that dies is replaced, and its trials are dealt again: what
it had not got committed is asked once more.
"""

from __future__ import annotations

import asyncio
import itertools
import math
import os
import pickle
import socket
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec

from independence import __version__
from independence.clients.client import OpenAIClient
from independence.clients.connection import EndpointConnection
from independence.clients.leases import DollarLeases, SlotLeases
from independence.clients.limits import Bucket, Budget
from independence.config import environment
from independence.config.endpoints import Endpoint
from independence.config.options import ConnectionOptions
from independence.engine.events import POSITION, WorkerLost
from independence.engine.executors.local import grouped
from independence.engine.executors.messages import Chunk, FromWorker, Job, TokenKey, ToWorker, Written
from independence.engine.executors.protocol import A, B, CarryOut
from independence.engine.executors.worker import TrialWorker
from independence.engine.plan import Trial
from independence.engine.resume import PendingTrial
from independence.engine.run_context import Parallelism, RunContext
from independence.errors import IndependenceError, UsageError, WorkersLost
from independence.store.writer import StoreCall

_PER_NODE = 2
_CONNECT_S = 5.0
_DEATHS = 3  # in a row, without anything done, after which a worker is not replaced
_AHEAD = 2  # trials at a worker for each of its slots
_FIRST = 8  # trials, before it has any


class RayExecutor:
    """A Ray cluster does the work: one that runs already, else one on this machine, for as long as it is open."""

    def __init__(self, options: ConnectionOptions) -> None:
        self._options = options

    def __enter__(self) -> RayExecutor:
        """Connect to the cluster. Raises UsageError where there is none at the address."""
        import ray

        self._own = not ray.is_initialized()
        if self._own:
            self._connect()
        self.width = cpus = int(ray.cluster_resources().get("CPU", 1))
        nodes = sum(bool(node["Alive"]) for node in ray.nodes())
        self._workers = self._options.ray_workers or min(cpus, _PER_NODE * nodes)
        if self._workers > cpus:
            self.__exit__()
            raise UsageError(f"--ray-workers {self._workers}:", f"the cluster has {cpus} CPUs, write at most as many")
        return self

    def __exit__(self, *error: object) -> None:
        """Leave the cluster; one that was started for this command ends."""
        import ray

        if self._own:
            ray.shutdown()

    def _connect(self) -> None:
        import ray

        address = self._options.ray_address or environment.read().get("RAY_ADDRESS") or "local"
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        settings: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
        try:
            _check(address)
            ray.init(address, log_to_driver=False, logging_level="CRITICAL", **settings)
            # Ray prints on stdout what became of a worker: there stand results alone, and a run says it itself.
            ray._private.worker.print_to_stdstream = lambda *_, **__: None
        except (ValueError, RuntimeError, OSError, OverflowError) as error:
            why = str(error).strip().partition("\n")[0]
            raise UsageError(
                f"no Ray cluster can be reached at `{address}` ({why})",
                "start one with `ray start --head`, or leave --ray-address out for one on this machine",
            ) from error

    @asynccontextmanager
    async def trials(self, context: RunContext, shares: Parallelism) -> AsyncIterator[CarryOut]:
        """Workers ready to carry out trials."""
        run = _ClusterRun(context, shares, self._workers)
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(run.serve(at)) for at in range(run.workers)]
            try:
                yield run.carry_out
                run.close()
                await asyncio.wait(tasks)
            finally:
                run.kill()

    def map(self, function: Callable[[A], B], items: Iterable[A]) -> Iterator[B]:
        """What a function makes of each item, in order; several at a time."""
        import ray

        shared, apply = ray.put(function), ray.remote(_applied)
        for result in [apply.remote(shared, item) for item in items]:
            yield ray.get(result)


def _check(address: str) -> None:
    """Raises ValueError for what is no address, OSError where nobody listens: Ray would try for minutes."""
    if address in ("local", "auto"):
        return
    host, _, port = address.rpartition(":")
    if "://" in host or not host or not port.isdecimal():
        raise ValueError("it is not HOST:PORT")
    socket.create_connection((host, int(port)), _CONNECT_S).close()


def _applied(function: Callable[[A], B], item: A) -> B:
    return function(item)


class _Member:
    """What is known of a worker that runs."""

    def __init__(self, at: int, actor: Any) -> None:
        self.at = at
        self.actor = actor
        self.ready = False
        self.productive = False  # whether it has done anything
        self.chunks: dict[int, Chunk] = {}
        self.written: list[Written] = []
        self.waiting: Mapping[TokenKey, int] = {}


class _ClusterRun:
    """One run on several workers."""

    def __init__(self, context: RunContext, shares: Parallelism, workers: int) -> None:
        self._connections: dict[str, EndpointConnection] = {}
        for name, backend in context.backends.items():
            if isinstance(backend.client, OpenAIClient) and isinstance(backend.client.connection, EndpointConnection):
                self._connections[name] = backend.client.connection
        self._context, self._shares = context, shares
        bounds = (b.concurrency for one in self._connections.values() for b in one.endpoint.bounds if b.concurrency)
        self.workers = min(workers, shares.calls, *bounds)  # so that each has a part of every bound
        self._alive: dict[int, _Member] = {}
        self._closing = False
        self._given_up = 0
        self._queue: deque[Chunk] = deque()
        self._working: Counter[str] = Counter()  # subject -> its chunks at workers
        self._numbers = itertools.count()
        self._left = self._skipped = 0
        self._over = asyncio.Event()
        self._slots = {name: SlotLeases(one.throttle) for name, one in self._connections.items()}
        budget = next((one.budget for one in self._connections.values()), Budget(None))
        self._dollars = DollarLeases(budget)

    async def carry_out(self, todo: Sequence[PendingTrial]) -> int:
        """Deal trials out, the lowest run first. Returns how many another process holds, once all are done."""
        self._queue.extend(self._chunks(todo))
        self._left, self._skipped = len(self._queue), 0
        self._over.clear()
        self._settle()
        await self._over.wait()
        return self._skipped

    def _chunks(self, todo: Sequence[PendingTrial]) -> Iterator[Chunk]:
        """One subject after the other where one is asked at a time, else in turns, one run after the other."""
        turns: list[tuple[int, int, str, list[PendingTrial]]] = []
        for (run, label), items in grouped(todo, lambda item: (item.trial.run, item.trial.subject.label)).items():
            own = sorted(grouped(items, lambda item: _root(item.trial)).values(), key=_length, reverse=True)
            turns += [(run, turn, label, chunk) for turn, chunk in enumerate(own)]
        if self._shares.subjects > 1:
            turns.sort(key=lambda turn: turn[:2])
        for _, _, label, chunk in turns:
            yield Chunk(next(self._numbers), label, tuple(chunk))

    def _settle(self) -> None:
        """See whether all is done. What was not dealt when the run was stopped never is."""
        if self._context.stop_signal.reason is not None:
            self._left -= len(self._queue)
            self._queue.clear()
        if self._left == 0:
            self._over.set()

    async def serve(self, at: int) -> None:
        """Keep a worker in one place until the run is over."""
        import ray

        actor = ray.remote(num_cpus=1, max_restarts=0, scheduling_strategy="SPREAD")(TrialWorker)
        deaths, why = 0, ""
        while not self._closing and deaths < _DEATHS:
            worker = self._alive[at] = _Member(at, actor.remote())
            try:
                await self._attend(worker)
            except ray.exceptions.RayTaskError as error:
                if not isinstance(error.cause, IndependenceError):
                    raise
                self._context.stop_signal.stop(error.cause)
                deaths = _DEATHS
            except ray.exceptions.RayError as error:
                why = _reason(error)
                deaths = 1 if worker.productive else deaths + 1
                self._lost(worker)
        self._given_up += not self._closing
        if self._given_up == self.workers:
            lost = WorkersLost(
                f"every Ray worker died: {why}", "install the same version of this package on all machines"
            )
            self._context.stop_signal.stop(lost)
            self._settle()

    async def _attend(self, worker: _Member) -> None:
        await worker.actor.open.remote(__version__, pickle.dumps(self._job(worker.at)))
        worker.ready = True
        while worker.chunks or not self._closing:
            news = self._news(worker)
            await self._record()
            message = pickle.dumps(news)
            await self._take(worker, pickle.loads(await worker.actor.exchange.remote(message)))  # noqa: S301 - ours
        self._release(worker, died=False)
        await worker.actor.close.remote()

    def _job(self, at: int) -> Job:
        connections = self._connections
        return Job(
            self._context.suite,
            dict(self._context.rubrics),
            endpoints={name: (self._part_of(one.endpoint, at), one.catalogue) for name, one in connections.items()},
            known={name: one.known for name, one in connections.items()},
            calls=self._part(self._shares.calls, at),
            total=self._part(self._shares.total, at),
            cap=self._dollars.budget.cap,
            lease_owner=self._context.lease_owner,
        )

    def _part(self, bound: int, at: int) -> int:
        return bound * (at + 1) // self.workers - bound * at // self.workers

    def _part_of(self, endpoint: Endpoint, at: int) -> Endpoint:
        """An endpoint of which each model takes a worker's part of what it takes."""
        own = (
            msgspec.structs.replace(b, concurrency=b.concurrency and self._part(b.concurrency, at))
            for b in endpoint.bounds
        )
        return msgspec.structs.replace(endpoint, bounds=tuple(own))

    def _news(self, worker: _Member) -> ToWorker:
        slots = {name: (lease.grant(worker.at), lease.throttle.epoch) for name, lease in self._slots.items()}
        usd, refused = self._dollars.grant(worker.at)
        written, worker.written = tuple(worker.written), []
        return ToWorker(
            chunks=tuple(self._deal(worker, max(_FIRST, _AHEAD * sum(count for count, _ in slots.values())))),
            written=written,
            slots=slots,
            usd=usd,
            short=self._dollars.short,
            refused=refused,
            tokens={key: self._tokens(key, waiting) for key, waiting in worker.waiting.items()},
            stop=self._context.stop_signal.reason,
        )

    def _deal(self, worker: _Member, room: int) -> Iterator[Chunk]:
        """Further trials for a worker; where one subject is asked at a time, once the one before is done."""
        while self._queue and len(worker.chunks) < room and self._context.stop_signal.reason is None:
            label = self._queue[0].label
            if self._shares.subjects == 1 and self._working.keys() - {label}:
                return
            chunk = self._queue.popleft()
            self._working[label] += 1
            worker.chunks[chunk.number] = chunk
            yield chunk

    def _tokens(self, key: TokenKey, waiting: int) -> int:
        """Tokens for as many calls as there are tokens, and calls that wait."""
        bucket = self._bucket(key)
        return sum(1 for _ in range(waiting) if bucket is not None and bucket.grab())

    def _bucket(self, key: TokenKey) -> Bucket | None:
        name, model, provider = key
        return self._connections[name].buckets.of(model, provider)

    async def _take(self, worker: _Member, new: FromWorker) -> None:
        """Take in what a worker says; return once what it wrote is committed."""
        if new.bug:
            raise RuntimeError(f"a worker failed\n{new.bug}")
        for name, report in new.slots.items():
            self._slots[name].report(worker.at, report)
        self._dollars.report(worker.at, new.dollars)
        await self._record()
        worker.waiting = new.waiting
        for key, seconds in new.emptied.items():
            bucket = self._bucket(key)
            if bucket is not None:
                bucket.empty(seconds)
        for event, position in new.events:
            POSITION.set(position)  # whoever watches is told from where it happened
            self._context.on_event(event)
        if new.stop is not None:
            self._context.stop_signal.stop(new.stop)
        worker.productive |= bool(new.events)
        worker.written = list(await asyncio.gather(*(self._write(number, call) for number, call in new.writes)))
        for number, skipped in new.done:
            self._skipped += skipped
            self._left -= 1
            self._leave(worker.chunks.pop(number).label)
        self._settle()

    async def _record(self) -> None:
        """What a worker may spend is in the ledger before it hears of it."""
        try:
            await self._dollars.budget.record()
        except IndependenceError as stop:
            self._context.stop_signal.stop(stop)

    async def _write(self, number: int, call: StoreCall[object]) -> Written:
        try:
            return Written(number, await self._context.writer.write(call))
        except Exception as error:  # noqa: BLE001 - it is raised where the write was asked for
            return Written(number, error=error)

    def _leave(self, label: str) -> None:
        self._working[label] -= 1
        if not self._working[label]:
            del self._working[label]

    def _lost(self, worker: _Member) -> None:
        """A worker died: its trials go to whoever has room, and what it could spend counts as spent."""
        if not self._closing:
            self._context.on_event(WorkerLost(worker.at + 1, len(worker.chunks)))
        self._release(worker, died=True)
        self._queue.extendleft(reversed(worker.chunks.values()))
        for chunk in worker.chunks.values():
            self._leave(chunk.label)
        self._settle()

    def _release(self, worker: _Member, *, died: bool) -> None:
        for lease in self._slots.values():
            lease.drop(worker.at)
        self._dollars.drop(worker.at, died=died)

    def close(self) -> None:
        """Workers end once they have done what they were dealt; those that never began are waited for no more."""
        self._closing = True
        self._kill(worker for worker in self._alive.values() if not worker.ready)

    def kill(self) -> None:
        """End all workers at once."""
        self._closing = True
        self._kill(self._alive.values())

    def _kill(self, workers: Iterable[_Member]) -> None:
        import ray

        for worker in workers:
            with suppress(ray.exceptions.RayError, ValueError):
                ray.kill(worker.actor)


def _reason(error: Exception) -> str:
    """Why a worker died: the last line of what Ray says, which names the error where there was one."""
    lines = [line.strip() for line in str(error).splitlines()]
    return next((line for line in reversed(lines) if line), type(error).__name__)[:200]


def _length(todo: Sequence[PendingTrial]) -> float:
    """Calls to make; what has to be graded alone goes first, as in the gate."""
    return sum(item.calls for item in todo) or math.inf


def _root(trial: Trial) -> str:
    return trial.key if trial.parent is None else _root(trial.parent)
