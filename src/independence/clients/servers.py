"""The servers that share the calls of an endpoint: one for each of its addresses, the least busy one asked next.

A server that cannot be reached is left out for a while, and its calls go to the others.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import aiohttp

from independence.clients import failures
from independence.clients.functions import FunctionTransport
from independence.clients.protocol import Notify, ServerLost
from independence.clients.transport import Transport
from independence.config.endpoints import Endpoint, printable_address
from independence.config.subjects import PYTHON

_FIRST_PAUSE_S: Final = 15.0  # before a server that could not be reached is tried again; doubles with each time
_LONGEST_PAUSE_S: Final = 240.0


def _transport(session: aiohttp.ClientSession, endpoint: Endpoint) -> Transport | FunctionTransport:
    return FunctionTransport() if endpoint.name == PYTHON else Transport(session, endpoint)


class _Server:
    """One address in use."""

    def __init__(self, transport: Transport | FunctionTransport, address: str, slots: int) -> None:
        self.transport, self.address, self.slots = transport, address, slots
        self.busy = 0  # calls in flight
        self.pause_s = 0.0  # it was left out for so long, last; 0: it could be reached
        self.back_at = -math.inf  # from when on it is tried again

    def load(self, now: float) -> tuple[bool, float, float]:
        """Sorts servers: those that can be reached first, then by their work, or by when they are tried again."""
        out = now < self.back_at
        return out, self.back_at if out else 0.0, self.busy / self.slots


class Servers:
    """The servers of one endpoint."""

    def __init__(
        self,
        endpoint: Endpoint,
        session: aiohttp.ClientSession,
        notify: Notify,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        slots = endpoint.slots or (1,) * len(endpoint.addresses)
        self.each = [
            _Server(_transport(session, one), printable_address(one.base_url), count)
            for one, count in zip(endpoint.each, slots, strict=True)
        ]
        self._name, self._key, self._notify = endpoint.name, endpoint.api_key, notify
        self._clock = clock
        self._told: set[str] = set()

    @contextmanager
    def least_busy(self) -> Iterator[Transport | FunctionTransport]:
        """The way to the server that is asked next. A call that it cannot be reached with, counts against it."""
        now = self._clock()
        server = min(self.each, key=lambda one: one.load(now))
        server.busy += 1
        try:
            yield server.transport
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            self._leave_out(server, failures.of_exception(error, self._key).detail)
            raise
        else:
            server.pause_s = 0.0
        finally:
            server.busy -= 1

    @property
    def any_left(self) -> bool:
        """Whether there are several, and one of them is not left out."""
        now = self._clock()
        return len(self.each) > 1 and any(now >= one.back_at for one in self.each)

    def _leave_out(self, server: _Server, why: str) -> None:
        server.pause_s = min(_LONGEST_PAUSE_S, server.pause_s * 2 or _FIRST_PAUSE_S)
        server.back_at = self._clock() + server.pause_s
        if self.any_left and server.address not in self._told:
            self._told.add(server.address)
            self._notify(ServerLost(self._name, server.address, why))
