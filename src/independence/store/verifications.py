"""Why an import is taken to have the wording of a suite: what of its requests was compared, and with what result."""

from __future__ import annotations

import sqlite3

import msgspec

from independence.store import records
from independence.store.database import transaction
from independence.types import Where


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
    own = msgspec.structs.asdict(row) | {
        "exceptions": msgspec.json.encode(row.exceptions).decode(),
        "verified_at": records.now(),
    }
    with transaction(connection):
        connection.execute("DELETE FROM verifications WHERE suite = ? AND edition = ?", (row.suite, row.edition))
        records.insert(connection, "verifications", [own])
        connection.execute(
            "UPDATE editions SET wording = ?, read_as = ? WHERE suite = ? AND edition = ?",
            (row.wording, document, row.suite, row.edition),
        )


def withdraw(connection: sqlite3.Connection, where: Where) -> None:
    """Forget the wording of an import, as it holds requests of other words now."""
    with transaction(connection):
        connection.execute("DELETE FROM verifications WHERE suite = ? AND edition = ?", where[:2])
        connection.execute("UPDATE editions SET wording = '' WHERE suite = ? AND edition = ?", where[:2])


def verified(connection: sqlite3.Connection, where: Where) -> bool:
    """Whether the wording of an import is known."""
    sql = "SELECT 1 FROM verifications WHERE suite = ? AND edition = ?"
    return connection.execute(sql, where[:2]).fetchone() is not None
