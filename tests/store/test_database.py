"""Opening a store, refusing what is none, and telling how healthy it is."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

import pytest

from independence.errors import DiskFull, IndependenceError, StoreError
from independence.store import health, leases, records
from independence.store.file import database
from independence.store.health import StoreContents
from independence.store.records import EditionRow
from tests.virtual_time import HandClock

from . import rows


def test_a_commit_survives_power_loss_and_opening_again_changes_nothing(path: Path) -> None:
    for _ in range(2):
        with closing(database.connect(path)) as opened:
            assert opened.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
            assert opened.execute("PRAGMA synchronous").fetchone()[0] == 2
            count = opened.execute("SELECT count(*) FROM editions").fetchone()[0]
            records.add_edition(opened, EditionRow("s", f"e{count}", "{}"))
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
        assert opened.execute("PRAGMA user_version").fetchone()[0] == database.ours()
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


def test_a_store_that_cannot_be_written_is_read_and_nothing_is_made_beside_it(
    connection: sqlite3.Connection, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(connection)
    connection.close()
    before = path.read_bytes()
    monkeypatch.setattr(os, "access", lambda *_: False)  # as of a folder that is not one's own
    with closing(database.connect_existing(path)) as opened:
        assert opened.execute("SELECT suite FROM editions").fetchone() == ("s",)
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("number", [1, 25, 2**31 - 1])
def test_a_store_of_another_version_is_refused_with_the_way_out(
    connection: sqlite3.Connection, path: Path, number: int
) -> None:
    filled(connection)
    connection.execute(f"PRAGMA user_version = {number}")
    connection.close()
    for opened in (database.connect, database.connect_existing, database.as_it_is):
        with pytest.raises(StoreError, match="written by another version of this program; with that version, ") as said:
            opened(path)
        assert "`independence export DIR --as parquet`" in str(said.value)
    found = health.examine(path)
    assert (found.other, found.empty, found.contents, found.damage) == (True, False, None, ())


def test_the_number_of_the_schema_changes_with_what_it_defines_and_not_with_comments(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own, text = database.ours(), database._definition()
    found = []
    for changed in (f"-- a comment\n{text}", text.replace("said TEXT", "said BLOB"), text):
        database.ours.cache_clear()
        monkeypatch.setattr(database, "_definition", lambda changed=changed: changed)
        found.append(database.ours())
    database.ours.cache_clear()
    assert [one == own for one in found] == [True, False, True]


def test_what_is_read_once_is_of_one_moment(path: Path, connection: sqlite3.Connection) -> None:
    count, add = "SELECT count(*) FROM leases", "INSERT INTO leases VALUES ('t', 'o', 0)"
    with database.reading_once(connection):
        assert connection.execute(count).fetchone() == (0,)
        with closing(database.connect(path)) as other:
            other.execute(add)
        assert connection.execute(count).fetchone() == (0,)
    assert connection.execute(count).fetchone() == (1,)


def filled(connection: sqlite3.Connection) -> None:
    rows.edition(connection)
    rows.trial(connection, "t1")
    end = rows.dialogue(connection, "t1", "I stay.")
    rows.verdict(connection, "v1", "t1", end, rows.missing("unreadable_verdict"))


def contents(path: Path, now: float | None = None) -> StoreContents:
    found = health.examine(path, now).contents
    assert found is not None
    return found


def test_a_sound_store_is_described_and_left_as_it_is(connection: sqlite3.Connection, path: Path) -> None:
    filled(connection)
    connection.close()
    before = path.read_bytes()
    found = health.examine(path)
    assert found.contents == StoreContents(1, 1, 1, 0, 0, 0, 0, 0)
    assert (found.other, found.empty, found.damage, found.wal) == (False, False, (), True)
    assert found.size_bytes == len(before)
    assert found.free_bytes > 0
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_store_somebody_writes_to_is_read_with_what_waits_in_its_wal(
    connection: sqlite3.Connection, path: Path
) -> None:
    filled(connection)
    assert contents(path).answers == 1
    assert health.examine(path).size_bytes > path.stat().st_size
    rows.trial(connection, "t2")  # the writer goes on undisturbed
    assert contents(path).trials == 2


def test_what_belongs_to_nothing_is_counted(connection: sqlite3.Connection, path: Path) -> None:
    filled(connection)
    rows.trial(connection, "t2")
    connection.execute("DELETE FROM planned WHERE trial = 't2'")
    rows.dialogue(connection, "gone", "one", "two")
    rows.verdict(connection, "v2", "gone", "x", rows.missing("unreadable_verdict"))
    found = contents(path)
    assert (found.unplanned, found.homeless) == (1, 3)


def test_answers_on_a_replaced_history_are_stale_once_however_many_editions_plan_them(
    connection: sqlite3.Connection, path: Path
) -> None:
    filled(connection)
    rows.trial(connection, "t2", turns=2)
    rows.dialogue(connection, "t2", "one", "two")
    assert contents(path).stale == 0
    rows.call(connection, "t2", 0, "t2", rows.reply("another"))
    rows.edition(connection, "f")
    rows.trial(connection, "t2", turns=2, edition="f")
    assert contents(path).stale == 1


def test_a_lease_counts_as_work_until_its_holder_goes_silent(connection: sqlite3.Connection, path: Path) -> None:
    time = HandClock()
    filled(connection)
    assert leases.take(connection, "t1", leases.owner(), time) is None
    assert (contents(path, time.now()).leases, contents(path, time.now()).expired) == (1, 0)
    time.forward(leases.TTL_S)
    assert (contents(path, time.now()).leases, contents(path, time.now()).expired) == (0, 1)


def test_an_empty_file_is_told(path: Path) -> None:
    path.touch()
    found = health.examine(path)
    assert (found.empty, found.other, found.contents, found.damage) == (True, False, None, ())


def test_damage_is_told_in_a_few_lines(connection: sqlite3.Connection, path: Path) -> None:
    filled(connection)
    page = connection.execute("PRAGMA page_size").fetchone()[0]
    root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'planned_trial'").fetchone()[0]
    connection.close()
    data = bytearray(path.read_bytes())
    data[(root - 1) * page : root * page] = b"\xff" * page
    path.write_bytes(data)
    found = health.examine(path)
    assert 1 <= len(found.damage) <= 5
    assert found.contents is None


def test_what_is_no_store_is_refused_with_its_name(connection: sqlite3.Connection, path: Path, tmp_path: Path) -> None:
    connection.close()
    texts = {"text.db": b"not a database at all " * 9, "torn.db": path.read_bytes()[:5000]}
    for name, content in texts.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "folder.db").mkdir()
    with closing(sqlite3.connect(tmp_path / "foreign.db")) as made:
        made.execute("CREATE TABLE songs (title TEXT)")
    for name in ("text.db", "torn.db", "folder.db", "foreign.db"):
        with pytest.raises(StoreError, match=rf"{name}: "):
            health.examine(tmp_path / name)


def test_room_on_the_disk_needs_a_folder(tmp_path: Path) -> None:
    assert health.free_bytes(tmp_path) > 0
    with pytest.raises(StoreError, match="create it or choose another --db"):
        health.free_bytes(tmp_path / "nowhere")


def test_a_new_store_that_stays_empty_is_removed_unless_somebody_reads_it(path: Path) -> None:
    with database.writing(path, new=True):
        pass
    assert not path.exists()
    with database.writing(path, new=True):
        reader = database.connect_existing(path)
        reader.execute("SELECT * FROM editions").fetchall()
    with closing(reader), database.writing(path, new=True) as again:  # a second run, under the eyes of the same reader
        records.add_edition(again, EditionRow("s", "e", "{}"))
        assert reader.execute("SELECT count(*) FROM editions").fetchone() == (1,)
