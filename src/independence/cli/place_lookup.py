"""What a command is about, as its flags say it: edition, condition, judge; and a line where the newest was taken."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from independence.cli.terminal import note
from independence.report import planned_verdicts
from independence.store import scopes
from independence.store.scopes import BoardScope


def find(connection: sqlite3.Connection, suite: str | None, variant: str | None, mode: str | None) -> BoardScope:
    """The edition and condition that are asked for. Raises StoreError, UsageError."""
    found = scopes.find(connection, suite, variant, mode)
    _tell(connection, found, suite)
    return found


def conditions(
    connection: sqlite3.Connection, suite: str | None, variant: str | None, mode: str | None
) -> list[BoardScope]:
    """The condition that is asked for, or every one of the edition. Raises StoreError, UsageError."""
    found = scopes.conditions(connection, suite, variant, mode)
    _tell(connection, found[0], suite)
    return found


def judge(connection: sqlite3.Connection, places: Sequence[BoardScope], asked: str | None) -> str | None:
    """The judge that is asked for, in full; None where none is. Raises StoreError where it graded in none of them."""
    return planned_verdicts.judge_anywhere(connection, places, asked)


def _tell(connection: sqlite3.Connection, scope: BoardScope, suite: str | None) -> None:
    """Say so where several editions are there and the newest was taken."""
    if said := scopes.newest(connection, scope, suite):
        note(said)
