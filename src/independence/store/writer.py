"""The only writer: one connection, every waiting write in one transaction.

Callers await the commit. A write waits a few milliseconds for others to share its transaction and its fsync. A thread
applies it, and waits for the lock and for the disk.

Before each transaction the file is looked for at its path. Where it is not there any more, everything goes on in a copy
beside it, and no further call is made.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import pickle
import sqlite3
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO, Any, Concatenate, Generic, NamedTuple, ParamSpec, Protocol, TypeVar

from independence.clock import MACHINE, Clock
from independence.errors import IndependenceError, StoreUnwritable, WriterHangs
from independence.store.file import database
from independence.store.file.store_file import StoreFile, log_of

GATHER_S = 0.004  # a transaction and its fsync cost about as much as ten rows: wait for company
STUCK_S = 60.0  # without the end of a transaction, while writes wait for it: longer than any lock is waited for
_HELD = 64  # answers
LAST_S = 2.0  # for which a task that is cancelled waits for its write
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


class AnswerCall(StoreCall[T]):
    """One that stores what a model answered: it is kept until the end, in case the store is overwritten meanwhile."""

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


class _AnswerLog:
    """What was written of answers, in a file without a name beside the store. It is gone when the process is."""

    def __init__(self, folder: Path | None) -> None:
        self._held: list[Write[object]] = []  # not in the file yet: many take little longer to write than one
        self._file: IO[bytes] | None = None
        if folder is not None:
            with contextlib.suppress(OSError):  # then nothing is left where somebody overwrites the store
                self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - for as long as the writer is there

    def add(self, writes: Iterable[Write[object]]) -> None:
        """Keep those that store an answer."""
        if self._file is None:
            return
        self._held += (write for write in writes if isinstance(write, AnswerCall))
        if len(self._held) >= _HELD:
            try:
                pickle.dump(self._held, self._file)
            except OSError:  # a full disk
                self._file = None
            self._held = []

    def restored(self, path: Path) -> sqlite3.Connection:
        """A new store with all of them. Raises DiskFull, StoreError, OSError."""
        connection = database.connect(path)
        with database.transaction(connection):
            for write in chain(self._written(), self._held):
                write(connection)
        return connection

    def _written(self) -> Iterator[Write[object]]:
        if self._file is not None:
            self._file.seek(0)
            with contextlib.suppress(EOFError):
                while True:
                    yield from pickle.load(self._file)  # noqa: S301 - ours, and nobody else can reach it


class Writer:
    """Serialises writes to a store. Create it inside a running event loop; close it when done."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        stop: Callable[[IndependenceError], object] = lambda _: None,
        *,
        clock: Clock = MACHINE,
    ) -> None:
        """`stop` hears, on the event loop, why to ask nothing further; of a writer that hangs, after STUCK_S."""
        self._connection = connection
        connection.execute("PRAGMA temp_store = MEMORY")  # where pages are kept for statements that may be undone
        self._path = path
        self._stop, self._clock = stop, clock
        self._file = StoreFile(connection, path)
        self._answers = _AnswerLog(path.parent if self._file.on_disk else None)
        self._copy: sqlite3.Connection | None = None  # where everything is written once the file is lost
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[_QueuedWrite] = deque()
        self._batch: list[_QueuedWrite] = []  # in work
        self._transactions = 0  # that have ended
        self._watchdog: asyncio.TimerHandle | None = None
        self._over: IndependenceError | None = None  # why nothing is written any more
        self._wake = threading.Event()
        self._closing = threading.Event()
        self._ended = asyncio.Event()
        self._thread = threading.Thread(target=self._work, name="store-writer", daemon=True)
        self._thread.start()

    async def write(self, write: Write[T]) -> T:
        """Run `write` inside a transaction and return its value once that is committed.

        Raises DiskFull, StoreError, and StoreUnwritable where nothing is written any more.
        """
        if self._over is not None:
            raise self._over
        if self._closing.is_set():
            raise RuntimeError("the store's writer is closed")
        future: asyncio.Future[object] = self._loop.create_future()
        self._waiting.append(_QueuedWrite(write, future))
        if not self._wake.is_set():  # it is cleared before what waits is taken
            self._wake.set()
        if self._watchdog is None:
            self._watch()
        if _is_cancelled():
            await self._last(future)
        return await future  # type: ignore[return-value]

    async def close(self) -> None:
        """Commit what waits and stop the thread. Raises WriterHangs where nobody waits for it any more."""
        self._closing.set()
        self._wake.set()
        if self._over is None:
            ended = asyncio.ensure_future(self._ended.wait())
            await (self._last(ended) if _is_cancelled() else ended)
        if self._watchdog is not None:
            self._watchdog.cancel()
        if isinstance(self._over, WriterHangs):
            raise self._over
        if self._copy is not None:
            self._copy.close()
        else:
            with contextlib.suppress(sqlite3.Error):  # within a transaction that could not be undone
                self._connection.execute("PRAGMA temp_store = DEFAULT")

    async def _last(self, future: asyncio.Future[Any]) -> None:
        """Wait a little, for a task that was cancelled: whoever pressed Ctrl-C twice waits for no disk."""
        done, _ = await asyncio.wait([future], timeout=LAST_S)
        if not done:
            what = f"{self._path}: a write does not end"
            self._give_up(WriterHangs(what, "what was committed before is kept, the same command resumes"))
            future.cancel()

    def _watch(self) -> None:
        before = self._transactions

        def look() -> None:
            self._watchdog = None
            if not self._thread.is_alive():
                self._give_up(self._broken("its thread has ended"))
            elif self._transactions == before and (self._waiting or self._batch):
                self._stop(
                    StoreUnwritable(
                        f"{self._path}: nothing could be written for {STUCK_S:.0f} s",
                        "what waits is written once the disk answers, or dropped by a second Ctrl-C",
                    )
                )
            if self._waiting or self._batch:
                self._watch()

        self._watchdog = self._loop.call_later(STUCK_S, look)

    def _give_up(self, error: IndependenceError) -> None:
        """Nothing is written any more; who waits hears why."""
        self._over = self._over or error
        self._stop(self._over)
        for waiting in (*self._batch, *self._waiting):
            if not waiting.future.done():
                waiting.future.set_exception(self._over)
        self._waiting.clear()

    def _broken(self, why: str) -> StoreUnwritable:
        return StoreUnwritable(
            f"{self._path}: writing to the store has failed ({why})",
            "what was committed before is kept, the same command resumes",
        )

    def _work(self) -> None:
        why: IndependenceError | None = None
        try:
            self._serve()
        except BaseException as error:  # noqa: BLE001  (whoever waits for this thread must hear that it has ended)
            why = error if isinstance(error, IndependenceError) else self._broken(_told(error))
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            if why is not None:
                self._loop.call_soon_threadsafe(self._give_up, why)
            self._loop.call_soon_threadsafe(self._ended.set)

    def _serve(self) -> None:
        while True:
            self._wake.wait()
            self._clock.wait(self._closing, GATHER_S)
            self._wake.clear()
            while self._waiting:
                self._batch.append(self._waiting.popleft())
            if self._batch:
                self._find_file()
                self._transact(self._batch)
                self._batch = []
            if self._closing.is_set() and not self._waiting:
                return

    def _find_file(self) -> None:
        """Go on in a copy where the file is not at its path any more. Raises StoreUnwritable where none can be made."""
        what = self._file.lost(self._connection)
        if not what:
            return
        try:
            copy = self._file.recovered()
            saved = self._answers.restored(copy) if self._file.overwritten else _copied(self._connection, copy)
        except (sqlite3.Error, OSError, IndependenceError) as error:
            raise self._broken(f"{what}, and no copy can be written: {error}") from error
        if self._file.overwritten:  # its log must not be written into what is there now
            with contextlib.suppress(OSError):
                os.truncate(log_of(self._path), 0)
        all_of_it = "what this command was answered" if self._file.overwritten else "all that it held"
        lost = StoreUnwritable(f"{self._path}: {what}; {all_of_it} is in {copy}", f"--db {copy} goes on with it")
        self._connection = self._copy = saved
        self._path, self._file = copy, StoreFile(saved, copy)
        self._loop.call_soon_threadsafe(self._stop, lost)

    def _transact(self, batch: list[_QueuedWrite]) -> None:
        results: list[object]
        try:
            results = self._committed([waiting.write for waiting in batch])
        except BaseException as error:  # noqa: BLE001  (a bug in one write must reach its caller, not kill the thread)
            with contextlib.suppress(sqlite3.Error):  # SQLite has often rolled back by itself when the disk is full
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
            results = [self._failed(error)] * len(batch)
        kept = (one.write for one, result in zip(batch, results, strict=True) if not isinstance(result, _Failed))
        self._answers.add(kept)
        self._transactions += 1
        self._loop.call_soon_threadsafe(_settle, batch, results)

    def _committed(self, writes: list[Write[object]]) -> list[object]:
        """What the writes return, in one transaction.

        A savepoint copies every page that is written after it: each write has one only after one of them has failed.
        """
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            results = [write(self._connection) for write in writes]
        except Exception:
            if not self._connection.in_transaction:  # SQLite has rolled everything back by itself (disk full)
                raise
            self._connection.execute("ROLLBACK")
            self._connection.execute("BEGIN IMMEDIATE")
            results = [self._apply(write) for write in writes]
        self._connection.execute("COMMIT")
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
        if isinstance(error, sqlite3.Error) and "readonly" not in str(error):
            return _Failed(database.translate(error, self._path))
        told = isinstance(error, sqlite3.Error | MemoryError | OSError)
        return _Failed(self._broken(_told(error)) if told else error)


def _copied(connection: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    """A whole copy of an open store, whatever became of its file, which is left whole too, wherever it is now."""
    connection.execute("VACUUM INTO ?", (str(path),))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # nothing of it is left for a file that has taken its place
    return database.connect(path)


def _told(error: BaseException) -> str:
    return "not enough memory" if isinstance(error, MemoryError) else str(error) or type(error).__name__


def _is_cancelled() -> bool:
    """Whether the running task is to end, as after a second Ctrl-C."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _settle(batch: list[_QueuedWrite], results: list[object]) -> None:
    for waiting, result in zip(batch, results, strict=True):
        if waiting.future.done():
            continue
        if isinstance(result, _Failed):
            waiting.future.set_exception(result.error)
        else:
            waiting.future.set_result(result)
