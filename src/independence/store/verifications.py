"""Why an import is taken to have the wording of a suite: what of its requests was compared, and with what result."""

from __future__ import annotations

import sqlite3

import msgspec

from independence.store import digests, queries, records
from independence.store.database import transaction
from independence.types import Where

_OF_EDITION = "FROM verifications WHERE suite = ? AND edition = ?"


class VerificationRow(msgspec.Struct, frozen=True):
    """The comparison of an import's requests with those of a suite of that wording."""

    suite: str
    edition: str
    wording: str
    requests: int
    equal: int
    exceptions: dict[str, int]


def record(connection: sqlite3.Connection, row: VerificationRow, document: str) -> None:
    """Keep a comparison. From now on the import is graded by `document`, the suite (JSON) that it was compared with."""
    where = Where(row.suite, row.edition)
    with transaction(connection):
        _forget(connection, where)
        own = msgspec.structs.asdict(row) | {
            "exceptions": records.to_json(row.exceptions),
            "verified_at": records.now(),
            "read_as_before": queries.read_as(connection, where) or "",
        }
        digests.insert(connection, "verifications", [own])
        _set(connection, where, wording=row.wording, read_as=document)


def withdraw(connection: sqlite3.Connection, where: Where) -> None:
    """Forget the wording of an import, as it holds requests of other words now; it is graded as before that."""
    with transaction(connection):
        _forget(connection, where)


def verified(connection: sqlite3.Connection, where: Where) -> bool:
    """Whether the wording of an import is known."""
    return queries.first(connection, f"SELECT 1 {_OF_EDITION}", where[:2]) is not None


def _forget(connection: sqlite3.Connection, where: Where) -> None:
    before = queries.first(connection, f"SELECT read_as_before {_OF_EDITION}", where[:2])
    if before is not None:
        _set(connection, where, wording="", read_as=before)
        connection.execute(f"DELETE {_OF_EDITION}", where[:2])


def _set(connection: sqlite3.Connection, where: Where, *, wording: str, read_as: str) -> None:
    digest = digests.expression("editions", {"wording": "?1", "read_as": "?2"})
    sql = f"UPDATE editions SET wording = ?1, read_as = ?2, digest = {digest} WHERE suite = ?3 AND edition = ?4"
    connection.execute(sql, (wording, read_as, *where[:2]))
