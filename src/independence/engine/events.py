"""What a run tells its watcher. Typed, small, emitted on the event loop, in the task of the trial it is about.

`POSITION` says in that task which dialogue and turn it is about.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import NamedTuple

from independence.clients.protocol import Wait
from independence.engine.plan import Trial
from independence.types import Answer, Attempt, Grade


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


class ConcurrencyChanged(NamedTuple):
    """How many calls an endpoint takes at once has changed."""

    endpoint: str
    slots: int
    cap: int


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


class RunStopping(NamedTuple):
    """No further call starts; those in flight finish, unless they are dropped."""

    why: str
    dropped: bool = False


Event = (
    SubjectStarted
    | CallCommitted
    | VerdictCommitted
    | CallWaiting
    | ConcurrencyChanged
    | ModelStopped
    | CallUnresolved
    | TrialSkipped
    | RunStopping
)
Watch = Callable[[Event], None]


class RunPosition(NamedTuple):
    """A dialogue of a plan, and the turn it is at."""

    subject: str  # label
    model: str  # id, endpoint included
    condition: str
    scenario: str
    run: int
    turn: str = ""  # empty before the first and after the last


# Set by the task of each trial, so every event and every wait inside it is told from within that trial.
POSITION: ContextVar[RunPosition | None] = ContextVar("HERE", default=None)


def set_position(trial: Trial, turn: str = "") -> None:
    """Say where the running task is now."""
    subject, dialogue = trial.subject, trial.dialogue
    scenario = dialogue.scenario.id
    POSITION.set(
        RunPosition(
            subject.label,
            subject.model_id,
            condition=str(dialogue.condition),
            scenario=scenario,
            run=trial.run,
            turn=turn,
        )
    )
