from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

import pytest

from independence.errors import DiskFull, IndependenceError, StoreError
from independence.store import database
from independence.store.migrations import migrations


def test_a_commit_survives_power_loss_and_opening_again_changes_nothing(path: Path) -> None:
    for _ in range(2):
        with closing(database.connect(path)) as opened:
            assert opened.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
            assert opened.execute("PRAGMA synchronous").fetchone()[0] == 2
            opened.execute(
                "INSERT INTO editions (suite, edition, document, used_at) "
                "VALUES (hex(randomblob(4)), 'e', '{}', '2026')"
            )
    with closing(database.connect_existing(path)) as opened:
        assert opened.execute("SELECT count(*) FROM editions").fetchone()[0] == 2


def foreign(path: Path, *statements: str) -> None:
    """A file of another program."""
    with closing(sqlite3.connect(path)) as made:
        for statement in statements:
            made.execute(statement)


def damaged(path: Path) -> None:
    """A store whose first page has come to nothing."""
    with closing(database.connect(path)) as made:
        made.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(path.read_bytes())
    content[100:4096] = bytes(4096 - 100)
    path.write_bytes(content)


OPENED = {"connect": database.connect, "connect_existing": database.connect_existing}


@pytest.mark.parametrize(
    ("made", "how", "says"),
    [
        (Path, ["connect_existing"], "no store here; `independence demo`"),
        (lambda path: path.touch(), ["connect_existing"], "the store is empty"),
        (lambda path: path.mkdir(), ["connect"], "cannot be used"),
        (lambda path: foreign(path, "CREATE TABLE songs (title)"), OPENED, "of another program"),
        (lambda path: foreign(path, "CREATE TABLE trials (title)", "PRAGMA user_version = 2"), OPENED,
         "of another program"),
        (lambda path: path.write_text("dear diary, " * 100), OPENED, "not a store of this program"),
        (damaged, OPENED, "store.db: "),
    ],
)  # fmt: skip
def test_what_is_no_store_is_refused_and_left_as_it_is(
    path: Path, made: Callable[[Path], object], how: Iterable[str], says: str
) -> None:
    made(path)
    before = path.read_bytes() if path.is_file() else None
    for name in how:
        with pytest.raises(StoreError, match=says):
            OPENED[name](path)
    assert (path.read_bytes() if path.is_file() else None) == before
    assert made is damaged or {found.name for found in path.parent.iterdir()} <= {path.name}


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="does not exist; create it"):
        database.connect(tmp_path / "absent" / "store.db")


def test_many_may_open_a_new_store_at_once(tmp_path: Path) -> None:
    failures: list[BaseException] = []

    def open_one(path: Path, together: threading.Barrier) -> None:
        together.wait()
        try:
            database.connect(path).close()
        except Exception as error:  # noqa: BLE001  (any is a failure of the test)
            failures.append(error)

    for attempt in range(2):
        together = threading.Barrier(8)
        target = tmp_path / f"{attempt}.db"
        threads = [threading.Thread(target=open_one, args=(target, together)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        opened = sqlite3.connect(target)
        assert opened.execute("PRAGMA user_version").fetchone()[0] == len(migrations())
        opened.close()
    assert failures == []


@pytest.mark.parametrize(
    ("error", "kind", "what"),
    [
        (sqlite3.OperationalError("database or disk is full"), DiskFull, "free space"),
        (sqlite3.OperationalError("disk I/O error"), DiskFull, "cannot be written"),
        (sqlite3.DatabaseError("file is not a database"), StoreError, "not a store"),
        (sqlite3.DatabaseError("database disk image is malformed"), StoreError, "damaged"),
        (sqlite3.OperationalError("database is locked"), StoreError, "another process"),
        (sqlite3.OperationalError("attempt to write a readonly database"), StoreError, "cannot be written here"),
        (sqlite3.IntegrityError("UNIQUE constraint failed"), StoreError, "UNIQUE"),
    ],
)
def test_a_complaint_of_sqlite_says_what_to_do(error: sqlite3.Error, kind: type[IndependenceError], what: str) -> None:
    said = database.translate(error, Path("my.db"))
    assert type(said) is kind
    assert str(said).startswith("my.db: ")
    assert what in str(said)


def test_a_store_that_cannot_be_written_is_read_as_the_newest_schema(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(path)) as older:
        older.executescript(migrations()[0].sql + "PRAGMA user_version = 1;")
        older.execute("INSERT INTO editions VALUES ('s', 'e', '{}', '2026')")
        older.commit()
    before = path.read_bytes()
    monkeypatch.setattr(os, "access", lambda *_: False)  # as of a folder that is not one's own
    with closing(database.connect_existing(path)) as opened:
        assert opened.execute("PRAGMA user_version").fetchone()[0] == len(migrations())
        assert opened.execute("SELECT suite FROM editions").fetchone() == ("s",)
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_what_is_read_once_is_of_one_moment(path: Path, connection: sqlite3.Connection) -> None:
    count, add = "SELECT count(*) FROM field_sets", "INSERT INTO field_sets (layout) VALUES ('[]')"
    with database.reading_once(connection):
        assert connection.execute(count).fetchone() == (0,)
        with closing(database.connect(path)) as other:
            other.execute(add)
        assert connection.execute(count).fetchone() == (0,)
    assert connection.execute(count).fetchone() == (1,)
