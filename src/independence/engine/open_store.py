"""A store as it is opened for use: what an older version left undone is done first."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from independence.store import database, queries


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A store that must exist, for the length of a command that reads it. Raises StoreError, DiskFull."""
    with database.reading(path) as connection:
        yield _ready(connection)


def existing(path: Path) -> sqlite3.Connection:
    """Open a store that must exist. Raises StoreError naming how to make one."""
    return _ready(database.connect_existing(path))


def existing_or_new(path: Path) -> sqlite3.Connection:
    """Open or create a store. Raises StoreError, DiskFull."""
    return _ready(database.connect(path))


def _ready(connection: sqlite3.Connection) -> sqlite3.Connection:
    if queries.unmarked(connection):
        from independence.engine import marking  # needed once in the life of a store

        with suppress(sqlite3.OperationalError):  # a store that cannot be written is read as it is
            marking.fill(connection)
    return connection
