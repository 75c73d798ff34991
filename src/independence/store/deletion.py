"""What is deleted, and only that. First it is found and counted, then it goes in one transaction.

What a place outside the scope still uses stays: editions that ask the same thing share a dialogue.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar

import msgspec

from independence.errors import StoreError
from independence.store import artefacts, database, leases, routes
from independence.store.name_lookup import Names
from independence.store.queries import PUBLISHED, imported

NON_ANSWERS = ("blocked", "no_answer", "transport", "altered")  # settled replies that are none
UNREADABLE = "unreadable_verdict"
OF_TRIALS = ("calls", "verdicts", "failures", "artefacts", "routes")
OF_SUBJECTS = ("planned", "subjects", "names", "sidecars")
OF_EDITIONS = ("editions", "personas")
_OURS = {"editions", "subjects", "trials", "planned", "calls", "verdicts", "failures"}
K = TypeVar("K", bound=Hashable)


class EditionSubject(NamedTuple):
    """A subject of an edition."""

    suite: str
    edition: str
    config_dir: str


NOBODY = EditionSubject("", "", "")  # of dialogues whose place another has taken
Rubrics = Mapping[tuple[str, str, str], str]  # (suite, edition, scenario) -> digest of its rubric
Places = Mapping[str, set[tuple[EditionSubject, str]]]  # trial -> subjects and scenarios it is planned for


class DeletionScope(msgspec.Struct, frozen=True):
    """What to look for."""

    what: Literal["dialogues", "verdicts", "missing"]
    subjects: frozenset[EditionSubject] | None = None  # None: the whole store
    judge: str | None = None  # verdicts and missing: this judge's verdicts alone

    def holds(self, users: Iterable[EditionSubject]) -> bool | None:
        """True where all of them are in the scope, False where none is, None where some are."""
        inside = {self.subjects is None or user in self.subjects for user in users}
        return None if len(inside) == 2 else inside == {True}

    def split(self, users: Mapping[K, set[EditionSubject]]) -> tuple[frozenset[K], int]:
        """What only the scope uses, and how much it shares with others."""
        held = {piece: self.holds(who) for piece, who in users.items()}
        return frozenset(piece for piece, inside in held.items() if inside), list(held.values()).count(None)


class Deletion(NamedTuple):
    """What goes, and how much that is."""

    trials: frozenset[str] = frozenset()  # with their calls, verdicts, failures and artefacts
    calls: frozenset[tuple[str, int]] = frozenset()  # (trial, turn): current answers in trials that stay
    verdicts: frozenset[str] = frozenset()  # keys, on trials that stay; what they rest on goes with them
    kept: int = 0  # dialogues, replies or verdicts of the scope that stay, as places outside it use them


class DeletedCounts(NamedTuple):
    """How much of one subject goes."""

    dialogues: int = 0
    replies: int = 0
    verdicts: int = 0
    cost_usd: float = 0.0  # spent on it, failed calls included


def open_store(path: Path) -> sqlite3.Connection:
    """Open a store. Raises StoreError for anybody else's file, before a byte of it is changed."""
    if path.is_file():
        try:
            with contextlib.closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as connection:
                tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        except sqlite3.Error as error:
            raise database.translate(error, path) from error
        if not tables >= _OURS:
            raise StoreError(f"{path}: not a store of this program, left as it is; name another file with --db")
    return database.connect_existing(path)


def subjects(connection: sqlite3.Connection) -> dict[EditionSubject, Names]:
    """Every subject of every edition."""
    rows = connection.execute("SELECT suite, edition, config_dir, label, model_id FROM subjects ORDER BY 1, 2, 3")
    return {
        EditionSubject(suite, edition, config): Names(config, label, model_id)
        for suite, edition, config, label, model_id in rows
    }


def judges(connection: sqlite3.Connection) -> list[str]:
    """Names of everybody who graded something, sorted."""
    return [str(judge) for (judge,) in connection.execute("SELECT DISTINCT judge FROM verdicts ORDER BY 1")]


def find(connection: sqlite3.Connection, scope: DeletionScope, rubrics: Rubrics) -> Deletion:
    """Everything in a scope. A verdict belongs to the places whose rubric it was given by (to all, where none is)."""
    places = _places(connection)
    if scope.what == "dialogues":
        trials, kept = scope.split(_users_of_trials(connection, scope, places))
        return Deletion(trials=trials, kept=kept)
    verdicts, kept = scope.split(_users_of_verdicts(connection, scope, places, rubrics))
    if scope.what == "verdicts" or scope.judge is not None:
        return Deletion(verdicts=verdicts, kept=kept)
    # Imports cannot be asked again: what they lack is no missing answer.
    asked = {trial: {who for who, _ in own if not imported(who.edition)} for trial, own in places.items()}
    current = connection.execute("SELECT trial, turn, missing FROM calls WHERE version = 0 AND missing IS NOT NULL")
    calls, more = scope.split({(t, turn): asked.get(t, set()) for t, turn, why in current if why in NON_ANSWERS})
    return Deletion(calls=calls, verdicts=verdicts, kept=kept + more)


def _places(connection: sqlite3.Connection) -> Places:
    places: dict[str, set[tuple[EditionSubject, str]]] = defaultdict(set)
    for trial, scenario, suite, edition, config_dir in connection.execute(
        "SELECT trial, scenario, suite, edition, config_dir FROM planned"
    ):
        places[trial].add((EditionSubject(suite, edition, config_dir), scenario))
    return places


def _users_of_trials(
    connection: sqlite3.Connection, scope: DeletionScope, places: Places
) -> dict[str, set[EditionSubject]]:
    """Who uses a dialogue or one that continues it. Replaced ones belong to all subjects of their model together."""
    users = {trial: {who for who, _ in own} for trial, own in places.items()}
    models, parents = dict[str, str](), dict[str, str]()
    for key, parent, model in connection.execute(
        "SELECT key, coalesce(parent, ''), json_extract(shape, '$.endpoint', '$.model', '$.provider', '$.temperature', "
        "'$.effort') FROM trials"
    ):
        models[key], parents[key] = model, parent
    by_model: dict[str, set[EditionSubject]] = defaultdict(set)
    for trial, own in list(users.items()):
        by_model[models[trial]] |= own
        above = parents[trial]
        while above:
            users[above] = users.get(above, set()) | own
            above = parents.get(above, "")
    for trial in models.keys() - users.keys():
        own = by_model.get(models[trial], {NOBODY})
        users[trial] = own if scope.holds(own) else set()
    return users


def _users_of_verdicts(
    connection: sqlite3.Connection, scope: DeletionScope, places: Places, rubrics: Rubrics
) -> dict[str, set[EditionSubject]]:
    users = {}
    for key, trial, rubric, judge, missing in connection.execute(
        "SELECT key, trial, rubric, judge, missing FROM verdicts"
    ):
        garbled = missing == UNREADABLE and rubric != PUBLISHED
        if scope.judge in (None, judge) and (garbled or scope.what == "verdicts"):
            own = places.get(trial, {(NOBODY, "")})
            graded = {who for who, name in own if rubrics.get((who.suite, who.edition, name)) == rubric}
            users[key] = graded or {who for who, _ in own}
    return users


def counts(
    connection: sqlite3.Connection, scope: DeletionScope, deletion: Deletion
) -> dict[EditionSubject, DeletedCounts]:
    """How much goes, by subject; what two of them share counts for the first."""
    first = {
        trial: min((who for who, _ in own if scope.holds([who])), default=NOBODY)
        for trial, own in _places(connection).items()
    }
    whole = scope.what == "dialogues"
    out = {who: Counter[str]() for who in subjects(connection) if whole and scope.holds([who])}
    for trial in deletion.trials:
        out.setdefault(first.get(trial, NOBODY), Counter())["dialogues"] += 1
    for kind, trial, key, usd in connection.execute(
        "SELECT 'replies', trial, iif(version, NULL, turn), cost_usd FROM calls UNION ALL "
        "SELECT 'verdicts', trial, key, cost_usd FROM verdicts UNION ALL "
        "SELECT '', trial, NULL, cost_usd FROM failures UNION ALL SELECT '', trial, NULL, cost_usd FROM artefacts"
    ):
        if trial in deletion.trials or key in deletion.verdicts or (trial, key) in deletion.calls:
            own = out.setdefault(first.get(trial, NOBODY), Counter())
            own[kind] += 1
            own["cost_usd"] += usd
    return {
        who: DeletedCounts(own["dialogues"], own["replies"], own["verdicts"], own["cost_usd"])
        for who, own in sorted(out.items())
    }


def refuse_while_working(connection: sqlite3.Connection) -> None:
    """Raises StoreError where a process that lives holds a dialogue."""
    for holder in leases.holders(connection):
        host, pid, _ = holder.rsplit(":", 2)
        raise StoreError(f"process {pid} on {host} is working on this store; wait until it ends, or stop it")


def delete(connection: sqlite3.Connection, scope: DeletionScope, rubrics: Rubrics, expected: Deletion) -> None:
    """Delete a scope in one transaction.

    Raises StoreError where a process works on the store, or where the scope no longer holds what was `expected`;
    then nothing is deleted.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        refuse_while_working(connection)
        if find(connection, scope, rubrics) != expected:
            raise StoreError("the store has changed meanwhile; nothing was deleted, run the command again")
        _remove(connection, expected, broken=scope.what == "missing")
        if scope.what == "dialogues":
            _remove_subjects(connection, scope.subjects)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _remove(connection: sqlite3.Connection, deletion: Deletion, *, broken: bool) -> None:
    for table in OF_TRIALS:
        connection.executemany(f"DELETE FROM {table} WHERE trial = ?", [(trial,) for trial in deletion.trials])
    connection.executemany("DELETE FROM trials WHERE key = ?", [(trial,) for trial in deletion.trials])
    connection.executemany("DELETE FROM calls WHERE trial = ? AND turn = ? AND version = 0", deletion.calls)
    artefacts.forget(connection, deletion.verdicts, broken=broken)
    routes.forget(connection, deletion.verdicts)
    connection.executemany("DELETE FROM verdicts WHERE key = ?", [(key,) for key in deletion.verdicts])


def _remove_subjects(connection: sqlite3.Connection, gone: frozenset[EditionSubject] | None) -> None:
    """Subjects whose dialogues went, and editions that nothing is planned in any more."""
    if gone is None:
        for table in (*OF_TRIALS, *OF_SUBJECTS, *OF_EDITIONS):
            connection.execute(f"DELETE FROM {table}")
        return
    for table in OF_SUBJECTS:
        connection.executemany(f"DELETE FROM {table} WHERE suite = ? AND edition = ? AND config_dir = ?", list(gone))
    for table in OF_EDITIONS:
        connection.executemany(
            f"DELETE FROM {table} WHERE suite = ?1 AND edition = ?2 AND NOT EXISTS "
            "(SELECT 1 FROM planned WHERE suite = ?1 AND edition = ?2)",
            sorted({(who.suite, who.edition) for who in gone}),
        )


def shrink(connection: sqlite3.Connection) -> bool:
    """Give the space back and leave no deleted text in the file. False where another process keeps it from that."""
    try:
        connection.execute("VACUUM")
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.OperationalError:
        return False
    return not busy
