"""Time that tests move: an event loop on which hours of sleep take no time, and a clock for what waits in threads."""

from __future__ import annotations

import asyncio
import selectors
import threading
from collections.abc import Callable, Coroutine
from typing import Any

from independence.clock import Clock

_WATCHDOG_S = 60.0  # after which a test fails instead of hanging
_LOOK_S = 0.005  # how soon a wait sees that its event was set: an event tells nobody but who waits for it


class Hurried(selectors.SelectSelector):
    """Waits for nothing: the time it would have waited has passed."""

    passed = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.passed += max(0.0, timeout or 0.0)
        return super().select(0)


class Hours(asyncio.SelectorEventLoop):
    """A loop on which hours of sleep take no time."""

    def __init__(self) -> None:
        self._hurried = Hurried()
        super().__init__(self._hurried)

    def time(self) -> float:
        return self._hurried.passed


def in_virtual_time(work: Callable[[Callable[[], float]], Coroutine[Any, Any, Any]]) -> Any:
    """Run `work(clock)` to its end."""
    with asyncio.Runner(loop_factory=Hours) as runner:
        return runner.run(work(runner.get_loop().time))


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
