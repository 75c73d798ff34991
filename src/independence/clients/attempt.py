"""One attempt: hold the money, wait for a token, send, read what came, settle, write it down, tell the throttle."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final, NamedTuple

import aiohttp

from independence.clients import dialects, failures, flags, pricing
from independence.clients.bucket import Buckets, Pass
from independence.clients.budget import Budget, Reservation
from independence.clients.catalogue import Catalogue, ModelInfo
from independence.clients.dialects import Droppable
from independence.clients.failures import Failure, Said
from independence.clients.protocol import Notify, Parked, Wait
from independence.clients.reading import BodyTooLarge
from independence.clients.retry import Ledger
from independence.clients.signals import Signal, read_signal
from independence.clients.throttle import Throttle
from independence.clients.transport import Answered, Transport
from independence.clients.wire import (
    NOTHING,
    Choice,
    Paid,
    Response,
    decode,
    decode_any,
    is_litellm,
    paid,
    replayed,
    text_of,
)
from independence.config.endpoints import Endpoint
from independence.types import Attempt, ChatRequest, Usage

_REFUSALS: Final[Mapping[Droppable, re.Pattern[str]]] = {
    "response_format": re.compile(r"response_format|schema|structured|grammar|guided|sampler|param", re.IGNORECASE),
    "reasoning_effort": re.compile(r"reasoning|effort|think", re.IGNORECASE),
    "cache": re.compile(r"cache", re.IGNORECASE),
}


class Taken(NamedTuple):
    """A response that holds an answer of some kind."""

    response: Response
    choice: Choice
    finish: str | None
    flags: tuple[str, ...]


Outcome = Taken | Failure


class Line:
    """An endpoint as attempts see it, shared by all asks. Remembers which parameters a model's server rejects."""

    def __init__(
        self,
        endpoint: Endpoint,
        session: aiohttp.ClientSession,
        catalogue: Catalogue,
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
        self._litellm = False

    def visit(self, request: ChatRequest) -> Pass | None:
        """An ask at the bucket of its model, to be ended; None where the model has none."""
        bucket = self.buckets.of(request.model, request.sampling.provider)
        return Pass(bucket) if bucket else None

    async def attempt(self, request: ChatRequest, ledger: Ledger, visit: Pass | None = None) -> Outcome:
        """Send once. Raises CostCapReached, and Parked where a cap cannot be kept because the price is unknown."""
        info = self._catalogue.info(request.model)
        prices = self._dialect.prices(info)
        without = self.without(request.model)
        asked_anew = self._litellm and "cache" not in without
        parameters = self._dialect.parameters(request, info, without)
        body = dialects.body(parameters | {"cache": {"no-cache": True}} if asked_anew else parameters)
        hold = await self._hold(request, prices)
        if visit is not None:
            await self._token(request.model, visit, hold)
        epoch, started = self._throttle.epoch, time.perf_counter()
        try:
            outcome, bill = await self._send(body, prices, self._timeout_s(request))
            if bill.known:
                hold.settle(bill.usage.cost_usd)
        finally:
            hold.keep()  # whatever is not settled by now, cancelled or of unknown cost, counts as spent
        kind, detail = (outcome.kind, outcome.detail) if isinstance(outcome, Failure) else ("ok", "")
        unknown = 0.0 if bill.known else hold.usd
        ledger.add(Attempt(kind, time.perf_counter() - started, bill.usage, unknown, detail))
        if isinstance(outcome, Taken):
            self._throttle.succeeded()
            return self._anew(request, outcome, ledger, asked_anew=asked_anew)
        if outcome.overload:
            self._throttle.overloaded(epoch)
        if visit is not None and (outcome.overload or outcome.retry_after is not None):
            visit.empty(outcome.retry_after)
        if self._gives_way(request, info, without, outcome):
            return outcome._replace(action="again")
        return outcome

    def without(self, model: str) -> frozenset[Droppable]:
        """The parameters left out for a model because its server rejected them."""
        return self._without.get(model, frozenset())

    def _gives_way(
        self, request: ChatRequest, info: ModelInfo | None, without: frozenset[Droppable], failure: Failure
    ) -> bool:
        """Whether what was rejected is a parameter we can do without. It is left out from now on."""
        if failure.status not in (400, 404, 422):
            return False
        sent: list[Droppable] = ["cache"] if self._litellm else []
        for name in sent + self._dialect.droppable(request, info):
            if name not in without and _REFUSALS[name].search(failure.detail):
                self._without[request.model] = self.without(request.model) | {name}
                return True
        return False

    def _anew(self, request: ChatRequest, taken: Taken, ledger: Ledger, *, asked_anew: bool) -> Outcome:
        """What was taken, unless a gateway replayed it that is known only now, and can be asked for a new one."""
        refusable = self._litellm and "cache" not in self.without(request.model)
        if flags.CACHE_HIT not in taken.flags or asked_anew or not refusable:
            return taken
        ledger.mark("cached")
        return Failure("again", "cached", "a gateway replayed a stored reply before it was asked not to")

    def _timeout_s(self, request: ChatRequest) -> float:
        slow = self._dialect.is_slow(request.model)
        return self.endpoint.timeout_of(request.model, request.sampling.provider, slow=slow)

    async def _hold(self, request: ChatRequest, prices: pricing.Prices | None) -> Reservation:
        if prices is None:
            if self._budget.cap is not None:
                why = "its price is not listed, so --max-cost cannot be kept"
                raise Parked(request.model, why)
            return await self._budget.reserve(0.0)
        usd = pricing.reservation(request, prices)
        if not self._budget.fits(usd):
            self.notify(Wait(request.model, "budget", 0.0))
        return await self._budget.reserve(usd)

    async def _token(self, model: str, visit: Pass, hold: Reservation) -> None:
        """Wait for a token. Nothing is sent, and nothing costs, where the wait is ended."""
        still = False

        def beat(left: float) -> None:
            nonlocal still
            self.notify(Wait(model, "rate", 0.0 if still else left, still=still))
            still = True

        try:
            await visit.take(beat)
        except BaseException:
            hold.settle(0.0)
            raise

    async def _send(self, body: bytes, prices: pricing.Prices | None, timeout_s: float) -> tuple[Outcome, Paid]:
        try:
            answered = await self._transport.post(body, timeout_s)
        except (aiohttp.ClientError, BodyTooLarge, OSError) as error:
            failure = failures.of_exception(error, self.endpoint.api_key)
            return failure, Paid(Usage(), known=failure.unbilled)
        self._litellm = self._litellm or is_litellm(answered.headers)
        return read(answered, prices, self.endpoint.api_key)


def read(answered: Answered, prices: pricing.Prices | None, key: str) -> tuple[Outcome, Paid]:
    """What an HTTP answer is, and what it cost."""
    if not 200 <= answered.status < 300:
        failure = failures.of_answer(_said(answered, _signal(answered.body), key))
        return failure, Paid(Usage(), known=failure.unbilled)
    decoded = decode(answered.body)
    if decoded is None:
        what = "the body is not the JSON of a completion" if answered.body else "an answer without a body"
        told = f"HTTP {answered.status}: {what}" if answered.status != 200 else what
        cut = Failure("retry", "malformed", told, unbilled=False)
        return cut, paid(None, prices)
    response = decoded.response
    outcome = _outcome(response, answered, key)
    bill = paid(response.usage, prices)
    if isinstance(outcome, Failure):
        return outcome, NOTHING if outcome.unbilled and not bill.known else bill
    if decoded.repaired:
        outcome = outcome._replace(flags=(*outcome.flags, flags.BAD_TEXT))
    return outcome, bill


def _outcome(response: Response, answered: Answered, key: str) -> Outcome:
    choice = response.choice
    usable = choice is not None and _says_something(choice)
    finish = text_of(choice.finish_reason) or None if choice else None
    error = response.error if response.error is not None else choice.error if choice else None
    if choice is None or not usable:
        if error is not None:
            return failures.of_answer(_said(answered, read_signal({"error": error}), key))
        if choice is None or finish == "error":
            return Failure("retry", "no_choices" if choice is None else "error", unbilled=False)
        if finish == "content_filter":
            return Failure("blocked", "content_filter", "a content filter ended the reply", unbilled=False)
    marks = []
    if error is not None or finish == "error":
        marks.append(flags.FINISH_ERROR)
    if finish == "content_filter":
        marks.append(flags.CONTENT_FILTER)
    if replayed(answered.headers):
        marks.append(flags.CACHE_HIT)
    return Taken(response, choice, finish, tuple(marks))


def _says_something(choice: Choice) -> bool:
    message = choice.message
    if message is None:
        return False
    content = message.content
    said = bool(content.strip()) if isinstance(content, str) else bool(content)
    return said or bool(message.tool_calls or message.function_call or message.refusal)


def _signal(body: bytes) -> Signal:
    signal = read_signal(decode_any(body))
    if signal.message:
        return signal
    text = body[:400].decode("utf-8", "replace").strip()
    return signal._replace(message="" if text.startswith(("<", "{", "[")) else text)


def _said(answered: Answered, signal: Signal, key: str) -> Said:
    return Said(answered.status, answered.headers, signal, datetime.now(UTC), key)
