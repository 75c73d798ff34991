"""What bounds the calls of an endpoint: the dollars that they may cost, and how fast they may be sent.

Dollars are reserved before a request leaves and settled when its cost is known. The cap is kept in whole picodollars,
so that `spent + reserved <= cap` is exact. It can fail in one way only: a call costs more than was reserved for it.
What is spent and reserved is in the ledger on disk before a request leaves, so that after a crash the ledger holds at
least what was served.

A token bucket for every provider and model may bound the rate. Every HTTP attempt, retries included, takes a token just
before it is sent; first come, first served. When a server says that it is overloaded, the bucket is emptied for all
calls that wait for a token, for as long as the server said. A hold does the same where no rate is set. How many calls
are in flight is bounded by `throttle.py`.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping

import msgspec

from independence.config.endpoints import Endpoint, Rate
from independence.config.subjects import OPENROUTER
from independence.errors import CostCapReached
from independence.types import ChatRequest, Usage

BYTES_PER_TOKEN = 3.5
_TOKENS_PER_MESSAGE = 8
_DEAREST_CALL = 1e6  # dollars; what claims to cost more is a mistake
_TOKENS_PER_TOOL = 350  # the JSON around a tool's texts, and the hidden instructions that vendors put before it
_PROMPT_MARGIN = 1.3  # tokenizers differ; text that is not Latin takes more tokens a byte
PICO = 1_000_000_000_000
_AHEAD = 8  # of what is held, one part in so many is put into the ledger beside it
Record = Callable[[float, float], Awaitable[object]]  # dollars spent, and of them those of unknown outcome
HEARTBEAT_S = 1.0
_ENOUGH = 1.0 - 1e-9  # of a token: a rounding error must not cost another second of waiting
_LONGEST_GAP_S = 0.25  # between the first who leave after a hold: about what a refusal takes to come back
_GAPS = 20  # in as long as the hold, at least: a short one does not slow what is fast
_SOONER = 0.9  # each leaves a little sooner after the one before it: ten gaps in all


class Prices(msgspec.Struct, frozen=True):
    """Dollars per token, and per request; where a price depends on size or hour, the highest."""

    prompt: float = 0.0
    completion: float = 0.0
    request: float = 0.0
    internal_reasoning: float = 0.0


FREE = Prices()


def prompt_tokens(request: ChatRequest) -> float:
    """Estimated prompt tokens of a request: bytes / 3.5, 8 a message, and the tool's schema."""
    size = 0
    for message in request.messages:
        content = message.content
        if content:
            size += len(content.encode("utf-8", "replace"))
        for call in message.tool_calls:
            size += len(call.function.arguments) + len(call.function.name)
    if request.schema is not None:
        size += len(msgspec.json.encode(request.schema))
    fixed = _TOKENS_PER_MESSAGE * len(request.messages)
    if (tool := request.tool) is not None:
        texts = (tool.name, tool.description, tool.parameter, tool.parameter_description)
        size, fixed = size + sum(len(text.encode()) for text in texts), fixed + _TOKENS_PER_TOOL
    return size / BYTES_PER_TOKEN + fixed


def reservation(request: ChatRequest, prices: Prices) -> float:
    """Dollars to hold before sending: the estimated prompt with its margin, and `max_tokens` at the dearer price."""
    if prices == FREE:
        return 0.0
    dearest = max(prices.completion, prices.internal_reasoning)
    return prompt_tokens(request) * _PROMPT_MARGIN * prices.prompt + request.max_tokens * dearest + prices.request


def number(value: object) -> float | None:
    """A finite, non-negative number, given as one or as a numeric string; booleans are not numbers."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        result = float(value)
    except (ValueError, OverflowError):
        return None
    return result if math.isfinite(result) and result >= 0 else None


def reported_cost(cost: object, is_byok: object, details: object) -> float | None:
    """The dollars a usage object states: its cost and, with one's own provider key, what the provider takes."""
    upstream = details.get("upstream_inference_cost") if is_byok is True and isinstance(details, Mapping) else None
    known = [usd for usd in map(number, (cost, upstream)) if usd is not None and usd < _DEAREST_CALL]
    return sum(known) if known else None


def listed_cost(usage: Usage, prices: Prices) -> float:
    """Dollars by list price, for endpoints that do not state a cost."""
    reasoning = min(usage.reasoning_tokens, usage.completion_tokens)
    return (
        usage.prompt_tokens * prices.prompt
        + (usage.completion_tokens - reasoning) * prices.completion
        + reasoning * max(prices.completion, prices.internal_reasoning)
        + prices.request
    )


class Reservation:
    """Dollars held for one attempt. The first of `settle` and `keep` counts, later ones do nothing."""

    __slots__ = ("_amount", "_budget", "_open")

    def __init__(self, budget: Budget, amount: int) -> None:
        self._budget = budget
        self._amount = amount
        self._open = True

    @property
    def usd(self) -> float:
        """The reserved dollars."""
        return self._amount / PICO

    def settle(self, actual_usd: float) -> None:
        """The cost is known: release what was not used."""
        if self._open:
            self._open = False
            self._budget._close(self._amount, round(actual_usd * PICO), known=True)

    def keep(self) -> None:
        """The cost never came back: what was reserved stays spent."""
        if self._open:
            self._open = False
            self._budget._close(self._amount, self._amount, known=False)


class Budget:
    """What may be spent. `cap` None never refuses but counts all the same."""

    def __init__(self, cap: float | None) -> None:
        self.cap = cap
        self._cap = None if cap is None else math.floor(cap * PICO)
        self._spent = self._reserved = self._unknown = 0
        self._line = asyncio.Lock()  # first come, first served: a large call is not starved by small ones behind it
        self._freed = asyncio.Event()
        self._waiting = 0  # those in line, and the first one who has left it but not yet gone on
        self._record: Record | None = None
        self._recorded = 0  # what may be gone, by the ledger on disk
        self._recording = asyncio.Lock()

    @property
    def spent(self) -> float:
        """Dollars gone, those of unknown outcome included."""
        return self._spent / PICO

    @property
    def unknown(self) -> float:
        """The part of `spent` that was reserved for attempts whose cost never came back."""
        return self._unknown / PICO

    @property
    def held(self) -> float:
        """Dollars that are held for calls under way, and for workers."""
        return self._reserved / PICO

    @property
    def left(self) -> float:
        """Dollars that are neither spent nor held; infinite without a cap, below 0 where a call cost too much."""
        return math.inf if self._cap is None else (self._cap - self._spent - self._reserved) / PICO

    def hold(self, usd: float) -> Reservation:
        """Hold dollars, whatever the cap says: a worker has them already, or `left` covers them."""
        amount = _amount(usd)
        self._reserved += amount
        return Reservation(self, amount)

    def record_by(self, record: Record) -> None:
        """From now on no request leaves whose cost `record` has not put into the ledger."""
        self._record = record

    @property
    def recorded(self) -> bool:
        """Whether the ledger on disk holds all that is spent and held."""
        return self._record is None or self._spent + self._reserved <= self._recorded

    async def record(self, *, anew: bool = False) -> None:
        """Put what is spent and held into the ledger, and a little ahead, so that not every call has to.

        `anew`: also where it holds enough, as it may hold too much by now. Raises what writing raises.
        """
        if self.recorded and not anew:  # nobody waits for what another one writes
            return
        async with self._recording:
            if self._record is None or (self.recorded and not anew):
                return
            open_ = self._reserved + self._reserved // _AHEAD
            most = self._spent + open_
            self._recorded = min(self._recorded, most)
            await self._record(most / PICO, (self._unknown + open_) / PICO)
            self._recorded = most

    def fits(self, usd: float) -> bool:
        """Whether a reservation would be granted at once."""
        return not self._line.locked() and self._fits(_amount(usd))

    async def reserve(self, usd: float) -> Reservation:
        """Hold dollars. Waits while calls under way may give some back; raises CostCapReached when none is left."""
        if self._cap is None:
            return self.hold(usd)
        self._waiting += 1
        try:
            async with self._line:
                while not self._fits(_amount(usd)):
                    if self._reserved == 0:  # no call is under way that could give some back
                        raise self._reached(usd)
                    self._freed.clear()
                    await self._freed.wait()
                return self.hold(usd)
        finally:
            self._waiting -= 1

    def _fits(self, amount: int) -> bool:
        return self._cap is None or self._spent + self._reserved + amount <= self._cap

    def _close(self, amount: int, actual: int, *, known: bool) -> None:
        self._reserved -= amount
        self._spent += actual
        if not known:
            self._unknown += amount
        if self._waiting:
            self._freed.set()

    def _reached(self, usd: float) -> CostCapReached:
        """That the cap does not cover a call that may cost so much."""
        unknown = f" (${self.unknown:.4f} of it for calls whose cost never came back)" if self._unknown else ""
        return CostCapReached(
            f"the cost cap of ${self.cap:.4f} is reached: ${self.spent:.4f} spent{unknown}, and the next call may cost "
            f"up to ${usd:.4f}",
            "everything so far is kept, a higher --max-cost resumes",
        )


def _amount(usd: float) -> int:
    return math.ceil(max(0.0, usd) * PICO)


class Bucket:
    """`rate.burst` tokens at first, refilled with `rate.per_second` and never above the burst."""

    in_line = 4  # calls that should wait for a token: enough for the next tokens to find somebody

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self.past = 0  # calls that have their token and do not wait for another
        self.moved: Callable[[], None] = lambda: None  # called whenever a call gets its token
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
            await _wait(self.left, beat)
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


async def _wait(left: Callable[[], float], beat: Callable[[float], None]) -> None:
    """Wait until no seconds are left. `beat` is called with them now and every second; what it raises ends the wait."""
    while (seconds := left()) > 0:
        beat(seconds)
        await asyncio.sleep(min(seconds, HEARTBEAT_S))


class Hold:
    """Lets no request leave for as long as a server said, and then one after another.

    Where a limit slides there is room for one when it lifts: the second is refused before the others have left.
    """

    def __init__(self) -> None:
        self._until = 0.0  # by the clock of the loop
        self._gap = 0.0  # between those that leave
        self._line = asyncio.Lock()

    def begin(self, seconds: float, since: float | None = None) -> None:
        """The server takes none for some seconds, from now or from then on."""
        now = asyncio.get_running_loop().time()
        self._until = max(self._until, (now if since is None else since) + seconds)
        self._gap = min(_LONGEST_GAP_S, seconds / _GAPS)

    async def passed(self, beat: Callable[[float], None]) -> None:
        """Wait for its end, first come, first served. `beat` is called as a bucket calls it."""
        clock = asyncio.get_running_loop().time
        async with self._line:
            await _wait(lambda: self._until - clock(), beat)
            self._until = clock() + self._gap
            self._gap *= _SOONER


class Buckets:
    """The buckets of one endpoint, made when they are first needed."""

    def __init__(self, endpoint: Endpoint, clock: Callable[[], float] = time.monotonic) -> None:
        self._endpoint = endpoint
        self._clock = clock
        self._unbounded = endpoint.rate is None and all(b.rate is None for b in endpoint.bounds)
        self._made: dict[tuple[str, str | None], Bucket | None] = {}
        self._holds: defaultdict[str, Hold] = defaultdict(Hold)

    def hold(self, model: str) -> Hold:
        """What holds requests back: the same for all models, but not at a router, which sends them to many servers."""
        return self._holds[model if self._endpoint.name == OPENROUTER else ""]

    def of(self, model: str, provider: str | None) -> Bucket | None:
        """The bucket of a model, one for each provider it is pinned to; None where its rate is unbounded."""
        if self._unbounded:
            return None
        key = (model, provider)
        if key not in self._made:
            rate = self._endpoint.bounds_of(model, provider).rate
            self._made[key] = Bucket(rate, self._clock) if rate else None
        return self._made[key]
