"""What a run has done so far, counted from its events, and written into the store once a second where it changed."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import msgspec

from independence.clients.limits import Budget
from independence.clients.protocol import Streamed, Wait
from independence.clock import MACHINE, Clock
from independence.engine.events import (
    CallCommitted,
    CallUnresolved,
    CallWaiting,
    ConcurrencyChanged,
    Event,
    ModelStopped,
    RunStopping,
    SubjectStarted,
    TrialSkipped,
    VerdictCommitted,
    WorkExpected,
)
from independence.errors import IndependenceError
from independence.store import progress
from independence.store.progress import ParkedModel, RunSnapshot, WaitingModel
from independence.store.writer import StoreCall, StoreWriter

EVERY_S = 1.0
_WAIT_SHOWN_S = 1.0


class RunProgress:
    """The counts of one run. Call it with every event."""

    def __init__(self, time: Clock = MACHINE) -> None:
        self.began = time.now()
        self._time = time
        self._started: float | None = None
        self.planned: Counter[str] = Counter()  # subject -> calls and verdicts
        self.done: Counter[str] = Counter()
        self.settled = {"calls": [0, 0], "verdicts": [0, 0]}  # settled, to settle
        self.missing: Counter[str] = Counter()
        self.usd = 0.0
        self.retried: Counter[str] = Counter()
        self.slots: dict[str, ConcurrencyChanged] = {}
        self.parked: dict[ModelStopped, None] = {}
        self.unresolved: Counter[str] = Counter()  # why calls could not be settled, in the words of the first
        self.stopping = ""
        self.tokens = 0  # that streamed answers have come to, settled or not
        self._first_token_at = self._last_token_at = 0.0  # by the monotonic clock
        self._expected_tokens = 0
        self._settled_tokens = 0
        self._waits: list[tuple[float, Wait]] = []  # until when each call waits, in seconds since 1970

    def __call__(self, event: Event) -> None:
        """Take in an event."""
        match event:
            case SubjectStarted(subject, calls, verdicts):
                self._started = self._started or self._time.now()
                self.planned[subject] += calls + verdicts
                self.settled["calls"][1] += calls
                self.settled["verdicts"][1] += verdicts
            case CallCommitted() | VerdictCommitted():
                self._settle(event)
            case CallWaiting(wait):
                self._wait(wait)
            case Streamed(_, tokens):
                self._last_token_at = self._time.monotonic()
                if not self.tokens:
                    self._first_token_at = self._last_token_at
                self.tokens += tokens
            case ConcurrencyChanged(endpoint):
                self.slots[endpoint] = event
            case _:
                self._obstruct(event)

    def _obstruct(self, event: Event) -> None:
        """Take in what keeps calls from being made."""
        match event:
            case TrialSkipped(_, owner):
                self.missing[f"with another process ({owner.rsplit(':', 1)[0]})"] += 1
            case ModelStopped():
                self.parked[event] = None
            case CallUnresolved(_, _, why):
                self.unresolved[why] += 1
            case RunStopping(why):
                self.stopping = why
            case WorkExpected():
                self._expected_tokens += event.tokens
                self.tokens = 0  # of the answers by which rates are measured

    def _settle(self, event: CallCommitted | VerdictCommitted) -> None:
        self.settled["calls" if isinstance(event, CallCommitted) else "verdicts"][0] += 1
        self.done[event.subject] += 1
        self.usd += event.usd
        outcome = event.answer if isinstance(event, CallCommitted) else event.grade
        self._settled_tokens += outcome.usage.completion_tokens if outcome is not None else 0
        if event.missing:
            self.missing[event.missing] += 1

    @property
    def tokens_per_second(self) -> float:
        """Of all streamed answers together, since the first token; 0 where that is not known."""
        seconds = self._last_token_at - self._first_token_at
        return self.tokens / seconds if self.tokens and seconds > 0 else 0.0

    def seconds_left(self, elapsed_s: float) -> float | None:
        """How long the rest will take; None where nothing tells.

        Where most answers are streamed, the tokens to come at the rate so far, else calls and verdicts.
        """
        done, planned = self.done.total(), self.planned.total()
        if done >= planned:
            return None
        rate = self.tokens_per_second
        if rate and 2 * self.tokens >= self._settled_tokens:
            whole = self._settled_tokens * planned / done if self._settled_tokens else self._expected_tokens
            return max(0.0, whole - self.tokens) / rate if whole else None
        return (planned - done) * elapsed_s / done if done else None

    def _wait(self, wait: Wait) -> None:
        if wait.attempt and not wait.still:
            self.retried[wait.reason] += 1
        if wait.seconds >= _WAIT_SHOWN_S:
            self._waits.append((self._time.now() + wait.seconds, wait))

    @property
    def why_unsettled(self) -> str:
        """The reason behind most calls that could not be settled; of models that were stopped, the first one's."""
        stopped = next((event.why for event in self.parked), "")
        return stopped or next((why for why, _ in self.unresolved.most_common(1)), "")

    def waits(self) -> list[WaitingModel]:
        """Which models wait now, and why."""
        at = self._time.now()
        self._waits = [(until, wait) for until, wait in self._waits if until > at]
        alike: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
        for until, wait in self._waits:
            alike[wait.model, wait.reason].append(until)
        return [WaitingModel(model, reason, len(ends), max(ends)) for (model, reason), ends in alike.items()]

    def snapshot(self, command: str, about: str, budget: Budget, stage: str = "") -> RunSnapshot:
        """Where the run stands, for the store."""
        return RunSnapshot(
            command=command, about=about, stage=stage, began=self.began, started=self._started,
            planned=self.planned.total(), done=self.done.total(),
            failed=self.unresolved.total(), usd=budget.spent, cap_usd=budget.cap, missing=dict(self.missing),
            retried=dict(self.retried), waits=tuple(self.waits()),
            slots={name: (slots, cap) for name, slots, cap in self.slots.values()},
            parked=tuple(ParkedModel(one.model, one.subject, one.why) for one in self.parked),
            stopping=self.stopping,
        )  # fmt: skip


@asynccontextmanager
async def written(
    take: Callable[[], RunSnapshot],
    masked: Callable[[bytes], bytes],
    writer: StoreWriter,
    owner: str,
    time: Clock = MACHINE,
    beside: Callable[[], Awaitable[None]] | None = None,
) -> AsyncIterator[None]:
    """Write what `take` returns into the store once a second where it changed, and a last one that says `ended`.

    `masked` takes secrets out of its JSON; `beside` is what else is written so often.
    """
    last: RunSnapshot | None = None

    async def write(snapshot: RunSnapshot) -> None:
        nonlocal last
        if snapshot != last:
            last = snapshot
            text = masked(msgspec.json.encode(snapshot)).decode()
            await writer.write(StoreCall(progress.put, owner, text))

    async def write_both() -> None:
        try:
            await write(take())
        finally:
            if beside is not None:
                await beside()

    try:
        async with repeated(write_both, EVERY_S, at_once=True):
            yield
    finally:
        with suppress(IndependenceError):
            await write(msgspec.structs.replace(take(), ended=time.now()))


@asynccontextmanager
async def repeated(
    work: Callable[[], Awaitable[None]], every_s: float, *, at_once: bool = False
) -> AsyncIterator[None]:
    """Do something again and again, as long as the block lasts; `at_once`: for the first time when it begins."""

    async def repeat() -> None:
        await asyncio.sleep(0.0 if at_once else every_s)
        while True:
            with suppress(IndependenceError):  # a full disk is reported by the call that could not be stored
                await work()
            await asyncio.sleep(every_s)

    task = asyncio.create_task(repeat())
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
