"""What the store's commands spent, session by session: a ledger that survives what was deleted since."""

from __future__ import annotations

import sqlite3
from datetime import datetime

from independence.report.table import Column, Table
from independence.store import sessions

_COLUMNS = (
    Column("began", "Began"), Column("command", "Command"), Column("about", "Suite"),
    Column("minutes", "Minutes", "number"), Column("spent_usd", "Spent", "dollars", 4),
    Column("unknown_usd", "Unsure", "dollars", 4),
)  # fmt: skip


def table(connection: sqlite3.Connection) -> Table:
    """Every session that spent money, the newest first. It has no rows where none did."""
    whole = sessions.total(connection)
    rows = tuple(
        (one.began_at, one.command, one.about or None, _minutes(one), one.spent_usd, one.unknown_usd)
        for one in sessions.listed(connection)
    )
    note = (
        f"${whole.spent_usd:.4f} in the whole life of this store, all suites and conditions together; "
        "deleting replies leaves it. Unsure is what was reserved for attempts whose cost never came back."
    )
    return Table("sessions", "Sessions", _COLUMNS, rows, (note,))


def _minutes(one: sessions.CommandSession) -> float:
    return (datetime.fromisoformat(one.last_at) - datetime.fromisoformat(one.began_at)).total_seconds() / 60
