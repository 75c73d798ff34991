from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from independence.config import user_files
from independence.errors import UsageError


def store(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE words (word TEXT)")
        connection.commit()
    return path


def refused(path: Path, *, force: bool = False) -> str:
    with pytest.raises(UsageError) as error:
        user_files.check(path, "--output", user_files.MARK, forcible=True, force=force)
    return str(error.value)


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("link", ["the store", "symbolic", "hard", "beside"])
def test_a_store_is_never_written_over(tmp_path: Path, link: str, force: bool) -> None:
    here = store(tmp_path / "here.db")
    paths = {
        "the store": here,
        "symbolic": tmp_path / "report.html",
        "hard": tmp_path / "r.md",
        "beside": tmp_path / "here.db-shm",
    }
    (tmp_path / "report.html").symlink_to(here)
    (tmp_path / "r.md").hardlink_to(here)
    (tmp_path / "here.db-shm").write_bytes(b"any")
    assert "this is a store" in refused(paths[link], force=force)


def test_the_log_of_a_store_is_known_under_any_name(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "here.db")) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE words (word TEXT)")
        (tmp_path / "r.md").hardlink_to(tmp_path / "here.db-wal")
        assert "this is a store" in refused(tmp_path / "r.md", force=True)


def test_a_file_of_somebody_else_stays_unless_forced(tmp_path: Path) -> None:
    (tmp_path / "diary.md").write_text("dear diary")
    assert "diary.md: this file was not written by this command; choose another, or write over it" in refused(
        tmp_path / "diary.md"
    )
    user_files.check(tmp_path / "diary.md", "--output", user_files.MARK, forcible=True, force=True)


@pytest.mark.parametrize(
    "text", ["", f"long {'x' * 9000}\n{user_files.MARK.decode()}\n", f"{user_files.MARK.decode()} short"]
)
def test_empty_files_and_our_own_may_be_written_over(tmp_path: Path, text: str) -> None:
    (tmp_path / "r.md").write_text(text)
    user_files.check(tmp_path / "r.md", "--output", user_files.MARK)
    user_files.check(tmp_path / "new.md", "--output", user_files.MARK)


def test_a_pipe_that_nobody_reads_is_refused_and_a_read_one_is_not(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "a pipe without a reader" in refused(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        user_files.check(tmp_path / "pipe", "--output", user_files.MARK)
    finally:
        os.close(reader)
