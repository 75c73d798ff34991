"""The only writer: one connection, every waiting write in one transaction.

Callers await the commit. A write waits a few milliseconds for others to share its transaction and its fsync. A thread
waits for the lock and for the disk, and does what may take long; short writes are applied on the event loop, where no
statement has to wait until the other thread lets go of the interpreter.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
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


class BriefCall(StoreCall[T]):
    """One that touches a few rows, by their keys: so short that the event loop can apply it."""

    __slots__ = ()


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


def _nothing(_connection: sqlite3.Connection) -> None: ...


class Writer:
    """Serialises writes to a store. Create it inside a running event loop; close it when done.

    `beside` writes in every transaction, after everything else in it.
    """

    def __init__(
        self, connection: sqlite3.Connection, path: Path, beside: Callable[[sqlite3.Connection], object] = _nothing
    ) -> None:
        self._connection = connection
        connection.execute("PRAGMA temp_store = MEMORY")  # where pages are kept for statements that may be undone
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
        self._connection.execute("PRAGMA temp_store = DEFAULT")

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
                self._transact(batch)
            if self._closing and not self._waiting:
                return

    def _transact(self, batch: list[_QueuedWrite]) -> None:
        results: list[object]
        try:
            results = self._committed([waiting.write for waiting in batch])
        except BaseException as error:  # noqa: BLE001  (a bug in one write must reach its caller, not kill the thread)
            with contextlib.suppress(sqlite3.Error):  # SQLite has often rolled back by itself when the disk is full
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
            results = [self._failed(error)] * len(batch)
        self._loop.call_soon_threadsafe(_settle, batch, results)

    def _committed(self, writes: list[Write[object]]) -> list[object]:
        """What the writes return, in one transaction.

        A savepoint copies every page that is written after it: each write has one only after one of them has failed.
        """
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            brief = all(isinstance(write, BriefCall) for write in writes)
            results = self._applied_on_loop(writes) if brief else self._applied(writes)
        except Exception:
            if not self._connection.in_transaction:  # SQLite has rolled everything back by itself (disk full)
                raise
            self._connection.execute("ROLLBACK")
            self._connection.execute("BEGIN IMMEDIATE")
            results = [self._apply(write) for write in writes]
            self._beside(self._connection)
        self._connection.execute("COMMIT")
        return results

    def _applied_on_loop(self, writes: list[Write[object]]) -> list[object]:
        """The same on the event loop, for which this thread waits. Raises what that raises."""
        done: Future[list[object]] = Future()

        def apply() -> None:
            try:
                done.set_result(self._applied(writes))
            except Exception as error:  # noqa: BLE001  (the waiting thread raises it)
                done.set_exception(error)
            except BaseException as error:  # Ctrl-C: nothing is committed, and whoever drives the loop hears of it
                done.set_exception(error)
                raise

        self._loop.call_soon_threadsafe(apply)
        return done.result()

    def _applied(self, writes: list[Write[object]]) -> list[object]:
        """What the writes return; with what is written beside them."""
        results = [write(self._connection) for write in writes]
        self._beside(self._connection)
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
