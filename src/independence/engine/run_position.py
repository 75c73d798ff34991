"""Where in a plan the work of the running task belongs, for whoever watches it."""

from __future__ import annotations

from contextvars import ContextVar
from typing import NamedTuple

from independence.engine.plan import Trial


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
    POSITION.set(RunPosition(subject.label, subject.model_id, str(dialogue.condition), scenario, trial.run, turn))
