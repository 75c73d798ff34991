from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from independence.errors import DiskFull, IndependenceError, StoreError
from independence.store import database
from independence.store.migrations import migrations


def test_a_commit_survives_power_loss(path: Path) -> None:
    opened = database.connect(path)
    assert opened.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    assert opened.execute("PRAGMA synchronous").fetchone()[0] == 2
    opened.close()


def test_opening_twice_changes_nothing(path: Path) -> None:
    for _ in range(2):
        opened = database.connect(path)
        opened.execute(
            "INSERT INTO editions (suite, edition, document, used_at) VALUES (hex(randomblob(4)), 'e', '{}', '2026')"
        )
        opened.close()
    opened = database.connect(path)
    assert opened.execute("SELECT count(*) FROM editions").fetchone()[0] == 2
    opened.close()


def test_a_store_that_must_exist_is_not_made(path: Path) -> None:
    with pytest.raises(StoreError, match="no store here; `independence demo`"):
        database.connect_existing(path)
    assert not path.exists()


def test_a_store_that_exists_is_opened(path: Path, connection: sqlite3.Connection) -> None:
    database.connect_existing(path).close()


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="does not exist; create it"):
        database.connect(tmp_path / "absent" / "store.db")


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be used"):
        database.connect(tmp_path)


def test_a_file_of_another_program_is_refused_and_left_as_it_is(path: Path) -> None:
    foreign = sqlite3.connect(path)
    foreign.execute("CREATE TABLE songs (title)")
    foreign.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="of another program"):
        database.connect(path)
    assert path.read_bytes() == before


def test_a_file_of_another_program_with_a_version_of_its_own_is_left_as_it_is(path: Path) -> None:
    foreign = sqlite3.connect(path)
    foreign.execute("CREATE TABLE trials (title)")
    foreign.execute("PRAGMA user_version = 2")  # as if it were one of ours
    foreign.close()
    before = path.read_bytes()
    for opened in (database.connect, database.connect_existing):
        with pytest.raises(StoreError, match="of another program"):
            opened(path)
    assert path.read_bytes() == before
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def test_an_empty_file_is_no_store_to_read_and_stays_empty(path: Path) -> None:
    path.touch()
    with pytest.raises(StoreError, match="the store is empty"):
        database.connect_existing(path)
    assert path.read_bytes() == b""


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no store here"):
        database.connect_existing(tmp_path / "absent.db")
    assert list(tmp_path.iterdir()) == []


def test_a_text_file_is_refused(path: Path) -> None:
    path.write_text("dear diary, " * 100)
    with pytest.raises(StoreError, match="not a store of this program"):
        database.connect(path)


def test_a_damaged_store_is_refused(path: Path, connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    content = bytearray(path.read_bytes())
    content[100:4096] = b"\x00" * (4096 - 100)
    path.write_bytes(content)
    with pytest.raises(StoreError):
        database.connect(path)


def test_many_may_open_a_new_store_at_once(tmp_path: Path) -> None:
    failures: list[BaseException] = []

    def open_one(path: Path, together: threading.Barrier) -> None:
        together.wait()
        try:
            database.connect(path).close()
        except Exception as error:  # noqa: BLE001  (any is a failure of the test)
            failures.append(error)

    for attempt in range(6):
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


def test_a_store_that_cannot_be_written_is_read_as_the_newest_schema(path: Path) -> None:
    older = sqlite3.connect(path)
    for statement in database._statements(migrations()[0].sql):
        older.execute(statement)
    older.execute("PRAGMA user_version = 1")
    older.execute("INSERT INTO editions VALUES ('s', 'e', '{}', '2026')")
    older.commit()
    older.close()
    before = path.read_bytes()
    opened = database._connect_read_only(path)
    assert opened.execute("PRAGMA user_version").fetchone()[0] == len(migrations())
    assert opened.execute("SELECT suite FROM editions").fetchone() == ("s",)
    opened.close()
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
