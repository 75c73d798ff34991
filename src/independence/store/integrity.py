"""Whether all of a store is as it was written, texts included; and a copy of what is whole, where it is not."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from independence.errors import StoreError
from independence.store import context, dialogue_rows
from independence.store.file import database, digests

_LEFT_OUT = ("leases", "progress", digests.TALLIES, "dialogues")  # of processes that run, or made anew
_SOUND_CALL = "after = call_digest(context, missing, text, thinking)"


def complaints(connection: sqlite3.Connection) -> Iterator[str]:
    """What is not as it was written, a sentence each; nothing where all is."""
    for (complaint,) in connection.execute("PRAGMA integrity_check").fetchall():
        if complaint != "ok":
            yield from complaint.splitlines()
    yield from (f"{found.table}: {found.what}" for found in digests.damage(connection))
    _offer(connection)
    for trial, turn in connection.execute(f"SELECT trial, turn FROM calls WHERE NOT ({_SOUND_CALL})"):
        yield f"calls: the answer of turn {turn} of {trial} is not as it was given"
    for trial in dialogue_rows.differing(connection):
        yield f"dialogues: the row of {trial} is not what its answers say"


class Salvaged(NamedTuple):
    """How many rows of a table were copied."""

    table: str
    rows: int
    written: int | None  # that there were once; None where nobody counts them


def salvage(path: Path, out: Path) -> list[Salvaged]:
    """Copy every row that is as it was written, as far as it can be read, into a new store. Raises StoreError."""
    if out.exists():
        raise StoreError(f"{out}: is there already", "name a new file")
    with (
        database.translated(path),
        closing(database.as_it_is(path)) as source,
        database.writing(out, new=True) as target,
    ):
        _offer(source)
        counted = _read(source, f"SELECT name, rows FROM {digests.TALLIES}", "name")
        written = {str(name): int(rows) for name, rows in counted}
        with database.transaction(target):
            tables = target.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid").fetchall()
            found = [_copied(source, target, table, written) for (table,) in tables if table not in _LEFT_OUT]
            dialogue_rows.write(target)
    return found


def _copied(source: sqlite3.Connection, target: sqlite3.Connection, table: str, written: dict[str, int]) -> Salvaged:
    described = target.execute(f"PRAGMA table_info({table})").fetchall()
    columns = ", ".join(column[1] for column in described)
    sound = _SOUND_CALL if table == "calls" else "true"
    if table in digests.CHECKED:
        sound = f"digest = {digests.expression(table)}"
    try:
        source.execute(f"SELECT rowid FROM {table} LIMIT 0")
        order = "rowid"
    except sqlite3.Error:
        order = ", ".join(column[1] for column in sorted(described, key=lambda one: int(one[5])) if column[5])
    rows = _read(source, f"SELECT {columns} FROM {table} NOT INDEXED WHERE {sound}", order)
    places = ", ".join("?" for _ in described)
    count = target.executemany(f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({places})", rows).rowcount
    return Salvaged(table, max(count, 0), written.get(table))


def _read(connection: sqlite3.Connection, sql: str, order: str) -> Iterator[tuple[Any, ...]]:
    """Rows from the beginning, and where one cannot be read, from the end; so some may come twice."""
    for direction in ("ASC", "DESC"):
        try:
            yield from connection.execute(f"{sql} ORDER BY {order.replace(',', f' {direction},')} {direction}")
        except sqlite3.DatabaseError:
            continue
        return


def _offer(connection: sqlite3.Connection) -> None:
    def call_digest(before: str, missing: str | None, *said: str) -> str:
        """The context after an answer, as `context.extend` makes it."""
        return context.digest(before, *(said if missing is None else (context.MISSING, missing)))

    connection.create_function("call_digest", 4, call_digest, deterministic=True)
