"""Why an import is taken to have the wording of a suite: what of its requests was compared, and with what result."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

import msgspec

from independence.store import queries, records
from independence.store.file import digests
from independence.store.file.database import transaction
from independence.types import Where

_OF_EDITION = "FROM verifications WHERE suite = ? AND edition = ?"


class VerificationRow(msgspec.Struct, frozen=True):
    """The comparison of an import's requests with those of a suite of that wording.

    `configurations`: config_dir -> why it is set aside, empty where it has the wording. The numbers are of the latter.
    """

    suite: str
    edition: str
    wording: str
    requests: int
    equal: int
    exceptions: dict[str, int]
    configurations: dict[str, str]


def record(connection: sqlite3.Connection, row: VerificationRow, document: str) -> None:
    """Keep a comparison. From now on the import is graded by `document`, the suite (JSON) that it was compared with."""
    where = Where(row.suite, row.edition)
    with transaction(connection):
        _forget(connection, where)
        own = msgspec.structs.asdict(row) | {
            "exceptions": records.to_json(row.exceptions),
            "configurations": records.to_json(row.configurations),
            "verified_at": records.now(),
            "read_as_before": queries.read_as(connection, where) or "",
        }
        digests.insert(connection, "verifications", [own])
        _set(connection, where, wording=row.wording, read_as=document)


def withdraw(connection: sqlite3.Connection, where: Where) -> None:
    """Forget the wording of an import, as it holds requests of other words now; it is graded as before that."""
    with transaction(connection):
        _forget(connection, where)


def compared(connection: sqlite3.Connection, where: Where) -> dict[str, str] | None:
    """The configurations of an import that were compared, as in `VerificationRow`; None: its wording is not known."""
    found = queries.first(connection, f"SELECT configurations {_OF_EDITION}", where[:2])
    return None if found is None else msgspec.json.decode(found, type=dict[str, str])


def amend(connection: sqlite3.Connection, where: Where, configurations: Mapping[str, str]) -> None:
    """Keep what is known of its configurations now."""
    digest = digests.expression("verifications", {"configurations": "?1"})
    sql = f"UPDATE verifications SET configurations = ?1, digest = {digest} WHERE suite = ?2 AND edition = ?3"
    with transaction(connection):
        connection.execute(sql, (records.to_json(dict(configurations)), *where[:2]))


def _forget(connection: sqlite3.Connection, where: Where) -> None:
    before = queries.first(connection, f"SELECT read_as_before {_OF_EDITION}", where[:2])
    if before is not None:
        _set(connection, where, wording="", read_as=before)
        connection.execute(f"DELETE {_OF_EDITION}", where[:2])


def _set(connection: sqlite3.Connection, where: Where, *, wording: str, read_as: str) -> None:
    digest = digests.expression("editions", {"wording": "?1", "read_as": "?2"})
    sql = f"UPDATE editions SET wording = ?1, read_as = ?2, digest = {digest} WHERE suite = ?3 AND edition = ?4"
    connection.execute(sql, (wording, read_as, *where[:2]))
