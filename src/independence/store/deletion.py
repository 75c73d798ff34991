"""What is deleted, and only that. First it is found and counted, then it goes in one transaction.

What a place outside the scope still uses stays: editions that ask the same thing share a dialogue.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from independence.errors import StoreError
from independence.store import artefacts, database, leases, routes
from independence.store.queries import PUBLISHED, imported

NON_ANSWERS = ("blocked", "no_answer", "transport", "altered")  # settled replies that are none
UNREADABLE = "unreadable_verdict"
OF_TRIALS = ("calls", "verdicts", "failures", "artefacts", "routes")
OF_SUBJECTS = ("planned", "subjects", "names", "sidecars")
OF_EDITIONS = ("editions", "personas")
_OURS = {"editions", "subjects", "trials", "planned", "calls", "verdicts", "failures"}


class Owner(NamedTuple):
    """A subject of an edition."""

    suite: str
    edition: str
    config_dir: str


class Subject(NamedTuple):
    """What a subject is called."""

    label: str
    model_id: str


NOBODY = Owner("", "", "")  # of dialogues whose place another has taken
What = Literal["dialogues", "verdicts", "missing"]
Rubrics = Mapping[tuple[str, str, str], str]  # (suite, edition, scenario) -> digest of its rubric


class Scope(msgspec.Struct, frozen=True):
    """What to look for."""

    what: What
    owners: frozenset[Owner] | None = None  # None: the whole store
    judge: str | None = None  # verdicts and missing: this judge's verdicts alone

    def holds(self, owners: Iterable[Owner]) -> bool | None:
        """True where all of them are in the scope, False where none is, None where some are."""
        inside = {self.owners is None or owner in self.owners for owner in owners}
        return None if len(inside) == 2 else inside == {True}


class Doomed(NamedTuple):
    """What goes."""

    trials: frozenset[str]  # with their calls, verdicts, failures and artefacts
    calls: frozenset[tuple[str, int]]  # (trial, turn): current answers in trials that stay
    verdicts: frozenset[str]  # keys, on trials that stay; what they rest on goes with them
    kept: int  # dialogues, replies or verdicts of the scope that stay, as places outside it use them


class Tally(NamedTuple):
    """How much of one owner goes."""

    dialogues: int = 0
    replies: int = 0
    verdicts: int = 0
    cost_usd: float = 0.0  # spent on it, failed calls included

    def plus(self, other: Tally) -> Tally:
        """Both together."""
        return Tally(
            self.dialogues + other.dialogues,
            self.replies + other.replies,
            self.verdicts + other.verdicts,
            self.cost_usd + other.cost_usd,
        )


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


def subjects(connection: sqlite3.Connection) -> dict[Owner, Subject]:
    """Every subject of every edition."""
    rows = connection.execute("SELECT suite, edition, config_dir, label, model_id FROM subjects ORDER BY 1, 2, 3")
    return {Owner(suite, edition, config): Subject(label, model) for suite, edition, config, label, model in rows}


def judges(connection: sqlite3.Connection) -> list[str]:
    """Names of everybody who graded something, sorted."""
    return [str(judge) for (judge,) in connection.execute("SELECT DISTINCT judge FROM verdicts ORDER BY 1")]


def find(connection: sqlite3.Connection, scope: Scope, rubrics: Rubrics) -> Doomed:
    """Everything in a scope. A verdict belongs to the places whose rubric it was given by (to all, where none is)."""
    users = _users(connection)
    if scope.what == "dialogues":
        trials, kept = _trials(connection, scope, {trial: {at for at, _ in places} for trial, places in users.items()})
        return Doomed(frozenset(trials), frozenset(), frozenset(), kept)
    calls, kept_calls = _non_answers(connection, scope, users) if scope.what == "missing" else (set(), 0)
    verdicts, kept = _verdicts(connection, scope, users, rubrics)
    return Doomed(frozenset(), frozenset(calls), frozenset(verdicts), kept + kept_calls)


Users = Mapping[str, set[tuple[Owner, str]]]  # trial -> (owner, scenario) of the places it stands at


def _users(connection: sqlite3.Connection) -> Users:
    users: dict[str, set[tuple[Owner, str]]] = defaultdict(set)
    for trial, scenario, *owner in connection.execute(
        "SELECT trial, scenario, suite, edition, config_dir FROM planned"
    ):
        users[trial].add((Owner(*owner), scenario))
    return users


def _trials(connection: sqlite3.Connection, scope: Scope, users: Mapping[str, set[Owner]]) -> tuple[set[str], int]:
    shapes = dict(connection.execute("SELECT key, shape FROM trials"))
    if scope.owners is None:
        return set(shapes), 0
    held = {trial: scope.holds(owners) for trial, owners in users.items()}
    parents = dict(connection.execute("SELECT key, parent FROM trials WHERE parent IS NOT NULL"))
    needed = {trial for trial, inside in held.items() if inside is not True}
    for trial in tuple(needed):
        while trial := parents.get(trial, ""):
            needed.add(trial)
    doomed = {trial for trial, inside in held.items() if inside is not False} - needed
    orphans = shapes.keys() - users.keys() - needed
    if orphans:
        gone, left = ({_model(shapes[trial]) for trial in some} for some in (doomed, users.keys() - doomed))
        doomed |= {trial for trial in orphans if _model(shapes[trial]) in gone - left}
    return doomed, sum(inside is not False and trial in needed for trial, inside in held.items())


class _Model(msgspec.Struct, frozen=True):
    """The part of a trial's shape that is its subject's."""

    endpoint: str = ""
    model: str = ""
    provider: str | None = None
    temperature: float = 0.0
    effort: str = ""


def _model(shape: str) -> _Model:
    return msgspec.json.decode(shape, type=_Model)


def _non_answers(connection: sqlite3.Connection, scope: Scope, users: Users) -> tuple[set[tuple[str, int]], int]:
    """Those of our own dialogues: an import cannot be asked again."""
    if scope.judge is not None:
        return set(), 0
    found: set[tuple[str, int]] = set()
    kept = 0
    marks = ", ".join("?" * len(NON_ANSWERS))
    for trial, turn in connection.execute(
        f"SELECT trial, turn FROM calls WHERE version = 0 AND missing IN ({marks})", NON_ANSWERS
    ):
        owners = {owner for owner, _ in users.get(trial, ()) if not imported(owner.edition)}
        inside = scope.holds(owners)
        if inside:
            found.add((trial, turn))
        kept += inside is None
    return found, kept


def _verdicts(connection: sqlite3.Connection, scope: Scope, users: Users, rubrics: Rubrics) -> tuple[set[str], int]:
    found: set[str] = set()
    kept = 0
    for key, trial, rubric, judge, missing in connection.execute(
        "SELECT key, trial, rubric, judge, missing FROM verdicts"
    ):
        if scope.judge not in (None, judge):
            continue
        if scope.what == "missing" and (missing != UNREADABLE or rubric == PUBLISHED):
            continue
        places = users.get(trial, set())
        using = {owner for owner, name in places if rubrics.get((owner.suite, owner.edition, name)) == rubric}
        owners = using or {owner for owner, _ in places} or {NOBODY}
        inside = scope.holds(owners)
        if inside:
            found.add(key)
        kept += inside is None
    return found, kept


def tally(connection: sqlite3.Connection, scope: Scope, doomed: Doomed) -> dict[Owner, Tally]:
    """How much goes, by owner; what two of them share counts for the first."""
    first = {
        trial: min(owner for owner, _ in places if scope.holds([owner]))
        for trial, places in _users(connection).items()
        if scope.holds(owner for owner, _ in places) is not False
    }
    whole = scope.what == "dialogues"
    out = {owner: Tally() for owner in subjects(connection) if whole and scope.holds([owner])}
    for trial, part in _going(connection, doomed):
        owner = first.get(trial, NOBODY)
        out[owner] = out.get(owner, Tally()).plus(part)
    return dict(sorted(out.items()))


def _going(connection: sqlite3.Connection, doomed: Doomed) -> Iterator[tuple[str, Tally]]:
    """(trial, what of it goes), piece by piece."""
    for trial in doomed.trials:
        yield trial, Tally(dialogues=1)
    for trial, turn, version, usd in connection.execute("SELECT trial, turn, version, cost_usd FROM calls"):
        if trial in doomed.trials or (version == 0 and (trial, turn) in doomed.calls):
            yield trial, Tally(replies=1, cost_usd=usd)
    for key, trial, usd in connection.execute("SELECT key, trial, cost_usd FROM verdicts"):
        if trial in doomed.trials or key in doomed.verdicts:
            yield trial, Tally(verdicts=1, cost_usd=usd)
    for trial, usd in connection.execute(
        "SELECT trial, cost_usd FROM failures UNION ALL SELECT trial, cost_usd FROM artefacts"
    ):
        if trial in doomed.trials:
            yield trial, Tally(cost_usd=usd)


def refuse_while_working(connection: sqlite3.Connection) -> None:
    """Raises StoreError where a process that lives holds a dialogue."""
    for holder in leases.holders(connection):
        host, pid, _ = holder.rsplit(":", 2)
        raise StoreError(f"process {pid} on {host} is working on this store; wait until it ends, or stop it")


def delete(connection: sqlite3.Connection, scope: Scope, rubrics: Rubrics, expected: Doomed) -> None:
    """Delete a scope in one transaction.

    Raises StoreError where a process works on the store, or where the scope no longer holds what was `expected`;
    then nothing is deleted.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        refuse_while_working(connection)
        if find(connection, scope, rubrics) != expected:
            raise StoreError("the store has changed meanwhile; nothing was deleted, run the command again")
        _remove(connection, scope, expected)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _remove(connection: sqlite3.Connection, scope: Scope, doomed: Doomed) -> None:
    for table in OF_TRIALS:
        connection.executemany(f"DELETE FROM {table} WHERE trial = ?", [(trial,) for trial in doomed.trials])
    connection.executemany("DELETE FROM trials WHERE key = ?", [(trial,) for trial in doomed.trials])
    connection.executemany("DELETE FROM calls WHERE trial = ? AND turn = ? AND version = 0", doomed.calls)
    artefacts.forget(connection, doomed.verdicts, broken=scope.what == "missing")
    routes.forget(connection, doomed.verdicts)
    connection.executemany("DELETE FROM verdicts WHERE key = ?", [(key,) for key in doomed.verdicts])
    if scope.what != "dialogues":
        return
    if scope.owners is None:
        for table in (*OF_TRIALS, *OF_SUBJECTS, *OF_EDITIONS):
            connection.execute(f"DELETE FROM {table}")
        return
    for table in OF_SUBJECTS:
        connection.executemany(
            f"DELETE FROM {table} WHERE suite = ? AND edition = ? AND config_dir = ?", list(scope.owners)
        )
    left = "SELECT 1 FROM planned p WHERE p.suite = {0}.suite AND p.edition = {0}.edition"
    for table in OF_EDITIONS:
        connection.executemany(
            f"DELETE FROM {table} WHERE suite = ? AND edition = ? AND NOT EXISTS ({left.format(table)})",
            sorted({(owner.suite, owner.edition) for owner in scope.owners}),
        )


def shrink(connection: sqlite3.Connection) -> bool:
    """Give the space back and leave no deleted text in the file. False where another process keeps it from that."""
    try:
        connection.execute("VACUUM")
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except sqlite3.OperationalError:
        return False
    return not busy
