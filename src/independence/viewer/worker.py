"""One thread that does what it is given, one after another, and that no program waits for when it ends."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future
from queue import SimpleQueue
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class Worker(Executor):
    """An executor of one thread; unlike the library's, the interpreter does not join it on its way out."""

    def __init__(self, name: str) -> None:
        self._given: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name=name, daemon=True)
        self._thread.start()

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Do this after what was given before."""
        future: Future[T] = Future()

        def settle() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(fn(*args, **kwargs))
            except BaseException as error:  # noqa: BLE001 - whoever waits for the result has it
                future.set_exception(error)

        self._given.put(settle)
        return future

    def _work(self) -> None:
        while (settle := self._given.get()) is not None:
            settle()

    def end(self, within_s: float) -> bool:
        """Drop what has not begun; whether the thread came to its end in that time."""
        while not self._given.empty():
            self._given.get()
        self._given.put(None)
        self._thread.join(within_s)
        return not self._thread.is_alive()
