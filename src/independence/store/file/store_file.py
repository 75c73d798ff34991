"""Which file a store is in: whether it is still at its path, and whether the log beside it is its own.

SQLite looks for the log of a file by its name alone. Whatever stands beside a file that was moved here is taken for its
log, and its pages are written into it. So each command that writes puts a new number into the header of the store
(`application_id`); pages of the log hold a copy of that header.
"""

from __future__ import annotations

import itertools
import os
import secrets
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from independence.errors import StoreError

_LOG_HEADER, _FRAME_HEADER = 32, 24  # bytes
_MAGIC = (0x377F0682, 0x377F0683)
_RANDOM_BITS = 15  # of an id of 31
_HEADER = 72  # bytes of a page 1 that are looked at


class FileHeader(NamedTuple):
    """What the header of a database says, in the file or in a page of its log."""

    id: int  # of the last command that wrote; 0: of a version before there were any
    pages: int
    free_pages: int
    schema: int

    def precedes(self, other: FileHeader) -> bool:
        """Whether nothing but the id has changed from this one to another, and that follows from this one's."""
        return self[1:] == other[1:] and other.id >> _RANDOM_BITS == _link(self.id)


def renew_id(connection: sqlite3.Connection) -> None:
    """Mark the file as that of this command, in the file itself as far as others let."""
    # Two stores of the same run often have as many pages: part of the id says which one was there before it.
    new = _link(_number(connection, "application_id")) << _RANDOM_BITS | 1 + secrets.randbelow(2**_RANDOM_BITS - 1)
    connection.execute(f"PRAGMA application_id = {new}")
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)")


def _link(before: int) -> int:
    return crc32(before.to_bytes(4, "big")) & 0xFFFF


def log_of(path: Path) -> Path:
    """Where SQLite keeps what was written last."""
    real = path.resolve()
    return real.with_name(f"{real.name}-wal")


def check_log(path: Path) -> None:
    """Raise StoreError where the log beside a path is that of another store, or of none that is there.

    A log that holds no copy of the header cannot be told.
    """
    log = log_of(path)
    if not log.is_file() or log.stat().st_size <= _LOG_HEADER:
        return
    if not path.exists() or not path.stat().st_size:
        what = f"{path}: there is no store, but {log.name}, which holds what was last written to one"
        raise StoreError(what, "put that store back beside it, or move it away to begin a new one")
    here, headers = _header_in_file(path), list(_headers_in_log(log))
    if here is None or not headers or here.id in {one.id for one in headers} or here.precedes(headers[0]):
        return
    raise StoreError(
        f"{path}: {log.name} beside it belongs to another store, or to another copy of this one",
        f"put the store back that it belongs to, or move {log.name} away to read this one without it",
    )


def _header_in_file(path: Path) -> FileHeader | None:
    """By SQLite: closing the file ourselves would take the locks of this process from it."""
    names = ("application_id", "page_count", "freelist_count", "schema_version")
    try:
        address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(address, uri=True)) as connection:
            return FileHeader._make(connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names)
    except sqlite3.Error:  # no database: whoever opens it says so
        return None


def _headers_in_log(log: Path) -> Iterator[FileHeader]:
    """Copies of the header in a log, in the order in which they were written."""
    with log.open("rb") as file:
        begin = file.read(_LOG_HEADER)
        page, salts = int.from_bytes(begin[8:12], "big"), begin[16:24]
        if int.from_bytes(begin[:4], "big") not in _MAGIC:
            return
        while len(frame := file.read(_FRAME_HEADER)) == _FRAME_HEADER and frame[8:16] == salts:
            if int.from_bytes(frame[:4], "big") == 1:
                header = file.read(_HEADER)
                values = (int.from_bytes(header[at : at + 4], "big") for at in (68, 28, 36, 40))
                yield FileHeader._make(values)
                file.seek(page - len(header), os.SEEK_CUR)
            else:
                file.seek(page, os.SEEK_CUR)


class StoreFile:
    """The file of a store that is open for writing."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.path = path
        self.on_disk = bool(connection.execute("PRAGMA database_list").fetchone()[2])
        self._seen = self._look()
        self._version = _number(connection, "data_version")
        here = _header_in_file(path) if self.on_disk else None
        self._ids = {_number(connection, "application_id"), *([here.id] if here else [])}
        self.overwritten = False  # another file was copied into it: what it held is gone

    def lost(self, connection: sqlite3.Connection) -> str:
        """What has become of the file; empty while it is in its place."""
        try:
            now = self._look()
        except FileNotFoundError:
            return "it was deleted or moved"
        except OSError:  # whoever writes hears of it
            return ""
        if now == self._seen:
            return ""
        same_file, self._seen = now[:2] == self._seen[:2], now
        if not same_file:
            return "another file has taken its place"
        # The log was written into the file, by this process or another one; or somebody else has written.
        here = _header_in_file(self.path)
        found = here.id if here else None
        if found in self._ids:
            return ""
        version = _number(connection, "data_version")
        if (
            found is not None and version != self._version and found == _number(connection, "application_id")
        ):  # another process writes too
            self._version = version
            self._ids.add(found)
            return ""
        self.overwritten = True
        return "another file was copied over it"

    def _look(self) -> tuple[int, int, int, int]:
        """Device, inode, time of the last change (ns), bytes; the same for ever of what is in memory alone."""
        if not self.on_disk:
            return (0, 0, 0, 0)
        found = self.path.stat()
        return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size

    def recovered(self) -> Path:
        """A new, empty file for what is still known: `PATH.recovered`, or with a number behind it where that is taken.

        It is among temporary files where the folder is gone, too. Raises OSError.
        """
        folder = self.path.parent if os.access(self.path.parent, os.W_OK) else Path(tempfile.gettempdir())
        name = f"{self.path.name}.recovered"
        for number in itertools.count(1):
            path = folder / (f"{name}-{number}" if number > 1 else name)
            with suppress(FileExistsError):  # also by another process that has lost the same store
                path.touch(exist_ok=False)
                break
        return path


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    return int(connection.execute(f"PRAGMA {pragma}").fetchone()[0])
