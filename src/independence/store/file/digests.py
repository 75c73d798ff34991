"""A digest for each row that boards or the next command go by, and for each table the number of rows and their sum.

Rows get theirs where they are written; triggers keep the sums. So a row that changed otherwise, and one that vanished,
are told from all that was stored, whatever SQLite makes of the pages. This is about damage, not about people: who
changes a store on purpose can change its digests too.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import chain
from types import MappingProxyType
from typing import Final, NamedTuple
from zlib import crc32

import msgspec

# What boards read, what was answered of unsettled calls, and the ledger: by table, as SQL. What a row is named by when
# it is damaged comes first.
CHECKED: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType({
    "editions": ("suite", "edition", "document", "used_at", "read_as", "wording"),
    "personas": ("suite", "edition", "variant", "text"),
    "subjects": ("config_dir", "suite", "edition", "label", "model_id", "simulated", "config"),
    "planned": (
        "config_dir", "scenario", "run", "suite", "edition", "variant", "mode", "experiment", "trial", "planned_at",
        "turns", "parent",
    ),
    "dialogues": (
        "trial", "start_context", "at", "answered", "missing", "broken", "flags", "said", "thought", "first_at",
        "last_at", "CAST(cost_usd AS REAL)",
    ),
    "verdicts": (
        "trial", "judge", "rubric", "context", "judged_at", "missing", "fields", "CAST(cost_usd AS REAL)",
        "quote_found",
    ),
    "artefacts": ("trial", "judge", "context", "missing", "CAST(cost_usd AS REAL)", "key"),
    "failures": (
        "trial", "what", "kind", "detail", "CAST(cost_usd AS REAL)", "CAST(unknown_usd AS REAL)", "failed_at",
    ),
    "attempts": ("trial", "what", "number", "request", "attempt", "answer"),
    "sessions": (
        "began_at", "command", "about", "last_at", "CAST(spent_usd AS REAL)", "CAST(unknown_usd AS REAL)",
    ),
    "verifications": (
        "suite", "edition", "wording", "requests", "equal", "exceptions", "verified_at", "read_as_before",
        "configurations",
    ),
    "decisions": ("sides", "suite", "edition", "CAST(margin AS REAL)", "runs", "planned_at", "below"),
    "repetitions": ("config_dir", "run", "suite", "edition", "variant", "mode", "answers", "repeated"),
    "deliveries": ("endpoint", "model", "delivery", "probed_at", "address", "template", "version", "found"),
})  # fmt: skip
INDICES: Final[Mapping[str, str]] = MappingProxyType({"verdicts": "verdicts_short", "artefacts": "artefacts_short"})
"""Where boards read tables whose rows hold texts."""
TALLIES: Final = "tallies"
REMEDY: Final = "restore a copy, or `independence doctor --salvage OUT` copies what is whole"
_EVENTS = {
    "INSERT": "rows = rows + 1, digests = digests + NEW.digest",
    "DELETE": "rows = rows - 1, digests = digests - OLD.digest",
    "UPDATE OF digest": "digests = digests + NEW.digest - OLD.digest",
}
_WORD = re.compile(r"\w+")
_NAMED_BY = 3
_LONGEST = 24  # signs of a value in a sentence
_encode = msgspec.msgpack.Encoder().encode


def offer(connection: sqlite3.Connection) -> None:
    """Give a connection the function `row_digest`."""
    connection.create_function("row_digest", -1, lambda *values: crc32(_encode(values)), deterministic=True)


def expression(table: str, values: Mapping[str, str] = MappingProxyType({})) -> str:
    """SQL for the digest of a row; `values`: SQL for columns that are to be something else than they are."""
    return _WORD.sub(lambda word: values.get(word[0], word[0]), f"row_digest({', '.join(CHECKED[table])})")


@cache
def _insertion(table: str, columns: tuple[str, ...], changes: tuple[tuple[str, str], ...] | None, where: str) -> str:
    given = ", ".join(f"? AS {name}" for name in columns)  # by position, as names are looked up for each value
    names, values = ", ".join(columns), ", ".join(columns)
    conflict = "NOTHING"
    if changes is not None:
        own = dict(changes)
        if table in CHECKED:
            own["digest"] = expression(table, own)
        conflict = f"UPDATE SET {', '.join(f'{name} = {value}' for name, value in own.items())} {where}"
    if table in CHECKED:
        names, values = f"{names}, digest", f"{values}, {expression(table)}"
    return f"INSERT INTO {table} ({names}) SELECT {values} FROM (SELECT {given}) WHERE true ON CONFLICT DO {conflict}"


def insert(
    connection: sqlite3.Connection,
    table: str,
    rows: Iterable[Mapping[str, object]],
    changes: Mapping[str, str | None] | None = None,
    where: str = "",
) -> int:
    """Insert rows that have the same columns in the same order, each with its digest.

    `changes`: what a known one takes: column -> SQL, None for the value of the new one; nothing without. `where`: SQL,
    which known ones take it. Returns how many rows changed.
    """
    left = iter(rows)
    first = next(left, None)
    if first is None:
        return 0
    own = None if changes is None else tuple((name, sql or f"excluded.{name}") for name, sql in changes.items())
    each = (tuple(row.values()) for row in chain((first,), left))  # ours: Ctrl-C is heard between two rows
    # Not `total_changes`, which counts what triggers write too.
    return connection.executemany(_insertion(table, tuple(first), own, where), each).rowcount


def renew(connection: sqlite3.Connection, tables: Iterable[str] = CHECKED) -> None:
    """Write the digest of every row of some tables, for what was changed on purpose by other means."""
    for table in tables:
        connection.execute(f"UPDATE {table} SET digest = {expression(table)}")


def install(connection: sqlite3.Connection) -> None:
    """Have triggers count the rows of each table, and add up their digests."""
    for table in CHECKED:
        connection.execute(f"INSERT INTO {TALLIES} VALUES ('{table}', 0, 0)")
        for event, change in _EVENTS.items():
            connection.execute(
                f"CREATE TRIGGER {table}_tally_{event.split()[0].lower()} AFTER {event} ON {table} BEGIN "
                f"UPDATE {TALLIES} SET {change} WHERE name = '{table}'; END"
            )


class Damage(NamedTuple):
    """What of a table is not as it was written."""

    table: str
    what: str
    row: int | None = None  # its digest, where it is one row


def damage(connection: sqlite3.Connection) -> Iterator[Damage]:
    """Everything that has digests, read and compared with them."""
    written = dict(connection.execute(f"SELECT name, digests FROM {TALLIES}").fetchall())
    for table, columns in CHECKED.items():
        rows = f"{', '.join(columns)} FROM {table}"
        if table in INDICES:
            rows += f" INDEXED BY {INDICES[table]}"
        elif table not in ("dialogues", "repetitions"):  # which have no index beside their rows
            complaints = connection.execute(f"PRAGMA integrity_check({table})").fetchall()
            yield from (Damage(table, complaint) for (complaint,) in complaints if complaint != "ok")
        if sum(map(crc32, map(_encode, connection.execute(f"SELECT {rows}")))) == written.get(table):
            continue
        count, whole = 0, True
        for digest, *row in connection.execute(f"SELECT digest, {rows}"):
            count += 1
            if crc32(_encode(row)) != digest:
                whole = False
                named = (text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…" for text in map(str, row[:_NAMED_BY]))
                yield Damage(table, f"the row of {', '.join(named)} is not as it was written", digest)
        if whole:  # then some are missing
            due = connection.execute(f"SELECT rows FROM {TALLIES} WHERE name = ?", (table,)).fetchone()
            yield Damage(table, f"{count} rows, and {due[0] if due else 'an unknown number of'} were written")
