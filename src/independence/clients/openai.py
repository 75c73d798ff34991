"""The chat client for OpenAI-compatible endpoints: ask, retry what is transport, return what came."""

from __future__ import annotations

import asyncio

import aiohttp

from independence.clients import bounds, flags
from independence.clients.attempt import Line, Taken
from independence.clients.bucket import Buckets, Pass
from independence.clients.budget import Budget
from independence.clients.catalogue import Catalogue
from independence.clients.clean import safe, union
from independence.clients.extract import Extracted, extract
from independence.clients.failures import Failure, key_rejected
from independence.clients.protocol import GaveUp, Notify, Parked, Wait
from independence.clients.reask import Reasks, kind_of, missing_reason
from independence.clients.retry import Ledger, Policy, pause
from independence.clients.throttle import Throttle
from independence.clients.wire import text_of, tokens_of
from independence.config.endpoints import Endpoint
from independence.errors import IndependenceError, OutOfCredit
from independence.types import Answer, ChatRequest, Missing, Reply

_HEARTBEAT_S = 1.0
_LONGEST_NAME = 1000
_ALTERING = frozenset({"context_compression", "guardrail", "plugin", "server_tools"})


class OpenAIClient:
    """One endpoint. Holds no state of an ask; any number of them may run side by side."""

    def __init__(  # noqa: PLR0913 - everything a client shares with others, handed in once
        self,
        endpoint: Endpoint,
        session: aiohttp.ClientSession,
        catalogue: Catalogue,
        budget: Budget,
        throttle: Throttle,
        notify: Notify,
        policy: Policy | None = None,
    ) -> None:
        self._line = Line(endpoint, session, catalogue, budget, throttle, notify)
        self._policy = policy or Policy()
        self._clean = bounds.without_key(endpoint.api_key.strip())

    @property
    def buckets(self) -> Buckets:
        """What bounds the rate of its requests."""
        return self._line.buckets

    async def ask(self, request: ChatRequest) -> Answer:
        """Send, retry what is transport, ask again where nothing was said.

        Raises what `clients/protocol.py` lists. A truncated but readable answer that could not be bettered is returned
        rather than lost, whatever kept it from being bettered.
        """
        visit = self._line.visit(request)
        try:
            return await self._settled(request, visit)
        finally:
            if visit is not None:
                visit.end()

    async def _settled(self, request: ChatRequest, visit: Pass | None) -> Answer:
        ledger = Ledger()
        reasks = Reasks(request, self._policy)
        answer: Answer | None = None
        while answer is None:
            try:
                taken = await self._exchange(reasks.asked, ledger, visit)
                answer = taken if isinstance(taken, Missing) else await self._weigh(taken, ledger, reasks)
            except (Parked, GaveUp, IndependenceError) as stop:
                if reasks.held is None:
                    stop.attempts = ledger.attempts  # whoever ended the call, what it tried is kept
                    raise
                break
        if reasks.held is not None and not isinstance(answer, Reply):
            return reasks.settle(reasks.held, ledger, truncated=True)
        assert answer is not None
        return answer

    async def _exchange(self, request: ChatRequest, ledger: Ledger, visit: Pass | None) -> Taken | Missing:
        """Send until a response comes."""
        while True:
            outcome = await self._line.attempt(request, ledger, visit)
            if isinstance(outcome, Taken):
                altered = _altered(outcome)
                if not altered:
                    return outcome
                ledger.mark("altered")
                return Missing("altered", altered, attempts=ledger.attempts)
            if outcome.action == "again":
                continue
            if outcome.action == "blocked":
                return Missing("blocked", outcome.detail, attempts=ledger.attempts)
            self._stop(request.model, outcome, ledger)
            await self._pause(request.model, outcome, ledger)

    def _stop(self, model: str, failure: Failure, ledger: Ledger) -> None:
        """Raise unless the failure may pass and retries are left."""
        if failure.action == "key":
            raise key_rejected(self._line.endpoint, failure)
        if failure.action == "credit":
            name = self._line.endpoint.name
            raise OutOfCredit(f"{name}: out of credit ({failure.detail})", "everything so far is kept")
        if failure.action == "park":
            raise Parked(model, failure.detail)
        if ledger.retried >= self._policy.retries:
            why = f"{failure.kind} after {len(ledger.attempts)} attempts"
            raise GaveUp(model, f"{why}: {failure.detail}" if failure.detail else why)

    async def _pause(self, model: str, failure: Failure, ledger: Ledger) -> None:
        left = pause(self._policy, ledger.retried, failure.retry_after)
        ledger.retried += 1
        self._line.notify(Wait(model, failure.kind, left, len(ledger.attempts)))
        while left > _HEARTBEAT_S:
            await asyncio.sleep(_HEARTBEAT_S)
            left -= _HEARTBEAT_S
            # Nothing new to show, but a run that is stopping ends the call here and not in an hour.
            self._line.notify(Wait(model, failure.kind, 0.0, still=True))
        await asyncio.sleep(left)

    async def _weigh(self, taken: Taken, ledger: Ledger, reasks: Reasks) -> Answer | None:
        """The final answer, or None to ask again."""
        request = reasks.asked
        message = taken.choice.message
        assert message is not None
        message, cut = bounds.shorten(message, request.max_tokens)
        found = bounds.masked(extract(message, request.tool), self._clean)
        if cut:
            found = found._replace(flags=union(found.flags, (flags.OVERLONG,)))
        kind = kind_of(found, taken.finish, tokens_of(taken.response.usage), request)
        ledger.mark(kind)
        reply = self._reply(request, taken, found)
        if kind == "ok":
            return reasks.settle(reply, ledger, truncated=False)
        if reasks.again(kind, reply):
            if kind == "empty":
                await self._pause(request.model, Failure("retry", "empty"), ledger)
            return None
        raw = found.raw or found.text or found.reasoning
        return Missing(missing_reason(kind), kind, raw, ledger.attempts)

    def _reply(self, request: ChatRequest, taken: Taken, found: Extracted) -> Reply:
        """A reply without its history."""
        marks = union(taken.flags, found.flags)
        without = self._line.without(request.model)
        if "response_format" in without and request.schema is not None:
            marks = (*marks, flags.SCHEMA_REFUSED)
        if "reasoning_effort" in without and request.sampling.effort is not None:
            marks = (*marks, flags.EFFORT_REFUSED)
        return Reply(
            text=found.text,
            channel=found.channel,
            raw=found.raw,
            thinking=found.thinking,
            reasoning=found.reasoning,
            tool_calls=found.tool_calls,
            finish_reason=self._name(taken.finish) if taken.finish else None,
            flags=marks,
            served_model=self._name(taken.response.model),
            served_provider=self._name(taken.response.provider),
            response_id=self._name(taken.response.id),
        )

    def _name(self, value: object) -> str:
        """A name that the server gives: short, and never the key."""
        return self._clean(safe(text_of(value))[0])[:_LONGEST_NAME]


def _altered(taken: Taken) -> str:
    """Which router stages changed the prompt or what came back; empty where none did."""
    metadata = taken.response.openrouter_metadata
    if not isinstance(metadata, dict) or not isinstance(metadata.get("pipeline"), list):
        return ""
    stages = [s.get("type") for s in metadata["pipeline"] if isinstance(s, dict)]
    found = sorted({s for s in stages if isinstance(s, str) and s in _ALTERING})
    return f"the router changed the prompt: {', '.join(found)}" if found else ""
