"""The event loop that runs are driven on."""

from __future__ import annotations

import asyncio
import gc
import signal
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")

# Nearly everything a call makes dies by reference count. Looking for cycles every 700 objects, with a plan of
# thousands of dialogues alive, takes a tenth of the CPU and finds next to nothing.
_THRESHOLDS = (50_000, 20, 100)


def drive(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end, on uvloop where it is installed. Raises what the work raises."""
    before = gc.get_threshold()
    gc.set_threshold(*_THRESHOLDS)
    try:
        with asyncio.Runner(loop_factory=_factory()) as runner:
            return runner.run(work)
    finally:
        gc.set_threshold(*before)


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C ends at once what runs here without waiting, though the loop would hear of it only afterwards."""
    before = signal.getsignal(signal.SIGINT)
    if before in (signal.SIG_IGN, None) or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _factory() -> Any:
    try:
        import uvloop
    except ImportError:  # Windows
        return None
    return uvloop.new_event_loop
