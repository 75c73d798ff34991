"""Everything that is answered about one store: its documents, what changes in it, search, and ratings that come in."""

from __future__ import annotations

import asyncio
import math
import os
import sqlite3
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from independence.api import importing
from independence.clock import MACHINE, Clock
from independence.config import documents
from independence.errors import StoreError
from independence.report.pages import search
from independence.report.pages.paths import LIST, StoreDocuments
from independence.report.pages.schema import SCHEMA
from independence.report.pages.served import RatingsReceipt
from independence.store.file import database
from independence.store.scopes import BoardScope
from independence.viewer import bundle, live
from independence.viewer.cache import CacheEntry, DocumentCache, PackedDocument
from independence.viewer.feed import ChangesFeed
from independence.viewer.live import StoreVersion
from independence.viewer.worker import Worker

T = TypeVar("T")
_COUNTED_S = 0.5  # how far dialogues are is counted again at most this often
_DEATHS_S = 10.0
_READING_KB, _CACHE_KB = 16_384, 2_048  # of pages of the store, for each connection
_PATIENCE_S = 0.5  # at the end, with a thread that does not heed the interruption of its connection


class StorePages:
    """A store that is served while others may write it. Use as a context manager inside an event loop.

    Documents are made in one thread and searches in another, each with a connection of its own, so that a board which
    takes long keeps nobody from searching or from seeing that something has changed.
    """

    def __init__(self, path: Path, clock: Clock = MACHINE) -> None:
        """Raises StoreError."""
        self._path, self._clock = path, clock
        self._reading = _connected(path, _READING_KB)
        self._watching, self._searching = (_connected(path, _CACHE_KB, checked=True) for _ in range(2))
        self._making, self._looking = Worker("documents"), Worker("searches")
        self._version = StoreVersion(self._watching)
        self._documents: tuple[int, StoreDocuments] | None = None
        self._scopes: dict[str, BoardScope] = {}
        self._newer, self._newer_at = 0, math.inf
        self._cache = DocumentCache(self._document, lambda: str(self._version), self._making, clock=clock)
        self._counts = DocumentCache(self._counted, self._by_the_clock, self._looking, least_s=_COUNTED_S, clock=clock)
        self._feed = ChangesFeed(lambda: f"{self._seen()} {self._version.moment}", self.changes, clock)
        self.writable = os.access(path, os.W_OK) and os.access(path.resolve().parent, os.W_OK)

    def __enter__(self) -> StorePages:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._watching.close()
        used = ((self._making, self._reading), (self._looking, self._searching))
        for _, connection in used:
            connection.interrupt()
        for worker, connection in used:
            if worker.end(_PATIENCE_S):  # else it computes without asking the store; the program's end is its end
                connection.close()

    async def entry(self, path: str) -> CacheEntry:
        """A document below `data/DATASET/`, or the page itself. Raises KeyError."""
        entry = await self._cache.entry(path)
        if self.behind(entry):
            due = max(self._cache.due_at(entry), self._clock.monotonic() + entry.seconds)
            self._newer_at = min(self._newer_at, due)
        return entry

    def behind(self, entry: CacheEntry) -> bool:
        """Whether the store has changed since a document was made."""
        return entry.version != str(self._version)

    def _document(self, path: str) -> bytes:
        """A document as the store is now, in one read transaction: every number of it is of one moment."""
        with database.snapshot(self._reading):
            # The documents of this moment; what they have read already is kept while the store does not change.
            self._reading.execute("SELECT 1 FROM editions LIMIT 1").fetchone()  # the moment is that of the first read
            (moment,) = self._reading.execute("PRAGMA data_version").fetchone()
            known, documents = self._documents or (None, None)
            if documents is None or known != moment:
                documents = StoreDocuments(self._reading, before=documents)
                self._documents = (moment, documents)
            self._scopes = documents.scopes()
            if path == bundle.INDEX:
                return bundle.index(documents.board_list(), served=True)
            return documents.document(path)

    def changes(self) -> bytes:
        """The document `api/changes`."""
        return documents.encode(live.changes(self._watching, self._seen(), self._clock.now(), writable=self.writable))

    def _seen(self) -> str:
        """What tells of new results: the store's version, or that what was sent as it was before is due."""
        if self._clock.monotonic() >= self._newer_at:
            self._newer_at = math.inf
            self._newer += 1
        return f"{self._version}-{self._newer}"

    async def news(self, board: str) -> AsyncGenerator[tuple[str, bytes], None]:
        """The names and documents of what has changed, as it changes: `changes`, and where a board is named `board`.

        Raises KeyError for an unknown board.
        """
        sent = ""
        if board:
            await self._scope(board)
        async with aclosing(self._feed.moments()) as moments:
            async for moment in moments:
                yield "changes", moment.document
                if board and (counted := await self.board(board)).etag != sent:
                    sent = counted.etag
                    yield "board", counted.plain

    async def board(self, name: str) -> PackedDocument:
        """The document `api/live/BOARD`. Raises KeyError."""
        await self._scope(name)
        entry = await self._counts.entry(name)
        if not entry.version.startswith(f"{self._version.moment} "):  # counted just before the last change
            self._newer_at = min(self._newer_at, self._counts.due_at(entry))
        return entry.document

    def _counted(self, name: str) -> bytes:
        return documents.encode(live.board(self._searching, name, self._scopes[name]))

    def _by_the_clock(self) -> str:
        """Another one also from time to time: a process that dies changes nothing in the store."""
        return f"{self._version.moment} {self._clock.monotonic() // _DEATHS_S}"

    async def search(self, name: str, words: str, *, whole: bool) -> bytes:
        """The document `api/search`. Raises KeyError for an unknown board, UsageError for words amiss."""
        scope = await self._scope(name)
        return await self._look(lambda: documents.encode(search.search(self._searching, scope, words, whole=whole)))

    async def _scope(self, name: str) -> BoardScope:
        if name not in self._scopes:
            await self._cache.entry(LIST)
        return self._scopes[name]

    async def _look(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._looking, work)

    async def rate(self, content: bytes) -> bytes:
        """Store a ratings file; says what was stored. Raises UsageError, and StoreError for a read-only store."""
        if not self.writable:
            raise StoreError(f"{self._path.name}: the store cannot be written here", "download the ratings instead")
        return await self._look(lambda: self._rated(content))

    def _rated(self, content: bytes) -> bytes:
        found = importing.import_ratings(content, self._path)
        return documents.encode(RatingsReceipt(schema=SCHEMA, stored=found.new, notes=tuple(found.notes)))


def _connected(path: Path, cache_kb: int, *, checked: bool = False) -> sqlite3.Connection:
    connection = database.connect_existing(path, checked=checked, cache_kb=cache_kb)
    connection.execute("PRAGMA query_only = ON")
    return connection
