from __future__ import annotations

import asyncio
import pickle
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest
import pytest_asyncio

from independence.errors import DiskFull, StoreError
from independence.store import leases
from independence.store.writer import StoreCall, Write, Writer


@pytest_asyncio.fixture
async def writer(connection: sqlite3.Connection, path: Path) -> AsyncIterator[Writer]:
    connection.execute("CREATE TABLE notes (text TEXT UNIQUE)")
    made = Writer(connection, path)
    yield made
    await made.close()


def note(text: str) -> Callable[[sqlite3.Connection], int]:
    return lambda connection: connection.execute("INSERT INTO notes VALUES (?)", (text,)).rowcount


def inserted(connection: sqlite3.Connection, text: str, *, again: str) -> int:
    return sum(connection.execute("INSERT INTO notes VALUES (?)", (one,)).rowcount for one in (text, again))


def insert(connection: sqlite3.Connection, text: str) -> int:
    return connection.execute("INSERT INTO notes VALUES (?)", (text,)).rowcount


def seen(path: Path) -> set[str]:
    """What another connection sees, so only what is committed."""
    with closing(sqlite3.connect(path)) as other:
        return {row[0] for row in other.execute("SELECT text FROM notes")}


async def together(writer: Writer, *writes: Write[object]) -> list[asyncio.Task[object]]:
    """Writes that came while another one was being made, so that they share a transaction; let go when this returns."""
    loop, begun, go_on = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

    def hold(_connection: sqlite3.Connection) -> None:
        loop.call_soon_threadsafe(begun.set)
        go_on.wait(60)

    first = asyncio.create_task(writer.write(hold))
    await begun.wait()
    tasks = [asyncio.create_task(writer.write(write)) for write in writes]
    await asyncio.sleep(0)
    go_on.set()
    await first
    return tasks


async def outcomes(tasks: list[asyncio.Task[object]]) -> list[object]:
    """What each write returned; of those that failed, with which kind of error."""
    found = await asyncio.gather(*tasks, return_exceptions=True)
    return [type(one) if isinstance(one, BaseException) else one for one in found]


async def test_a_write_is_committed_before_it_resolves(writer: Writer, path: Path) -> None:
    assert await writer.write(note("one")) == 1
    assert seen(path) == {"one"}


async def test_writes_under_load_share_transactions(writer: Writer, path: Path) -> None:
    begun: list[str] = []
    others = [note(str(number)) for number in range(200)]
    tasks = await together(writer, *others, lambda connection: connection.set_trace_callback(begun.append))
    await asyncio.gather(*tasks)
    assert seen(path) == {str(number) for number in range(200)}
    await writer.write(lambda connection: connection.set_trace_callback(None))
    assert sum(statement.startswith("COMMIT") for statement in begun) <= 2


async def test_writes_happen_in_the_order_they_came(writer: Writer, connection: sqlite3.Connection) -> None:
    await asyncio.gather(*(writer.write(note(f"{n:03d}")) for n in range(50)))
    rows = await writer.write(lambda c: [row[0] for row in c.execute("SELECT text FROM notes ORDER BY rowid")])
    assert rows == sorted(rows)


async def test_a_failing_write_fails_alone_and_the_others_of_its_batch_are_kept(writer: Writer, path: Path) -> None:
    def half(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO notes VALUES ('half')")
        raise ValueError("no")

    assert await writer.write(note("taken")) == 1
    assert seen(path) == {"taken"}
    tasks = await together(writer, note("before"), note("taken"), half, note("after"))
    assert await outcomes(tasks) == [1, StoreError, ValueError, 1]
    assert seen(path) == {"taken", "before", "after"}


async def test_a_store_call_can_be_pickled_and_applied_by_another_process(writer: Writer) -> None:
    assert await writer.write(pickle.loads(pickle.dumps(StoreCall(inserted, "a", again="b")))) == 2
    assert await writer.write(StoreCall(leases.count, now=0.0)) == (0, 0)


async def test_the_loop_goes_on_while_a_write_waits_for_another_process(
    writer: Writer, connection: sqlite3.Connection, path: Path
) -> None:
    loop, begun = asyncio.get_running_loop(), asyncio.Event()
    connection.set_trace_callback(lambda _statement: loop.call_soon_threadsafe(begun.set))
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        kept = asyncio.create_task(writer.write(StoreCall(insert, "kept")))
        await begun.wait()
        for _ in range(100):
            await asyncio.sleep(0)
        assert not kept.done()
        other.execute("ROLLBACK")
    assert await kept == 1


async def test_a_full_disk_is_said_and_what_was_committed_stays(
    writer: Writer, connection: sqlite3.Connection, path: Path
) -> None:
    await writer.write(note("paid for"))
    pages = await writer.write(lambda c: int(c.execute("PRAGMA page_count").fetchone()[0]))
    await writer.write(lambda c: c.execute(f"PRAGMA max_page_count = {pages}").fetchone())
    with pytest.raises(DiskFull, match="full"):
        await writer.write(note("x" * 1_000_000))
    assert seen(path) == {"paid for"}
    await writer.write(lambda c: c.execute("PRAGMA max_page_count = 100000").fetchone())
    await writer.write(note("after freeing space"))
    assert seen(path) == {"paid for", "after freeing space"}


async def test_a_cancelled_caller_does_not_undo_its_write(writer: Writer, path: Path) -> None:
    (impatient,) = await together(writer, note("kept"))
    impatient.cancel()
    await writer.write(note("next"))
    assert seen(path) == {"kept", "next"}


async def test_closing_commits_what_waits_and_takes_no_more(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("CREATE TABLE notes (text TEXT)")
    writer = Writer(connection, path)
    tasks = [asyncio.create_task(writer.write(note(str(n)))) for n in range(20)]
    await asyncio.sleep(0)
    await writer.close()
    await asyncio.gather(*tasks)
    assert len(seen(path)) == 20
    with pytest.raises(RuntimeError, match="closed"):  # rather than a wait for ever
        await writer.write(note("late"))
