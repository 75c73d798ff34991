"""How many calls may be in flight: slots of an endpoint, given to the earliest run first, and how a run is stopped.

Within a run the longest remaining dialogue is next, by what is known of its subject when a slot is free; where order is
one of chance (`run_context.SubjectWorker`), dialogues that have not begun come last. All queues together never hold
more than the endpoint's limit, which the client moves (AIMD), the queues of one subject never more than its share
(`-pt`), and those of one model never more than that model takes, where it has bounds of its own. Nobody polls: a slot
is handed over when one is freed.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import math
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

from independence.clients.limits import Bucket, Buckets
from independence.config.endpoints import Endpoint
from independence.engine.events import EventHandler, RunStopping
from independence.errors import IndependenceError


class QueueClosed(Exception):
    """The run is stopping, or this queue was stopped: no further call may start."""


class ConcurrencyLimit:
    """How many calls of one subject, of one model, or of all of a run, may be in flight, over all their queues."""

    def __init__(self, limit: float, bucket: Bucket | None = None) -> None:
        """`bucket`: for whose tokens the calls wait."""
        self.limit = limit
        self.busy = 0
        self.gates: set[EndpointGate] = set()  # that its queues are at
        self._bucket = bucket
        if bucket is not None:
            bucket.moved = self.dispatch

    @property
    def full(self) -> bool:
        """Whether enough calls are in flight, or in line for a token."""
        bucket = self._bucket
        return self.busy >= self.limit or (bucket is not None and self.busy - bucket.past >= bucket.in_line)

    def dispatch(self) -> None:
        """There may be room now."""
        for gate in self.gates:
            gate.dispatch()


class CallQueue:
    """One subject's calls of one kind on one endpoint."""

    def __init__(self, gate: EndpointGate, shares: tuple[ConcurrencyLimit, ...]) -> None:
        self.gate = gate
        self.limits = shares
        self.stopped = False
        self.weight = 1.0  # of one unit of `remaining`, against those of other queues; above 0
        self.waiting: list[tuple[int, float, int, asyncio.Future[None]]] = []

    @property
    def may_start(self) -> bool:
        """Whether somebody waits, and no share is full."""
        return bool(self.waiting) and not any(share.full for share in self.limits)

    @property
    def urgency(self) -> tuple[int, float, int]:
        """Sorts queues by the first call that waits, the most urgent first."""
        run, remaining, order, _ = self.waiting[0]
        return run, remaining * self.weight, order


class EndpointGate:
    """Admission to one endpoint."""

    def __init__(self, limit: Callable[[], int]) -> None:
        self._limit = limit
        self._queues: set[CallQueue] = set()
        self._order = itertools.count()
        self.busy = 0  # calls that hold a slot now
        self._closed = False

    @property
    def limit(self) -> int:
        """Calls that may hold a slot at once, as of now."""
        return self._limit()

    def open_queue(self, *shares: ConcurrencyLimit) -> CallQueue:
        """A new queue, with what bounds it: the subject's share, and others where there are any."""
        queue = CallQueue(self, shares)
        self._queues.add(queue)
        for share in shares:
            share.gates.add(self)
        return queue

    def remove_queue(self, queue: CallQueue) -> None:
        """Forget a queue that nobody uses any more."""
        self._queues.remove(queue)

    @asynccontextmanager
    async def slot(self, queue: CallQueue, remaining: float, run: int = 0) -> AsyncIterator[None]:
        """A slot to hold. The lowest `run` is next, of these the most `remaining` (turns), as its queue weighs it.

        Raises QueueClosed.
        """
        if self._closed or queue.stopped:
            raise QueueClosed
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(queue.waiting, (run, -remaining, next(self._order), future))
        self.dispatch()
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.exception() is None:
                self._release(queue)
            raise
        try:
            yield
        finally:
            self._release(queue)

    def _release(self, queue: CallQueue) -> None:
        self.busy -= 1
        for share in queue.limits:
            share.busy -= 1
        for gate in {self}.union(*(share.gates for share in queue.limits)):
            gate.dispatch()

    def dispatch(self) -> None:
        """Hand free slots to the most urgent waiters."""
        while self.busy < self._limit():
            queue = min((one for one in self._queues if one.may_start), key=lambda one: one.urgency, default=None)
            if queue is None:
                return
            future = heapq.heappop(queue.waiting)[-1]
            if not future.done():
                for share in queue.limits:
                    share.busy += 1
                self.busy += 1
                future.set_result(None)

    def stop_queue(self, queue: CallQueue) -> None:
        """No further call of this queue; those in flight finish."""
        queue.stopped = True
        _reject_waiting(queue)

    def close(self) -> None:
        """No further call at all; those in flight finish."""
        self._closed = True
        for queue in self._queues:
            _reject_waiting(queue)


def _reject_waiting(queue: CallQueue) -> None:
    for _, _, _, future in queue.waiting:
        if not future.done():
            future.set_exception(QueueClosed())
    queue.waiting.clear()


class StopSignal:
    """The first reason to stop wins."""

    def __init__(self, gates: Iterable[EndpointGate], on_event: EventHandler) -> None:
        self.reason: IndependenceError | None = None
        self.stopped = asyncio.Event()  # there is a reason
        self._gates = list(gates)
        self._on_event = on_event

    @property
    def in_flight(self) -> int:
        """Calls that hold a slot."""
        return sum(gate.busy for gate in self._gates)

    def stop(self, reason: IndependenceError, within_s: float | None = None) -> None:
        """Close every gate; `reason` becomes the run's end unless one is known. Calls in flight are waited for.

        `within_s`: after which whoever stops it will drop them.
        """
        if self.reason is not None:
            return
        self.reason = reason
        self.stopped.set()
        self._on_event(RunStopping(str(reason), calls=self.in_flight, within_s=within_s))
        for gate in self._gates:
            gate.close()


class PerModelLimits:
    """The models of one endpoint that have bounds of their own."""

    def __init__(self, endpoint: Endpoint, buckets: Buckets) -> None:
        self._endpoint = endpoint
        self._buckets = buckets
        self._shares: dict[tuple[str, str | None], ConcurrencyLimit | None] = {}

    def share(self, model: str, provider: str | None = None) -> ConcurrencyLimit | None:
        """What the queues of a model have in common; None where the endpoint's own limit is all there is."""
        key = (model, provider)
        if key not in self._shares:
            concurrency = self._endpoint.bounds_of(model, provider).concurrency
            bucket = self._buckets.of(model, provider)
            limit = ConcurrencyLimit(math.inf if concurrency is None else concurrency, bucket)
            self._shares[key] = None if concurrency is None and bucket is None else limit
        return self._shares[key]
