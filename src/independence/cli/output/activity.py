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
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

import click

from independence.cli.output.terminal import note, plain
from independence.clock import MACHINE, Clock

Say = Callable[[str], None]
_ERASE = "\r\x1b[2K"


class ActivityTiming(NamedTuple):
    """When to speak, in seconds."""

    first: float = 2.0
    rewrite: float = 0.5  # with a terminal
    repeat: float = 5.0  # without one


PACE = ActivityTiming()


@contextmanager
def working(what: str, quiet: bool = False, pace: ActivityTiming = PACE, time: Clock | None = None) -> Iterator[Say]:
    """Show `what` while the block runs, if that takes long. What it yields changes the text."""
    said, ended = deque([what], maxlen=1), threading.Event()
    # The work itself may hold the main thread for minutes.
    thread = threading.Thread(target=_say_on, args=(said, ended, pace, time or of_command()), daemon=True)
    if not quiet and sys.stderr is not None:
        with suppress(RuntimeError):  # no memory for a thread: the work may still fit
            thread.start()
    try:
        yield said.append
    finally:
        ended.set()
        if thread.ident is not None:
            thread.join()


def _say_on(said: deque[str], ended: threading.Event, pace: ActivityTiming, time: Clock) -> None:
    """Say the last of these texts until the work has ended."""
    began, wait, rewritten = time.monotonic(), pace.first, rewrites()
    while not time.wait(ended, wait):
        text = f"{plain(said[-1])} ({clock(time.monotonic() - began)})"
        if rewritten:
            _write(_ERASE + text[: shutil.get_terminal_size().columns - 1])
        else:
            note(text)
        wait = pace.rewrite if rewritten else pace.repeat
    if rewritten:
        _write(_ERASE)


def of_command() -> Clock:
    """The clock that the running command was called with (`obj=`), which a test moves; else the machine's."""
    context = click.get_current_context(silent=True)
    given = context.find_object(Clock) if context else None
    return given or MACHINE


def rewrites() -> bool:
    """Whether stderr is a terminal on which a line can be rewritten."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def clock(seconds: float) -> str:
    """Minutes and seconds, with hours where there are any."""
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def _write(text: str) -> None:
    print(text, end="", file=sys.stderr, flush=True)
