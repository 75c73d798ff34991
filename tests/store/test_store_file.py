"""A store and the log beside it: whether they belong together, and whether a store is still where it was."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from independence.errors import StoreError
from independence.store import health, records
from independence.store.file import database, store_file
from independence.store.file.store_file import StoreFile
from independence.store.records import EditionRow


def filled(path: Path, text: str, rows: int = 40) -> None:
    """A store that a command has written to, at rest."""
    with database.writing(path, new=True) as connection:
        fill(connection, text, rows)


def fill(connection: sqlite3.Connection, text: str, rows: int = 40) -> None:
    for number in range(rows):
        records.add_edition(connection, EditionRow("s", f"{text} {number}", text * 2000))


def killed(path: Path, text: str, folder: Path) -> Path:
    """What a command leaves that is killed after it has written something: the store, and its log."""
    copy = folder / path.name
    with database.writing(path, new=False) as connection:
        fill(connection, text)
        folder.mkdir(exist_ok=True)
        shutil.copy(path, copy)
        shutil.copy(store_file.log_of(path), store_file.log_of(copy))
    return copy


def held(path: Path) -> int:
    with closing(database.connect_existing(path)) as connection:
        return int(connection.execute("SELECT count(*) FROM editions").fetchone()[0])


def test_a_log_is_read_with_its_own_store_alone(tmp_path: Path) -> None:
    ours, other = tmp_path / "ours.db", tmp_path / "other.db"
    filled(ours, "a")
    filled(other, "b", 90)
    older = shutil.copy(ours, tmp_path / "older.db")
    filled(ours, "c")  # another command since
    left = killed(ours, "d", tmp_path / "killed")
    assert held(shutil.copytree(left.parent, tmp_path / "again") / "ours.db") == 120
    for number, foreign in enumerate((other, older)):
        place = Path(shutil.copytree(left.parent, tmp_path / f"place{number}"), "ours.db")
        shutil.copy(foreign, place)
        before = [file.read_bytes() for file in (place, store_file.log_of(place))]
        says = "ours.db-wal beside it belongs to another store, or to another copy of this one; put the store back"
        for read in (database.connect, database.connect_existing, health.examine):
            with pytest.raises(StoreError, match=says):
                read(place)
        assert [file.read_bytes() for file in (place, store_file.log_of(place))] == before
        store_file.log_of(place).rename(tmp_path / "away")
        assert held(place) == held(foreign)
    left.unlink()
    with pytest.raises(StoreError, match=r"there is no store, but ours\.db-wal, which holds what was last written"):
        database.connect(left)


def test_a_log_that_tells_nothing_is_left_to_sqlite(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    filled(path, "a")
    for content in (b"", b"short", b"\0" * 32, b"\0" * 100_000, b"\x37\x7f\x06\x82" + b"\0" * 40_000):
        store_file.log_of(path).write_bytes(content)
        assert held(path) == 40


def test_a_store_marked_anew_that_a_reader_keeps_as_it_was_is_known_by_its_log(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    filled(path, "a")
    with closing(database.connect_existing(path)) as reader, database.snapshot(reader):
        reader.execute("SELECT count(*) FROM editions").fetchone()
        left = killed(path, "b", tmp_path / "killed")
    assert held(left) == 80


def test_a_store_is_the_same_while_others_write_to_it_and_after_its_log_was_taken_over(tmp_path: Path) -> None:
    path = tmp_path / "store.db"
    filled(path, "a")
    with database.writing(path, new=False) as connection:
        file = StoreFile(connection, path)
        for number in range(3):
            fill(connection, f"ours {number}")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            assert file.lost(connection) == ""
            with database.writing(path, new=False) as other:
                fill(other, f"theirs {number}")
                other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            assert file.lost(connection) == ""
        shutil.copy(path, tmp_path / "copy.db").replace(path)
        assert file.lost(connection) == "another file has taken its place"
        path.unlink()
        assert file.lost(connection) == "it was deleted or moved"
