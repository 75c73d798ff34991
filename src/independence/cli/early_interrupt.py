"""Ctrl-C before and after a command proper: one line, where Python would print where it was importing."""

from __future__ import annotations

import os
import signal
from types import FrameType

_CODE = 130


def guard() -> None:
    """From here on Ctrl-C leaves at once. To be called while nothing is held that could be lost."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _exit_now)


def release() -> bool:
    """Let Ctrl-C raise KeyboardInterrupt again; False where `guard` was not called."""
    guarded = signal.getsignal(signal.SIGINT) is _exit_now
    if guarded:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return guarded


def _exit_now(_number: int, _frame: FrameType | None) -> None:
    os.write(2, b"Error: interrupted\n")
    os._exit(_CODE)
