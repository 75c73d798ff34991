"""Documents as they are sent: packed, with a content hash, made in a thread, remembered up to a number of bytes."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Final, NamedTuple

from independence.clock import MACHINE, Clock

MOST_BYTES: Final = 64 * 2**20
LEAST_S: Final = 2.0  # a document of a store that changes is made again this long after it was made,
_SHARE: Final = 5  # or this many times as long as it took, whichever is longer
_QUICK_S: Final = 0.5  # what takes longer is answered with what was there before while it is made again


class PackedDocument(NamedTuple):
    """A document as it is sent."""

    packed: bytes  # gzip
    etag: str

    @property
    def plain(self) -> bytes:
        """Its bytes."""
        return gzip.decompress(self.packed)


def pack(content: bytes) -> PackedDocument:
    """Pack a document. Equal documents have equal bytes and hashes."""
    tag = hashlib.sha256(content).hexdigest()[:32]
    return PackedDocument(gzip.compress(content, 6, mtime=0), f'W/"{tag}"')


class CacheEntry(NamedTuple):
    """A remembered document."""

    document: PackedDocument
    version: str  # of the store it was made of
    made_at: float
    seconds: float  # that making it took


class DocumentCache:
    """Makes documents, each at most once at a time, and not again before the store has changed."""

    def __init__(
        self,
        make: Callable[[str], bytes],
        version: Callable[[], str],
        threads: Executor,
        *,
        least_s: float = LEAST_S,
        most: int = MOST_BYTES,
        clock: Clock = MACHINE,
    ) -> None:
        """`make` runs in a thread and raises KeyError for a path there is no document of. Where the store has changed,
        a document is made again `least_s` seconds after it was made, or later if making it takes long.
        """
        self._make = make
        self._version = version
        self._threads = threads
        self._least_s = least_s
        self._most = most
        self._clock = clock
        self._bytes = 0
        self._entries: OrderedDict[str, CacheEntry] = OrderedDict()
        self._under_way: dict[str, asyncio.Task[CacheEntry]] = {}

    async def entry(self, path: str) -> CacheEntry:
        """A document, of the store as it is or was moments ago. Raises KeyError."""
        known = self._entries.get(path)
        if known is not None:
            self._entries.move_to_end(path)
            if known.version == self._version() or self._clock.monotonic() < self.due_at(known):
                return known
        task = self._under_way.get(path)
        if task is None:
            task = self._under_way[path] = asyncio.create_task(self._renew(path))
            task.add_done_callback(lambda done: self._settled(path, done))
        if known is not None and known.seconds > _QUICK_S:
            return known
        return await asyncio.shield(task)

    def due_at(self, entry: CacheEntry) -> float:
        """When a document may be made again, by the monotonic clock."""
        return entry.made_at + max(self._least_s, _SHARE * entry.seconds)

    def _settled(self, path: str, task: asyncio.Task[CacheEntry]) -> None:
        del self._under_way[path]
        if not task.cancelled():
            task.exception()  # whoever waited has it; what nobody waited for is made again when it is asked for

    async def _renew(self, path: str) -> CacheEntry:
        version, began = self._version(), self._clock.monotonic()
        loop = asyncio.get_running_loop()
        document = await loop.run_in_executor(self._threads, lambda: pack(self._make(path)))
        made_at = self._clock.monotonic()
        entry = CacheEntry(document, version, made_at, made_at - began)
        self._forget(path)
        self._entries[path] = entry
        self._bytes += len(document.packed)
        while self._bytes > self._most:
            self._forget(next(iter(self._entries)))
        return entry

    def _forget(self, path: str) -> None:
        if (old := self._entries.pop(path, None)) is not None:
            self._bytes -= len(old.document.packed)
