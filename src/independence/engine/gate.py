"""How many calls may be in flight: slots of an endpoint, given to the earliest run first, and how a run is stopped.

Within a run the longest remaining dialogue is next. All queues together never hold more than the endpoint's limit,
which the client moves (AIMD), the queues of one subject never more than its share (`-pt`), and those of one model never
more than that model takes, where it has bounds of its own. Nobody polls: a slot is handed over when one is freed.
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
from independence.engine.events import RunStopping, Watch
from independence.errors import IndependenceError


class QueueClosed(Exception):
    """The run is stopping, or this queue was stopped: no further call may start."""


class ConcurrencyLimit:
    """How many calls of one subject, or of one model, may be in flight, over all their queues."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self.busy = 0
        self.gates: list[EndpointGate] = []

    @property
    def full(self) -> bool:
        """Whether no further call may start."""
        return self.busy >= self.limit

    def dispatch(self) -> None:
        """Wherever its calls wait, someone may go on."""
        for gate in self.gates:
            gate.dispatch()


class CallQueue:
    """One subject's calls of one kind on one endpoint."""

    def __init__(self, shares: tuple[ConcurrencyLimit, ...]) -> None:
        self.limits = shares
        self.stopped = False
        self.waiting: list[tuple[int, float, int, asyncio.Future[None]]] = []

    @property
    def full(self) -> bool:
        """Whether one of its shares is."""
        for share in self.limits:  # noqa: SIM110 - asked at every hand-over: a generator would cost as much again
            if share.full:
                return True
        return False

    def release(self) -> None:
        """A call ended."""
        for share in self.limits:
            share.busy -= 1
        for share in self.limits:
            share.dispatch()


class EndpointGate:
    """Admission to one endpoint."""

    def __init__(self, limit: Callable[[], int]) -> None:
        self._limit = limit
        self._queues: list[CallQueue] = []
        self._order = itertools.count()
        self._busy = 0
        self._closed = False

    @property
    def busy(self) -> int:
        """Calls that hold a slot now."""
        return self._busy

    def open_queue(self, *shares: ConcurrencyLimit) -> CallQueue:
        """A new queue: the subject's share, and its model's where that has one."""
        queue = CallQueue(shares)
        self._queues.append(queue)
        for share in shares:
            if self not in share.gates:
                share.gates.append(self)
        return queue

    def remove_queue(self, queue: CallQueue) -> None:
        """Forget a queue that nobody uses any more."""
        self._queues.remove(queue)

    @asynccontextmanager
    async def slot(self, queue: CallQueue, remaining: float, run: int = 0) -> AsyncIterator[None]:
        """Hold a slot. The lowest `run` is next, of these the most `remaining` (any unit, seconds here).

        Raises QueueClosed.
        """
        await self._enter(queue, remaining, run)
        try:
            yield
        finally:
            self._busy -= 1
            queue.release()

    async def _enter(self, queue: CallQueue, remaining: float, run: int) -> None:
        if self._closed or queue.stopped:
            raise QueueClosed
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(queue.waiting, (run, -remaining, next(self._order), future))
        self.dispatch()
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.exception() is None:
                self._busy -= 1
                queue.release()
            raise

    def dispatch(self) -> None:
        """Hand free slots to the most urgent waiters."""
        limit = self._limit()
        while self._busy < limit:
            best: CallQueue | None = None
            for queue in self._queues:
                while queue.waiting and queue.waiting[0][3].done():
                    heapq.heappop(queue.waiting)
                if queue.waiting and (best is None or queue.waiting[0] < best.waiting[0]) and not queue.full:
                    best = queue
            if best is None:
                return
            future = heapq.heappop(best.waiting)[3]
            for share in best.limits:
                share.busy += 1
            self._busy += 1
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

    def __init__(self, gates: Iterable[EndpointGate], watch: Watch) -> None:
        self.reason: IndependenceError | None = None
        self._gates = list(gates)
        self._watch = watch

    def stop(self, reason: IndependenceError) -> None:
        """Close every gate; `reason` becomes the run's end unless one is known."""
        if self.reason is not None:
            return
        self.reason = reason
        self._watch(RunStopping(str(reason)))
        for gate in self._gates:
            gate.close()


_IN_LINE = 4  # enough for the next tokens to find somebody


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
            self._shares[key] = _share(concurrency, self._buckets.of(model, provider))
        return self._shares[key]


def _share(concurrency: int | None, bucket: Bucket | None) -> ConcurrencyLimit | None:
    limit = math.inf if concurrency is None else concurrency
    if bucket is not None:
        paced = _RateLimited(limit, bucket)
        bucket.moved = paced.passed
        return paced
    return None if concurrency is None else ConcurrencyLimit(limit)


class _RateLimited(ConcurrencyLimit):
    def __init__(self, limit: float, bucket: Bucket) -> None:
        super().__init__(limit)
        self._bucket = bucket

    @property
    def full(self) -> bool:
        """Whether enough calls are in flight, or in line for a token."""
        return self.busy >= self.limit or self.busy - self._bucket.past >= _IN_LINE

    def passed(self) -> None:
        """A call got its token: where the line was full until now, another may join it."""
        if self.busy - self._bucket.past == _IN_LINE - 1:
            self.dispatch()
