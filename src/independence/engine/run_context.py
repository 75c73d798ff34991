"""What the workers of one run share: clients, gates, store, judges, learned latencies, and how to say what happened."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple, TypeVar

from independence.clients.protocol import ChatClient, GaveUp, Parked
from independence.engine.events import CallUnresolved, ModelStopped, Watch
from independence.engine.gate import CallQueue, ConcurrencyLimit, EndpointGate, PerModelLimits, Slot, StopSignal
from independence.errors import IndependenceError
from independence.store import records
from independence.store.records import FailureRow
from independence.store.writer import StoreCall, StoreWriter
from independence.suites.schema import Suite


class EndpointBackend(NamedTuple):
    """One endpoint in a run: who answers, the door to it, and which models have bounds of their own."""

    client: ChatClient
    gate: EndpointGate
    model_limits: PerModelLimits | None = None

    def open_queue(self, *shares: ConcurrencyLimit, model: str, provider: str | None = None) -> CallQueue:
        """A new queue of a subject, in which one model is asked."""
        own = self.model_limits.share(model, provider) if self.model_limits else None
        return self.gate.open_queue(*shares, own) if own else self.gate.open_queue(*shares)


class Parallelism(NamedTuple):
    """How much runs at once."""

    subjects: int  # -p: how many subjects' worth of calls; 1: one subject after the other
    calls: int  # -pt, within one subject

    @property
    def total(self) -> int:
        """Calls in flight, over all subjects."""
        return self.subjects * self.calls


class RunContext(NamedTuple):
    """The run's shared parts."""

    suite: Suite
    rubrics: Mapping[str, str]  # scenario -> digest
    backends: Mapping[str, EndpointBackend]  # endpoint -> backend
    writer: StoreWriter
    on_event: Watch
    stop_signal: StopSignal
    lease_owner: str


class QueueKey(NamedTuple):
    """What is asked of an endpoint for one subject; stopped by itself, so that what still works goes on."""

    endpoint: str
    asked_for: str  # a delivery mode of the subject, or a judge
    model: str
    provider: str | None = None  # pin


T = TypeVar("T")


class SubjectWorker:
    """One subject's place in the run: its queues, and how long its calls took."""

    def __init__(
        self,
        context: RunContext,
        label: str,
        calls: int,
        total: ConcurrencyLimit | None = None,
        *,
        last_runs: int = sys.maxsize,
    ) -> None:
        """`calls` in flight at most; `total`: what bounds those of all subjects together.

        Runs from `last_runs` on go side by side: whose dialogues are longest, not whose run is lowest, goes first.
        """
        self.context = context
        self.label = label
        self.last_runs = last_runs
        self.latency = CallLatency()
        self.on_begin: dict[str, Callable[[], None]] = {}  # trial -> called at its first slot
        self.done: list[str] = []  # keys of trials that are complete and still leased
        own = ConcurrencyLimit(calls)
        self._shares = (own,) if total is None else (own, total)
        self._queues: dict[QueueKey, CallQueue] = {}

    def _queue(self, key: QueueKey) -> CallQueue:
        if key not in self._queues:
            backend = self.context.backends[key.endpoint]
            queue = backend.open_queue(*self._shares, model=key.model, provider=key.provider)
            backend.gate.weigh(queue, self.latency.seconds)
            self._queues[key] = queue
        return self._queues[key]

    def learn(self, seconds: float) -> None:
        """How long a call of the subject took. All that wait are ordered by it, however long they have waited."""
        self.latency.record(seconds)
        for key, queue in self._queues.items():
            self.context.backends[key.endpoint].gate.weigh(queue, self.latency.seconds)

    def close(self) -> None:
        """Nothing more is asked for this subject."""
        for key, queue in self._queues.items():
            self.context.backends[key.endpoint].gate.remove_queue(queue)

    def slot(self, queue: QueueKey, remaining: float, run: int, *, trial: str = "") -> Slot:
        """A slot of a queue's endpoint for a call of that run. `remaining`: turns. Entering it raises QueueClosed.

        What ends the run closes every gate before the slot is free: no call starts whose answer nobody could keep.
        """
        return _TrialSlot(self, self._queue(queue), remaining, min(run, self.last_runs), trial)

    async def resolve(
        self, call: Awaitable[T], queue: QueueKey, *, trial: str, what: str, subject: str = ""
    ) -> T | None:
        """What a call came to; None where it cannot be settled now. `subject`: whose own call this is.

        What an unsettled call tried is kept; it is asked again on resume. Raises the run-ending errors of `errors.py`.
        """
        try:
            return await call
        except (Parked, GaveUp, IndependenceError) as stop:
            if isinstance(stop, Parked):
                self._stop_queue(queue, stop, subject)
            if stop.attempts:
                row = FailureRow(trial, what, type(stop).__name__, str(stop), stop.attempts)
                await self.context.writer.write(StoreCall(records.add_failure, row))
            if isinstance(stop, IndependenceError):
                raise
            if isinstance(stop, GaveUp) and self.context.stop_signal.reason is None:
                self.context.on_event(CallUnresolved(self.label, what, stop.why, stop.attempts))
            return None

    def _stop_queue(self, queue: QueueKey, stop: Parked, subject: str) -> None:
        """Let no further call of a queue start."""
        waiting = self._queue(queue)
        if not waiting.stopped:
            self.context.on_event(ModelStopped(stop.model, stop.why, subject))
            self.context.backends[queue.endpoint].gate.stop_queue(waiting)


class _TrialSlot(Slot):
    """The slot of one call of a trial: tells when the trial begins, and ends the run where the call does."""

    __slots__ = ("_trial", "_worker")

    def __init__(self, worker: SubjectWorker, queue: CallQueue, remaining: float, run: int, trial: str) -> None:
        super().__init__(queue.gate, queue, remaining, run)
        self._worker, self._trial = worker, trial

    async def __aenter__(self) -> None:
        await super().__aenter__()
        begin = self._worker.on_begin.pop(self._trial, None)
        if begin is not None:
            begin()

    async def __aexit__(self, kind: object, error: object, where: object) -> None:
        if isinstance(error, IndependenceError):
            self._worker.context.stop_signal.stop(error)
        await super().__aexit__(kind, error, where)


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
