"""How many requests an endpoint gets at once, and how fast.

The throttle bounds calls in flight: halved on overload, growing back by about one a round trip. Beside it a token
bucket for every provider and model may bound the rate. Every HTTP attempt, retries included, takes a token just before
it is sent; first come, first served. When a server says that it is overloaded, the bucket is emptied for all calls that
wait for a token, for as long as the server said.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from independence.config.endpoints import Endpoint, Rate

HEARTBEAT_S = 1.0
_ENOUGH = 1.0 - 1e-9  # of a token: a rounding error must not cost another second of waiting


def _ignore(_: int) -> None:
    return None


class Throttle:
    """Additive increase, multiplicative decrease. The engine's gate reads `limit`; the client reports what it saw."""

    def __init__(self, cap: int, on_limit: Callable[[int], None] = _ignore) -> None:
        """`on_limit` is called with every new limit."""
        self._on_limit = on_limit
        self._cap = float(max(1, cap))
        self._window = self._cap
        self.epoch = 0  # counts decreases; a call notes it when it starts

    @property
    def limit(self) -> int:
        """Calls that may be in flight now, 1..cap."""
        return int(self._window)

    def overloaded(self, epoch: int | None = None) -> None:
        """The endpoint is overloaded. Calls that began before the last decrease say nothing new and are ignored."""
        if epoch is not None and epoch != self.epoch:
            return
        self._move(max(1.0, self._window / 2))
        self.epoch += 1

    def succeeded(self) -> None:
        """A call was served: grow by 1/limit, so that `limit` of them add one."""
        self._move(min(self._cap, self._window + 1 / self.limit))

    def _move(self, window: float) -> None:
        before, self._window = self.limit, window
        if self.limit != before:
            self._on_limit(self.limit)


def _no_one() -> None:
    return None


class Bucket:
    """`rate.burst` tokens at first, refilled with `rate.per_second` and never above the burst."""

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self.past = 0  # calls that have their token and do not wait for another
        self.moved: Callable[[], None] = _no_one  # called whenever a call gets its token
        self._rate = rate
        self._clock = clock
        self._tokens = float(rate.burst)
        self._at = clock()  # what `_tokens` is about; in the future while the bucket is held empty
        self._line = asyncio.Lock()

    def left(self) -> float:
        """Seconds until there is a token, if nobody takes one before; 0 where there is one."""
        now = self._clock()
        if now > self._at:
            self._tokens = min(self._rate.burst, self._tokens + (now - self._at) * self._rate.per_second)
            self._at = now
        if self._tokens >= _ENOUGH:
            return 0.0
        return max(0.0, self._at - now) + (1 - self._tokens) / self._rate.per_second

    def empty(self, seconds: float = 0.0) -> None:
        """Throw the tokens away, and let none come for some seconds."""
        self._tokens = 0.0
        self._at = max(self._at, self._clock() + seconds)

    async def take(self, beat: Callable[[float], None]) -> None:
        """Wait for a token, first come, first served, and take it.

        `beat` is called with the seconds left when the first in line has to wait, and every second from then on; what
        it raises ends the wait, and the token goes to the next.
        """
        async with self._line:
            while (left := self.left()) > 0:
                beat(left)
                await asyncio.sleep(min(left, HEARTBEAT_S))
            self._tokens -= 1


class PacedCall:
    """One call that a bucket paces: it waits for a token before each attempt, and is ended when the call is over."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket
        self._past = False

    async def take(self, beat: Callable[[float], None]) -> None:
        """Get in line for a token, and take it. Raises what `beat` raises."""
        self._step(False)
        await self._bucket.take(beat)
        self._step(True)

    def empty(self, seconds: float | None) -> None:
        """The server is overloaded, or wants no requests for some seconds."""
        self._bucket.empty(seconds or 0.0)

    def end(self) -> None:
        """The call is over, however it ended."""
        self._step(False)

    def _step(self, past: bool) -> None:
        if past is not self._past:
            self._past = past
            self._bucket.past += 1 if past else -1
            if past:
                self._bucket.moved()


class Buckets:
    """The buckets of one endpoint, made when they are first needed."""

    def __init__(self, endpoint: Endpoint, clock: Callable[[], float] = time.monotonic) -> None:
        self._endpoint = endpoint
        self._clock = clock
        self._unbounded = endpoint.rate is None and all(b.rate is None for b in endpoint.bounds)
        self._made: dict[tuple[str, str | None], Bucket | None] = {}

    def of(self, model: str, provider: str | None) -> Bucket | None:
        """The bucket of a model, one for each provider it is pinned to; None where its rate is unbounded."""
        if self._unbounded:
            return None
        key = (model, provider)
        if key not in self._made:
            rate = self._endpoint.bounds_of(model, provider).rate
            self._made[key] = Bucket(rate, self._clock) if rate else None
        return self._made[key]
