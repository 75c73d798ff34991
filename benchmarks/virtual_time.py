"""An event loop on which waiting takes no time, and what a run needs to stay on it: a store and an endpoint in place.

What is measured on it depends on the order of work alone, not on the machine and on who else uses it.
"""

from __future__ import annotations

import asyncio
import selectors
import sqlite3
from collections.abc import Coroutine
from typing import Any, TypeVar

from multidict import CIMultiDict

from independence.clients.transport import HttpResponse
from independence.store.writer import GATHER_S, Write
from independence.testing.loopback import wire
from independence.testing.loopback.responses import ResponsePlanner
from independence.testing.loopback.settings import LoopbackSettings

T = TypeVar("T")


class _Selector(selectors.SelectSelector):
    """Waits for nothing: the time it would have waited has passed."""

    passed = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """What is ready now."""
        self.passed += max(0.0, timeout or 0.0)
        return super().select(0)


class _Loop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._own_selector = _Selector()
        super().__init__(self._own_selector)

    def time(self) -> float:
        return self._own_selector.passed


def drive(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end. Nothing in `work` may wait for another thread or process."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(work)


class InPlaceWriter:
    """Writes to a store at once, after the time that its own writer waits for company."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    async def write(self, write: Write[T], /) -> T:
        """What `write` returns."""
        await asyncio.sleep(GATHER_S)
        return write(self._connection)

    async def close(self) -> None:
        """Nothing waits to be written."""


class InPlaceEndpoint:
    """The loopback endpoint's answers, without a socket."""

    def __init__(self) -> None:
        self._planner = ResponsePlanner(LoopbackSettings(price="0/0"))

    def answer(self, body: bytes) -> HttpResponse:
        """The answer to a request's body."""
        plan = self._planner.outcome(wire.read(body, 0), 1, metadata=False)
        return HttpResponse(plan.status, CIMultiDict(plan.headers), plan.body)
