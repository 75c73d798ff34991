"""An event loop on which hours of sleep take no time."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any


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
