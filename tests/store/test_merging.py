"""A store of several holds each thing once, under the digests of its own rows, and says where they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from sqlite3 import Connection

import pytest

from independence.store import attempts, context, integrity, merging, queries, records, spending
from independence.store.attempts import StoredAttempt
from independence.store.file import database
from independence.store.merging import Merged
from independence.store.records import FailureRow
from independence.types import Attempt, Usage, Verdict

from . import rows

FAILED = FailureRow("one", "one_0", "Parked", "no credit", (Attempt("error", 0.1, Usage(cost_usd=0.25)),))
Two = tuple[Connection, Connection]


@pytest.fixture
def two(tmp_path: Path) -> Iterator[Two]:
    """Stores with the same plan of two dialogues, nothing of it answered: a source and a target."""
    paths = [tmp_path / name for name in ("source.db", "target.db")]
    with closing(database.connect(paths[0])) as source, closing(database.connect(paths[1])) as target:
        for connection in (source, target):
            rows.edition(connection)
            for trial in ("one", "two"):
                rows.trial(connection, trial, turns=2)
        yield source, target


def merge(source: Connection, target: Connection) -> Merged:
    with database.transaction(target):
        merged = merging.merge(source, target)
    assert list(integrity.complaints(target)) == []
    return merged


def graded(connection: Connection, trial: str, *texts: str, **values: float) -> None:
    rows.verdict(connection, f"v {trial}", trial, rows.dialogue(connection, trial, *texts), Verdict(dict(values)))


def everything(connection: Connection) -> dict[str, list[tuple[object, ...]]]:
    """All rows, without what each store gives for itself, and those of processes."""
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    out = {}
    for table in set(tables) - {"tallies", "leases", "progress"}:
        columns = [column[1] for column in connection.execute(f"PRAGMA table_info({table})")]
        own = ", ".join(name for name in columns if name not in ("id", "digest", "planned_at", "used_at"))
        out[table] = sorted(connection.execute(f"SELECT {own} FROM {table}").fetchall(), key=repr)
    return out


def test_two_halves_make_the_whole_and_merging_them_again_adds_nothing(two: Two) -> None:
    source, target = two
    graded(source, "one", "yes", "still yes", x=1, y=2.5)
    graded(target, "two", "no", "no", z=3)
    records.add_failure(source, FAILED)
    ledger = spending.SessionLedger("run", "s@e")
    ledger.note(source, 1.5, 0.5)
    assert merge(source, target) == Merged(1, 1, ())
    fields = dict(target.execute("SELECT key, fields FROM verdicts").fetchall())
    assert fields == {"v one": '{"x":1,"y":2.5}', "v two": '{"z":3}'}
    assert {(state.key, state.answered) for state in queries.states(target, rows.PLACE)} == {("one", 2), ("two", 2)}
    assert [(one.spent_usd, one.unknown_usd) for one in spending.sessions(target)] == [(1.5, 0.5)]
    before = everything(target)
    assert merge(source, target) == Merged(0, 0, ())
    assert everything(target) == before
    assert merge(target, source).conflicts == ()
    assert everything(source) == before


def test_a_dialogue_goes_on_where_another_store_has_got_further(two: Two) -> None:
    source, target = two
    rows.dialogue(target, "one", "yes")
    attempts.add(target, "one", "one_1", 0, [StoredAttempt("digest", Attempt("error", 0.1))])
    rows.dialogue(source, "one", "yes", "still yes")
    attempts.add(source, "two", "two_0", 0, [StoredAttempt("digest", Attempt("ok", 0.1), "{}")])
    assert merge(source, target) == Merged(1, 0, ())
    assert attempts.of_trial(target, "one") == {}  # it is settled
    assert list(attempts.of_trial(target, "two")) == ["two_0"]  # paid for, and nobody has it


def other_replies(source: Connection, target: Connection) -> None:
    graded(source, "one", "yes", "yes", x=1)
    graded(target, "one", "yes", "no", x=2)


def another_verdict(source: Connection, target: Connection) -> None:
    graded(source, "one", "yes", x=1)
    graded(target, "one", "yes", x=2)


def another_request(source: Connection, target: Connection) -> None:
    rows.trial(source, "one of other weights", scenario="three")
    rows.trial(target, "one", scenario="three", turns=2)


CONFLICTS: dict[Callable[[Connection, Connection], None], str] = {
    other_replies: "a one run 1: other replies",
    another_verdict: "a one run 1: another verdict of j",
    another_request: "a three run 1: another request",
}


@pytest.mark.parametrize("make", CONFLICTS)
def test_what_differs_is_named_and_stays_as_it_was(make: Callable[[Connection, Connection], None], two: Two) -> None:
    source, target = two
    make(source, target)
    tables = ("calls", "verdicts", "planned")
    before = [target.execute(f"SELECT * FROM {table}").fetchall() for table in tables]
    assert merge(source, target) == Merged(0, 0, (CONFLICTS[make],))
    assert [target.execute(f"SELECT * FROM {table}").fetchall() for table in tables] == before


def test_verdicts_on_known_dialogues_come_too_and_need_not_be_the_same(two: Two) -> None:
    source, target = two
    for connection, score in zip(two, (1, 2), strict=True):
        records.add_made(connection, [("made", 1), ("made too", 1)])
        rows.verdict(connection, "v made", "made", context.begin("made"), Verdict({"x": score}))
    rows.verdict(source, "v made too", "made too", context.begin("made too"), Verdict({"x": 4}))
    assert merge(source, target) == Merged(0, 1, ())
    fields = dict(target.execute("SELECT key, fields FROM verdicts").fetchall())
    assert fields == {"v made": '{"x":2}', "v made too": '{"x":4}'}
