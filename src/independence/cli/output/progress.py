"""What a run shows while it works: a bar a subject, calls, verdicts, spend, time left, retries and waits.

Without a terminal it is a line every few seconds on stderr. A failure is told once; its like are counted.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from types import TracebackType

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from independence.cli.output.activity import clock, of_command, rewrites
from independence.cli.output.terminal import note, one_line, plain, width
from independence.clients.protocol import Adapted, Probed, ServerLost
from independence.clock import Clock
from independence.engine.events import (
    CallUnresolved,
    CallWaiting,
    DeliveryUnverified,
    Event,
    JudgeExamined,
    ModelStopped,
    RunStopping,
    WorkerLost,
    WorkExpected,
    speed,
)
from independence.engine.progress import RunProgress
from independence.report.files.legend import tight

_EVERY_S = 5.0
_BAR, _NAMED, _SHOWN = 24, 36, 12
_NUMBER = re.compile(r"\d+(\.\d+)?")
_BRIEF = 100  # signs of a reason that is told again
# What is said at once of a wait that a person may be able to end.
_EXPLAINED = {
    "loading": "the server is loading its model; waiting for it",
    "connect": "cannot reach the server, trying again; restart it if it has stopped",
}


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


class ProgressBars:
    """A watcher of run events. Use as a context manager."""

    def __init__(self, quiet: bool, time: Clock | None = None) -> None:
        self._quiet = quiet
        self._time = time or of_command()
        self._began = self._said = self._time.monotonic()
        self._counts = RunProgress(self._time)
        self._failures = FailureReporter()
        self._told: set[tuple[str, str]] = set()  # models that are waited for, and why
        self.patience_s = 0.0  # after which a call in flight ends by itself; 0: unknown
        self._probed: Probed | None = None  # the last of the requests that go before all others
        self._dropped_at: float | None = None  # when calls in flight are dropped, by the clock
        self._adapted: set[Adapted | DeliveryUnverified] = set()
        self._live: Live | None = None
        if not quiet and sys.stderr is not None and rewrites():
            screen = Console(stderr=True, markup=False, highlight=False, emoji=False)
            self._live = Live(self, console=screen, refresh_per_second=8, transient=True)

    def __enter__(self) -> ProgressBars:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._live:
            self._live.stop()
        elif self._counts.planned and not self._quiet:
            note(self.line())
        for sentence in self._failures.counted():
            note(sentence, self._quiet)

    def __call__(self, event: Event) -> None:
        """Take in an event."""
        self._counts(event)
        match event:
            case ModelStopped() | CallUnresolved():
                self._say(self._failures.first(event))
            case Adapted() | DeliveryUnverified() if event not in self._adapted:
                self._adapted.add(event)
                self._say(str(event))
            case WorkerLost() | ServerLost() | WorkExpected() | JudgeExamined():
                self._say(str(event))
            case Probed():
                self._probed = event
            case RunStopping():
                self._dropped_at = None if event.within_s is None else self._time.monotonic() + event.within_s
                self._say(_stopping(event, self.patience_s))
            case CallWaiting(wait) if (
                wait.reason == "timeout" and wait.fix and (wait.model, wait.reason) not in self._told
            ):
                self._told.add((wait.model, wait.reason))
                tokens = self._counts.tokens_per_second
                written = f"the server writes {speed(tokens)}; " if tokens else ""
                self._say(f"{wait.model}: {written}{wait.fix}")
            case CallWaiting(wait) if wait.reason in _EXPLAINED and (wait.model, wait.reason) not in self._told:
                self._told.add((wait.model, wait.reason))
                self._say(f"{wait.model}: {_EXPLAINED[wait.reason]}")
        if (
            self._live is None
            and not self._quiet
            and (self._counts.planned or self._probed)
            and self._time.monotonic() - self._said >= _EVERY_S
        ):
            self._said = self._time.monotonic()
            note(self.line())

    def _say(self, text: str | None) -> None:
        if text is None:
            return
        if self._live:
            self._live.console.print(plain(text))
        else:
            note(text, self._quiet)

    def line(self) -> str:
        """Where the run stands, in one line."""
        elapsed = max(self._time.monotonic() - self._began, 1e-9)
        run = self._counts
        if self._probed and not run.planned:
            return "  ".join([str(self._probed), f"{clock(elapsed)} elapsed", *self._pressure()])
        done = run.done.total()
        seconds, tokens = run.seconds_left(elapsed), run.tokens_per_second
        left = "" if seconds is None or self._dropped_at is not None else f", {clock(seconds)} left"
        counts = [f"{settled}/{all_} {what}" for what, (settled, all_) in run.settled.items() if all_]
        counts += [speed(tokens) if tokens else f"{done / elapsed:.1f}/s"] * bool(tokens or done)
        parts = [*counts, *[f"${run.usd:.4f}"] * bool(run.usd), f"{clock(elapsed)} elapsed{left}"]
        parts += [f"{count} {reason}" for reason, count in (run.missing + self._failures.standing()).items()]
        return "  ".join([*parts, *self._pressure()])

    def _pressure(self) -> list[str]:
        """Retries, fewer slots, waits: why it is slower than it could be."""
        run, parts = self._counts, []
        if self._dropped_at is not None:
            parts.append(f"stopping in {max(0.0, self._dropped_at - self._time.monotonic()):.0f} s")
        if run.retried:
            reasons = ", ".join(f"{count} x {reason}" for reason, count in run.retried.most_common())
            parts.append(f"{run.retried.total()} retried ({reasons})")
        parts += [f"{name}: {slots} of {cap} slots" for name, slots, cap in run.slots.values() if slots < cap]
        at = self._time.now()
        return parts + [
            f"{one.calls} waiting up to {one.until - at:.0f} s: {one.reason} ({one.model})" for one in run.waits()
        ]

    def __rich__(self) -> Group:
        """The live view."""
        planned, settled = self._counts.planned, self._counts.done
        active = [s for s in planned if settled[s] < planned[s] and settled[s]][:_SHOWN]
        counts = [f"{settled[subject]}/{planned[subject]}" for subject in active]
        bar = min(_BAR, width() // 4)
        room = min(_NAMED, width() - bar - max(map(len, counts), default=0) - 4)
        table = Table.grid(padding=(0, 1))
        for subject, name, count in zip(active, tight(list(map(one_line, active)), room), counts, strict=True):
            done = ProgressBar(total=max(1, planned[subject]), completed=settled[subject], width=bar)
            table.add_row(Text(name), done, Text(count, justify="right"))
        return Group(table, Text(plain(self.line()), style="dim"))


def _stopping(event: RunStopping, patience_s: float) -> str:
    """Why a run stops, and what becomes of the calls that were sent."""
    calls = (
        f"{event.calls} running calls" if event.calls > 1 else "the running call" if event.calls else "running calls"
    )
    if event.dropped:
        return f"{event.why}: {calls} {'is' if event.calls == 1 else 'are'} cancelled"
    seconds = patience_s if event.within_s is None else event.within_s
    most = f", {clock(seconds)} at most" if seconds else ""
    return f"stopping ({event.why}): waiting for {calls}{most}; Ctrl-C cancels {'it' if event.calls == 1 else 'them'}"


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
