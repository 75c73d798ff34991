"""The event loop that runs are driven on: uvloop where it is installed."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def drive(work: Coroutine[Any, Any, T]) -> T:
    """Run to the end. Raises what the work raises."""
    try:
        import uvloop

        factory: Any = uvloop.new_event_loop
    except ImportError:  # Windows
        factory = None
    results: list[T] = []

    # The runner writes out its finished task, result included, when it looks at its signal handler: with the plan of
    # 100,000 dialogues in it, that takes 8 s and more than a GB.
    async def kept() -> None:
        results.append(await work)

    # Nearly everything that a call makes dies by reference count: to look for cycles every 700 objects, with a plan of
    # thousands of dialogues alive, takes a fifth of the CPU.
    before = gc.get_threshold()
    gc.set_threshold(50_000, 20, 100)
    try:
        with asyncio.Runner(loop_factory=factory) as runner:
            runner.run(kept())
    finally:
        gc.set_threshold(*before)
    return results[0]


def drive_anywhere(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine where an event loop may be running already: then it gets a loop of its own, in another thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
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
