"""What goes wrong while a store is written: whoever waits hears of it in a sentence, and nothing hangs."""

from __future__ import annotations

import asyncio
import errno
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from independence.clock import Clock
from independence.errors import DiskFull, IndependenceError, StoreUnwritable, WriterHangs
from independence.store.file import database
from independence.store.writer import AnswerCall, StoreCall, Write, Writer
from tests.virtual_time import in_virtual_time

PATIENCE_S = 30.0
FAULTS: dict[str, Callable[[], Exception]] = {
    "memory": MemoryError,
    "full": lambda: sqlite3.OperationalError("database or disk is full"),
    "device": lambda: sqlite3.OperationalError("disk I/O error"),
    "remounted": lambda: sqlite3.OperationalError("attempt to write a readonly database"),
    "system": lambda: OSError(errno.EIO, "Input/output error"),
}


class Faulty(sqlite3.Connection):
    """Fails at one statement, or at all from there on."""

    left = -1  # statements before that; below 0: none fails
    lasting = False
    fault: Callable[[], Exception] = MemoryError

    def execute(self, *arguments: Any) -> sqlite3.Cursor:
        if self.left == 0:
            self.left = 0 if self.lasting else -1
            raise type(self).fault()
        self.left -= self.left > 0
        return super().execute(*arguments)


def note(connection: sqlite3.Connection, text: str) -> str:
    connection.execute("INSERT INTO notes VALUES (?)", (text,))
    return text


def broken(_connection: sqlite3.Connection) -> str:
    raise ValueError("a bug in one write")


async def outcomes(connection: Faulty, path: Path, statement: int) -> tuple[list[object], list[str], bool]:
    """What writes came to of which one fails at that statement of the connection; what was told; whether it came."""
    told: list[str] = []
    writer = Writer(connection, path, lambda why: told.append(str(why)))
    connection.left = statement
    out: list[object] = []
    for number in range(3):
        writes: list[Write[str]] = [
            AnswerCall(note, f"{number} of an answer"), StoreCall(note, f"{number} of none"), broken,
        ][: 1 + number]  # fmt: skip
        tasks = [writer.write(write) for write in writes]
        out += await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), PATIENCE_S)
    came = connection.left <= 0
    connection.left = -1
    await asyncio.wait_for(writer.close(), PATIENCE_S)
    return out, told, came


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "from then on"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_at_any_statement_is_a_sentence_and_what_was_said_to_be_written_is(
    tmp_path: Path, fault: str, lasting: bool
) -> None:
    statement, failed, came = 0, 0, True
    while came:
        path = tmp_path / f"{statement}.db"
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, factory=Faulty)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE notes (text TEXT)")
        Faulty.fault, connection.lasting = staticmethod(FAULTS[fault]), lasting
        with closing(connection):
            out, told, came = asyncio.run(outcomes(connection, path, statement))
        with closing(sqlite3.connect(path)) as other:
            seen = {row[0] for row in other.execute("SELECT text FROM notes")}
        assert {one for one in out if isinstance(one, str)} == seen
        assert {type(one) for one in out} <= {str, ValueError, DiskFull, StoreUnwritable}, out
        sentences = [str(one) for one in out if isinstance(one, IndependenceError)] + told
        assert all(f"{statement}.db: " in one and "; " in one for one in sentences)
        failed += len(seen) < 5
        statement += 1
    assert statement > 10
    assert failed > (statement // 2 if lasting else 2)


class Stopped(Clock):
    """It fails after so many looks."""

    def __init__(self, looks: int) -> None:
        self.looks = looks

    def wait(self, event: threading.Event, seconds: float) -> bool:
        self.looks -= 1
        if self.looks < 0:
            raise OSError(errno.EINVAL, "Invalid argument")
        return super().wait(event, seconds)


async def test_a_clock_that_fails_ends_the_writer_and_whoever_waits_hears_it(tmp_path: Path) -> None:
    path, told = tmp_path / "store.db", list[IndependenceError]()
    with closing(database.connect(path)) as connection:
        connection.execute("CREATE TABLE notes (text TEXT)")
        writer = Writer(connection, path, told.append, clock=Stopped(1))
        assert await writer.write(StoreCall(note, "before")) == "before"
        for _ in range(2):  # also who comes later
            with pytest.raises(
                StoreUnwritable, match=r"has failed \(\[Errno 22\] Invalid argument\); what was committed"
            ):
                await asyncio.wait_for(writer.write(StoreCall(note, "after")), PATIENCE_S)
        assert [type(one) for one in told] == [StoreUnwritable]
        await asyncio.wait_for(writer.close(), PATIENCE_S)
        assert connection.execute("SELECT text FROM notes").fetchall() == [("before",)]


def test_a_writer_that_hangs_is_named_and_a_task_that_is_cancelled_waits_for_it_no_more(tmp_path: Path) -> None:
    go_on = threading.Event()
    path, told = tmp_path / "store.db", list[str]()
    connection = database.connect(path)

    async def hang(_clock: Callable[[], float]) -> None:
        named = asyncio.Event()

        def hear(why: IndependenceError) -> None:
            told.append(str(why))
            named.set()

        writer = Writer(connection, path, hear)

        async def call() -> None:
            try:
                await writer.write(lambda _: go_on.wait(PATIENCE_S))
            finally:  # as a lease is given back
                with pytest.raises(WriterHangs, match="a write does not end"):
                    await writer.write(StoreCall(note, "after"))

        async def whole() -> None:
            try:
                async with asyncio.TaskGroup() as group:
                    tasks = [group.create_task(call()) for _ in range(3)]
                    await named.wait()  # a minute of this loop passes at once
                    assert not any(task.done() for task in tasks)
            finally:
                await writer.close()

        task = asyncio.create_task(whole())
        await named.wait()
        task.cancel()
        with pytest.raises(WriterHangs):
            await task

    try:
        in_virtual_time(hang)
    finally:
        go_on.set()
    assert "nothing could be written for 60 s; what waits is written once the disk answers" in told[0]
    assert not any("failed" in one for one in told)
