"""Everything that is answered about one store: its documents, what changes in it, search, and ratings that come in."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from types import TracebackType
from typing import Protocol, TypeVar

import msgspec

from independence.api import importing
from independence.errors import StoreError
from independence.report.site.schema import SCHEMA
from independence.report.site.served import RatingsReceipt
from independence.store import database
from independence.store.scopes import BoardScope
from independence.viewer import bundle, live
from independence.viewer.cache import CacheEntry, DocumentCache
from independence.viewer.live import StoreVersion

T = TypeVar("T")
BOARDS = "boards.json"


class SiteDocuments(Protocol):
    """The documents of a store as it is at one moment."""

    def paths(self) -> Iterable[str]:
        """Every path there is a document of."""

    def document(self, path: str) -> bytes:
        """The document of a path. Raises KeyError."""

    def scopes(self) -> Mapping[str, BoardScope]:
        """What each board is about, by its id."""


OpenDocuments = Callable[[sqlite3.Connection], SiteDocuments]


class StorePages:
    """A store that is served while others may write it. Use as a context manager inside an event loop.

    Documents are made in one thread and searches in another, each with a connection of its own, so that a board which
    takes long keeps nobody from searching or from seeing that something has changed.
    """

    def __init__(self, path: Path, opened: OpenDocuments) -> None:
        """Raises StoreError."""
        self._path = path
        self._opened = opened
        self._closing = ExitStack()
        self._watching, self._reading, self._searching = (self._connected() for _ in range(3))
        self._making, self._looking = (self._thread(name) for name in ("documents", "searches"))
        self._version = StoreVersion(self._watching)
        self._documents: tuple[int, SiteDocuments] | None = None
        self._cache = DocumentCache(self._document, lambda: str(self._version), self._making)
        self.writable = os.access(path, os.W_OK) and os.access(path.resolve().parent, os.W_OK)

    def _connected(self) -> sqlite3.Connection:
        connection = self._closing.enter_context(closing(database.connect_existing(self._path)))
        connection.execute("PRAGMA query_only = ON")
        return connection

    def _thread(self, name: str) -> ThreadPoolExecutor:
        return self._closing.enter_context(ThreadPoolExecutor(1, thread_name_prefix=name))

    def __enter__(self) -> StorePages:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._closing.close()

    async def entry(self, path: str) -> CacheEntry:
        """A document below `data/DATASET/`, or the page itself. Raises KeyError."""
        return await self._cache.entry(path)

    def behind(self, entry: CacheEntry) -> bool:
        """Whether the store has changed since a document was made."""
        return entry.version != str(self._version)

    def _document(self, path: str) -> bytes:
        """A document as the store is now, in one read transaction: every number of it is of one moment."""
        connection = self._reading
        connection.execute("BEGIN")
        try:
            documents = self._current()
            if path == bundle.INDEX:
                return bundle.index(documents.document(BOARDS), served=True)
            return documents.document(path)
        finally:
            connection.execute("COMMIT")

    def _current(self) -> SiteDocuments:
        """The documents of this moment; what they have read already is kept while the store does not change."""
        self._reading.execute("SELECT 1 FROM editions LIMIT 1").fetchone()  # the moment is that of the first read
        (moment,) = self._reading.execute("PRAGMA data_version").fetchone()
        if self._documents is None or self._documents[0] != moment:
            self._documents = (moment, self._opened(self._reading))
        return self._documents[1]

    async def changes(self) -> bytes:
        """The document `api/changes`."""
        return msgspec.json.encode(live.changes(self._watching, str(self._version), writable=self.writable))

    async def board(self, name: str) -> bytes:
        """The document `api/live/BOARD`. Raises KeyError."""
        scope = (await self._scopes())[name]
        version = str(self._version)
        return await self._look(lambda: msgspec.json.encode(live.board(self._searching, name, scope, version)))

    async def search(self, name: str, words: str, roles: Iterable[str]) -> bytes:
        """The document `api/search`. Raises KeyError for an unknown board, UsageError for words amiss."""
        scope = (await self._scopes())[name]
        return await self._look(lambda: msgspec.json.encode(live.search(self._searching, scope, words, roles)))

    async def _scopes(self) -> Mapping[str, BoardScope]:
        loop = asyncio.get_running_loop()
        if self._documents is None:
            await loop.run_in_executor(self._making, self._current)
        assert self._documents is not None
        return self._documents[1].scopes()

    async def _look(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._looking, work)

    async def rate(self, content: bytes) -> bytes:
        """Store a ratings file; says what was stored. Raises UsageError, and StoreError for a read-only store."""
        if not self.writable:
            raise StoreError(f"{self._path.name}: the store cannot be written here", "download the ratings instead")
        return await self._look(lambda: self._rated(content))

    def _rated(self, content: bytes) -> bytes:
        found = importing.import_ratings(content, self._path)
        return msgspec.json.encode(RatingsReceipt(schema=SCHEMA, stored=found.new, notes=tuple(found.notes)))
