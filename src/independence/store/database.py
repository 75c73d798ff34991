"""Opening the one file: pragmas, version check, migrations, and what SQLite's complaints mean to a person."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path

from independence.errors import DiskFull, IndependenceError, StoreError
from independence.store.migrations import MIGRATIONS

BUSY_S = 30.0


def connect(path: Path) -> sqlite3.Connection:
    """Open or create a store and bring its schema up to date. Raises StoreError, DiskFull."""
    try:
        connection = _open(path)
        try:
            version = _version(connection, path)
        except StoreError:
            connection.close()
            raise
        _use_wal(connection)
        # A reply is paid for: FULL makes a commit survive power loss too; batching keeps it cheap.
        connection.execute("PRAGMA synchronous = FULL")
        _migrate(connection, version)
    except sqlite3.Error as error:
        raise translate(error, path) from error
    return connection


def connect_existing(path: Path) -> sqlite3.Connection:
    """Open a store that must exist. Raises StoreError naming how to make one."""
    if not path.is_file():
        raise StoreError(f"{path}: no store here; `independence demo`, `run` or `import` makes one, --db names another")
    return connect(path)


def translate(error: sqlite3.Error, path: Path) -> IndependenceError:
    """What a SQLite error means to a person."""
    text = str(error)
    if isinstance(error, sqlite3.OperationalError) and ("full" in text or "disk I/O" in text):
        return DiskFull(f"{path}: the disk is full or cannot be written ({text}); free space and run the command again")
    if isinstance(error, sqlite3.DatabaseError) and "not a database" in text:
        return StoreError(f"{path}: not a store of this program ({text}); name another file with --db")
    if "malformed" in text:
        return StoreError(f"{path}: the store is damaged ({text}); restore a copy or name another file with --db")
    if "locked" in text:
        return StoreError(f"{path}: another process has kept the store locked for {BUSY_S:.0f} s; try again")
    return StoreError(f"{path}: the store cannot be used ({text})")


def _open(path: Path) -> sqlite3.Connection:
    if not path.parent.is_dir():
        raise StoreError(f"{path}: the folder {path.parent} does not exist; create it or choose another --db")
    return sqlite3.connect(path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)


def _version(connection: sqlite3.Connection, path: Path) -> int:
    """How many migrations a file has seen. Refuses what is not ours before anything in it is changed."""
    # One statement, so that another process creating the store is seen before or after, never in between.
    version, tables = connection.execute(
        "SELECT (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM sqlite_master)"
    ).fetchone()
    if version > len(MIGRATIONS):
        raise StoreError(
            f"{path}: written by a newer version (schema {version}, this one knows {len(MIGRATIONS)}); "
            "upgrade ai-independence-bench or name another store with --db"
        )
    if version == 0 and tables:
        raise StoreError(f"{path}: a SQLite file of another program; name another file with --db")
    return int(version)


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch a file to WAL. Where another process does the same, SQLite gives up at once, so this waits itself."""
    until = time.monotonic() + BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


def _migrate(connection: sqlite3.Connection, version: int) -> None:
    if version == len(MIGRATIONS):
        return
    connection.execute("BEGIN IMMEDIATE")
    # Another process may have migrated while this one waited for the lock.
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    for migration in MIGRATIONS[version:]:
        for statement in _statements(migration.sql):
            connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
    connection.execute("COMMIT")


def _statements(sql: str) -> list[str]:
    """Split a script; `executescript` would commit the transaction it runs in."""
    out, buffer = [], ""
    for line in sql.splitlines(keepends=True):
        buffer += line
        if sqlite3.complete_statement(buffer):
            out.append(buffer)
            buffer = ""
    return out
