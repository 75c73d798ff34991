"""The ledger of what commands spent."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from independence.store import spending
from independence.store.migrations import migrations
from independence.store.spending import SessionLedger

NAME = "what every command spent"


def test_a_session_is_stored_with_its_first_dollar_and_kept_up_to_date(connection: sqlite3.Connection) -> None:
    idle, busy, later = (SessionLedger("run", f"toy@{name}") for name in ("idle", "busy", "later"))
    idle.note(connection, 0.0, 0.0)
    busy.note(connection, 0.25, 0.0)
    later.note(connection, 1.0, 0.5)
    busy.note(connection, 0.75, 0.25)
    assert [(one.about, one.spent_usd, one.unknown_usd) for one in spending.sessions(connection)] == [
        ("toy@later", 1.0, 0.5), ("toy@busy", 0.75, 0.25),
    ]  # fmt: skip
    assert spending.session_total(connection) == (2, 1.75, 0.75)


def test_what_an_older_store_holds_is_one_session_and_imports_are_none(tmp_path: Path) -> None:
    old = sqlite3.connect(tmp_path / "old.db")
    at = next(number for number, migration in enumerate(migrations()) if migration.name == NAME)
    for migration in migrations()[:at]:
        old.executescript(migration.sql)
    for trial, messages, usd in (("own", None, 0.5), ("imported", b"[]", 8.0)):
        old.execute(
            "INSERT INTO calls VALUES (?, 0, 0, 't', 'c', 'd', NULL, '[]', ?, 0.125, 0, 0, 0, 0, '2026-01-02', "
            "NULL, NULL, '', '', '', '', '', '', '', '[]', '[]', ?)",
            (trial, usd, messages),
        )
    old.executescript(migrations()[at].sql)
    assert spending.sessions(old) == [("2026-01-02", "2026-01-02", "before the ledger", "", 0.625, 0.125)]
    old.close()


def test_a_store_that_bought_nothing_has_no_session(connection: sqlite3.Connection) -> None:
    assert spending.session_total(connection) == (0, 0.0, 0.0)
