"""What the workers of one run share: clients, gates, store, judges, learned latencies, and how to say what happened."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import NamedTuple

from independence.clients.protocol import ChatClient, GaveUp, Parked
from independence.engine.events import CallUnresolved, ModelStopped, Watch
from independence.engine.gate import CallQueue, ConcurrencyLimit, EndpointGate, PerModelLimits, StopSignal
from independence.engine.plan import Trial
from independence.errors import IndependenceError
from independence.store import records
from independence.store.records import FailureRow
from independence.store.writer import Writer
from independence.suites.schema import Suite


class EndpointBackend(NamedTuple):
    """One endpoint in a run: who answers, the door to it, and which models have bounds of their own."""

    client: ChatClient
    gate: EndpointGate
    wards: PerModelLimits | None = None

    def lane(self, share: ConcurrencyLimit, model: str, provider: str | None = None) -> CallQueue:
        """A new lane of a subject, in which one model is asked."""
        own = self.wards.share(model, provider) if self.wards else None
        return self.gate.lane(share, own) if own else self.gate.lane(share)


class Parallelism(NamedTuple):
    """How much runs at once."""

    subjects: int  # -p
    calls: int  # -pt, within one subject


class RunContext(NamedTuple):
    """The run's shared parts."""

    suite: Suite
    rubrics: Mapping[str, str]  # scenario -> digest
    backends: Mapping[str, EndpointBackend]  # endpoint -> backend
    writer: Writer
    watch: Watch
    halt: StopSignal
    owner: str


class QueueKey(NamedTuple):
    """What is asked of an endpoint for one subject; parked by itself, so that what still works goes on."""

    endpoint: str
    who: str  # a delivery mode of the subject, or a judge


class SubjectWorker(NamedTuple):
    """One subject's place in the run: its lanes, and the pace learned so far."""

    bench: RunContext
    label: str
    lanes: Mapping[QueueKey, CallQueue]
    pace: CallLatency

    @asynccontextmanager
    async def slot(self, queue: QueueKey, remaining: float, run: int) -> AsyncIterator[None]:
        """Hold a slot of a queue's endpoint for a dialogue of that run. Raises gate.Closed.

        What ends the run closes every gate before the slot is free: no call starts whose answer nobody could keep.
        """
        async with self.bench.backends[queue.endpoint].gate.slot(self.lanes[queue], remaining, run):
            try:
                yield
            except IndependenceError as stop:
                self.bench.halt.stop(stop)
                raise

    def park(self, queue: QueueKey, stop: Parked, subject: str = "") -> None:
        """Let no further call of a queue start. `subject`: whose own calls these are."""
        lane = self.lanes[queue]
        if not lane.parked:
            self.bench.watch(ModelStopped(stop.model, stop.why, subject))
            self.bench.backends[queue.endpoint].gate.park(lane)

    async def unsettled(self, trial: Trial, what: str, stop: Parked | GaveUp | IndependenceError) -> None:
        """Keep what an unsettled call tried; it is asked again on resume."""
        if stop.attempts:
            row = FailureRow(trial.key, what, type(stop).__name__, str(stop), stop.attempts)
            await self.bench.writer.write(lambda connection: records.add_failure(connection, row))
        if isinstance(stop, GaveUp) and self.bench.halt.reason is None:
            self.bench.watch(CallUnresolved(self.label, what, stop.why, stop.attempts))


_WEIGHT = 0.2
_UNKNOWN_S = 60.0  # longer than nearly every call, so that the unknown is tried before what is known to be quick


class CallLatency:
    """Exponentially weighted mean latency of one subject's calls, in seconds."""

    def __init__(self) -> None:
        self._mean: float | None = None

    def called(self, seconds: float) -> None:
        """Learn from a settled call."""
        self._mean = seconds if self._mean is None else self._mean + _WEIGHT * (seconds - self._mean)

    def remaining(self, turns: int) -> float:
        """Seconds until a dialogue with so many turns left is answered, if it never waits for a slot."""
        return turns * (_UNKNOWN_S if self._mean is None else self._mean)
