"""Ctrl-C while models are asked: what is in flight is waited for, a second one drops it."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from independence.engine.events import Event, RunStopping
from independence.engine.gate import StopSignal
from independence.errors import Interrupted


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C ends at once what runs here without waiting, though the event loop would hear of it only afterwards."""
    before = signal.getsignal(signal.SIGINT)
    if before in (signal.SIG_IGN, None) or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def stops(stop_signal: StopSignal, on_event: Callable[[Event], None]) -> None:
    """From here on the first Ctrl-C stops the run in order, and the second cancels the task that calls this."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    assert task is not None

    def interrupted() -> None:
        if isinstance(stop_signal.reason, Interrupted):
            task.cancel()
        elif stop_signal.reason is None:
            stop_signal.stop(Interrupted("interrupted"))
        else:
            on_event(RunStopping("interrupted", dropped=True))
            task.cancel()

    lost = [signal.SIGHUP] if hasattr(signal, "SIGHUP") else []  # the terminal, as when an SSH session ends
    for number in (signal.SIGINT, signal.SIGTERM, *lost):
        if signal.getsignal(number) is signal.SIG_IGN:
            continue  # as under nohup
        loop.add_signal_handler(number, interrupted)
