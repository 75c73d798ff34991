"""What changes in a store, told to everybody who has the page open: it is looked for once, however many they are."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Final, NamedTuple

from independence.clock import MACHINE, Clock

EVERY_S: Final = 1.0
REPEATED_S: Final = 10.0  # said again this often: a connection in which nothing is said is cut by proxies


class Moment(NamedTuple):
    """The store as it was when it was looked at."""

    version: str
    at: float
    document: bytes


class ChangesFeed:
    """Looks at a store once a second while somebody listens."""

    def __init__(self, version: Callable[[], str], document: Callable[[], bytes], clock: Clock = MACHINE) -> None:
        """`document` is made where `version` is another one than before, and every ten seconds."""
        self._version, self._document, self._clock = version, document, clock
        self._moment: Moment | None = None
        self._news = asyncio.Event()
        self._listeners = 0
        self._looking: asyncio.Task[None] | None = None

    async def moments(self) -> AsyncGenerator[Moment, None]:
        """The store as it is now, and again whenever it has changed. Raises what looking at it raises."""
        if self._looking is None or self._looking.done():
            self.look()
            self._looking = asyncio.create_task(self._look_on())
        looking, told = self._looking, None
        self._listeners += 1
        try:
            while True:
                if self._moment is not told:
                    assert self._moment is not None
                    told = self._moment
                    yield told
                elif looking.done():
                    looking.result()
                    return
                else:
                    await self._news.wait()
        finally:
            self._listeners -= 1
            if not self._listeners:
                looking.cancel()

    def look(self) -> None:
        """Look now, and tell those who listen where there is something to tell."""
        version, at = self._version(), self._clock.monotonic()
        if self._moment is None or self._moment.version != version or at >= self._moment.at + REPEATED_S:
            self._moment = Moment(version, at, self._document())
            self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def _look_on(self) -> None:
        try:
            while True:
                await asyncio.sleep(EVERY_S)
                self.look()
        finally:
            self._wake()
