"""How many attempts at an endpoint may be in flight, found from what it refuses.

The window starts at the cap. Where it broke it is cut: a little, because a 429 now and then says no more, and by half
where most calls are refused. It returns quickly to where it broke, stays there a while, and then probes further, ever
faster: the cubic of RFC 9438 (section 4.2), counted in rounds of served calls instead of seconds, because answers of
models take from tenths of a second to minutes.

A 429 says that the endpoint has had too much. A 503 or 529 may say the same, or that one server of many had a bad
moment. So they count as evidence: the cumulative sum (E. S. Page, Continuous inspection schemes, Biometrika 41, 1954,
section 3) of the log-likelihood ratio between an endpoint that refuses many calls and one that refuses few. Only
attempts that began since the last cut say something about the window as it is now.

Who was refused tries again, first in line, once clearly fewer attempts are in flight than were then: a window that is
small enough would otherwise be held for too large, and the same call refused until it gives up.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Callable
from typing import Final

from independence.clients.limits import HEARTBEAT_S

_CUT: Final = 0.9  # of the window, where it breaks
_DEEP_CUT: Final = 0.5  # where most calls are refused before it is back
_RECOVERED: Final = 0.97  # of where it broke
_CUBIC: Final = 0.2  # of where it broke, per cubed round: back after less than one round
_FEW, _MANY = 0.08, 0.30  # share of refused calls where all is well, and where there are too many
_REFUSED: Final = math.log(_MANY / _FEW)
_SERVED: Final = math.log((1 - _MANY) / (1 - _FEW))
_ENOUGH: Final = 5.0  # evidence for overload: four refusals in a row
_LEAST_ROOM: Final = 0.5  # of the window: who was refused while little was in flight is not held back for long


class Throttle:
    """The window of one endpoint, and the line of those who try again. The engine's gate reads `limit`."""

    def __init__(self, cap: int, on_limit: Callable[[int], None] = lambda _: None) -> None:
        """`on_limit` is called with every new limit."""
        self.in_flight = 0  # attempts
        self._on_limit = on_limit
        self._cap = float(max(1, cap))
        self._window = self._broke = self._cap
        self._rounds = self._plateau = 0.0  # since the last cut; of the round in which the window is back
        self._evidence = 0.0
        self._epoch = 0  # counts cuts
        self._line: deque[tuple[float, asyncio.Future[int]]] = deque()

    @property
    def limit(self) -> int:
        """Calls that may be in flight now, 1..cap."""
        return int(self._window)

    async def enter(self, room: float, beat: Callable[[float], None]) -> int:
        """Begin an attempt, once there is room. Returns what `served` or `refused` is to be told.

        `room`: what `refused` returned, for a call that was refused; else infinite, and there is always room, but no
        place before those who wait. `beat` is called every second of the wait; what it raises ends it.
        """
        if not self._line and room == math.inf:
            self.in_flight += 1
            return self._epoch
        place: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._line.append((room, place))
        self._admit()
        try:
            while not (await asyncio.wait([place], timeout=HEARTBEAT_S))[0]:
                beat(0.0)
        except BaseException:
            if not place.cancel():
                self.ended()
            raise
        return place.result()

    def ended(self) -> None:
        """An attempt ended in a way that says nothing of the load."""
        self.in_flight -= 1
        if self._line:
            self._admit()

    def served(self, epoch: int) -> None:
        """An attempt was answered."""
        if self._evidence and epoch == self._epoch:
            self._evidence = max(0.0, self._evidence + _SERVED)
        if self._window < self._cap:
            self._rounds += 1 / self.limit
            grown = self._broke * (1 + _CUBIC * (self._rounds - self._plateau) ** 3)
            self._move(min(self._cap, max(self._window, grown)))
        self.ended()

    def refused(self, epoch: int, *, certain: bool) -> int:
        """An attempt was refused; `certain`: for being one too many. Returns the room for the next one."""
        if epoch == self._epoch:
            self._evidence += _REFUSED
            if certain or self._evidence >= _ENOUGH:
                self._cut(certain=certain)
        self.ended()
        return self.in_flight - 1

    def _admit(self) -> None:
        """Let in who is first in line, as long as there is room."""
        while self._line:
            room, place = self._line[0]
            if self.in_flight >= min(self.limit, max(1, room, int(_LEAST_ROOM * self.limit))) and not place.done():
                return
            self._line.popleft()
            if not place.done():
                self.in_flight += 1
                place.set_result(self._epoch)

    def _cut(self, *, certain: bool) -> None:
        again = self._epoch > 0 and self._window < _RECOVERED * self._broke
        factor = _DEEP_CUT if again and self._evidence >= _ENOUGH else _CUT
        self._broke, self._rounds = max(1.0, self._window - certain), 0.0  # one fewer would have fitted
        self._plateau = math.cbrt((1 - factor) / _CUBIC)
        self._evidence = 0.0
        self._epoch += 1
        self._move(max(1.0, self._broke * factor))

    def _move(self, window: float) -> None:
        before, self._window = self.limit, window
        if self.limit != before:
            self._on_limit(self.limit)
