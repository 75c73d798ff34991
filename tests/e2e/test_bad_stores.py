"""Stores that cannot be used as they are, and disks that fill up."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e import command, endpoint, suites
from tests.e2e.command import Ended

LIMIT_BYTES = 1_500_000


def small(folder: Path, *more: str, limited: bool = False) -> Ended:
    """Enough replies for some 900 kB of store, and for a longer log beside it."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT_BYTES, LIMIT_BYTES))

    return command.apart(
        "run", "--models-file", "models.yaml", "--suite", "harbour", "-m", "loop/half,loop/never", "-j", "cues",
        "--runs", "15", "--format", "json", "--db", "here.db", *more, cwd=folder, env={"LOOP_KEY": endpoint.KEY},
        before=limit if limited else None,
    )  # fmt: skip


def test_a_full_disk_keeps_what_was_committed_and_the_same_command_goes_on(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    with endpoint.serving(tmp_path) as served:
        endpoint.models_file(tmp_path, served.base_url)
        full = small(tmp_path, limited=True)
        assert full.code == 3, full.err
        sentence = command.one_sentence(full)
        assert "here.db" in sentence
        assert "disk is full" in sentence
        kept = command.ask(tmp_path / "here.db", "SELECT trial, turn, context, text FROM calls ORDER BY 1, 2")
        assert len(kept) > 20
        assert command.ask(tmp_path / "here.db", "PRAGMA integrity_check") == [("ok",)]

        again = small(tmp_path)
        assert again.code == 0, again.err
        now = command.ask(tmp_path / "here.db", "SELECT trial, turn, context, text FROM calls ORDER BY 1, 2")
        assert set(kept) < set(now)
        assert len(now) == 2 * 15 * 5
        assert all(row["coverage"] == 1 for row in again.board["rows"])


def sqlite_file(path: Path, *statements: str) -> None:
    """A SQLite file made by hand."""
    with command.opened(path) as connection:
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize("line", ["leaderboard", "run --suite harbour -m sim/half -j cues"], ids=["reading", "running"])
@pytest.mark.parametrize(
    ("statements", "says"),
    [
        (["PRAGMA user_version = 99"], ["newer version", "schema 99", "upgrade"]),
        (["CREATE TABLE songs (title TEXT)"], ["another program", "--db"]),
    ],
    ids=["newer", "foreign"],
)
def test_a_store_of_another_kind_is_refused_and_left_alone(
    tmp_path: Path, line: str, statements: list[str], says: list[str]
):
    suites.write(tmp_path / "harbour", suites.harbour())
    sqlite_file(tmp_path / "here.db", *statements)
    before = command.ask(tmp_path / "here.db", "SELECT name FROM sqlite_master")
    ended = command.run(*line.split(), "--db", "here.db", cwd=tmp_path)
    sentence = command.one_sentence(ended)
    assert ended.code == 2
    assert "here.db" in sentence
    assert all(phrase in sentence for phrase in says)
    assert command.ask(tmp_path / "here.db", "SELECT name FROM sqlite_master") == before


def test_an_empty_store_says_how_to_fill_it(tmp_path: Path):
    sqlite_file(tmp_path / "here.db")
    ended = command.run("leaderboard", "--db", "here.db", cwd=tmp_path)
    assert ended.code == 2
    assert "the store is empty" in command.one_sentence(ended)


def test_a_store_in_place_of_which_there_is_a_folder_is_a_usage_error(tmp_path: Path):
    ended = command.run("leaderboard", "--db", tmp_path, cwd=tmp_path)
    assert ended.code == 2
    assert "directory" in command.one_sentence(ended)


def test_a_damaged_store_is_named_as_such(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    db = tmp_path / "here.db"
    assert command.run("demo", "--suite", "harbour", "--quiet", "--db", db, cwd=tmp_path).code == 0
    content = bytearray(db.read_bytes())
    content[8192:] = b"\x5a" * (len(content) - 8192)
    db.write_bytes(bytes(content))
    ended = command.run("leaderboard", "--db", "here.db", cwd=tmp_path)
    assert ended.code == 2
    assert "damaged" in command.one_sentence(ended)


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_output_that_cannot_be_written_is_one_sentence(tmp_path: Path, unbuffered: str):
    suites.write(tmp_path / "harbour", suites.harbour())
    assert command.run("demo", "--suite", "harbour", "--quiet", "--db", "here.db", cwd=tmp_path).code == 0
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "independence", "leaderboard", "--db", "here.db", "--format", "json"],
            cwd=tmp_path, env=command.environment({"PYTHONUNBUFFERED": unbuffered}), stdout=full,
            stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert ended.returncode == 3
    assert "the output cannot be written" in command.one_sentence(Ended(3, "", ended.stderr))
    assert len(ended.stderr.splitlines()) == 1


def test_a_reader_that_leaves_early_is_no_error(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    assert command.run("demo", "--suite", "harbour", "--quiet", "--db", "here.db", cwd=tmp_path).code == 0
    process = command.start("leaderboard", "--db", "here.db", "--format", "json", cwd=tmp_path)
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr is not None
    with process.stderr:
        assert process.stderr.read() == ""
