"""The ledger: what every command spent, kept apart from what it bought, so that deleting replies does not delete it."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from independence.store.records import now


class CommandSession(NamedTuple):
    """One command that spent money. Times are ISO 8601."""

    began_at: str
    last_at: str  # of the last change; the end, unless the process was killed
    command: str
    about: str  # suite@edition, or another subject of the command; "" of sessions before the ledger
    spent_usd: float  # what was reserved for attempts of unknown cost included
    unknown_usd: float


class SessionTotal(NamedTuple):
    """All sessions of a store together."""

    sessions: int
    spent_usd: float
    unknown_usd: float


class SessionLedger:
    """The session of one command. It is stored with the first dollar and kept up to date from then on."""

    def __init__(self, command: str, about: str) -> None:
        self._command = command
        self._about = about
        self._began_at = now()
        self._row: int | None = None
        self._noted = (0.0, 0.0)

    def note(self, connection: sqlite3.Connection, spent_usd: float, unknown_usd: float) -> None:
        """Store what was spent so far, where that has changed. Call it inside a transaction."""
        if (spent_usd, unknown_usd) == self._noted:
            return
        self._noted = (spent_usd, unknown_usd)
        if self._row is None:
            self._row = connection.execute(
                "INSERT INTO sessions (began_at, last_at, command, about, spent_usd, unknown_usd) "
                "VALUES (?, ?, ?, ?, 0, 0)",
                (self._began_at, self._began_at, self._command, self._about),
            ).lastrowid
        connection.execute(
            "UPDATE sessions SET last_at = ?, spent_usd = ?, unknown_usd = ? WHERE id = ?",
            (now(), spent_usd, unknown_usd, self._row),
        )


def listed(connection: sqlite3.Connection) -> list[CommandSession]:
    """Every session, the newest first."""
    rows = connection.execute(
        "SELECT began_at, last_at, command, about, spent_usd, unknown_usd FROM sessions ORDER BY id DESC"
    )
    return [CommandSession._make(row) for row in rows]


def total(connection: sqlite3.Connection) -> SessionTotal:
    """What was spent on this store in its whole life."""
    row = connection.execute("SELECT count(*), total(spent_usd), total(unknown_usd) FROM sessions").fetchone()
    return SessionTotal._make(row)
