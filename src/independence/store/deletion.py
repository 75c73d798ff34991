"""What is deleted, and only that. First it is found and counted, then it goes in one transaction.

What a place outside the scope still uses stays: editions that ask the same thing share a dialogue.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import Literal, NamedTuple

import msgspec

from independence.errors import StoreError
from independence.store import artefacts, dialogue_rows, leases
from independence.store.file.database import transaction
from independence.store.queries import PUBLISHED
from independence.store.scopes import Names
from independence.types import OF_REQUESTS, UNGIVEN

NON_ANSWERS = ("no_answer", "transport", *OF_REQUESTS)  # settled replies that are none
OF_STORES = ("progress", "deliveries")
OF_TRIALS = ("calls", "dialogues", "verdicts", "failures", "attempts", "artefacts", "leases")
OF_SUBJECTS = ("planned", "subjects", "names", "sidecars", "repetitions")
OF_EDITIONS = ("editions", "personas", "verifications", "decisions")


class EditionSubject(NamedTuple):
    """A subject of an edition."""

    suite: str
    edition: str
    config_dir: str


NOBODY = EditionSubject("", "", "")  # of dialogues whose place another has taken


class DeletionScope(msgspec.Struct, frozen=True):
    """What to look for."""

    what: Literal["dialogues", "verdicts", "missing"]
    subjects: frozenset[EditionSubject] | None = None  # None: the whole store
    judge: str | None = None  # verdicts and missing: this judge's verdicts alone


class Deletion(NamedTuple):
    """What goes. Dialogues go with all that belongs to them; calls and verdicts go from dialogues that stay."""

    trials: frozenset[str] = frozenset()
    calls: frozenset[tuple[str, int]] = frozenset()  # (trial, turn) of current answers
    verdicts: frozenset[str] = frozenset()  # keys; the steps that they rest on go with them
    kept: int = 0  # dialogues, replies or verdicts of the scope that stay, as places outside it use them


class DeletedCounts(NamedTuple):
    """How much of one subject goes."""

    dialogues: int = 0
    replies: int = 0
    verdicts: int = 0
    cost_usd: float = 0.0  # spent on it, failed calls included


def subjects(connection: sqlite3.Connection) -> dict[EditionSubject, Names]:
    """Every subject of every edition."""
    rows = connection.execute("SELECT suite, edition, config_dir, label, model_id FROM subjects ORDER BY 1, 2, 3")
    return {EditionSubject._make(row[:3]): Names._make(row[2:]) for row in rows}


def judges(connection: sqlite3.Connection) -> list[str]:
    """Names of everybody who graded something, sorted."""
    return [str(judge) for (judge,) in connection.execute("SELECT DISTINCT judge FROM verdicts ORDER BY 1")]


def find(connection: sqlite3.Connection, scope: DeletionScope) -> Deletion:
    """Everything in a scope."""
    owners, shared = _owners(connection, scope)
    if scope.what == "dialogues":
        return Deletion(trials=frozenset(owners.keys() - shared), kept=len(owners.keys() & shared))
    missing = scope.what == "missing"
    verdicts = [
        (trial, key)
        for trial, key, judge, rubric, why in connection.execute(
            "SELECT trial, key, judge, rubric, missing FROM verdicts"
        )
        if trial in owners
        and scope.judge in (None, judge)
        and (not missing or (why in UNGIVEN and rubric != PUBLISHED))
    ]
    calls = []
    if missing and scope.judge is None:
        # Imports, which come with their requests, cannot be asked again: what they lack is no missing answer.
        rows = connection.execute("SELECT trial, turn, missing FROM calls WHERE version = 0 AND messages IS NULL")
        calls = [(trial, turn) for trial, turn, why in rows if trial in owners and why in NON_ANSWERS]
    return Deletion(
        calls=frozenset(one for one in calls if one[0] not in shared),
        verdicts=frozenset(key for trial, key in verdicts if trial not in shared),
        kept=sum(trial in shared for trial, _ in (*calls, *verdicts)),
    )


def _owners(connection: sqlite3.Connection, scope: DeletionScope) -> tuple[dict[str, EditionSubject], set[str]]:
    """Trials of the scope, each with the first subject that uses it, and trials that others use.

    A dialogue is also used by those that continue it. One that nobody uses any more goes with the whole store alone.
    """
    everything = "SELECT key, parent FROM trials"
    parents: dict[str, str | None] = dict(connection.execute(everything)) if scope.what == "dialogues" else {}
    owners: dict[str, EditionSubject] = {}
    shared: set[str] = set()
    for planned, *place in connection.execute("SELECT trial, suite, edition, config_dir FROM planned ORDER BY 2, 3, 4"):
        who, trial = EditionSubject._make(place), planned
        while trial:
            if scope.subjects is None or who in scope.subjects:
                owners.setdefault(trial, who)
            else:
                shared.add(trial)
            trial = parents.get(trial)
    if scope.subjects is None:
        for trial, _ in connection.execute(everything):
            owners.setdefault(trial, NOBODY)
    return owners, shared


def counts(
    connection: sqlite3.Connection, scope: DeletionScope, deletion: Deletion
) -> dict[EditionSubject, DeletedCounts]:
    """How much goes, by subject; what two of them share counts for the first."""
    owners, _ = _owners(connection, scope)
    whole = [who for who in subjects(connection) if scope.subjects is None or who in scope.subjects]
    out = {who: Counter[str]() for who in whole if scope.what == "dialogues"}
    for trial in deletion.trials:
        out.setdefault(owners[trial], Counter())["dialogues"] += 1
    for kind, trial, key, usd in connection.execute(
        "SELECT 'replies', trial, iif(version, NULL, turn), cost_usd FROM calls UNION ALL "
        "SELECT 'verdicts', trial, key, cost_usd FROM verdicts UNION ALL "
        "SELECT NULL, trial, NULL, cost_usd FROM failures UNION ALL SELECT NULL, trial, NULL, cost_usd FROM artefacts"
    ):
        if trial in deletion.trials or key in deletion.verdicts or (trial, key) in deletion.calls:
            own = out.setdefault(owners[trial], Counter())
            if kind:
                own[kind] += 1
            own["cost_usd"] += usd
    return {who: DeletedCounts(**own) for who, own in sorted(out.items())}


def delete(connection: sqlite3.Connection, scope: DeletionScope, expected: Deletion) -> None:
    """Delete a scope in one transaction.

    Raises StoreError where a process works on the store, or where the scope no longer holds what was `expected`;
    then nothing is deleted.
    """
    with transaction(connection):
        for holder in leases.holders(connection):
            host, pid, _ = holder.rsplit(":", 2)
            raise StoreError(f"process {pid} on {host} is working on this store", "wait until it ends, or stop it")
        if find(connection, scope) != expected:
            raise StoreError("the store has changed meanwhile; nothing was deleted", "run the command again")
        trials = [(trial,) for trial in expected.trials]
        for table in OF_TRIALS:
            connection.executemany(f"DELETE FROM {table} WHERE trial = ?", trials)
        connection.executemany("DELETE FROM trials WHERE key = ?", trials)
        connection.executemany("DELETE FROM calls WHERE trial = ? AND turn = ? AND version = 0", expected.calls)
        dialogue_rows.write(connection, (trial for trial, _ in expected.calls))
        artefacts.forget(connection, expected.verdicts, broken=scope.what == "missing")
        connection.executemany("DELETE FROM verdicts WHERE key = ?", [(key,) for key in expected.verdicts])
        if scope.what == "dialogues":
            _remove_subjects(connection, scope.subjects)


def _remove_subjects(connection: sqlite3.Connection, gone: frozenset[EditionSubject] | None) -> None:
    """Subjects whose dialogues went, editions that nothing is planned in; of a whole store also what runs said."""
    for who in subjects(connection) if gone is None else gone:
        for table in OF_SUBJECTS:
            connection.execute(f"DELETE FROM {table} WHERE suite = ? AND edition = ? AND config_dir = ?", who)
    for table in OF_EDITIONS:
        connection.execute(f"DELETE FROM {table} WHERE (suite, edition) NOT IN (SELECT suite, edition FROM planned)")
    if gone is None:
        for table in OF_STORES:
            connection.execute(f"DELETE FROM {table}")


def shrink(connection: sqlite3.Connection) -> bool:
    """Give the space back and leave no deleted text in the file. False where another process keeps it from that."""
    try:
        connection.execute("VACUUM")
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.OperationalError:
        return False
    return not busy
