"""What is being done, on stderr, wherever a command works for more than two seconds without printing.

With a terminal it is one line that is rewritten and goes away; without one it is a line every few seconds.

    with working("reading the files", quiet) as say:
        for at, file in enumerate(files, start=1):
            say(f"reading the files, {at} of {len(files)}")
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from independence.cli.terminal import note, plain
from independence.report.legend import fitted

Say = Callable[[str], None]
_ERASE = "\r\x1b[2K"


class ActivityTiming(NamedTuple):
    """When to speak, in seconds."""

    first: float = 2.0
    rewrite: float = 0.5  # with a terminal
    repeat: float = 5.0  # without one


PACE = ActivityTiming()


class _ActivityLine:
    """The present activity, and the thread that shows it: the work itself may hold the main thread for minutes."""

    def __init__(self, what: str, pace: ActivityTiming) -> None:
        self.what = what
        self._pace = pace
        self._began = time.monotonic()
        self._ended = threading.Event()
        self._rewrites = rewrites()
        self._thread = threading.Thread(target=self._show, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._thread.join()

    def _show(self) -> None:
        shown = False
        wait = self._pace.first
        while not self._ended.wait(wait):
            text = f"{plain(self.what)} ({clock(time.monotonic() - self._began)})"
            if self._rewrites:
                _write(_ERASE + fitted(text, shutil.get_terminal_size().columns - 1))
                shown, wait = True, self._pace.rewrite
            else:
                note(text)
                wait = self._pace.repeat
        if shown:
            _write(_ERASE)


@contextmanager
def working(what: str, quiet: bool = False, pace: ActivityTiming = PACE) -> Iterator[Say]:
    """Show `what` while the block runs, if that takes long. What it yields changes the text."""
    if quiet or sys.stderr is None:
        yield lambda _: None
        return
    line = _ActivityLine(what, pace)

    def say(text: str) -> None:
        line.what = text

    line.start()
    try:
        yield say
    finally:
        line.stop()


def rewrites() -> bool:
    """Whether stderr is a terminal on which a line can be rewritten."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def clock(seconds: float) -> str:
    """Minutes and seconds, with hours where there are any."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def _write(text: str) -> None:
    print(text, end="", file=sys.stderr, flush=True)
