"""One endpoint as attempts see it: an attempt reserves its cost, waits for room and for a token of the rate limit, is
written in the forms that its model takes, sent, settled, logged, and reported to the throttle.
"""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, Protocol

import aiohttp
import msgspec

from independence.clients import dialects, failures, features, limits, protocol, served, wire
from independence.clients.bodies import text_of
from independence.clients.catalogue import Catalogue
from independence.clients.cleaning import union
from independence.clients.failures import Failure
from independence.clients.features import Body, Choices, Feature
from independence.clients.functions import FunctionFailed
from independence.clients.limits import Buckets, Budget, PacedCall, Prices, Reservation
from independence.clients.prompt_lengths import PromptLengths
from independence.clients.protocol import Adapted, Loops, Notify, Parked, Policy, Streamed, Wait
from independence.clients.servers import Servers
from independence.clients.streams import CutShort, NoEnd, StreamBroken, StreamedAnswer, StreamLimits
from independence.clients.throttle import Throttle
from independence.clients.transport import BodyTooLarge
from independence.clients.waits import until_reset
from independence.clients.wire import AttemptCost, Outcome, ReceivedMessage
from independence.config.endpoints import Endpoint
from independence.config.subjects import OPENROUTER
from independence.types import Attempt, ChatRequest, Usage

Clean = Callable[[str], str]
_TOO_MANY = 429
# What takes a few calls at once says this or less, whenever one is too many: the others need not wait for that.
_CROWDED_S = 2.0
_UNENDED = 2  # streams without an end, after which answers are requested whole
_PROMPT_CUT = Failure("prompt_cut", scope="request", lasting=True, reason="prompt_cut", unbilled=False)
_NOT_KEPT = "its answers are not kept; start it as before, and the same command continues"
_OTHER_WEIGHTS = Failure(failures.SWAPPED, fix=_NOT_KEPT, scope="model", lasting=True, unbilled=False)


class CallJournal(Protocol):
    """Keeps the attempts of one call until it is settled, and those that a process made which is gone."""

    async def attempt(
        self, request: ChatRequest, log: AttemptLog, send: Callable[[], Awaitable[Outcome]], clean: Clean
    ) -> Outcome:
        """What came when this was sent before; else what `send` brings, once the attempts before it are on disk.

        The log has all of them. `clean` takes keys out of what is kept.
        """
        ...


class AttemptLog:
    """The attempts of one call, in order."""

    def __init__(self, journal: CallJournal | None = None) -> None:
        self.journal = journal
        self.attempts: tuple[Attempt, ...] = ()
        self.retried = 0  # transport retries used up
        self.spared = 0  # refusals that used up none of them
        self.told_s = 0.0  # waited as refusals said, which used up none either
        self.room = math.inf  # what may be in flight beside the next attempt, where the last one was refused
        self.loading_s = 0.0  # waited for a server that is loading
        self.forms: tuple[str, ...] = ()  # marks of how the last attempt was written

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

    def waits_as_told(self, failure: Failure, policy: Policy) -> bool:
        """Whether the last attempt uses up no retry, as its refusal says when to come back: the limit lifts by itself.

        A server that says so for ever is not believed for ever.
        """
        return failure.told_wait > 0 and self.told_s < policy.told_s

    def mark(self, outcome: str, detail: str = "") -> None:
        """Say what the last attempt turned out to be, now that its answer has been read."""
        last = self.attempts[-1]
        if last.outcome != outcome:
            told = detail or last.detail
            self.attempts = (*self.attempts[:-1], msgspec.structs.replace(last, outcome=outcome, detail=told))


class KnownServer(NamedTuple):
    """What a connection has found out about its server, for another connection to the same one."""

    choices: Mapping[str, Choices]
    lengths: Mapping[str, float]  # model -> tokens of a word
    unverified: frozenset[str]


class Connection(Protocol):
    """What a client asks through: it sends once."""

    endpoint: Endpoint
    buckets: Buckets

    @property
    def notify(self) -> Notify:
        """Who hears of waits."""
        ...

    @property
    def loops(self) -> Loops:
        """Tells whether a text only repeats itself."""
        ...

    def paced(self, request: ChatRequest) -> PacedCall | None:
        """The call at the token bucket of its model; None where the model has no rate limit."""
        ...

    async def attempt(
        self, request: ChatRequest, log: AttemptLog, paced: PacedCall | None = None, *, whole: bool = False
    ) -> Outcome:
        """Send once, and log the attempt. `whole`: it is not streamed, wherever it goes."""
        ...


class EndpointConnection:
    """An endpoint, shared by all calls. Remembers which forms each model takes."""

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
        loops: Loops = lambda _: False,
    ) -> None:
        self.endpoint = endpoint
        self.loops = loops
        self.catalogue = catalogue
        self.budget = budget
        self.throttle = throttle
        self.notify = notify
        self.buckets = buckets or Buckets(endpoint)
        self.usual = {name: form for name, form in endpoint.features.items() if features.is_other(name, form)}
        self.choices: dict[str, Choices] = {}  # model -> what it takes other than in the first form, where not as usual
        self.silent: set[str] = set()  # models of which somebody else tells in which forms they are asked
        self._told: set[tuple[str, str]] = set()  # models and what was told of them
        self._proven: dict[str, Choices] = {}  # those of the choices with which an answer came
        self.lengths: dict[str, PromptLengths] = {}  # of the models whose counts of prompts can be trusted
        self.unverified: set[str] = set()  # models of which it cannot be told whether every part reaches them
        self._dialect = dialects.of(endpoint.dialect)
        self._session, self._servers = session, Servers(endpoint, session, notify)
        self._secrets = endpoint.secrets
        self._litellm = False  # whether a LiteLLM gateway has answered
        self.weights = served.LoadedWeights(endpoint, session, catalogue)
        self._unended = 0  # streams that were closed without an end

    @property
    def known(self) -> KnownServer:
        """What has been found out about the server."""
        lengths = {model: own.per_word for model, own in self.lengths.items()}
        return KnownServer(dict(self.choices), lengths, frozenset(self.unverified))

    def take(self, known: KnownServer) -> None:
        """Go on from what another connection has found out."""
        self.choices.update(known.choices)
        self._proven.update(known.choices)
        self.lengths.update({model: PromptLengths(per_word) for model, per_word in known.lengths.items()})
        self.unverified.update(known.unverified)

    @property
    def of_each_server(self) -> list[EndpointConnection]:
        """One connection to each of its servers alone, with what is known of them, under the same limits."""
        apart = [
            EndpointConnection(
                one, self._session, self.catalogue, budget=self.budget, throttle=self.throttle, notify=self.notify,
                buckets=self.buckets, loops=self.loops,
            )
            for one in self.endpoint.each
        ]  # fmt: skip
        for one in apart:
            one.take(self.known)
            one.silent = self.silent
        return apart

    def paced(self, request: ChatRequest) -> PacedCall | None:
        """The call at the token bucket of its model, to be ended; None where the model has no rate limit."""
        bucket = self.buckets.of(request.model, request.sampling.provider)
        return PacedCall(bucket) if bucket else None

    async def attempt(
        self, request: ChatRequest, log: AttemptLog, paced: PacedCall | None = None, *, whole: bool = False
    ) -> Outcome:
        """Send once. Raises CostCapReached, and Parked where a cap cannot be kept because the price is unknown."""
        prices = self._dialect.prices(self.catalogue.info(request.model))
        streams = self.endpoint.stream and self._unended < _UNENDED
        streamed = streams and not whole
        first, choices = self._first_forms(request, streamed=streamed), self.chosen(request.model)
        body, used = first, tuple[str, ...]()
        if choices:
            body, used = dict(first), features.used(first, choices)
            features.apply(body, choices)
        log.forms = used
        if request.model in self.unverified:
            log.forms = (*log.forms, protocol.DELIVERY_UNVERIFIED)
        if self.endpoint.stream and not streams:
            log.forms = (*log.forms, features.UNSTREAMED)
        hold, epoch = await self._admitted(request.model, self._most(request, prices), log.room, paced)
        started, sent = time.perf_counter(), False
        try:
            outcome, cost = await self._send(request, dialects.body(body), prices, streamed="stream" in body)
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
            if choices:  # they stay, and are told
                self._proven[request.model] = choices
                self._tell(request.model, used)
            return await self._accepted(request, outcome, log, asked_anew="cache" in body)
        log.add(Attempt(outcome.kind, seconds, cost.usage, unknown, outcome.detail))
        log.room = self._learn(epoch, outcome)
        if paced is not None and (outcome.overload or outcome.retry_after is not None):
            paced.empty(outcome.retry_after)
        return self._adapted(request, first, choices, outcome)

    def _first_forms(self, request: ChatRequest, *, streamed: bool = False) -> Body:
        body = self._dialect.parameters(request, self.catalogue.info(request.model))
        if streamed:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        if request.sampling.extra_body:
            features.add(body, request.sampling.extra_body)
        if self._litellm:  # only the body counts there, and other servers may reject a field that they do not know
            body["cache"] = {"no-cache": True}
        return body

    def candidates(self, request: ChatRequest) -> list[Feature]:
        """The features of a request that could be written otherwise."""
        return features.candidates(self._first_forms(request))

    def chosen(self, model: str) -> Choices:
        """The forms other than the first in which requests to a model are written."""
        return self.choices.get(model, self.usual)

    def choose(self, model: str, feature: Feature, form: str) -> None:
        """Write a feature in another form for a model from now on; the first form takes the choice back."""
        chosen = {name: own for name, own in self.chosen(model).items() if name != feature.name}
        self.choices[model] = chosen if form == feature.forms[0].name else chosen | {feature.name: form}

    def used(self, request: ChatRequest) -> tuple[str, ...]:
        """The forms other than the first in which a request is written."""
        return features.used(self._first_forms(request), self.chosen(request.model))

    def tell(self, request: ChatRequest) -> None:
        """Say in which other forms such a request is written, each once."""
        self._tell(request.model, self.used(request))

    def _tell(self, model: str, forms: tuple[str, ...]) -> None:
        for form in forms:
            known = form in self.usual.values()
            why = "as is known of this endpoint" if known else "because this server does not work with the usual form"
            self._say(model, f"{features.told(form)}, {why}")

    def _whole_id(self, model: str) -> str:
        """A model as the user writes it."""
        return model if self.endpoint.name == OPENROUTER else f"{self.endpoint.name}/{model}"

    def _adapted(self, request: ChatRequest, first: Body, sent: Choices, failure: Failure) -> Failure:
        """The failure of a request sent in these forms; with `again` where the next one is written otherwise."""
        model, named = request.model, features.named(failure, first)
        for feature in named:
            if feature.fix:
                fix = feature.fix.format(model=self._whole_id(model))
                return failure._replace(fix=fix, scope="model", lasting=True)
            if self.chosen(model).get(feature.name) != sent.get(feature.name):  # another call was quicker
                return failure._replace(again=True)
            form = features.following(feature, sent)
            if form is not None:
                self.choose(model, feature, form.name)
                return failure._replace(again=True)
        proven = self._proven.get(model, self.usual)
        if named and sent != proven:  # no form of them helped: something else is refused
            self.choices[model] = proven
        return failure

    async def _accepted(
        self, request: ChatRequest, received: ReceivedMessage, log: AttemptLog, *, asked_anew: bool
    ) -> Outcome:
        """The message, unless other weights gave it, the prompt was cut, or a gateway replayed it."""
        lengths, body = self.lengths.get(request.model), received.body
        tokens, who = log.attempts[-1].usage.prompt_tokens, (body.provider, body.model)  # others count otherwise
        lacking = lengths.missing(request.messages, tokens, who) if lengths else 0
        self.weights.lost |= lacking > 0 and self._dialect.own_server
        other = await self.weights.others(request.model) if self.weights.lost else None
        if other is not None:
            log.mark(_OTHER_WEIGHTS.kind)
            return _OTHER_WEIGHTS._replace(detail=other.told)
        return self._checked(request, received, log, lacking, asked_anew=asked_anew)

    def _checked(
        self, request: ChatRequest, received: ReceivedMessage, log: AttemptLog, lacking: int, *, asked_anew: bool
    ) -> Outcome:
        """The message, unless the prompt was cut, or a gateway replayed it that can be asked for a new one."""
        body = received.body
        if lacking:
            log.mark(_PROMPT_CUT.kind)
            tokens = log.attempts[-1].usage.prompt_tokens
            detail = f"the server read {tokens:,} prompt tokens and missed at least {lacking:,}"
            if self.weights.lost:  # the server does not say which it has loaded
                detail += ", or other weights, whose tokenizer counts otherwise, answer now"
            return _PROMPT_CUT._replace(detail=detail, fix=failures.advice("too long"))
        pin = None if self._dialect.own_server else request.sampling.provider  # there it names the weights
        own = served.marks(request.model, pin, body.model, body.provider, self.catalogue)
        surely = protocol.OTHER_MODEL in received.flags  # a gateway said so, by whatever name
        found = tuple(mark for mark in own if not (surely and mark == protocol.OTHER_NAME))
        received = received._replace(flags=union(received.flags, found))
        for mark in served.TOLD if received.flags else ():
            if mark in received.flags and (refused := self._by_another(request.model, received, mark)):
                log.mark(refused.kind)
                return refused
        if protocol.CACHE_HIT not in received.flags or not self._litellm or asked_anew:
            return received
        if "cache" in self.chosen(request.model):
            return received
        log.mark("cached")
        return Failure("cached", "a gateway replayed a stored reply before it was asked not to", again=True)

    def _by_another(self, model: str, received: ReceivedMessage, mark: str) -> Failure | None:
        """Say once that somebody else answers; a failure where such answers are not wanted."""
        who = received.body.provider if mark == protocol.OTHER_HOST else received.body.model
        told = failures.sentence(served.TOLD[mark].format(name=text_of(who)), self._secrets)
        if self.endpoint.strict_model:
            return Failure(mark, told, "without --strict-model it is kept and marked", scope="model", lasting=True)
        self._say(model, f"{told} (--strict-model refuses such answers)")
        return None

    def _say(self, model: str, told: str) -> None:
        """Tell something of a model, once."""
        if model not in self.silent and (model, told) not in self._told:
            self._told.add((model, told))
            self.notify(Adapted(self._whole_id(model), told))

    def _most(self, request: ChatRequest, prices: Prices | None) -> float:
        """What an attempt may cost. Raises Parked where that is unknown and must not be."""
        if prices is not None:
            return limits.reservation(request, prices)
        if self.budget.cap is not None:
            raise Parked(request.model, "its price is not listed, so --max-cost cannot be kept")
        return 0.0

    def _learn(self, epoch: int, failure: Failure) -> float:
        """Tell the throttle. Returns what may be in flight beside the next attempt of the call."""
        if failure.overload:
            return self.throttle.refused(epoch, certain=failure.status == _TOO_MANY)
        self.throttle.ended()
        return math.inf

    async def _admitted(self, model: str, usd: float, room: float, paced: PacedCall | None) -> tuple[Reservation, int]:
        """Wait for dollars that are in the ledger, for room and for a token. Nothing costs where a wait is ended."""
        still = False

        def beat(left: float) -> None:
            nonlocal still
            self.notify(Wait(model, "rate", 0.0 if still else left, still=still or not left))
            still = True

        if not self.budget.fits(usd):
            self.notify(Wait(model, "budget", 0.0))
        hold, epoch = await self.budget.reserve(usd), None
        try:
            await self.budget.record()
            epoch = await self.throttle.enter(room, beat)
            if paced is not None:
                await paced.take(beat)
            await self.buckets.hold(model).passed(beat)
        except BaseException:
            hold.settle(0.0)
            if epoch is not None:
                self.throttle.ended()
            raise
        return hold, epoch

    def _unanswered(self, error: Exception, tokens: int = 0) -> tuple[Failure, AttemptCost]:
        failure = failures.of_exception(error, self._secrets)
        if failure.kind == "timeout":
            failure = failure._replace(fix=self._dialect.slow_advice)
        elif failure.kind == "connect" and self._servers.any_left:
            failure = failure._replace(again=True)  # another server is asked, at once
        return failure, AttemptCost(Usage(completion_tokens=tokens), known=failure.unbilled)

    async def _send(
        self, request: ChatRequest, body: bytes, prices: Prices | None, *, streamed: bool
    ) -> tuple[Outcome, AttemptCost]:
        """What comes back. Tokens of an answer that is read as it is written are estimated where nobody counts them."""
        slow = self._dialect.is_slow(request.model)
        wait_s = self.endpoint.timeout_of(request.model, request.sampling.provider, slow=slow)
        waits = StreamLimits(wait_s, self.endpoint.silence_s)
        answer = StreamedAnswer(self.loops, lambda tokens: self.notify(Streamed(request.model, tokens)))
        try:
            with self._servers.least_busy() as transport:
                sent = transport.stream(body, answer, waits) if streamed else transport.post(body, wait_s)
                response = await sent
        except StreamBroken as broken:
            self.weights.lost = True
            failure, cost = self._unanswered(broken.cause, broken.tokens)
            if isinstance(broken.cause, NoEnd):
                failure = self._without_end(request.model, failure)
            if failure.kind == "timeout":
                detail = f"no token for {waits.silence_s:.0f} s, after about {broken.tokens:,}"
                return failure._replace(detail=detail), cost
            return failure._replace(raw=broken.text), cost
        except (aiohttp.ClientError, BodyTooLarge, CutShort, OSError) as error:
            self.weights.lost = True
            failure, cost = self._unanswered(error)
            if streamed and failure.kind == "timeout":
                failure = failure._replace(detail=f"no token in {waits.first_s:.0f} s")
            return failure, cost
        except FunctionFailed as failed:
            return failed.failure, AttemptCost(Usage(), known=True)
        self._litellm = self._litellm or served.is_litellm(response.headers)
        outcome, cost = wire.read(response, prices, self._secrets)
        if not self._litellm and isinstance(outcome, ReceivedMessage) and protocol.CACHE_HIT in outcome.flags:
            header = served.replayed(response.headers)
            remedy = f"`{served.refused_by(header)}` among the `headers:` of its endpoint asks for new ones"
            self._say(request.model, f"a gateway replays stored answers ({header}); {remedy}")
        if answer.tokens and not cost.usage.completion_tokens:
            usage = msgspec.structs.replace(cost.usage, completion_tokens=answer.tokens)
            cost = cost._replace(usage=usage)
        self._hold_back(request.model, until_reset(response.headers), outcome, answer.first_at)
        if answer.looped and isinstance(outcome, ReceivedMessage):
            outcome = outcome._replace(looped=True)
        return outcome, cost

    def _hold_back(self, model: str, limited_s: float, outcome: Outcome, since: float | None) -> None:
        """Let nobody ask before a limit lifts that is used up, or for which somebody was just refused.

        `since`: when the first token came; the headers, which say how long, had come by then.
        """
        if isinstance(outcome, Failure):
            limited_s = outcome.told_wait if limited_s or outcome.told_wait > _CROWDED_S else 0.0
        if limited_s:
            self.buckets.hold(model).begin(limited_s, since)

    def _without_end(self, model: str, failure: Failure) -> Failure:
        """The failure of a stream without an end; after the second one answers are requested whole."""
        self._unended += 1
        if self._unended < _UNENDED:
            return failure
        why = "because streams of this server end without a word on how the answer ended"
        self._say(model, f"{features.told(features.UNSTREAMED)}, {why}")
        return failure._replace(again=True)
