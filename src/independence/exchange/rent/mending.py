"""Answers that an earlier version kept as `published` although they were given to other words.

It placed answers by their facts alone. Importing their folder again moves them to the edition of their words.
"""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

import msgspec

from independence.exchange.rent import words
from independence.exchange.rent.reader import Imported
from independence.exchange.rent.records import VERDICTS, answer_file
from independence.store.deletion import OF_TRIALS
from independence.store.queries import PUBLISHED


class Misplaced(NamedTuple):
    """A trial of the edition `published` that was asked in words of another one."""

    trial: str
    config_dir: str
    run: int
    scenario: str


def misplaced(connection: sqlite3.Connection, suite: str, imported: Imported) -> list[Misplaced]:
    """Trials under `published` that were asked in the words of a folder of another edition."""
    if imported.edition == PUBLISHED:
        return []
    spoken = {words.said(held.read.record.messages) for held in imported.held} - {()}
    rows = connection.execute(
        "SELECT p.trial, p.config_dir, p.run, p.scenario, c.messages FROM planned p JOIN calls c ON c.trial = p.trial "
        "WHERE p.suite = ? AND p.edition = ? AND c.messages IS NOT NULL",
        (suite, PUBLISHED),
    )
    return [Misplaced(*row[:4]) for row in rows.fetchall() if words.said(msgspec.Raw(row[4])) in spoken]


def remove(connection: sqlite3.Connection, suite: str, found: list[Misplaced]) -> None:
    """Take trials out of `published`, with what is left of runs that held nothing else. Within a transaction."""
    if not found:
        return
    place = (suite, PUBLISHED)
    for one in found:
        _drop(connection, [one.trial])
        connection.execute(
            "DELETE FROM sidecars WHERE suite = ? AND edition = ? AND config_dir = ? AND run = ? "
            "AND (name = ? OR name LIKE ?)",
            (*place, one.config_dir, one.run, answer_file(one.scenario), f"{VERDICTS}{one.scenario}/%"),
        )
    for config_dir, run in {(one.config_dir, one.run) for one in found}:
        _drop_empty(connection, place, config_dir, run)
    for table in ("subjects", "editions"):
        same = "AND p.config_dir = subjects.config_dir" if table == "subjects" else ""
        connection.execute(
            f"DELETE FROM {table} WHERE suite = ? AND edition = ? AND NOT EXISTS (SELECT 1 FROM planned p "
            f"WHERE p.suite = {table}.suite AND p.edition = {table}.edition {same})",
            place,
        )


def _drop_empty(connection: sqlite3.Connection, place: tuple[str, str], config_dir: str, run: int) -> None:
    """The places of a run that nobody answered any more, where that is all of them."""
    at = (*place, config_dir, run)
    where = "suite = ? AND edition = ? AND config_dir = ? AND run = ?"
    answered = f"SELECT 1 FROM planned p JOIN calls c ON c.trial = p.trial WHERE {where} LIMIT 1"
    if connection.execute(answered, at).fetchone() is None:
        _drop(connection, [trial for (trial,) in connection.execute(f"SELECT trial FROM planned WHERE {where}", at)])
        for table in ("names", "sidecars"):
            connection.execute(f"DELETE FROM {table} WHERE {where}", at)


def _drop(connection: sqlite3.Connection, trials: list[str]) -> None:
    for table in (*OF_TRIALS, "planned"):
        connection.executemany(f"DELETE FROM {table} WHERE trial = ?", [(trial,) for trial in trials])
    connection.executemany("DELETE FROM trials WHERE key = ?", [(trial,) for trial in trials])
