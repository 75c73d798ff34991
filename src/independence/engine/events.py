"""What a run tells its watcher. Typed, small, emitted on the event loop, in the task of the trial it is about.

`POSITION` says in that task which dialogue and turn it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextvars import ContextVar, Token
from typing import Literal, NamedTuple

import msgspec

from independence.clients.protocol import Adapted, Probed, ServerLost, Streamed, Wait
from independence.config.environment import Level
from independence.engine.plan import Trial
from independence.types import Answer, Attempt, Condition, Grade, Missing, Reply


class SubjectStarted(NamedTuple):
    """A subject's work is known: calls and verdicts still to make in this run."""

    subject: str
    calls: int
    verdicts: int


class CallCommitted(NamedTuple):
    """A call was settled and committed."""

    subject: str
    usd: float
    missing: str | None
    answer: Answer | None = None


class VerdictCommitted(NamedTuple):
    """A verdict was settled and committed."""

    subject: str
    judge: str
    usd: float  # its steps included
    missing: str | None
    grade: Grade | None = None


class CallWaiting(NamedTuple):
    """A call pauses, and why."""

    wait: Wait


_UNITS = ((3600, "h"), (60, "min"))


class WorkExpected(NamedTuple):
    """What is left to ask of a model on a server of the user's own."""

    model: str
    calls: int
    tokens: int  # that it will write, about
    rate: float  # tokens a second, all calls together; 0: unknown

    def __str__(self) -> str:
        tokens = round(self.tokens, 2 - len(str(self.tokens)))  # whose first two digits are meant
        said = f"{self.model}: about {self.calls:,} calls, {tokens:,} tokens"
        if not self.rate:
            return said
        seconds = self.tokens / self.rate
        unit, name = next((one for one in _UNITS if seconds >= 2 * one[0]), (1, "s"))
        return f"{said}, {seconds / unit:.0f} {name} at {speed(self.rate)}"


def speed(tokens_per_second: float) -> str:
    """How fast tokens come, in words."""
    return f"{tokens_per_second:.{1 if tokens_per_second < 10 else 0}f} tokens/s"


class ConcurrencyChanged(NamedTuple):
    """How many calls an endpoint takes at once has changed."""

    endpoint: str
    slots: int
    cap: int


class DeliveryUnverified(NamedTuple):
    """Whether every part of a request reaches a model cannot be told by its server's counts."""

    model: str
    why: str

    def __str__(self) -> str:
        return f"{self.model}: {self.why}; the boards are marked"


class JudgeExamined(NamedTuple):
    """What a judge made of the known dialogues of a suite."""

    judge: str
    told: str
    perfect: bool

    def __str__(self) -> str:
        return f"{self.judge} {self.told}"


class ModelStopped(NamedTuple):
    """A model cannot go on in this run; others do."""

    model: str
    why: str
    subject: str = ""  # whose dialogues stop; empty for a judge


class CallUnresolved(NamedTuple):
    """A call could not be settled now; resuming asks again."""

    subject: str
    what: str
    why: str
    attempts: tuple[Attempt, ...] = ()


class TrialSkipped(NamedTuple):
    """A trial is being worked on by another process."""

    subject: str
    owner: str


class WorkerLost(NamedTuple):
    """A worker of a cluster died. Another one takes over; what it had not stored is asked again."""

    worker: int  # counted from 1
    dialogues: int  # that it was at, a dialogue and those that continue it counted once

    def __str__(self) -> str:
        return f"worker {self.worker} died; {self.dialogues} dialogues are dealt again"


class RunStopping(NamedTuple):
    """No further call starts; those in flight finish, unless they are dropped."""

    why: str
    dropped: bool = False
    calls: int = 0  # in flight, as far as is known
    within_s: float | None = None  # after which they are dropped; None: never


Event = (
    SubjectStarted
    | CallCommitted
    | VerdictCommitted
    | CallWaiting
    | Streamed
    | Probed
    | WorkExpected
    | ConcurrencyChanged
    | Adapted
    | DeliveryUnverified
    | JudgeExamined
    | ModelStopped
    | CallUnresolved
    | TrialSkipped
    | WorkerLost
    | ServerLost
    | RunStopping
)
EventHandler = Callable[[Event], None]


class RunPosition(NamedTuple):
    """A dialogue of a plan, and the turn it is at."""

    subject: str  # label
    model: str  # id, endpoint included
    condition: Condition
    scenario: str
    run: int
    turn: str = ""  # empty before the first and after the last


# Set by the task of each trial, so every event and every wait inside it is told from within that trial.
POSITION: ContextVar[RunPosition | None] = ContextVar("POSITION", default=None)


def set_position(trial: Trial, turn: str = "") -> Token[RunPosition | None]:
    """Say where the running task is now. Returns what `POSITION.reset` takes to undo it."""
    who, asked = trial.subject, trial.dialogue
    return POSITION.set(RunPosition(who.label, who.model_id, asked.condition, asked.scenario.id, trial.run, turn))


Kind = Literal[
    "planned",
    "call",
    "retry",
    "wait",
    "adapted",
    "examined",
    "parked",
    "verdict",
    "stored",
    "skipped",
    "worker",
    "server",
    "stopped",
]
_SHORT_S = 1.0  # a wait below this tells nothing by itself


class LogEntry(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One line. What is not known, or does not apply, is left out."""

    time: str = ""  # UTC, ISO 8601 with milliseconds
    level: Level
    event: Kind
    model: str | None = None  # who is asked: a model id, or the judge of a verdict
    subject: str | None = None  # label of the subject whose dialogue it is
    condition: str | None = None
    scenario: str | None = None
    run: int | None = None
    turn: str | None = None
    attempt: int | None = None  # of a retry: the one that failed; else: how many it took
    status: str | None = None
    seconds: float | None = None  # spent in attempts; of a wait or retry: how long the pause will be
    cost: float | None = None  # dollars, all attempts together
    calls: int | None = None
    verdicts: int | None = None
    detail: str | None = None
    text: str | None = None  # what the model wrote


def entries(event: Event, here: RunPosition | None) -> Iterator[LogEntry]:
    """What an event says, told from `here`. Nothing for a wait that only goes on."""
    match event:
        case CallCommitted() | VerdictCommitted() | CallUnresolved():
            yield from _done(event, here)
        case CallWaiting(wait):
            if not wait.still:
                yield _with_position(_wait(wait), here)
        case SubjectStarted(subject, calls, verdicts):
            yield LogEntry(level="info", event="planned", subject=subject, calls=calls, verdicts=verdicts)
        case Adapted(model, told) | DeliveryUnverified(model, told):
            yield _with_position(LogEntry(level="warning", event="adapted", model=model, detail=told), here)
        case JudgeExamined(judge, told, perfect):
            yield LogEntry(level="info" if perfect else "warning", event="examined", model=judge, detail=told)
        case ModelStopped(model, why):
            yield _with_position(LogEntry(level="error", event="parked", model=model, detail=why), here)
        case TrialSkipped(subject, owner):
            yield _with_position(
                LogEntry(level="info", event="skipped", subject=subject, detail=f"held by {owner}"), here
            )
        case WorkerLost() | ServerLost() | RunStopping():
            yield _warning(event)


def _warning(event: WorkerLost | ServerLost | RunStopping) -> LogEntry:
    if isinstance(event, WorkerLost):
        return LogEntry(level="warning", event="worker", status="died", detail=str(event))
    if isinstance(event, ServerLost):
        return LogEntry(level="warning", event="server", status="unreached", detail=str(event))
    return LogEntry(level="warning", event="stopped", status="stopping", detail=event.why)


def _wait(wait: Wait) -> LogEntry:
    seconds = round(wait.seconds, 3)
    if wait.attempt:
        entry = LogEntry(level="warning", event="retry", attempt=wait.attempt, seconds=seconds)
    else:
        level: Level = "debug" if 0 < wait.seconds < _SHORT_S else "info"
        entry = LogEntry(level=level, event="wait", seconds=seconds or None)
    return msgspec.structs.replace(entry, model=wait.model, status=wait.reason)


def _done(event: CallCommitted | VerdictCommitted | CallUnresolved, here: RunPosition | None) -> Iterator[LogEntry]:
    """What became of a call or a verdict; and, where it is on disk, what it says."""
    if isinstance(event, CallUnresolved):
        cost = sum(a.usage.cost_usd + a.unknown_usd for a in event.attempts)
        entry = LogEntry(level="warning", event="call", subject=event.subject, status="unsettled", cost=_usd(cost))
        entry = msgspec.structs.replace(_tried(entry, event.attempts), detail=f"{event.what}: {event.why}")
        yield _with_position(entry, here)
        return
    outcome: Answer | Grade | None = event.grade if isinstance(event, VerdictCommitted) else event.answer
    entry = LogEntry(
        level="warning" if event.missing else "info",
        event="verdict" if isinstance(event, VerdictCommitted) else "call",
        model=event.judge if isinstance(event, VerdictCommitted) else None,
        subject=event.subject,
        status=event.missing or "ok",
    )
    entry = _with_position(entry, here)
    tried = _tried(entry, outcome.attempts if outcome else ())
    why = outcome.detail if isinstance(outcome, Missing) else ""
    if why and why not in (tried.detail or ""):
        tried = msgspec.structs.replace(tried, detail=f"{why} ({tried.detail})" if tried.detail else why)
    yield msgspec.structs.replace(tried, cost=_usd(event.usd))
    detail = why or None
    text = outcome.text if isinstance(outcome, Reply) else outcome.raw if outcome else None
    yield msgspec.structs.replace(entry, level="debug", event="stored", detail=detail, text=text or None)


def _tried(entry: LogEntry, attempts: tuple[Attempt, ...]) -> LogEntry:
    """With how many attempts it took, and what became of each and why where there were several."""
    if not attempts:
        return entry
    told = ", ".join(f"{own.outcome}: {own.detail}" if own.detail else own.outcome for own in attempts)
    seconds = sum(attempt.seconds for attempt in attempts)
    detail = told if len(attempts) > 1 else None
    return msgspec.structs.replace(entry, attempt=len(attempts), seconds=round(seconds, 3), detail=detail)


def _usd(dollars: float) -> float:
    """Without the noise of summing."""
    return round(dollars, 9)


def _with_position(entry: LogEntry, here: RunPosition | None) -> LogEntry:
    """With where it happened; what the entry says itself stays."""
    if here is None:
        return entry
    return msgspec.structs.replace(
        entry, model=entry.model or here.model, subject=entry.subject or here.subject, condition=str(here.condition),
        scenario=here.scenario, run=here.run, turn=here.turn or None,
    )  # fmt: skip
