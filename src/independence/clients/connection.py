"""The connection to an endpoint, and one attempt over it.

An attempt reserves its cost, waits for a token of the rate limit, sends, settles its cost, is logged, and reports
success or overload to the throttle.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Final

import aiohttp
import msgspec

from independence.clients import dialects, failures, flags, pricing, wire
from independence.clients.catalogue import Catalogue, ModelInfo
from independence.clients.dialects import Droppable
from independence.clients.failures import RequestFailure
from independence.clients.pricing import Budget, Prices, Reservation
from independence.clients.protocol import Notify, Parked, Wait
from independence.clients.throttle import Buckets, PacedCall, Throttle
from independence.clients.transport import BodyTooLarge, Transport
from independence.clients.wire import AttemptCost, Outcome, ReceivedMessage
from independence.config.endpoints import Endpoint
from independence.types import Attempt, ChatRequest, Usage

_REJECTIONS: Final[Mapping[Droppable, re.Pattern[str]]] = {
    "response_format": re.compile(r"response_format|schema|structured|grammar|guided|sampler|param", re.IGNORECASE),
    "reasoning_effort": re.compile(r"reasoning|effort|think", re.IGNORECASE),
    "cache": re.compile(r"cache", re.IGNORECASE),
}


class AttemptLog:
    """The attempts of one call, in order."""

    def __init__(self) -> None:
        self._attempts: list[Attempt] = []
        self.retried = 0  # transport retries used up

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        """All attempts so far."""
        return tuple(self._attempts)

    @property
    def usage(self) -> Usage:
        """Usage of all attempts together."""
        if len(self._attempts) == 1:
            return self._attempts[0].usage
        return sum((a.usage for a in self._attempts), Usage())

    def add(self, attempt: Attempt) -> None:
        """Log an attempt."""
        self._attempts.append(attempt)

    def mark(self, outcome: str) -> None:
        """Say what the last attempt turned out to be, now that its answer has been read."""
        if self._attempts[-1].outcome != outcome:
            self._attempts[-1] = msgspec.structs.replace(self._attempts[-1], outcome=outcome)


class EndpointConnection:
    """An endpoint as attempts see it, shared by all calls. Remembers which parameters a model's server rejects."""

    def __init__(
        self,
        endpoint: Endpoint,
        session: aiohttp.ClientSession,
        catalogue: Catalogue,
        *,
        budget: Budget,
        throttle: Throttle,
        notify: Notify,
    ) -> None:
        self.endpoint = endpoint
        self.notify = notify
        self.buckets = Buckets(endpoint)
        self._dialect = dialects.of(endpoint.dialect)
        self._transport = Transport(session, endpoint)
        self._catalogue = catalogue
        self._budget = budget
        self._throttle = throttle
        self._without: dict[str, frozenset[Droppable]] = {}
        self._litellm = False  # whether a LiteLLM gateway has answered

    def paced(self, request: ChatRequest) -> PacedCall | None:
        """The call at the token bucket of its model, to be ended; None where the model has no rate limit."""
        bucket = self.buckets.of(request.model, request.sampling.provider)
        return PacedCall(bucket) if bucket else None

    async def attempt(self, request: ChatRequest, log: AttemptLog, paced: PacedCall | None = None) -> Outcome:
        """Send once. Raises CostCapReached, and Parked where a cap cannot be kept because the price is unknown."""
        info = self._catalogue.info(request.model)
        prices = self._dialect.prices(info)
        without = self.without(request.model)
        asked_anew = self._litellm and "cache" not in without
        parameters = self._dialect.parameters(request, info, without)
        body = dialects.body(parameters | {"cache": {"no-cache": True}} if asked_anew else parameters)
        hold = await self._hold(request, prices)
        if paced is not None:
            await self._token(request.model, paced, hold)
        epoch, started = self._throttle.epoch, time.perf_counter()
        try:
            outcome, cost = await self._send(body, prices, self._timeout_s(request))
            if cost.known:
                hold.settle(cost.usage.cost_usd)
        finally:
            hold.keep()  # whatever is not settled by now, cancelled or of unknown cost, counts as spent
        kind, detail = (outcome.kind, outcome.detail) if isinstance(outcome, RequestFailure) else ("ok", "")
        unknown = 0.0 if cost.known else hold.usd
        log.add(Attempt(kind, time.perf_counter() - started, cost.usage, unknown, detail))
        if isinstance(outcome, ReceivedMessage):
            self._throttle.succeeded()
            return self._not_replayed(request, outcome, log, asked_anew=asked_anew)
        if outcome.overload:
            self._throttle.overloaded(epoch)
        if paced is not None and (outcome.overload or outcome.retry_after is not None):
            paced.empty(outcome.retry_after)
        if self._drops_parameter(request, info, without, outcome):
            return outcome._replace(action="again")
        return outcome

    def without(self, model: str) -> frozenset[Droppable]:
        """The parameters left out for a model because its server rejected them."""
        return self._without.get(model, frozenset())

    def _drops_parameter(
        self, request: ChatRequest, info: ModelInfo | None, without: frozenset[Droppable], failure: RequestFailure
    ) -> bool:
        """Whether what was rejected is a parameter we can do without. It is left out from now on."""
        if failure.status not in (400, 404, 422):
            return False
        sent: list[Droppable] = ["cache"] if self._litellm else []
        for name in sent + self._dialect.droppable(request, info):
            if name not in without and _REJECTIONS[name].search(failure.detail):
                self._without[request.model] = self.without(request.model) | {name}
                return True
        return False

    def _not_replayed(
        self, request: ChatRequest, received: ReceivedMessage, log: AttemptLog, *, asked_anew: bool
    ) -> Outcome:
        """The message, unless a gateway replayed it that is known only now, and can be asked for a new one."""
        can_ask = self._litellm and "cache" not in self.without(request.model)
        if flags.CACHE_HIT not in received.flags or asked_anew or not can_ask:
            return received
        log.mark("cached")
        return RequestFailure("again", "cached", "a gateway replayed a stored reply before it was asked not to")

    def _timeout_s(self, request: ChatRequest) -> float:
        slow = self._dialect.is_slow(request.model)
        return self.endpoint.timeout_of(request.model, request.sampling.provider, slow=slow)

    async def _hold(self, request: ChatRequest, prices: Prices | None) -> Reservation:
        if prices is None:
            if self._budget.cap is not None:
                raise Parked(request.model, "its price is not listed, so --max-cost cannot be kept")
            return await self._budget.reserve(0.0)
        usd = pricing.reservation(request, prices)
        if not self._budget.fits(usd):
            self.notify(Wait(request.model, "budget", 0.0))
        return await self._budget.reserve(usd)

    async def _token(self, model: str, paced: PacedCall, hold: Reservation) -> None:
        """Wait for a token. Nothing is sent, and nothing costs, where the wait is ended."""
        still = False

        def beat(left: float) -> None:
            nonlocal still
            self.notify(Wait(model, "rate", 0.0 if still else left, still=still))
            still = True

        try:
            await paced.take(beat)
        except BaseException:
            hold.settle(0.0)
            raise

    async def _send(self, body: bytes, prices: Prices | None, timeout_s: float) -> tuple[Outcome, AttemptCost]:
        try:
            response = await self._transport.post(body, timeout_s)
        except (aiohttp.ClientError, BodyTooLarge, OSError) as error:
            failure = failures.of_exception(error, self.endpoint.api_key)
            return failure, AttemptCost(Usage(), known=failure.unbilled)
        self._litellm = self._litellm or wire.is_litellm(response.headers)
        return wire.read(response, prices, self.endpoint.api_key)
