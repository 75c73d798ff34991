"""What a store holds as it changes: who works on it, and how far every dialogue is."""

from __future__ import annotations

import secrets
import sqlite3

from independence.report.site.schema import SCHEMA
from independence.report.site.served import (
    ChangesDocument,
    LiveCell,
    LiveDocument,
)
from independence.report.site.slugs import slug
from independence.store import live, progress, scopes
from independence.store.scopes import BoardScope


class StoreVersion:
    """Tells when any process has changed the store. `str` of it is another one after each change."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._start = secrets.token_hex(4)  # a version means nothing to a server that is started anew

    def __str__(self) -> str:
        (number,) = self._connection.execute("PRAGMA data_version").fetchone()
        return f"{self._start}-{number}"


def changes(connection: sqlite3.Connection, version: str, at: float, *, writable: bool) -> ChangesDocument:
    """Who works on the store. `at`: what the time is, as the page shows how long ago something was."""
    runs = tuple(progress.read(connection))
    return ChangesDocument(schema=SCHEMA, version=version, at=at, writable=writable, runs=runs)


def board(connection: sqlite3.Connection, name: str, scope: BoardScope, version: str) -> LiveDocument:
    """How far every dialogue of a board is."""
    cells: dict[tuple[str, str], LiveCell] = {}
    labels: dict[str, str] = {}
    answers = verdicts = 0
    for one in scope.editions:
        known = scopes.of_edition(connection, one.where)
        for found in live.counts(connection, one.where):
            if found.config_dir in one.aside:
                continue
            key = scope.key(one.where, found.config_dir)
            labels[key] = known[found.config_dir].label
            cells[key, found.scenario] = (found.planned, found.running, found.done, found.judged, found.failed)
            answers, verdicts = answers + found.answers, verdicts + found.verdicts
    planned, known_to_suite = {scenario for _, scenario in cells}, [one.id for one in scope.suite.scenarios]
    order = [*(one for one in known_to_suite if one in planned), *sorted(planned - set(known_to_suite))]
    return LiveDocument(
        schema=SCHEMA, version=version, board=name, subjects=tuple(map(slug, labels)), labels=tuple(labels.values()),
        scenarios=tuple(order), answers=answers, verdicts=verdicts,
        cells=tuple(tuple(cells.get((key, scenario)) for scenario in order) for key in labels),
    )  # fmt: skip
