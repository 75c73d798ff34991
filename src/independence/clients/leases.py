"""What bounds the calls of an endpoint, lent to workers in batches: slots, dollars and tokens of a rate limit.

The process that runs the command holds the one throttle and the one budget. A worker reports what it could use and what
it saw; it never asks for a single call. What is lent counts as used until the worker has reported that it gave it back.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from independence.clients.limits import HEARTBEAT_S, PICO, Bucket, Buckets, Budget, Reservation
from independence.clients.throttle import Throttle
from independence.config.endpoints import Rate
from independence.errors import CostCapReached

_AHEAD = 32  # times the dollars of the call that waits: so many may be lent at once
_IN_LINE = 64  # calls of a worker that may wait for tokens, which come a batch at a time
_ENOUGH = 1e-12  # dollars: what is lent and what is asked for are rounded apart


class SlotReport(NamedTuple):
    """What a worker did with its slots of an endpoint since the last report."""

    demand: int  # calls that hold a slot or wait for one
    busy: int  # that hold one, without those that were refused and wait for room
    served: tuple[tuple[int, int], ...]  # epochs of the throttle in which attempts began, and were answered
    refused: tuple[tuple[int, bool], ...]  # in which those began that were refused, and whether for being one too many


class DollarReport(NamedTuple):
    """The dollars of a worker. Those that are gone are counted from its beginning."""

    spent: float = 0.0  # those of unknown outcome included
    unknown: float = 0.0
    held: float = 0.0  # for calls under way
    lent: float = 0.0  # not spent: held, and free for further calls
    wanted: float = 0.0  # for the next call, where too little is free


class LeasedThrottle(Throttle):
    """The slots of a worker. What the server shows is reported; the window is moved where all reports come together.

    Until a 429 has been heard of there, no more attempts are begun here than were in flight when it came: an answer to
    a report may be long in coming, and whatever went out until then would be refused as well.
    """

    def __init__(self) -> None:
        super().__init__(1)
        self._slots = 0
        self._held = math.inf  # attempts that may be in flight until what was refused has been reported
        self._served: list[tuple[int, int]] = []
        self._refused: list[tuple[int, bool]] = []

    @property
    def limit(self) -> int:
        """Calls that may be in flight now; 0 until slots are lent."""
        return int(min(self._slots, self._held))

    def lend(self, slots: int, epoch: int) -> None:
        """The slots from now on, and how often the window of all workers was cut. It is the answer to a report."""
        self._slots, self._epoch = slots, epoch
        if not any(certain for _, certain in self._refused):
            self._held = math.inf
        self._admit()

    def served(self, epoch: int, *, grows: bool = True) -> None:
        """An attempt was answered. Whether the window grows is decided where reports come together."""
        self._served.append((epoch, self._epoch))
        self.ended()

    def refused(self, epoch: int, *, certain: bool) -> int:
        """An attempt was refused; `certain`: for being one too many. Returns the room for the next one, 0 or more.

        Those of other workers may have been in flight beside it.
        """
        self._refused.append((epoch, certain))
        if certain:
            self._held = min(self._held, self.in_flight - 1)
        self.ended()
        return max(0, self.in_flight - 1)

    def report(self, gate_demand: int, gate_busy: int) -> SlotReport:
        """What happened since the last report, of a gate that has so many calls."""
        made = SlotReport(gate_demand, gate_busy - len(self._line), tuple(self._served), tuple(self._refused))
        self._served, self._refused = [], []
        return made


class LeasedBudget(Budget):
    """The dollars of a worker. `news` is called when more are wanted."""

    def __init__(self, cap: float | None, news: Callable[[], None]) -> None:
        super().__init__(None if cap is None else 0.0)
        self.short = False  # somebody waits for dollars: what is free here was given back
        self.refused: CostCapReached | None = None
        self._wanted = 0.0
        self._news = news

    def fits(self, usd: float) -> bool:
        """Whether a person need not hear that a call waits for dollars: more are lent in a moment."""
        return not self.short or super().fits(usd)

    def lend(self, usd: float, *, short: bool, refused: CostCapReached | None) -> None:
        """What this worker gets beside what it has. Where dollars are short, what is free goes back first."""
        self.short, self.refused = short, refused
        if self.cap is not None:
            free = max(0.0, self.left) if short else 0.0
            self.raise_cap(usd - free)

    async def reserve(self, usd: float) -> Reservation:
        """Hold dollars; more are lent where too few are. Raises CostCapReached when none are left."""
        try:
            return await super().reserve(usd)
        finally:
            self._wanted = 0.0

    async def _more(self, usd: float) -> None:
        if self.refused is not None:
            raise self.refused
        if usd != self._wanted:
            self._wanted = usd
            self._news()
        self._freed.clear()
        await self._freed.wait()

    def report(self) -> DollarReport:
        """How they stand."""
        lent = max(self.held, self._most / PICO - self.spent) if self.cap is None else self.held + max(0.0, self.left)
        return DollarReport(self.spent, self.unknown, held=self.held, lent=lent, wanted=self._wanted)


class LeasedBucket(Bucket):
    """The tokens of a worker for one model."""

    in_line = _IN_LINE

    def __init__(self, rate: Rate) -> None:
        super().__init__(rate)
        self.waiting = 0
        self.emptied: float | None = None  # seconds for which the server wants no requests; None: it did not say so
        self._tokens = 0.0
        self._come = asyncio.Event()

    async def take(self, beat: Callable[[float], None]) -> None:
        """Wait for a token that is lent, first come, first served."""
        self.waiting += 1
        try:
            async with self._line:
                while self._tokens < 1:
                    beat(1 / self._rate.per_second)
                    self._come.clear()
                    with suppress(TimeoutError):
                        await asyncio.wait_for(self._come.wait(), HEARTBEAT_S)
                self._tokens -= 1
        finally:
            self.waiting -= 1

    @property
    def wanted(self) -> int:
        """Calls that wait for a token which is not here yet."""
        return max(0, self.waiting - int(self._tokens))

    def lend(self, tokens: int) -> None:
        """Tokens for calls that wait."""
        self._tokens += tokens
        self._come.set()

    def empty(self, seconds: float = 0.0) -> None:
        """The server wants fewer requests: all workers hear of it."""
        self._tokens, self.emptied = 0.0, max(seconds, self.emptied or 0.0)


class LeasedBuckets(Buckets):
    """The buckets of a worker on one endpoint."""

    def _bucket(self, rate: Rate) -> Bucket:
        return LeasedBucket(rate)

    @property
    def lent(self) -> dict[tuple[str, str | None], LeasedBucket]:
        """Those made so far, by model and provider."""
        return {key: bucket for key, bucket in self._made.items() if isinstance(bucket, LeasedBucket)}


def split(window: int, demands: Sequence[int]) -> list[int]:
    """Shares of a window: nobody gets more than it can use before all have that; what is left is spread evenly."""
    out, left = [0] * len(demands), window
    order = sorted(range(len(demands)), key=lambda at: demands[at])
    for wanted in (demands, [window] * len(demands)):
        for rank, at in enumerate(order):
            more = min(wanted[at] - out[at], left // (len(order) - rank))
            out[at], left = out[at] + more, left - more
    return out


class SlotLeases:
    """The slots of one endpoint that are lent. Together they exceed its window only until a decrease is reported."""

    def __init__(self, throttle: Throttle) -> None:
        self.throttle = throttle
        self._demand: dict[int, int] = {}
        self._busy: dict[int, int] = {}
        self._granted: dict[int, int] = {}
        self._most: dict[int, int] = {}  # calls that each worker may have in flight, for all we know

    def report(self, worker: int, report: SlotReport) -> None:
        """What a worker says, having heard what it was granted."""
        self.throttle.in_flight += len(report.refused) + len(report.served)
        for epoch, certain in report.refused:
            self.throttle.refused(epoch, certain=certain)
        self._busy[worker] = report.busy
        for began, ended in report.served:
            # What was answered before the worker heard of a cut says nothing of the window that is left. And as long as
            # reports do not show that its slots are in use, nothing says that it could be larger.
            in_use = sum(self._busy.values()) + len(self._busy) > self.throttle.limit
            self.throttle.served(began, grows=in_use and ended == self.throttle.epoch)
        self._demand[worker] = report.demand
        self._most[worker] = max(self._granted.get(worker, 0), report.busy)

    def grant(self, worker: int) -> int:
        """The slots of a worker from now on."""
        self._demand.setdefault(worker, 0)
        workers = list(self._demand)
        wanted = split(self.throttle.limit, list(self._demand.values()))[workers.index(worker)]
        others = sum(most for other, most in self._most.items() if other != worker)
        granted = max(0, min(wanted, self.throttle.limit - others))
        self._granted[worker] = granted
        self._most[worker] = max(self._most.get(worker, 0), granted)
        return granted

    def drop(self, worker: int) -> None:
        """A worker is gone."""
        for known in (self._demand, self._busy, self._granted, self._most):
            known.pop(worker, None)


class DollarLeases:
    """The dollars of a budget that are lent. Workers get more in the order in which they began to wait."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._line: list[int] = []
        self._known: dict[int, DollarReport] = {}
        self._holds: dict[int, Reservation] = {}

    def report(self, worker: int, report: DollarReport) -> None:
        """What a worker says: book what is gone, hold what it still has."""
        before = self._known.get(worker, DollarReport())
        unknown = report.unknown - before.unknown
        self._hold(worker, 0.0, spent=report.spent - before.spent - unknown)
        if unknown:
            self.budget.hold(unknown).keep()
        self._known[worker] = report
        self._hold(worker, report.lent)
        if report.wanted and worker not in self._line:
            self._line.append(worker)

    def grant(self, worker: int) -> tuple[float, CostCapReached | None]:
        """Dollars that a worker gets beside what it has, or why it gets none any more."""
        known = self._known.get(worker, DollarReport())
        if worker not in self._line[:1]:
            return 0.0, None
        left = self.budget.left
        if known.wanted <= left + _ENOUGH:
            self._line.remove(worker)
            ample = min(_AHEAD * known.wanted, left / (4 * max(1, len(self._known))))
            usd = max(known.wanted, ample)
            self._hold(worker, known.lent + usd)
            return usd, None
        return 0.0, None if self.budget.held > _ENOUGH else self.budget.reached(known.wanted)

    @property
    def short(self) -> bool:
        """Whether a worker waits for dollars that others should give back."""
        return bool(self._line)

    def drop(self, worker: int, *, died: bool) -> None:
        """A worker is gone. Where it died, whatever it had may be spent."""
        hold = self._holds.pop(worker, None)
        if hold is not None and died:
            hold.keep()
        elif hold is not None:
            hold.settle(0.0)
        self._known.pop(worker, None)
        self._line = [one for one in self._line if one != worker]

    def _hold(self, worker: int, usd: float, spent: float = 0.0) -> None:
        if worker in self._holds:
            self._holds[worker].settle(spent)
        elif spent:
            self.budget.hold(0.0).settle(spent)
        self._holds[worker] = self.budget.hold(usd)
