"""Slots of an endpoint, given to the earliest run first, and within a run to the longest remaining dialogue.

All lanes together never hold more than the endpoint's limit, which the client moves (AIMD), the lanes of one subject
never more than its share (`-pt`), and those of one model never more than that model takes, where it has bounds of its
own. Nobody polls: a slot is handed over when one is freed.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager


class QueueClosed(Exception):
    """The run is stopping, or this lane was parked: no further call may start."""


class ConcurrencyLimit:
    """How many calls of one subject, or of one model, may be in flight, over all their lanes."""

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
        self.shares = shares
        self.parked = False
        self.waiting: list[tuple[int, float, int, asyncio.Future[None]]] = []

    @property
    def full(self) -> bool:
        """Whether one of its shares is."""
        for share in self.shares:  # noqa: SIM110 - asked at every hand-over: a generator would cost as much again
            if share.full:
                return True
        return False

    def freed(self) -> None:
        """A call ended."""
        for share in self.shares:
            share.busy -= 1
        for share in self.shares:
            share.dispatch()


class EndpointGate:
    """Admission to one endpoint."""

    def __init__(self, limit: Callable[[], int]) -> None:
        self._limit = limit
        self._lanes: list[CallQueue] = []
        self._order = itertools.count()
        self._busy = 0
        self._closed = False

    @property
    def busy(self) -> int:
        """Calls that hold a slot now."""
        return self._busy

    def lane(self, *shares: ConcurrencyLimit) -> CallQueue:
        """A new lane: the subject's share, and its model's where that has one."""
        lane = CallQueue(shares)
        self._lanes.append(lane)
        for share in shares:
            if self not in share.gates:
                share.gates.append(self)
        return lane

    def leave(self, lane: CallQueue) -> None:
        """Forget a lane that nobody uses any more."""
        self._lanes.remove(lane)

    @asynccontextmanager
    async def slot(self, lane: CallQueue, remaining: float, run: int = 0) -> AsyncIterator[None]:
        """Hold a slot. The lowest `run` is next, of these the most `remaining` (any unit, seconds here).

        Raises Closed.
        """
        await self._enter(lane, remaining, run)
        try:
            yield
        finally:
            self._busy -= 1
            lane.freed()

    async def _enter(self, lane: CallQueue, remaining: float, run: int) -> None:
        if self._closed or lane.parked:
            raise QueueClosed
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heapq.heappush(lane.waiting, (run, -remaining, next(self._order), future))
        self.dispatch()
        try:
            await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.exception() is None:
                self._busy -= 1
                lane.freed()
            raise

    def dispatch(self) -> None:
        """Hand free slots to the most urgent waiters."""
        limit = self._limit()
        while self._busy < limit:
            best: CallQueue | None = None
            for lane in self._lanes:
                while lane.waiting and lane.waiting[0][3].done():
                    heapq.heappop(lane.waiting)
                if lane.waiting and (best is None or lane.waiting[0] < best.waiting[0]) and not lane.full:
                    best = lane
            if best is None:
                return
            future = heapq.heappop(best.waiting)[3]
            for share in best.shares:
                share.busy += 1
            self._busy += 1
            future.set_result(None)

    def park(self, lane: CallQueue) -> None:
        """No further call of this lane; those in flight finish."""
        lane.parked = True
        _reject_waiting(lane)

    def close(self) -> None:
        """No further call at all; those in flight finish."""
        self._closed = True
        for lane in self._lanes:
            _reject_waiting(lane)


def _reject_waiting(lane: CallQueue) -> None:
    for _, _, _, future in lane.waiting:
        if not future.done():
            future.set_exception(QueueClosed())
    lane.waiting.clear()
