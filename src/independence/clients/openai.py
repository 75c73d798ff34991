"""The chat client for OpenAI-compatible endpoints: send, retry what is transport, ask again where no answer came.

An attempt reserves its cost, waits for room and for a token of the rate limit, sends, settles its cost, is logged, and
reports to the throttle.

What an answer says is never a reason to ask again. Where no answer came (reasoning only, nothing, a transport artefact)
the question is asked at most twice more; a truncated answer is asked for once more, with twice the budget.
"""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Final, Literal, Protocol

import aiohttp
import msgspec

from independence.clients import dialects, extract, failures, limits, protocol, wire
from independence.clients.catalogue import Catalogue, ModelInfo
from independence.clients.cleaning import artefact, message_of, readable, safe, union
from independence.clients.dialects import Droppable
from independence.clients.extract import Extracted
from independence.clients.failures import RequestFailure, key_rejected
from independence.clients.limits import HEARTBEAT_S, Buckets, Budget, PacedCall, Prices, Reservation
from independence.clients.plain import plain
from independence.clients.protocol import GaveUp, Notify, Parked, Policy, Wait
from independence.clients.throttle import Throttle
from independence.clients.transport import BodyTooLarge, Transport
from independence.clients.wire import AttemptCost, Outcome, ReceivedMessage, WireMessage, shorten, text_of, tokens_of
from independence.config.endpoints import Endpoint
from independence.errors import IndependenceError, OutOfCredit
from independence.types import Answer, Attempt, ChatRequest, Missing, MissingReason, Reply, Usage

Kind = Literal["ok", "length", "reasoning_only", "empty", "template_tokens", "punctuation", "greeting"]

_SEEDS = 2**31
_TOO_MANY = 429
_NO_ANSWER = ("reasoning_only", "empty", "length")
_LONGEST_NAME = 1000
REJECTIONS: Final[Mapping[Droppable, re.Pattern[str]]] = {
    "response_format": re.compile(r"response_format|schema|structured|grammar|guided|sampler|param", re.IGNORECASE),
    "reasoning_effort": re.compile(r"reasoning|effort|think", re.IGNORECASE),
    "cache": re.compile(r"cache", re.IGNORECASE),
}


class AttemptLog:
    """The attempts of one call, in order."""

    def __init__(self) -> None:
        self.attempts: tuple[Attempt, ...] = ()
        self.retried = 0  # transport retries used up
        self.spared = 0  # refusals that used up none of them
        self.room = math.inf  # what may be in flight beside the next attempt, where the last one was refused

    @property
    def usage(self) -> Usage:
        """Usage of all attempts together."""
        return self.attempts[0].usage if len(self.attempts) == 1 else sum((a.usage for a in self.attempts), Usage())

    def add(self, attempt: Attempt) -> None:
        """Log an attempt."""
        self.attempts = (*self.attempts, attempt)

    def spares(self, policy: Policy) -> bool:
        """Whether the last attempt uses up no retry: it was refused while others were in flight.

        That it was one too many says nothing of the call. A server that refuses everything soon has one in flight.
        """
        return 0 <= self.room < math.inf and self.spared < policy.spared

    def mark(self, outcome: str) -> None:
        """Say what the last attempt turned out to be, now that its answer has been read."""
        last = self.attempts[-1]
        if last.outcome != outcome:
            self.attempts = (*self.attempts[:-1], msgspec.structs.replace(last, outcome=outcome))


class Connection(Protocol):
    """What a client asks through: it sends once."""

    endpoint: Endpoint
    buckets: Buckets

    @property
    def notify(self) -> Notify:
        """Who hears of waits."""
        ...

    def paced(self, request: ChatRequest) -> PacedCall | None:
        """The call at the token bucket of its model; None where the model has no rate limit."""
        ...

    def without(self, model: str) -> frozenset[Droppable]:
        """The parameters left out for a model because its server rejected them."""
        ...

    async def attempt(self, request: ChatRequest, log: AttemptLog, paced: PacedCall | None = None) -> Outcome:
        """Send once, and log the attempt."""
        ...


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
        buckets: Buckets | None = None,
    ) -> None:
        self.endpoint = endpoint
        self.catalogue = catalogue
        self.budget = budget
        self.throttle = throttle
        self.notify = notify
        self.buckets = buckets or Buckets(endpoint)
        self._dialect = dialects.of(endpoint.dialect)
        self._transport = Transport(session, endpoint)
        self._without: dict[str, frozenset[Droppable]] = {}
        self._litellm = False  # whether a LiteLLM gateway has answered

    def paced(self, request: ChatRequest) -> PacedCall | None:
        """The call at the token bucket of its model, to be ended; None where the model has no rate limit."""
        bucket = self.buckets.of(request.model, request.sampling.provider)
        return PacedCall(bucket) if bucket else None

    async def attempt(self, request: ChatRequest, log: AttemptLog, paced: PacedCall | None = None) -> Outcome:
        """Send once. Raises CostCapReached, and Parked where a cap cannot be kept because the price is unknown."""
        info = self.catalogue.info(request.model)
        prices = self._dialect.prices(info)
        without = self.without(request.model)
        asked_anew = self._litellm and "cache" not in without
        parameters = self._dialect.parameters(request, info, without)
        body = dialects.body(parameters | {"cache": {"no-cache": True}} if asked_anew else parameters)
        usd = self._most(request, prices)
        hold = self.budget.at_once(usd) or await self._hold(request.model, usd)
        epoch = self.throttle.begin(log.room) if paced is None else None
        if epoch is None:
            epoch = await self._admitted(request.model, log.room, paced, hold)
        started, sent = time.perf_counter(), False
        try:
            outcome, cost = await self._send(body, prices, self._timeout_s(request))
            sent = True
            if cost.known:
                hold.settle(cost.usage.cost_usd)
        finally:
            hold.keep()  # whatever is not settled by now, cancelled or of unknown cost, counts as spent
            if not sent:
                self.throttle.ended()
        seconds, unknown = time.perf_counter() - started, 0.0 if cost.known else hold.usd
        if isinstance(outcome, ReceivedMessage):
            log.add(Attempt("ok", seconds, cost.usage, unknown))
            log.room = math.inf
            self.throttle.served(epoch)
            return self._not_replayed(request, outcome, log, asked_anew=asked_anew) if outcome.flags else outcome
        log.add(Attempt(outcome.kind, seconds, cost.usage, unknown, outcome.detail))
        log.room = self._learn(epoch, outcome)
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
            if name not in without and REJECTIONS[name].search(failure.detail):
                self._without[request.model] = self.without(request.model) | {name}
                return True
        return False

    def _not_replayed(
        self, request: ChatRequest, received: ReceivedMessage, log: AttemptLog, *, asked_anew: bool
    ) -> Outcome:
        """The message, unless a gateway replayed it that is known only now, and can be asked for a new one."""
        can_ask = self._litellm and "cache" not in self.without(request.model)
        if protocol.CACHE_HIT not in received.flags or asked_anew or not can_ask:
            return received
        log.mark("cached")
        return RequestFailure("again", "cached", "a gateway replayed a stored reply before it was asked not to")

    def _timeout_s(self, request: ChatRequest) -> float:
        slow = self._dialect.is_slow(request.model)
        return self.endpoint.timeout_of(request.model, request.sampling.provider, slow=slow)

    def _most(self, request: ChatRequest, prices: Prices | None) -> float:
        """What an attempt may cost. Raises Parked where that is unknown and must not be."""
        if prices is not None:
            return limits.reservation(request, prices)
        if self.budget.cap is not None:
            raise Parked(request.model, "its price is not listed, so --max-cost cannot be kept")
        return 0.0

    async def _hold(self, model: str, usd: float) -> Reservation:
        """Wait for dollars."""
        if not self.budget.fits(usd):
            self.notify(Wait(model, "budget", 0.0))
        return await self.budget.reserve(usd)

    def _learn(self, epoch: int, failure: RequestFailure) -> float:
        """Tell the throttle. Returns what may be in flight beside the next attempt of the call."""
        if failure.overload:
            return self.throttle.refused(epoch, certain=failure.status == _TOO_MANY)
        self.throttle.ended()
        return math.inf

    async def _admitted(self, model: str, room: float, paced: PacedCall | None, hold: Reservation) -> int:
        """Wait for room and a token. Nothing is sent, and nothing costs, where the wait is ended."""
        still = False

        def beat(left: float) -> None:
            nonlocal still
            self.notify(Wait(model, "rate", 0.0 if still else left, still=still or not left))
            still = True

        epoch = None
        try:
            epoch = await self.throttle.enter(room, beat)
            if paced is not None:
                await paced.take(beat)
        except BaseException:
            hold.settle(0.0)
            if epoch is not None:
                self.throttle.ended()
            raise
        return epoch

    async def _send(self, body: bytes, prices: Prices | None, timeout_s: float) -> tuple[Outcome, AttemptCost]:
        try:
            response = await self._transport.post(body, timeout_s)
        except (aiohttp.ClientError, BodyTooLarge, OSError) as error:
            failure = failures.of_exception(error, self.endpoint.api_key)
            return failure, AttemptCost(Usage(), known=failure.unbilled)
        self._litellm = self._litellm or wire.is_litellm(response.headers)
        return wire.read(response, prices, self.endpoint.api_key)


class NextRequest:
    """What one call sends next, how often it may ask again, and the truncated answer it has so far."""

    __slots__ = ("_left", "_number", "asked", "held", "longer")

    def __init__(self, request: ChatRequest, policy: Policy) -> None:
        self.asked = request
        self.held: Reply | None = None  # a truncated but readable answer, kept in case nothing better comes
        self._left = policy.reasks
        self._number = 0
        self.longer = False  # whether twice the budget has been given

    def again(self, kind: Kind, reply: Reply) -> bool:
        """Whether to ask once more; if so, `asked` is the request to send."""
        if kind == "length":
            if readable(reply.text):
                self.held = reply
            if self.longer:
                return False
            self.longer = True
            self._turn(self.asked.max_tokens * 2)
            return True
        if self._left == 0:
            return False
        self._left -= 1
        if kind != "empty":  # nothing at all came: the same question, not another one
            self._turn(self.asked.max_tokens)
        return True

    def _turn(self, max_tokens: int) -> None:
        self._number += 1
        seed = self.asked.seed
        self.asked = msgspec.structs.replace(
            self.asked, max_tokens=max_tokens, seed=None if seed is None else (seed + 1) % _SEEDS
        )

    def settle(self, reply: Reply, log: AttemptLog, *, truncated: bool) -> Reply:
        """The reply with its history: attempts, their usage, and the flags they leave."""
        marks = (protocol.RETRIED_LENGTH,) if self.longer else ()
        marks = (*marks, protocol.TRUNCATED) if truncated else marks
        return msgspec.structs.replace(reply, flags=union(reply.flags, marks), usage=log.usage, attempts=log.attempts)


class OpenAIClient:
    """A client of one endpoint. It holds no state of a call; any number of calls may run side by side."""

    def __init__(self, connection: Connection, policy: Policy | None = None) -> None:
        self.connection = connection
        self._policy = policy or Policy()
        key = connection.endpoint.api_key.strip()
        self._secret, self._clean = extract.secret_in(key), extract.without_key(key)
        # Of a few models, providers and reasons to end.
        self._known_name = lru_cache(maxsize=64)(partial(_name, clean=self._clean))

    @property
    def buckets(self) -> Buckets:
        """What bounds the rate of its requests."""
        return self.connection.buckets

    async def ask(self, request: ChatRequest) -> Answer:
        """Send, retry what is transport, ask again where no answer came.

        Raises what `clients/protocol.py` lists. A truncated but readable answer is returned where asking again with a
        larger budget brings no better one, for whatever reason.
        """
        paced = self.connection.paced(request)
        if paced is None:
            return await self._settled(request, None)
        try:
            return await self._settled(request, paced)
        finally:
            paced.end()

    async def _settled(self, request: ChatRequest, paced: PacedCall | None) -> Answer:
        log = AttemptLog()
        state = NextRequest(request, self._policy)
        answer: Answer | None = None
        while answer is None:
            try:
                came = await self._exchange(state.asked, log, paced)
                answer = came if isinstance(came, Missing) else self._answer(came, log, state)
                if answer is None and log.attempts[-1].outcome == "empty":
                    await self._pause(request.model, RequestFailure("retry", "empty"), log)
            except (Parked, GaveUp, IndependenceError) as stop:
                if state.held is None:
                    stop.attempts = log.attempts  # whoever ended the call, what it tried is kept
                    raise
                break
        if state.held is not None and not isinstance(answer, Reply):
            return state.settle(state.held, log, truncated=True)
        assert answer is not None
        return answer

    async def _exchange(
        self, request: ChatRequest, log: AttemptLog, paced: PacedCall | None
    ) -> ReceivedMessage | Missing:
        """Send until a response comes."""
        while True:
            outcome = await self.connection.attempt(request, log, paced)
            if isinstance(outcome, ReceivedMessage):
                altered = wire.altered(outcome) if outcome.body.openrouter_metadata is not None else ""
                if not altered:
                    return outcome
                log.mark("altered")
                return Missing("altered", altered, attempts=log.attempts)
            if outcome.action == "again":
                continue
            if outcome.action == "blocked":
                return Missing("blocked", outcome.detail, attempts=log.attempts)
            self._stop(request.model, outcome, log)
            await self._pause(request.model, outcome, log)

    def _stop(self, model: str, failure: RequestFailure, log: AttemptLog) -> None:
        """Raise unless the failure may pass and retries are left."""
        if failure.action == "key":
            raise key_rejected(self.connection.endpoint, failure)
        if failure.action == "credit":
            name = self.connection.endpoint.name
            raise OutOfCredit(f"{name}: out of credit ({failure.detail})", "everything so far is kept")
        if failure.action == "park":
            raise Parked(model, failure.detail)
        if log.retried >= self._policy.retries and not log.spares(self._policy):
            why = f"{failure.kind} after {len(log.attempts)} attempts"
            raise GaveUp(model, f"{why}: {failure.detail}" if failure.detail else why)

    async def _pause(self, model: str, failure: RequestFailure, log: AttemptLog) -> None:
        left = self._policy.pause(log.retried, failure.retry_after)
        if log.spares(self._policy):
            log.spared += 1
        else:
            log.retried += 1
        self.connection.notify(Wait(model, failure.kind, left, len(log.attempts)))
        while left > HEARTBEAT_S:
            await asyncio.sleep(HEARTBEAT_S)
            left -= HEARTBEAT_S
            # Nothing new to show, but a run that is stopping ends the call here and not in an hour.
            self.connection.notify(Wait(model, failure.kind, 0.0, still=True))
        await asyncio.sleep(left)

    def _answer(self, received: ReceivedMessage, log: AttemptLog, state: NextRequest) -> Answer | None:
        """The final answer, or None to ask again."""
        request = state.asked
        found = self._found(received.message, request)
        # Of a text that nothing was odd about the tokens say nothing.
        tokens = tokens_of(received.body.usage) if found.flags or not found.text else 0
        kind = kind_of(found, received.finish, tokens, request)
        log.mark(kind)
        reply = self._reply(request, received, found, log)
        if kind == "ok":
            return state.settle(reply, log, truncated=False) if state.longer else reply
        if state.again(kind, reply):
            return None
        raw = found.raw or found.text or found.reasoning
        return Missing(missing_reason(kind), kind, raw, log.attempts)

    def _found(self, message: WireMessage, request: ChatRequest) -> Extracted:
        """What a message holds, cut to a sane length, without the API key."""
        found = plain(message, request.tool, wire.longest(request.max_tokens), self._secret)
        if found is not None:
            return found
        message, cut = shorten(message, request.max_tokens)
        found = extract.masked(extract.extract(message, request.tool), self._clean)
        return found._replace(flags=union(found.flags, (protocol.OVERLONG,))) if cut else found

    def _reply(self, request: ChatRequest, received: ReceivedMessage, found: Extracted, log: AttemptLog) -> Reply:
        """A reply with its history so far."""
        marks = union(received.flags, found.flags) if found.flags else received.flags
        without = self.connection.without(request.model)
        if without:
            if "response_format" in without and request.schema is not None:
                marks = (*marks, protocol.SCHEMA_REFUSED)
            if "reasoning_effort" in without and request.sampling.effort is not None:
                marks = (*marks, protocol.EFFORT_REFUSED)
        return Reply(
            text=found.text,
            channel=found.channel,
            raw=found.raw,
            thinking=found.thinking,
            reasoning=found.reasoning,
            tool_calls=found.tool_calls,
            finish_reason=self._name(received.finish) if received.finish else None,
            flags=marks,
            served_model=self._name(received.body.model),
            served_provider=self._name(received.body.provider),
            response_id=_name(received.body.id, self._clean),
            usage=log.usage,
            attempts=log.attempts,
        )

    def _name(self, value: object) -> str:
        """A name that the server gives and is likely to give again."""
        known = type(value) is str and len(value) <= _LONGEST_NAME
        return self._known_name(value) if known else _name(value, self._clean)


def _name(value: object, clean: Callable[[str], str]) -> str:
    """A name that the server gives, cut to a sane length, without the API key."""
    return clean(safe(text_of(value))[0])[:_LONGEST_NAME]


def kind_of(found: Extracted, finish: str | None, completion_tokens: int, asked: ChatRequest) -> Kind:
    """Whether something is an answer, and what it is else. It does not depend on what the answer says."""
    # Some providers say `tool_calls` where the budget ran out in the middle of the arguments.
    if finish == "length" or (protocol.CUT_ARGUMENTS in found.flags and completion_tokens >= asked.max_tokens):
        return "length"
    broken = artefact(found.text, greeting_of(asked))
    if broken:
        return broken
    if found.text and not found.text.isspace():  # and readable: else it were an artefact
        return "ok"
    if found.reasoning:
        return "reasoning_only"
    if found.raw:
        return "template_tokens"
    return "reasoning_only" if completion_tokens else "empty"


def greeting_of(request: ChatRequest) -> str:
    """The scripted greeting of a `tool_role` dialogue: the message of its first call. Empty where there is none."""
    if request.tool is None:
        return ""
    for message in request.messages:
        if message.tool_calls:
            return _greeting_in(message.tool_calls[0].function.arguments, request.tool.parameter)
    return ""


@lru_cache(maxsize=64)
def _greeting_in(arguments: str, parameter: str) -> str:
    found = message_of(arguments, parameter)
    return found.text if found else ""


def missing_reason(kind: Kind) -> MissingReason:
    """Why there is no answer, once it is not asked for again."""
    return "no_answer" if kind in _NO_ANSWER else "transport"
