"""The only writer: one thread, one connection, every waiting write in one transaction.

Callers await the commit. A write waits a few milliseconds for others to share its transaction and its fsync.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Concatenate, Generic, NamedTuple, ParamSpec, Protocol, TypeVar

from independence.store import database

GATHER_S = 0.004  # a transaction and its fsync cost about as much as ten rows: wait for company
T = TypeVar("T")
P = ParamSpec("P")
Write = Callable[[sqlite3.Connection], T]


class StoreCall(Generic[T]):
    """A function of a module, to be called with the store's connection and these arguments. It can be pickled."""

    __slots__ = ("_arguments", "_function", "_keywords")

    def __init__(
        self, function: Callable[Concatenate[sqlite3.Connection, P], T], *arguments: P.args, **keywords: P.kwargs
    ) -> None:
        self._function = function
        self._arguments = arguments
        self._keywords = keywords

    def __call__(self, connection: sqlite3.Connection) -> T:
        """Call it. Raises what the function raises."""
        return self._function(connection, *self._arguments, **self._keywords)


class StoreWriter(Protocol):
    """Where the store is written: in this process, or in the one that a worker belongs to."""

    async def write(self, write: Write[T], /) -> T:
        """What `write` returns once it is committed. Raises DiskFull, StoreError."""
        ...


class _QueuedWrite(NamedTuple):
    write: Write[object]
    future: asyncio.Future[object]


class _Failed(NamedTuple):
    error: BaseException


class Writer:
    """Serialises writes to a store. Create it inside a running event loop; close it when done.

    `beside` writes in every transaction, after everything else in it.
    """

    def __init__(
        self, connection: sqlite3.Connection, path: Path, beside: Callable[[sqlite3.Connection], None] | None = None
    ) -> None:
        self._connection = connection
        self._beside = beside
        self._path = path
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[_QueuedWrite] = deque()
        self._wake = threading.Event()
        self._closing = False
        self._thread = threading.Thread(target=self._work, name="store-writer", daemon=True)
        self._thread.start()

    async def write(self, write: Write[T]) -> T:
        """Run `write` inside a transaction and return its value once that is committed. Raises DiskFull, StoreError."""
        if self._closing:
            raise RuntimeError("the store's writer is closed")
        future: asyncio.Future[object] = self._loop.create_future()
        self._waiting.append(_QueuedWrite(write, future))
        if not self._wake.is_set():  # it is cleared before what waits is taken
            self._wake.set()
        return await future  # type: ignore[return-value]

    async def close(self) -> None:
        """Commit what waits and stop the thread."""
        self._closing = True
        self._wake.set()
        await asyncio.to_thread(self._thread.join)

    def _work(self) -> None:
        while True:
            self._wake.wait()
            if not self._closing:
                time.sleep(GATHER_S)
            self._wake.clear()
            batch = []
            while self._waiting:
                batch.append(self._waiting.popleft())
            if batch:
                self._commit(batch)
            if self._closing and not self._waiting:
                return

    def _commit(self, batch: list[_QueuedWrite]) -> None:
        results: list[object]
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            results = self._applied([waiting.write for waiting in batch])
            if self._beside is not None:
                self._beside(self._connection)
            self._connection.execute("COMMIT")
        except BaseException as error:  # noqa: BLE001  (a bug in one write must reach its caller, not kill the thread)
            with contextlib.suppress(sqlite3.Error):  # SQLite has often rolled back by itself when the disk is full
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
            results = [self._failed(error)] * len(batch)
        self._loop.call_soon_threadsafe(_settle, batch, results)

    def _applied(self, writes: list[Write[object]]) -> list[object]:
        """What the writes return. Savepoints cost as much as a row: they are set once something has failed."""
        self._connection.execute("SAVEPOINT all_of_them")
        try:
            results = [write(self._connection) for write in writes]
        except BaseException:
            if not self._connection.in_transaction:
                raise
            self._connection.execute("ROLLBACK TO all_of_them")
            return [self._apply(write) for write in writes]
        self._connection.execute("RELEASE all_of_them")
        return results

    def _apply(self, write: Write[object]) -> object:
        """One write of a batch. Where it fails, it alone is undone: the others were paid for."""
        self._connection.execute("SAVEPOINT one")
        try:
            result = write(self._connection)
        except BaseException as error:
            if not self._connection.in_transaction:  # SQLite has rolled everything back by itself (disk full)
                raise
            self._connection.execute("ROLLBACK TO one")
            result = self._failed(error)
        self._connection.execute("RELEASE one")
        return result

    def _failed(self, error: BaseException) -> _Failed:
        return _Failed(database.translate(error, self._path) if isinstance(error, sqlite3.Error) else error)


def _settle(batch: list[_QueuedWrite], results: list[object]) -> None:
    for waiting, result in zip(batch, results, strict=True):
        if waiting.future.done():
            continue
        if isinstance(result, _Failed):
            waiting.future.set_exception(result.error)
        else:
            waiting.future.set_result(result)
