"""Time that tests move: on an event loop on which waiting takes none, and by a clock for what waits in threads."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from benchmarks.virtual_time import drive

from independence.clock import Clock

_WATCHDOG_S = 60.0  # after which a test fails instead of hanging
_LOOK_S = 0.005  # how soon a wait sees that its event was set: an event tells nobody but who waits for it


def in_virtual_time(work: Callable[[Callable[[], float]], Coroutine[Any, Any, Any]]) -> Any:
    """Run `work(clock)` to its end, on an event loop on which waiting takes no time."""

    async def timed() -> Any:
        return await work(asyncio.get_running_loop().time)

    return drive(timed())


async def passing(seconds: float) -> None:
    """Let time pass, on a loop on which that takes none."""
    await asyncio.sleep(seconds)


class HandClock(Clock):
    """A clock that stands still until a test moves it."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self._began = now
        self._passed = 0.0
        self._ends: list[float] = []  # of the waits under way
        self._changed = threading.Condition()

    def monotonic(self) -> float:
        return self._passed

    def now(self) -> float:
        return self._began + self._passed

    def forward(self, seconds: float) -> None:
        """Let time pass; waits that end by then end."""
        with self._changed:
            self._passed += seconds
            self._changed.notify_all()

    def wait(self, event: threading.Event, seconds: float) -> bool:
        with self._changed:
            end = self._passed + seconds
            self._ends.append(end)
            self._changed.notify_all()
            while not event.is_set() and self._passed < end:
                self._changed.wait(_LOOK_S)
            self._ends.remove(end)
        return event.is_set()

    def until_somebody_waits(self) -> None:
        """Return once another thread waits for a moment that is still to come."""
        with self._changed:
            assert self._changed.wait_for(lambda: any(self._passed < end for end in self._ends), _WATCHDOG_S)
