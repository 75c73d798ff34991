"""Everybody who has the page open is told of changes, and the store is looked at once for all of them."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec
import pytest

from independence.store import leases, progress
from independence.store.progress import RunSnapshot
from independence.viewer import app
from independence.viewer.app import ViewerSettings
from independence.viewer.feed import REPEATED_S, ChangesFeed
from independence.viewer.store_pages import StorePages
from tests.virtual_time import HandClock

from .raw import ask
from .test_app import board, write

STREAM = b"GET %s HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\n\r\n"
TOKEN = "a-text-only-readers-know"


class Looked:
    """A store that counts how often it is read."""

    def __init__(self) -> None:
        self.version = "1"
        self.broken = False
        self.reads: Counter[str] = Counter()
        self.clock = HandClock()
        self.feed = ChangesFeed(self._version, self._document, self.clock)

    def _version(self) -> str:
        if self.broken:
            raise sqlite3.OperationalError("disk I/O error")
        self.reads["version"] += 1
        return self.version

    def _document(self) -> bytes:
        self.reads["document"] += 1
        return f"as of {self.version}".encode()


async def heard(feed: ChangesFeed, tell: Callable[[bytes], object]) -> None:
    async with aclosing(feed.moments()) as moments:
        async for moment in moments:
            tell(moment.document)


async def turns() -> None:
    """Let everybody who can go on do so."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_twenty_listeners_cost_as_many_reads_as_one() -> None:
    reads = []
    for listeners in (1, 20):
        store, told = Looked(), [list[bytes]() for _ in range(listeners)]
        tasks = [asyncio.create_task(heard(store.feed, own.append)) for own in told]
        await turns()
        for version in "223":
            store.version = version
            store.feed.look()
            await turns()
        assert told == [[b"as of 1", b"as of 2", b"as of 3"]] * listeners
        reads.append(store.reads)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    assert reads[0] == reads[1] == {"version": 4, "document": 3}


async def test_what_is_known_is_said_again_before_a_proxy_takes_the_connection_for_dead() -> None:
    store, told = Looked(), list[bytes]()
    task = asyncio.create_task(heard(store.feed, told.append))
    await turns()
    for passed, times in ((REPEATED_S - 1, 1), (1, 2), (REPEATED_S - 1, 2), (1, 3)):
        store.clock.forward(passed)
        store.feed.look()
        await turns()
        assert len(told) == times
    task.cancel()


async def test_who_comes_later_hears_of_the_store_as_it_is_and_nobody_looks_once_all_are_gone() -> None:
    store = Looked()
    async with aclosing(store.feed.moments()) as first:
        assert (await anext(first)).version == "1"
        store.version = "2"
        store.feed.look()
        async with aclosing(store.feed.moments()) as second:
            assert (await anext(second)).version == "2"
    await turns()
    assert [task for task in asyncio.all_tasks() if "_look_on" in repr(task)] == []
    store.version = "3"
    async with aclosing(store.feed.moments()) as third:
        assert (await anext(third)).version == "3"


async def test_a_store_that_cannot_be_read_is_an_error_of_who_asks() -> None:
    store = Looked()
    store.broken = True
    async with aclosing(store.feed.moments()) as moments:
        with pytest.raises(sqlite3.OperationalError):
            await anext(moments)
    store.broken = False
    async with aclosing(store.feed.moments()) as moments:
        assert (await anext(moments)).version == "1"


@asynccontextmanager
async def listening(address: str, path: str) -> AsyncIterator[asyncio.StreamReader]:
    """A stream of events, its head read."""
    parts = urlsplit(address)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(STREAM % (path.encode(), parts.netloc.encode()))
    try:
        yield reader
    finally:
        writer.close()


async def event(reader: asyncio.StreamReader) -> tuple[str, Any]:
    """The next event of a stream sent in chunks: its name and document."""
    held = b""
    while not held.endswith(b"\n\n\r\n"):
        held += await asyncio.wait_for(reader.readuntil(b"\n"), 10)
    name, data = held.split(b"event: ")[1].split(b"\ndata: ")
    return name.decode(), msgspec.json.decode(data.split(b"\n\n")[0])


async def test_changes_come_by_themselves_with_the_counts_of_the_board_that_is_watched(
    address: str, store: Path
) -> None:
    async with listening(address, f"/api/changes?board={await board(address)}") as reader:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        assert head.startswith("http/1.1 200")
        for line in ("content-type: text/event-stream", "x-accel-buffering: no", "no-store, no-transform"):
            assert line in head
        (first, changes), (second, live) = await event(reader), await event(reader)
        assert (first, second, live["verdicts"]) == ("changes", "board", 9)
        write(store, "DELETE FROM verdicts WHERE judge = 'two'")
        name, later = await event(reader)
        assert name == "changes"
        assert later["version"] != changes["version"]
        told = await ask(address, "/api/changes")
        assert {**told.json, "at": 0} == {**later, "at": 0}


async def test_what_a_run_says_of_itself_is_told_and_is_no_new_result(address: str, store: Path) -> None:
    before = (await ask(address, "/api/changes")).json
    async with listening(address, "/api/changes") as reader:
        await reader.readuntil(b"\r\n\r\n")
        await event(reader)
        said = RunSnapshot(
            command="run", about="toy@1", began=1, planned=2, done=0, failed=0, usd=0, cap_usd=None, missing={},
            retried={}, waits=(), slots={}, parked=(),
        )  # fmt: skip
        with closing(sqlite3.connect(store)) as connection, connection:
            progress.put(connection, leases.owner(), msgspec.json.encode(said).decode())
        _, told = await event(reader)
    assert (told["version"], [run["snapshot"]["planned"] for run in told["runs"]]) == (before["version"], [2])


async def test_a_stream_ends_at_once_with_the_server_and_is_refused_like_any_request(store: Path) -> None:
    async with AsyncExitStack() as stack:
        with StorePages(store) as pages:
            async with app.serving(pages, ViewerSettings(token=TOKEN)) as address:
                refused = await ask(address, "/api/changes", Accept="text/event-stream")
                assert (refused.status, list(refused.json)) == (401, ["error"])
                readers = []
                for _ in range(5):
                    opened = listening(address, f"/api/changes?token={TOKEN}")
                    reader = await stack.enter_async_context(opened)
                    await reader.readuntil(b"\r\n\r\n")
                    readers.append(reader)
                unknown = await ask(address, f"/api/changes?board=nowhere&token={TOKEN}", Accept="text/event-stream")
                assert unknown.status == 404
        for reader in readers:
            assert b"changes" in await asyncio.wait_for(reader.read(), 10)
