"""Ctrl-C while modules are loaded: nothing is held yet, and Python may drop what is raised then."""

from __future__ import annotations

import os
import signal
from threading import current_thread, main_thread
from types import FrameType

_INTERRUPTED = 130


def guard() -> None:
    """From here on Ctrl-C leaves at once, in one line. To be called while nothing is held that could be lost."""
    if current_thread() is main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _exit_now)


def unguard() -> None:
    """From here on Ctrl-C is a KeyboardInterrupt again."""
    if signal.getsignal(signal.SIGINT) is _exit_now:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _exit_now(_number: int, _frame: FrameType | None) -> None:
    os.write(2, b"Error: interrupted\n")
    os._exit(_INTERRUPTED)
