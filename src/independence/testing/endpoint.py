"""The loopback endpoint as a context manager, for the tests of anyone who talks to chat models."""

from __future__ import annotations

import asyncio
import threading
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Any, Self

import msgspec

from independence.testing.loopback.request_log import RequestLog
from independence.testing.loopback.server import Loopback, serving
from independence.testing.loopback.settings import LoopbackSettings
from independence.testing.sim.parties import NOTHING_KNOWN, Merits

_BODIES = 10_000


class LoopbackEndpoint:
    """An OpenAI-compatible server with simulated models on a free port of this machine, while the block lasts.

        with Endpoint(latency=0.05, faults="0.1", seed=7) as endpoint:
            ...  # ask endpoint.url for the model `half`, then look at endpoint.requests

    `ways`: comma-separated NAME, NAME=VALUE, NAME@MODEL, NAME@MODEL=VALUE: how real servers behave, for example
    `no-max-tokens,loses=system`; the names are in `loopback/ways.yaml`.
    `async with` serves in the running event loop, `with` in a thread of its own, also where a loop runs already.
    `latency`: seconds, or `lognormal:MU,SIGMA`. `faults`: comma-separated RATE (0-1), KIND=RATE,
    KIND@MODEL, KIND+N. `seed` moves every reply, latency and fault; else a reply depends on model and messages alone.
    `key`: the only API key that is let in. `merits`: `request_digest(messages)` -> `Dispute`, what advisers know of a
    dispute that the words of a request do not tell; for any other request its merit is 0. Raises UsageError for values
    that make no sense.
    """

    def __init__(
        self,
        *,
        latency: float | str = "",
        faults: str = "",
        ways: str = "",
        seed: int = 0,
        key: str = "",
        price: str = "",
        merits: Merits = NOTHING_KNOWN,
    ) -> None:
        self.settings = LoopbackSettings(
            latency=str(latency), faults=faults, ways=ways, seed=seed, key=key, price=price, merits=merits,
            keep_bodies=_BODIES,
        )  # fmt: skip
        self._server: Loopback | None = None
        self._serving = AsyncExitStack()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None

    @property
    def url(self) -> str:
        """The base address, up to and including `/v1`; there is one while the block lasts."""
        return self._running().base_url

    @property
    def log(self) -> RequestLog:
        """Counts by model, status, fault and body, and what was billed; they can be read after the block too."""
        return self._running().ledger

    @property
    def bodies(self) -> list[Any]:
        """The JSON bodies received, in order, the last 10,000 of them."""
        return [msgspec.json.decode(body) for body in self.log.bodies]

    @property
    def requests(self) -> int:
        """How many chat requests came in."""
        return self.log.requests

    def _running(self) -> Loopback:
        if self._server is None:
            raise RuntimeError("the endpoint serves within its `with` block")
        return self._server

    async def __aenter__(self) -> Self:
        self._server = await self._serving.enter_async_context(serving(self.settings))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._serving.aclose()

    def __enter__(self) -> Self:
        started = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(started,), daemon=True)
        self._thread.start()
        started.wait()
        if self._failure is not None:
            raise self._failure
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        if self._thread is not None:
            self._thread.join()

    def _serve(self, started: threading.Event) -> None:
        async def until_stopped() -> None:
            self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
            async with self:
                started.set()
                await self._stop.wait()

        try:
            asyncio.run(until_stopped())
        except Exception as error:  # noqa: BLE001 - raised where the block begins
            self._failure = error
        finally:
            started.set()
