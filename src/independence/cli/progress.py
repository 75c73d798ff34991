"""What a run shows while it works: a bar a subject, calls per second, spend, time left, and every wait with its reason.

Without a terminal it is a line every few seconds on stderr.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from types import TracebackType
from typing import TYPE_CHECKING

from independence.cli.terminal import console, note, plain
from independence.engine.events import (
    Answered,
    Began,
    Event,
    Judged,
    ParkedModel,
    Skipped,
    Stopping,
    Unsettled,
    Waiting,
)

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live

_EVERY_S = 5.0
_WAIT_SHOWN_S = 1.0


class Progress:
    """A watcher of run events. Use as a context manager."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._began = time.monotonic()
        self._planned: Counter[str] = Counter()
        self._done: Counter[str] = Counter()
        self._missing: Counter[str] = Counter()
        self._calls = 0
        self._usd = 0.0
        self._waits: dict[str, tuple[float, int, str]] = {}  # reason -> (until, how many, model)
        self._said = self._began
        self._told: set[str] = set()
        self._live = None if quiet or not sys.stderr.isatty() else _live(self)

    def __enter__(self) -> Progress:
        if self._live:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._live:
            self._live.stop()
        elif self._planned and not self._quiet:
            note(self.line())

    def __call__(self, event: Event) -> None:
        """Take in an event."""
        match event:
            case Began(subject, calls, verdicts):
                self._planned[subject] += calls + verdicts
            case Answered(subject, usd, missing) | Judged(subject, _, usd, missing):
                self._settle(subject, usd, missing)
            case Waiting(wait):
                if wait.seconds >= _WAIT_SHOWN_S:
                    _, count, _ = self._waits.get(wait.reason, (0.0, 0, ""))
                    self._waits[wait.reason] = (time.monotonic() + wait.seconds, count + 1, wait.model)
            case Skipped(subject, owner):
                self._missing[f"{subject}: with another process ({owner.rsplit(':', 1)[0]})"] += 1
            case other:
                sentence = _sentence(other)
                if sentence not in self._told:  # a parked judge is parked for every subject
                    self._told.add(sentence)
                    self._say(sentence)
        self._tick()

    def _settle(self, subject: str, usd: float, missing: str | None) -> None:
        self._done[subject] += 1
        self._calls += 1
        self._usd += usd
        if missing:
            self._missing[missing] += 1

    def _say(self, text: str) -> None:
        if self._live:
            self._live.console.print(plain(text))
        else:
            note(text, self._quiet)

    def _tick(self) -> None:
        if self._live is None and not self._quiet and time.monotonic() - self._said >= _EVERY_S:
            self._said = time.monotonic()
            note(self.line())

    def line(self) -> str:
        """Where the run stands, in one line."""
        elapsed = max(time.monotonic() - self._began, 1e-9)
        done, planned = self._done.total(), self._planned.total()
        rate = self._calls / elapsed
        left = (planned - done) / rate if rate else None
        parts = [f"{done}/{planned}", f"{rate:.1f} calls/s", f"${self._usd:.4f}"]
        parts.append(
            f"{_clock(elapsed)} gone" + (f", {_clock(left)} left" if left is not None and done < planned else "")
        )
        parts += [f"{count} {reason}" for reason, count in self._missing.items()]
        return "  ".join(parts + self._waiting())

    def _waiting(self) -> list[str]:
        at = time.monotonic()
        self._waits = {reason: wait for reason, wait in self._waits.items() if wait[0] > at}
        return [f"waiting {until - at:.0f} s: {reason} ({model})" for reason, (until, _, model) in self._waits.items()]

    def __rich__(self) -> RenderableType:
        """The live view."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 1))
        table.add_column(no_wrap=True, overflow="ellipsis", max_width=36)
        table.add_column(width=24)
        table.add_column(justify="right", no_wrap=True)
        active = [s for s in self._planned if self._done[s] < self._planned[s] and self._done[s]]
        for subject in active[:12]:
            bar = ProgressBar(total=max(1, self._planned[subject]), completed=self._done[subject], width=24)
            table.add_row(Text(plain(subject)), bar, f"{self._done[subject]}/{self._planned[subject]}")
        return Group(table, Text(plain(self.line()), style="dim"))


def _sentence(event: ParkedModel | Unsettled | Stopping) -> str:
    match event:
        case ParkedModel(model, why):
            return f"parked {model}: {why}; the others go on"
        case Unsettled(subject, what, why):
            return f"{subject}, {what}: {why}; asked again on resume"
        case Stopping(why):
            return f"stopping: {why}; the calls in flight are being finished, Ctrl-C drops them"


def _live(progress: Progress) -> Live:
    from rich.live import Live

    return Live(progress, console=console(stderr=True), refresh_per_second=8, transient=True)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
