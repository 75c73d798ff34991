"""The cost cap: dollars are reserved before a request leaves and settled when its cost is known.

Amounts are kept as whole picodollars, so that `spent + reserved <= cap` is exact. It can fail in one way only: a call
that costs more than was reserved for it; the excess is counted in `overrun`.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from typing import NamedTuple

from independence.errors import CostCapReached

_PICO = 1_000_000_000_000


class _Waiter(NamedTuple):
    amount: int
    granted: asyncio.Future[None]


class Reservation:
    """Dollars held for one attempt. The first of `settle` and `keep` counts, later ones do nothing."""

    __slots__ = ("_amount", "_budget", "_open")

    def __init__(self, budget: Budget, amount: int) -> None:
        self._budget = budget
        self._amount = amount
        self._open = True

    @property
    def usd(self) -> float:
        """The reserved dollars."""
        return self._amount / _PICO

    def settle(self, actual_usd: float) -> None:
        """The cost is known: release what was not used."""
        self._close(round(actual_usd * _PICO), known=True)

    def keep(self) -> None:
        """The cost never came back: what was reserved stays spent."""
        self._close(self._amount, known=False)

    def _close(self, actual: int, *, known: bool) -> None:
        if self._open:
            self._open = False
            self._budget._close(self._amount, actual, known=known)


class Budget:
    """What may be spent. `cap` None never refuses but counts all the same."""

    def __init__(self, cap: float | None) -> None:
        self.cap = cap
        self._cap = None if cap is None else math.floor(cap * _PICO)
        self._spent = self._reserved = self._unknown = self._overrun = 0
        self._waiters: deque[_Waiter] = deque()

    @property
    def spent(self) -> float:
        """Dollars gone, those of unknown outcome included."""
        return self._spent / _PICO

    @property
    def reserved(self) -> float:
        """Dollars held for attempts under way."""
        return self._reserved / _PICO

    @property
    def unknown(self) -> float:
        """The part of `spent` that was reserved for attempts whose cost never came back."""
        return self._unknown / _PICO

    @property
    def overrun(self) -> float:
        """Dollars by which attempts cost more than was reserved for them."""
        return self._overrun / _PICO

    def fits(self, usd: float) -> bool:
        """Whether a reservation would be granted at once."""
        return not self._waiters and self._fits(_amount(usd))

    async def reserve(self, usd: float) -> Reservation:
        """Hold dollars. Waits while calls under way may give some back; raises CostCapReached when none is left."""
        amount = _amount(usd)
        if self._waiters or not self._fits(amount):
            await self._queue(amount)
        else:
            self._reserved += amount
        return Reservation(self, amount)

    async def _queue(self, amount: int) -> None:
        waiter = _Waiter(amount, asyncio.get_running_loop().create_future())
        self._waiters.append(waiter)
        self._wake()
        try:
            await waiter.granted
        except asyncio.CancelledError:
            if waiter.granted.done() and not waiter.granted.cancelled() and waiter.granted.exception() is None:
                self._reserved -= amount
            self._wake()
            raise

    def _fits(self, amount: int) -> bool:
        return self._cap is None or self._spent + self._reserved + amount <= self._cap

    def _close(self, amount: int, actual: int, *, known: bool) -> None:
        self._reserved -= amount
        self._spent += actual
        self._overrun += max(0, actual - amount)
        if not known:
            self._unknown += amount
        self._wake()

    def _wake(self) -> None:
        # First come, first served: a large call is not starved by small ones that arrive later.
        while self._waiters:
            amount, granted = self._waiters[0]
            if granted.done():
                self._waiters.popleft()
            elif self._fits(amount):
                self._waiters.popleft()
                self._reserved += amount
                granted.set_result(None)
            elif self._reserved == 0:
                self._waiters.popleft()
                granted.set_exception(self._reached(amount))
            else:
                return

    def _reached(self, amount: int) -> CostCapReached:
        unknown = f" (${self.unknown:.4f} of it for calls whose cost never came back)" if self._unknown else ""
        return CostCapReached(
            f"the cost cap of ${self.cap:.4f} is reached: ${self.spent:.4f} spent{unknown}, and the next call may cost "
            f"up to ${amount / _PICO:.4f}",
            "everything so far is kept, a higher --max-cost resumes",
        )


def _amount(usd: float) -> int:
    return math.ceil(max(0.0, usd) * _PICO)
