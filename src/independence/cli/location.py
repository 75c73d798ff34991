"""The place that a command is about, as its flags say it, and a line where the newest edition was taken."""

from __future__ import annotations

import sqlite3

from independence.cli.terminal import note
from independence.report import place
from independence.report.place import Place


def find(connection: sqlite3.Connection, suite: str | None, variant: str | None, mode: str | None) -> Place:
    """The place that is asked for. Raises StoreError, UsageError."""
    found = place.find(connection, suite, variant, mode)
    tell(connection, found, suite)
    return found


def tell(connection: sqlite3.Connection, found: Place, suite: str | None) -> None:
    """Say so where several editions are there and the newest was taken."""
    if said := place.newest(connection, found, suite):
        note(said)
