"""How a store is doing: read only, so that looking at a damaged file changes nothing. No opinions about it.

A file in WAL mode that nobody has open is read as immutable: SQLite would otherwise leave two files beside it.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path

import msgspec

from independence.errors import StoreError
from independence.store import integrity, leases, queries, records
from independence.store.file import database, store_file

_PATIENCE_S = 5.0  # with a file that another process has locked
_MOST_DAMAGE = 5  # complaints of SQLite that are kept
_TEXTS = ("calls", "artefacts", "verdicts", "failures")  # tables whose rows belong to a trial


class StoreContents(msgspec.Struct, frozen=True):
    """What a sound store holds, in rows."""

    trials: int
    answers: int  # current ones
    verdicts: int
    unplanned: int  # trials that no edition plans
    homeless: int  # answers, verdicts and failures whose trial is gone
    stale: int  # planned trials with an answer given on a history that was replaced since
    leases: int  # trials that a living process works on
    expired: int  # leases whose holder is dead or silent


class StoreHealth(msgspec.Struct, frozen=True):
    """One store file."""

    path: Path
    size_bytes: int  # with what waits in its WAL
    free_bytes: int  # on its disk
    writable: bool
    wal: bool  # journal mode
    empty: bool
    other: bool  # of another version of this program: nothing of it was read
    damage: tuple[str, ...]  # SQLite's complaints; empty: sound
    whole: bool  # every row was compared with what was written
    contents: StoreContents | None  # None where the file is damaged, empty or of another version


def free_bytes(folder: Path) -> int:
    """Free space on the disk of a folder. Raises StoreError where there is no such folder."""
    try:
        return shutil.disk_usage(folder).free
    except OSError as error:
        what = f"the folder {folder} cannot be used ({error.strerror})"
        raise StoreError(what, "create it or choose another --db") from error


def examine(path: Path, now: float | None = None, *, whole: bool = False) -> StoreHealth:
    """Look at a store that exists, `whole`: at every row. Raises StoreError for a file that is none or unreadable."""
    moment = time.time() if now is None else now
    store_file.check_log(path)
    try:
        if not store_file.log_of(path).exists():
            with suppress(sqlite3.Error):
                health = _look(path, "immutable=1", moment, whole=whole)
                if not store_file.log_of(path).exists():  # else somebody began to write meanwhile
                    return health
        return _look(path, "mode=ro", moment, whole=whole)
    except sqlite3.Error as error:
        told = database.translate(error, path)
        raise StoreError(told.what, told.fix) from error
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror})") from error


def _look(path: Path, how: str, now: float, *, whole: bool) -> StoreHealth:
    address, waiting = f"{path.resolve().as_uri()}?{how}", store_file.log_of(path)
    opened, schema = database.opened_unread(address, path, _PATIENCE_S)
    ours = schema == database.ours()
    with closing(opened) as connection:
        # Of a schema that is not known here, any statement may run something.
        checked = connection.execute(f"PRAGMA quick_check({_MOST_DAMAGE})") if ours or not schema else [("ok",)]
        rows = [str(row[0]) for row in checked]
        damage = [] if rows == ["ok"] else [line for row in rows for line in row.splitlines()][:_MOST_DAMAGE]
        whole = whole and ours
        if whole and not damage:
            damage = list(islice(integrity.complaints(connection), _MOST_DAMAGE))
        with path.open("rb") as file:
            head = file.read(20)
        return StoreHealth(
            path,
            path.stat().st_size + (waiting.stat().st_size if waiting.exists() else 0),
            free_bytes=free_bytes(path.parent),
            writable=os.access(path, os.W_OK) and os.access(path.parent, os.W_OK),
            wal=len(head) == 20 and head[18] == 2,  # how the file is read and written
            empty=not schema,
            other=schema != 0 and not ours,
            damage=tuple(damage),
            whole=whole,
            contents=_contents(connection, now) if ours and not damage else None,
        )


def _contents(connection: sqlite3.Connection, now: float) -> StoreContents:
    def count(sql: str, *values: float) -> int:
        return int(connection.execute(f"SELECT count(*) FROM {sql}", values).fetchone()[0])

    held, silent = leases.count(connection, now)
    stale = {
        one.key for info in queries.editions(connection) for one in queries.states(connection, info.where) if one.stale
    }
    return StoreContents(
        trials=count("trials"),
        answers=count("calls WHERE version = 0"),
        verdicts=count("verdicts"),
        unplanned=count(
            f"trials t WHERE t.shape <> '{records.MADE}' AND NOT EXISTS (SELECT 1 FROM planned p WHERE p.trial = t.key)"
        ),
        homeless=sum(
            count(f"{table} x WHERE NOT EXISTS (SELECT 1 FROM trials t WHERE t.key = x.trial)") for table in _TEXTS
        ),
        stale=len(stale),  # each once, however many editions plan it
        leases=held,
        expired=silent,
    )
