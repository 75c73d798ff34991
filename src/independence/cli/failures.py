"""Failures of a run as sentences: each kind is told once, and its like are counted."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from independence.engine.events import (
    CallUnresolved,
    ModelStopped,
    RunStopping,
)

_NUMBER = re.compile(r"\d+(\.\d+)?")
_BRIEF = 100


class FailureReporter:
    """Failures of one run, by what happened and why, whatever numbers the reason holds."""

    def __init__(self) -> None:
        self._of: defaultdict[tuple[type, str], list[ModelStopped | CallUnresolved]] = defaultdict(list)

    def first(self, event: ModelStopped | CallUnresolved) -> str | None:
        """The sentence of a failure where it is the first of its kind."""
        known = self._of[type(event), _NUMBER.sub("#", event.why)]
        if isinstance(event, ModelStopped) and event in known:  # a parked judge is parked for every subject
            return None
        known.append(event)
        return _sentence(event) if len(known) == 1 else None

    def standing(self) -> Counter[str]:
        """How many calls failed for good in this run, and how many models were parked."""
        counts: Counter[str] = Counter()
        for (kind, _), events in self._of.items():
            counts["to be asked again" if kind is CallUnresolved else "not asked any more"] += len(events)
        return counts

    def counted(self) -> list[str]:
        """A sentence for every kind of failure that came more than once."""
        return [_again(events) for events in self._of.values() if len(events) > 1]


def stopping(event: RunStopping) -> str:
    """Why a run stops, and what becomes of the calls that were sent."""
    if event.dropped:
        return f"{event.why}: the calls in flight are dropped"
    return f"stopping ({event.why}): waiting for the calls in flight; Ctrl-C drops them"


def _sentence(event: ModelStopped | CallUnresolved) -> str:
    match event:
        case ModelStopped(model, why, subject):
            named = f"{model} ({subject})" if subject else model
            return f"{named} is not asked any more in this run: {why}; the other models continue"
        case CallUnresolved(subject, what, why):
            return f"{subject}, {what}: {why}; asked again on resume"


def _again(events: list[ModelStopped | CallUnresolved]) -> str:
    why = events[0].why if len(events[0].why) <= _BRIEF else f"{events[0].why[:_BRIEF].rsplit(' ', 1)[0]} ..."
    if isinstance(events[0], ModelStopped):
        names = [event.subject or event.model for event in events if isinstance(event, ModelStopped)]
        return f"not asked any more for the same reason ({why}): {', '.join(names[1:])}"
    subjects = {event.subject for event in events if isinstance(event, CallUnresolved)}
    of = f" of {len(subjects)} subjects" if len(subjects) > 1 else ""
    return f"{len(events)} calls{of} failed in the same way ({why}); asked again on resume"
