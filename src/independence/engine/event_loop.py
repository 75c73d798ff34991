"""The event loop that runs are driven on."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")

# Nearly everything a call makes dies by reference count. Looking for cycles every 700 objects, with a plan of
# thousands of dialogues alive, takes a tenth of the CPU and finds next to nothing.
_THRESHOLDS = (50_000, 20, 100)


def drive(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end, on uvloop where it is installed. Raises what the work raises."""
    results: list[T] = []

    # The runner writes out its task, result included, to look at its signal handler: twice a plan of many megabytes.
    async def kept() -> None:
        results.append(await work)

    before = gc.get_threshold()
    gc.set_threshold(*_THRESHOLDS)
    try:
        with asyncio.Runner(loop_factory=_factory()) as runner:
            runner.run(kept())
    finally:
        gc.set_threshold(*before)
    return results[0]


def drive_anywhere(work: Coroutine[Any, Any, T]) -> T:
    """The same where an event loop may be running already: then the work has one of its own, in another thread."""
    if not _is_running():
        return drive(work)
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = []

    async def cancellable() -> T:
        task = asyncio.ensure_future(work)
        running.append((asyncio.get_running_loop(), task))
        return await task

    with ThreadPoolExecutor(1) as beside:
        result = beside.submit(lambda: drive(cancellable()))
        try:
            return result.result()
        except KeyboardInterrupt:
            for loop, task in running:
                loop.call_soon_threadsafe(task.cancel)
            raise


def _is_running() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _factory() -> Any:
    try:
        import uvloop
    except ImportError:  # Windows
        return None
    return uvloop.new_event_loop
