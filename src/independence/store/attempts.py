"""Attempts of calls that are not settled yet, so that a process that goes on has what another one paid for."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from independence.store.file.digests import insert
from independence.store.records import to_json
from independence.types import Attempt


class StoredAttempt(msgspec.Struct, frozen=True):
    """One attempt of a call that is not settled."""

    request: str  # digest of what was asked
    attempt: Attempt
    answer: str | None = None  # JSON of what came; None where no answer did


def add(connection: sqlite3.Connection, trial: str, what: str, first: int, rows: Sequence[StoredAttempt]) -> None:
    """Keep further attempts of a call (trial, and turn id or judge); `first`: the number of the first of them."""
    call: dict[str, object] = {"trial": trial, "what": what}
    own = (
        call | {"number": number, "request": row.request, "attempt": to_json(row.attempt), "answer": row.answer}
        for number, row in enumerate(rows, first)
    )
    insert(connection, "attempts", own, {"attempt": None, "request": None, "answer": None})


def of_trial(connection: sqlite3.Connection, trial: str) -> dict[str, list[StoredAttempt]]:
    """What was tried of each call of a trial that is not settled, in order."""
    out: defaultdict[str, list[StoredAttempt]] = defaultdict(list)
    sql = "SELECT what, request, attempt, answer FROM attempts WHERE trial = ? ORDER BY what, number"
    for what, request, attempt, answer in connection.execute(sql, (trial,)):
        out[what].append(StoredAttempt(request, msgspec.json.decode(attempt, type=Attempt), answer))
    return dict(out)
