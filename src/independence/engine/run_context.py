"""What carries out a run: clients, gates, store, budget, learned latencies, and how to say what happened."""

from __future__ import annotations

import math
import re
import sys
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from types import MappingProxyType
from typing import Final, NamedTuple, TypeVar

from independence.clients.client import JournaledClient, OpenAIClient
from independence.clients.limits import Budget
from independence.clients.protocol import ChatClient, GaveUp, Parked, Refused, UnansweredCall
from independence.engine.concurrency import CallQueue, ConcurrencyLimit, EndpointGate, PerModelLimits, StopSignal
from independence.engine.events import CallUnresolved, EventHandler, ModelStopped
from independence.engine.journal import StoredJournal
from independence.engine.progress import RunProgress
from independence.errors import IndependenceError
from independence.judge.replies.diagnosis import Diagnosis
from independence.store import records
from independence.store.attempts import StoredAttempt
from independence.store.records import FailureRow
from independence.store.writer import AnswerCall, StoreWriter
from independence.suites.schema import Suite
from independence.types import Condition, Missing


class EndpointBackend(NamedTuple):
    """One endpoint in a run: who answers, the door to it, and which models have bounds of their own."""

    client: ChatClient
    gate: EndpointGate
    model_limits: PerModelLimits | None = None

    def open_queue(self, *shares: ConcurrencyLimit, model: str, provider: str | None = None) -> CallQueue:
        """A new queue of a subject, in which one model is asked."""
        own = self.model_limits.share(model, provider) if self.model_limits else None
        return self.gate.open_queue(*filter(None, (*shares, own)))


class Parallelism(NamedTuple):
    """How much runs at once."""

    subjects: int  # -p: how many subjects' worth of calls; 1: one subject after the other
    calls: int  # -pt, within one subject
    bought: bool = False  # a stage of runs that are bought until something is decided

    @property
    def total(self) -> int:
        """Calls in flight, over all subjects."""
        return self.subjects * self.calls


class RunContext(NamedTuple):
    """What carries out a run: everything that asking and grading go through."""

    suite: Suite
    rubrics: Mapping[str, str]  # scenario -> digest
    backends: Mapping[str, EndpointBackend]  # endpoint -> backend
    writer: StoreWriter
    on_event: EventHandler
    stop_signal: StopSignal
    lease_owner: str
    budget: Budget
    counts: RunProgress
    diagnoses: Mapping[tuple[str, Condition], Diagnosis] = MappingProxyType({})  # of real subjects, by config_dir


class QueueKey(NamedTuple):
    """What is asked of an endpoint for one subject; stopped by itself, so that what still works goes on."""

    endpoint: str
    asked_for: str  # a delivery mode of the subject, or a judge
    model: str
    provider: str | None = None  # pin


T = TypeVar("T")
Settle = Callable[[Missing], Awaitable[object]]  # store that a call came to nothing, and tell of it

_WORD_WITH_NUMBER = re.compile(r"\S*\d\S*")  # of a time, an id of the request, a count
_ALIKE: Final = 2  # different requests refused in the same words, and none answered: nobody is asked any more
_MANY: Final = 8  # the same while others are still under way, which may be answered
_SINCE_ANSWERED: Final = 10  # the same after the model had answered


class _HeldRefusal(NamedTuple):
    words: str
    stop: Refused
    row: FailureRow
    settle: Settle


class Refusals:
    """Refused calls of one queue. Whether the request or the model is at fault, the other calls tell.

    Once the model answers another one, what was refused before was refused for what it asks. Where different requests
    are refused in the same words and none is answered, the model cannot be asked as it is.
    """

    def __init__(self) -> None:
        self.held: list[_HeldRefusal] = []
        self.under_way = 0
        self.answered = False

    def hold(self, refusal: _HeldRefusal) -> bool:
        """Keep one. Returns whether the queue has to be stopped."""
        self.held.append(refusal)
        alike = sum(one.words == refusal.words for one in self.held)
        if self.answered:
            return alike >= _SINCE_ANSWERED
        return (alike >= _ALIKE and not self.under_way) or len(self.held) >= _MANY

    def release(self) -> list[_HeldRefusal]:
        """Those that were held, which are nobody's any more."""
        held, self.held = self.held, []
        return held


class SubjectWorker:
    """One subject's place in the run: its queues, and how long its calls took."""

    def __init__(
        self,
        context: RunContext,
        label: str,
        calls: int,
        total: ConcurrencyLimit | None = None,
        *,
        last_runs: int | None = sys.maxsize,
    ) -> None:
        """`calls` in flight at most; `total`: what bounds those of all subjects together.

        Runs from `last_runs` on go side by side, the longest dialogue first, so that they end together. The dialogues
        of earlier ones begin in an order of chance: else a host that changed meanwhile would be one with the scenarios
        that always come last. None: all in such an order, whatever their run, as in a stage that is bought.
        """
        self.context = context
        self.label = label
        self.last_runs = last_runs
        self.latency = CallLatency()
        self.on_begin: dict[str, Callable[[], None]] = {}  # trial -> called at its first slot
        self.done: list[str] = []  # keys of trials that are complete and still leased
        self.late: set[str] = set()  # keys of trials that were refused before: they go last
        self.earlier: dict[str, dict[str, list[StoredAttempt]]] = {}  # trial -> turn id or judge -> tried, unsettled
        own = ConcurrencyLimit(calls)
        self._shares = (own,) if total is None else (own, total)
        self._queues: dict[QueueKey, CallQueue] = {}
        self._refusals: defaultdict[QueueKey, Refusals] = defaultdict(Refusals)

    def _queue(self, key: QueueKey) -> CallQueue:
        if key not in self._queues:
            backend = self.context.backends[key.endpoint]
            queue = backend.open_queue(*self._shares, model=key.model, provider=key.provider)
            queue.weight = self.latency.seconds
            self._queues[key] = queue
        return self._queues[key]

    def learn(self, seconds: float) -> None:
        """How long a call of the subject took. All that wait are ordered by it, however long they have waited."""
        self.latency.record(seconds)
        for queue in self._queues.values():
            queue.weight = self.latency.seconds

    async def close(self) -> None:
        """Nothing more is asked for this subject. What is still held is settled, or kept as asked in vain."""
        for refusals in self._refusals.values():
            for one in refusals.release():
                await (self._settle(one) if refusals.answered else self._keep_refused(one))
        for queue in self._queues.values():
            queue.gate.remove_queue(queue)

    def place(self, run: int, remaining: float, *, begins: bool) -> tuple[int, float]:
        """Among which run a dialogue is asked, the lowest first, and the turns by which it is among the longest there.

        `begins`: it has not begun. Where the order is one of chance, it comes after those that have, however long.
        """
        by_length = self.last_runs is not None and run >= self.last_runs
        left = remaining if by_length or not begins or remaining == math.inf else 0.0
        return (0 if self.last_runs is None else min(run, self.last_runs)), left

    @asynccontextmanager
    async def slot(self, key: QueueKey, remaining: float, run: int, *, trial: str = "") -> AsyncIterator[None]:
        """A slot of a queue's endpoint for a call of that run. `remaining`: turns. Raises QueueClosed.

        What ends the run closes every gate before the slot is free: no call starts whose answer nobody could keep.
        """
        queue, (place, left) = self._queue(key), self.place(run, remaining, begins=trial in self.on_begin)
        async with queue.gate.slot(queue, left, sys.maxsize if trial in self.late else place):
            if (begin := self.on_begin.pop(trial, None)) is not None:
                begin()
            try:
                yield
            except IndependenceError as error:
                self.context.stop_signal.stop(error)
                raise

    def client(self, endpoint: str, trial: str, what: str) -> ChatClient:
        """Who is asked for one call of a trial (`what`: turn id or judge), on its journal."""
        client = self.context.backends[endpoint].client
        if not isinstance(client, OpenAIClient):
            return client
        earlier = self.earlier.get(trial, {}).pop(what, ())
        return JournaledClient(client, StoredJournal(self.context.writer, trial, what, earlier))

    async def resolve(
        self, call: Awaitable[T], queue: QueueKey, settle: Settle, *, trial: str, what: str, subject: str = ""
    ) -> T | None:
        """What a call came to; None where it cannot be settled now. `subject`: whose own call this is.

        What an unsettled call tried is kept; it is asked again on resume. A refusal is held until other calls tell
        what it is about; `settle` is then called where it is about the request. Raises the run-ending errors of
        `errors.py`.
        """
        refusals = self._refusals[queue]
        refusals.under_way += 1
        refused: Refused | None = None
        try:
            answer = await call
        except Refused as stop:
            refused = stop
        except (Parked, GaveUp, IndependenceError) as stop:
            if isinstance(stop, Parked):
                self.stop_queue(queue, stop, subject)
            await self._unsettled(stop, trial, what)
            return None
        finally:
            refusals.under_way -= 1
        if refused is not None:
            row = FailureRow(trial, what, Refused.__name__, str(refused), refused.attempts)
            words = _WORD_WITH_NUMBER.sub("#", refused.why)
            if refusals.hold(_HeldRefusal(words, refused, row, settle)):
                self.stop_queue(queue, refused, subject)
                for one in refusals.release():
                    await self._keep_refused(one)
            return None
        if not (isinstance(answer, Missing) and answer.reason in ("blocked", "too_long")):
            refusals.answered = True
            for one in refusals.release():
                await self._settle(one)
        return answer

    async def _settle(self, refusal: _HeldRefusal) -> None:
        """Store that a request was refused for what it asks, unless its words are known to be about something else."""
        if refusal.stop.fix:
            await self._keep_refused(refusal)
        else:
            await refusal.settle(Missing("blocked", refusal.stop.why, attempts=refusal.stop.attempts))

    async def _keep_refused(self, refusal: _HeldRefusal) -> None:
        await self.context.writer.write(AnswerCall(records.add_failure, refusal.row))
        self.context.on_event(CallUnresolved(self.label, refusal.row.what, refusal.stop.why, refusal.stop.attempts))

    async def _unsettled(self, stop: UnansweredCall | IndependenceError, trial: str, what: str) -> None:
        """Keep what an unsettled call tried. Raises what ends the run."""
        if stop.attempts:
            row = FailureRow(trial, what, type(stop).__name__, str(stop), stop.attempts)
            await self.context.writer.write(AnswerCall(records.add_failure, row))
        if isinstance(stop, IndependenceError):
            raise stop
        if isinstance(stop, GaveUp) and self.context.stop_signal.reason is None:
            self.context.on_event(CallUnresolved(self.label, what, stop.why, stop.attempts))

    def stop_queue(self, queue: QueueKey, stop: Parked | Refused, subject: str) -> None:
        """Let no further call of a queue start."""
        waiting = self._queue(queue)
        if not waiting.stopped:
            self.context.on_event(ModelStopped(stop.model, stop.why, subject))
            waiting.gate.stop_queue(waiting)


_WEIGHT = 0.2
_SHORTEST_S = 1e-6
_UNKNOWN_S = 60.0  # longer than nearly every call, so that the unknown is tried before what is known to be quick


class CallLatency:
    """Exponentially weighted mean latency of one subject's calls, in seconds."""

    def __init__(self) -> None:
        self._mean: float | None = None

    def record(self, seconds: float) -> None:
        """Learn from a settled call."""
        self._mean = seconds if self._mean is None else self._mean + _WEIGHT * (seconds - self._mean)

    @property
    def seconds(self) -> float:
        """Seconds of the next call, above 0."""
        return _UNKNOWN_S if self._mean is None else max(_SHORTEST_S, self._mean)
