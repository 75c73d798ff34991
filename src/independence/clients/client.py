"""The chat client for OpenAI-compatible endpoints: send, retry what is transport, ask again where no answer came.

What an answer says is never a reason to ask again. Where no answer came (reasoning only, nothing, a transport artefact)
the question is asked at most twice more; a truncated answer is asked for once more, with twice the budget, unless it
only repeats itself, or the server is one of the user's own and it can be read. A lasting refusal is never sent again in
the same form.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter, defaultdict
from functools import partial
from typing import Final, Literal, NamedTuple

import msgspec

from independence.clients import bodies, extract, failures, protocol, wire
from independence.clients.bodies import text_of
from independence.clients.cleaning import artefact, message_of, readable, safe, union
from independence.clients.connection import AttemptLog, CallJournal, Connection
from independence.clients.extract import Extracted
from independence.clients.failures import Failure, key_rejected
from independence.clients.limits import HEARTBEAT_S, Buckets, PacedCall
from independence.clients.messages import WireMessage
from independence.clients.protocol import GaveUp, Parked, Policy, Refused, Wait
from independence.clients.wire import ReceivedMessage, shorten, tokens_of
from independence.errors import IndependenceError, OutOfCredit
from independence.types import Answer, ChatRequest, Missing, MissingReason, Reply

Kind = Literal[
    "ok", "length", "loop", "reasoning_only", "silent", "empty", "template_tokens", "punctuation", "greeting"
]

_SEEDS = 2**31
_NO_ANSWER = ("reasoning_only", "silent", "empty", "length", "loop")
_LONGEST_NAME = 1000
_END_TOKENS: Final = 2  # completion tokens of an answer in which the model said nothing at all
_LOADING_S: Final = 5.0  # longest pause before a server that is loading is asked again
_LEAST_TOLD_S: Final = 30.0  # that a wait counts as, so that "1 s" is not told for ever
_BROKEN: Final = 500  # also what some servers say, and no more, of a request that they cannot take
_ALIKE: Final = 2  # attempts of one call, and calls, that have to fail in the same words to be taken for lasting
_NUMBER = re.compile(r"\d+")


class PromptCount(NamedTuple):
    """What a server counted of a prompt; 0 where it does not say."""

    tokens: int
    cached: int
    host: object  # who served, where that is known

    @property
    def from_cache(self) -> bool:
        """Whether more came from a cache than a beginning that many prompts share."""
        return 2 * self.cached >= self.tokens


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
        return self.once_more(otherwise=kind != "empty")  # nothing at all came: the same question, not another one

    def once_more(self, *, otherwise: bool = True) -> bool:
        """Whether to ask once more, with another seed or with the same one."""
        if self._left == 0:
            return False
        self._left -= 1
        if otherwise:
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
        self._clean = extract.without_secrets(connection.endpoint.secrets)
        # Model -> words of a failure that passes by its status -> call -> its attempts that failed so.
        self._repeated: dict[str, defaultdict[str, Counter[AttemptLog]]] = {}
        self._measured: set[str] = set()  # models that have answered a request whose prompt was to be counted

    @property
    def buckets(self) -> Buckets:
        """What bounds the rate of its requests."""
        return self.connection.buckets

    async def ask(self, request: ChatRequest, journal: CallJournal | None = None) -> Answer:
        """Send, retry what is transport, ask again where no answer came.

        Raises what `clients/protocol.py` lists. A truncated but readable answer is returned where asking again with a
        larger budget brings no better one, for whatever reason. `journal`: of the call that it belongs to.
        """
        paced = self.connection.paced(request)
        if paced is None:
            return await self._settled(request, None, journal)
        try:
            return await self._settled(request, paced, journal)
        finally:
            paced.end()

    async def measure(self, request: ChatRequest) -> PromptCount | Missing:
        """Send until the server counts the prompt, whatever it answers. Raises what `ask` does.

        What keeps failing in the same words is taken for lasting at the second time, as somebody waits to begin, or at
        the third, of a model that has answered before.
        """
        log, paced = AttemptLog(), self.connection.paced(request)
        try:
            while True:
                outcome = await self.connection.attempt(request, log, paced, whole=True)
                usage = log.attempts[-1].usage
                if isinstance(outcome, ReceivedMessage):
                    self._measured.add(request.model)
                    found = self._found(outcome.message, request)
                    left = log.retried < min(self._policy.reasks, self._policy.retries)
                    if usage.prompt_tokens or not left or kind_of(found, outcome, request) != "empty":
                        return PromptCount(usage.prompt_tokens, usage.cached_tokens, outcome.body.provider)
                    outcome = Failure("empty")
                if usage.prompt_tokens:
                    return PromptCount(usage.prompt_tokens, usage.cached_tokens, None)
                alike = sum(one.detail == outcome.detail for one in log.attempts) - (request.model in self._measured)
                if (outcome.repeats or outcome.status == _BROKEN) and alike >= _ALIKE:
                    raise Refused(request.model, outcome.detail, fix=outcome.fix)
                over = await self._over_or_pause(request, outcome, log)
                if over is not None:
                    return over
        except (Parked, GaveUp, Refused, IndependenceError) as stop:
            stop.attempts = log.attempts
            raise
        finally:
            if paced is not None:
                paced.end()

    async def _settled(self, request: ChatRequest, paced: PacedCall | None, journal: CallJournal | None) -> Answer:
        log = AttemptLog(journal)
        state = NextRequest(request, self._policy)
        answer: Answer | None = None
        while answer is None:
            try:
                came = await self._exchange(state, log, paced)
                answer = came if isinstance(came, Missing) else self._answer(came, log, state)
                if answer is None and log.attempts[-1].outcome == "empty":
                    await self._pause(request.model, Failure("empty"), log)
            except (Parked, GaveUp, Refused, IndependenceError) as stop:
                if state.held is None:
                    stop.attempts = log.attempts  # whoever ended the call, what it tried is kept
                    raise
                break
        if state.held is not None and not isinstance(answer, Reply):
            return state.settle(state.held, log, truncated=True)
        assert answer is not None
        return answer

    async def _exchange(
        self, state: NextRequest, log: AttemptLog, paced: PacedCall | None
    ) -> ReceivedMessage | Missing:
        """Send until a response comes, or a refusal that is certainly about this request."""
        while True:
            send = partial(self.connection.attempt, state.asked, log, paced)
            outcome = await (log.journal.attempt(state.asked, log, send, self._clean) if log.journal else send())
            if isinstance(outcome, ReceivedMessage):
                self._repeated.pop(state.asked.model, None)  # it answers: what failed was no lasting fault
                altered = wire.altered(outcome) if outcome.body.openrouter_metadata is not None else ""
                if not altered:
                    return outcome
                log.mark("altered")
                return Missing("altered", altered, attempts=log.attempts)
            if outcome.kind == failures.ENDING and not state.once_more():
                return Missing("transport", outcome.detail, self._kept(outcome.raw), log.attempts)
            over = await self._over_or_pause(state.asked, outcome, log)
            if over is not None:
                return over

    async def _over_or_pause(self, request: ChatRequest, failure: Failure, log: AttemptLog) -> Missing | None:
        """Missing where a failure ends the call; else wait for the next attempt. Raises what `ask` does."""
        if failure.again:
            return None
        if failure.reason is not None:
            return Missing(failure.reason, failure.line, self._kept(failure.raw), log.attempts)
        over = self._over(request, failure, log)
        if over is None:
            await self._pause(request.model, failure, log)
        return over

    def _over(self, request: ChatRequest, failure: Failure, log: AttemptLog) -> Missing | None:
        """Raise unless the failure may pass and retries are left; Missing for an answer that keeps breaking off."""
        model = request.model
        if failure.lasting and failure.scope == "key":
            raise key_rejected(self.connection.endpoint, failure)
        if failure.lasting and failure.scope == "account":
            name = self.connection.endpoint.name
            raise OutOfCredit(f"{name}: out of credit ({failure.detail})", "everything so far is kept")
        if failure.kind in ("daily", failures.SWAPPED):
            raise Parked(model, failure.line)
        if failure.lasting or (failure.repeats and self._lasts(failure, model, log)):
            raise Refused(model, failure.detail, fix=failure.fix)
        if failure.kind == failures.LOADING:
            limit = self.connection.endpoint.timeout_of(model, request.sampling.provider)
            if log.loading_s < limit:
                return None
            raise GaveUp(model, f"it was still loading after {limit:.0f} s ({failure.detail})")
        spared = log.waits_as_told(failure, self._policy) or log.spares(self._policy)
        if log.retried >= self._policy.retries and not spared:
            if failure.raw:
                return Missing("transport", failure.detail, self._kept(failure.raw), log.attempts)
            kind = "no connection" if failure.kind == "connect" else failure.kind
            why = f"{kind} after {len(log.attempts)} attempts"
            raise GaveUp(model, f"{why}: {failure.detail}" if failure.detail else why, fix=failure.fix)
        return None

    def _lasts(self, failure: Failure, model: str, log: AttemptLog) -> bool:
        """Whether two calls or more have failed like this twice or more, without an answer to any since."""
        words = self._repeated.setdefault(model, defaultdict(Counter))
        calls = words[_NUMBER.sub("#", failure.detail)]
        calls[log] += 1
        return sum(attempts >= _ALIKE for attempts in calls.values()) >= _ALIKE

    async def _pause(self, model: str, failure: Failure, log: AttemptLog) -> None:
        left = self._policy.pause(log.retried, failure.retry_after)
        if failure.kind == failures.LOADING:
            left = min(_LOADING_S, failure.retry_after or max(0.5, log.loading_s / 2))
            log.loading_s += left
        elif log.waits_as_told(failure, self._policy):
            log.told_s += max(left, _LEAST_TOLD_S)
        elif log.spares(self._policy):
            log.spared += 1
        else:
            log.retried += 1
        self.connection.notify(
            Wait(model, failure.kind, left, len(log.attempts), fix=failure.line if failure.fix else "")
        )
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
        kind = kind_of(found, received, request)
        if kind == "length" and self.connection.loops(found.text or found.reasoning):
            kind = "loop"
        log.mark(kind, protocol.LOOPED if kind == "loop" else "")
        # A reply with its history so far.
        reply = Reply(
            text=found.text,
            channel=found.channel,
            raw=found.raw,
            thinking=found.thinking,
            reasoning=found.reasoning,
            tool_calls=found.tool_calls,
            finish_reason=self._name(received.finish) if received.finish else None,
            flags=(*union(received.flags, found.flags), *log.forms),
            served_model=self._name(received.body.model),
            served_provider=self._name(received.body.provider),
            response_id=self._name(received.body.id),
            usage=log.usage,
            attempts=log.attempts,
        )
        if kind == "ok":
            return state.settle(reply, log, truncated=False) if state.longer else reply
        if kind == "length" and self._policy.keeps_cut and request.schema is None and readable(reply.text):
            return state.settle(reply, log, truncated=True)
        if kind != "loop" and state.again(kind, reply):
            return None
        reason: MissingReason = "no_answer" if kind in _NO_ANSWER else "transport"
        return Missing(reason, _DETAILS[kind], found.raw or found.text or found.reasoning, log.attempts)

    def _found(self, message: WireMessage, request: ChatRequest) -> Extracted:
        """What a message holds, cut to a sane length, without the API key."""
        message, cut = shorten(message, request.max_tokens)
        found = extract.masked(extract.extract(message, request.tool), self._clean)
        if request.schema is not None and not found.text:
            found = _from_other_channel(found, request.schema["required"])
        return found._replace(flags=union(found.flags, (protocol.OVERLONG,))) if cut else found

    def _kept(self, raw: str) -> str:
        """What came of an answer that is none, as it may be stored."""
        return self._clean(safe(raw)[0])

    def _name(self, value: object) -> str:
        """A name that the server gives, cut to a sane length, without the API key."""
        return self._kept(text_of(value))[:_LONGEST_NAME]


class JournaledClient:
    """A client that is asked for one call, whose attempts are kept until it is settled."""

    __slots__ = ("_client", "_journal")

    def __init__(self, client: OpenAIClient, journal: CallJournal) -> None:
        self._client, self._journal = client, journal

    async def ask(self, request: ChatRequest) -> Answer:
        """What the client says. Raises what it raises."""
        return await self._client.ask(request, self._journal)


def _from_other_channel(found: Extracted, required: list[str]) -> Extracted:
    """The one object with every required field, where it came in the reasoning or in a tool call, and nothing else."""
    objects = []
    for text in (found.reasoning, *(call.function.arguments for call in found.tool_calls)):
        value = bodies.decode_any(text.encode("utf-8", "replace")) if text.lstrip().startswith("{") else None
        if isinstance(value, dict) and all(name in value for name in required):
            objects.append(text)
    if len(objects) != 1:
        return found
    return found._replace(text=objects[0].strip(), flags=(*found.flags, protocol.OTHER_CHANNEL))


_DETAILS: Final[dict[Kind, str]] = {
    "length": "the answer was cut off at its token limit, and none of it could be read",
    "loop": protocol.LOOPED,
    "reasoning_only": "only reasoning came, no answer",
    "silent": "the model ended its answer immediately and wrote nothing",
    "empty": "nothing came",
    "template_tokens": protocol.ONLY_TOKENS,
    "punctuation": "a lone sign came instead of an answer",
    "greeting": "the scripted greeting came back instead of an answer",
}


def kind_of(found: Extracted, received: ReceivedMessage, asked: ChatRequest) -> Kind:
    """Whether something is an answer, and what it is else. It does not depend on what the answer says."""
    if received.looped:
        return "loop"
    usage = received.body.usage
    # Of a text that nothing was odd about the tokens say nothing.
    tokens = tokens_of(usage) if found.flags or not found.text else 0
    # Some providers say `tool_calls` where the budget ran out in the middle of the arguments.
    cut = protocol.CUT_ARGUMENTS in found.flags and tokens >= asked.max_tokens
    if cut or wire.ending_of(received.finish or "") == "length":
        return "length"
    broken = artefact(found.text, greeting_of(asked))
    if broken or (found.text and not found.text.isspace()):
        return broken or "ok"  # it is readable, else it were an artefact
    if found.reasoning:
        return "reasoning_only"
    if found.raw:
        return "template_tokens"
    if tokens > _END_TOKENS or wire.reasoning_tokens_of(usage):  # hidden
        return "reasoning_only"
    return "silent" if tokens else "empty"


def greeting_of(request: ChatRequest) -> str:
    """The scripted greeting of a `tool_role` dialogue: the message of its first call. Empty where there is none."""
    called = next((message.tool_calls[0] for message in request.messages if message.tool_calls), None)
    if request.tool is None or called is None:
        return ""
    found = message_of(called.function.arguments, request.tool.parameter)
    return found.text if found else ""
