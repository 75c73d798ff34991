"""The way to an endpoint that takes its time, has so many slots, and fails now and then."""

from __future__ import annotations

import asyncio
import random
from contextvars import ContextVar
from typing import NamedTuple

from aiohttp import ClientOSError, ClientSession
from multidict import CIMultiDict

from benchmarks.latency import Draw, Slowed
from benchmarks.virtual_time import InPlaceEndpoint
from independence.clients.transport import HttpResponse, Transport
from independence.config.endpoints import Endpoint
from independence.types import Answer, ChatRequest

_REFUSAL_S = 0.1
_STATUSES = (429, 500, 502, 503, 0)  # 0: reset
_seconds: ContextVar[float] = ContextVar("seconds")  # that the endpoint takes for the call of this task


class Congestion(NamedTuple):
    """What an endpoint refuses."""

    slots: int  # calls that it takes at once
    faulty: float  # share of requests that fail
    draw: Draw


class Timed(Slowed):
    """Tells the way to the endpoint how long a call takes there."""

    async def ask(self, request: ChatRequest) -> Answer:
        """Ask."""
        self.seconds.append(self._seconds(request))
        _seconds.set(self.seconds[-1])
        return await self.inner.ask(request)


class Congested(Transport):
    """The way to an endpoint that takes its time, has so many slots, and fails now and then."""

    def __init__(
        self, session: ClientSession, door: Endpoint, congestion: Congestion, beyond: InPlaceEndpoint | None
    ) -> None:
        super().__init__(session, door)
        self._congestion = congestion
        self._beyond = beyond
        self._draws = random.Random(congestion.draw.number)
        self._busy = 0

    async def post(self, body: bytes, timeout_s: float | None = None) -> HttpResponse:
        """Answer when the call's time has come, or refuse it."""
        draw = self._draws.random()
        if self._busy >= self._congestion.slots:
            return await self._refusal(429)
        if draw < self._congestion.faulty:
            return await self._refusal(_STATUSES[int(draw / self._congestion.faulty * len(_STATUSES))])
        self._busy += 1
        try:
            loop = asyncio.get_running_loop()
            due = loop.time() + _seconds.get()
            response = self._beyond.answer(body) if self._beyond else await super().post(body, timeout_s)
            await asyncio.sleep(due - loop.time())
            return response
        finally:
            self._busy -= 1

    async def _refusal(self, status: int) -> HttpResponse:
        await asyncio.sleep(_REFUSAL_S / self._congestion.draw.divisor)
        if not status:
            raise ClientOSError("reset")
        return HttpResponse(status, CIMultiDict(), b'{"error": {"message": "no"}}')
