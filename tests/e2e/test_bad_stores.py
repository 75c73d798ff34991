"""Stores that are damaged, disks that fill up, and output that nobody takes."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from independence.store.file import database
from tests.e2e import command, endpoint, refusals, suites
from tests.e2e.command import Ended
from tests.e2e.endpoint import Served

LIMIT_BYTES = 1_500_000
BOARD = ("leaderboard", "--db", "here.db", "--format", "json")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a suite and a store. Only to be read."""
    folder = tmp_path_factory.mktemp("made")
    suites.write(folder / "harbour", suites.harbour())
    line = "run --suite harbour -m sim/half -j cues --quiet --db here.db --runs 1"
    assert command.run(*line.split(), cwd=folder).code == 0
    command.ask(folder / "here.db", "PRAGMA wal_checkpoint(TRUNCATE)")
    return folder


def small(folder: Path, *, limited: bool = False) -> Ended:
    """Enough replies for some 900 kB of store, and for a longer log beside it."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT_BYTES, LIMIT_BYTES))

    return command.apart(
        "run", "--models-file", "models.yaml", "--suite", "harbour", "-m", "loop/half,loop/never", "-j", "cues",
        "--runs", "15", "--format", "json", "--db", "here.db", cwd=folder, env={"LOOP_KEY": endpoint.KEY},
        before=limit if limited else None,
    )  # fmt: skip


def test_a_full_disk_keeps_what_was_committed_and_the_same_command_goes_on(served: Served, tmp_path: Path):
    full = small(tmp_path, limited=True)
    assert full.code == 3, full.err
    sentence = command.one_sentence(full)
    assert "here.db" in sentence
    assert "disk is full" in sentence
    kept = command.ask(tmp_path / "here.db", "SELECT trial, turn, context, text FROM calls ORDER BY 1, 2")
    assert kept
    assert command.ask(tmp_path / "here.db", "PRAGMA integrity_check") == [("ok",)]

    again = small(tmp_path)
    assert again.code == 0, again.err
    now = command.ask(tmp_path / "here.db", "SELECT trial, turn, context, text FROM calls ORDER BY 1, 2")
    assert set(kept) < set(now)
    assert len(now) == 2 * 15 * 5
    assert all(row["coverage"] == 1 for row in again.board["rows"])


def test_a_damaged_store_is_named_as_such_by_every_command_that_reads(made: Path, tmp_path: Path):
    content = (made / "here.db").read_bytes()
    ((size,),) = command.ask(made / "here.db", "PRAGMA page_size")
    ((page,),) = command.ask(made / "here.db", "SELECT rootpage FROM sqlite_master WHERE name = 'planned'")
    (tmp_path / "rest.db").write_bytes(content[:8192].ljust(len(content), b"\x5a"))
    (tmp_path / "page.db").write_bytes(content[: (page - 1) * size] + b"\xa5" * size + content[page * size :])
    reading = ("leaderboard", "generate-report -o r.md", "export out", "compare sim/half --against-judge x")
    lines = ["leaderboard --db rest.db", *(f"{line} --db page.db" for line in reading)]
    assert refusals.wrong(tmp_path, dict.fromkeys(lines, "the store is damaged")) == {}


def test_a_copy_of_a_store_in_use_without_its_log_is_known_as_one(tmp_path: Path):
    """SQLite keeps what was written last in a file beside; a copy without it has nothing but its first page."""
    with closing(database.connect(tmp_path / "here.db")):
        shutil.copy(tmp_path / "here.db", tmp_path / "copy.db")
    says = "copy.db: the store is empty, or a copy of one in use that lacks the file copy.db-wal; copy both files"
    lines = ("leaderboard", "judge -j cues", "export out", "view")
    assert refusals.wrong(tmp_path, {f"{line} --db copy.db": says for line in lines}) == {}
    assert "lacks its -wal file" in command.run("doctor", "--db", "copy.db", cwd=tmp_path, env={"COLUMNS": "200"}).out


@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_output_that_cannot_be_written_is_one_sentence(made: Path, unbuffered: str):
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "independence", *BOARD], cwd=made, stdout=full, stderr=subprocess.PIPE, text=True,
            env=command.environment({"PYTHONUNBUFFERED": unbuffered}), check=False,
        )  # fmt: skip
    assert ended.returncode == 3
    assert "the output cannot be written" in command.one_sentence(Ended(3, "", ended.stderr))
    assert len(ended.stderr.splitlines()) == 1


def test_a_reader_that_leaves_early_is_no_error(made: Path, tmp_path: Path):
    shutil.copy(made / "here.db", tmp_path)
    process = command.start(*BOARD, cwd=tmp_path)
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(timeout=60) == 0
    assert process.stderr is not None
    with process.stderr:
        assert process.stderr.read() == ""


@pytest.mark.parametrize(("model", "code"), [("sim/never", 0), ("sim/always", 1)])
def test_a_gate_whose_reader_leaves_early_still_ends_with_its_decision(tmp_path: Path, model: str, code: int):
    suites.write(tmp_path / "harbour", suites.harbour())
    line = f"check --suite harbour -m {model} -j cues --min-index 50 --format json --yes --db here.db"
    reading, writing = os.pipe()
    os.close(reading)
    ended = subprocess.run(
        [sys.executable, "-m", "independence", *line.split()], cwd=tmp_path, stdout=writing, stderr=writing,
        env=command.environment(), check=False,
    )  # fmt: skip
    os.close(writing)
    assert ended.returncode == code


# A store of somebody else's: what was done to it, by its own means or in the file itself.
FOREIGN = {
    "index": "CREATE INDEX more ON calls (length(printf('%.*c', 7, 'x') || text))",
    "partial index": "CREATE INDEX more ON calls (text) WHERE length(printf('%.*c', 7, 'x') || text) > 0",
    "view": "CREATE VIEW more AS SELECT printf('%.*c', 7, 'x')",
    "trigger": "CREATE TRIGGER more AFTER UPDATE ON calls BEGIN DELETE FROM verdicts; END",
    "virtual table": "CREATE VIRTUAL TABLE more USING fts5(text)",
    "changed table": "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = sql || ' '"
    " || '/* */' WHERE name = 'calls'",
    "version -5": "PRAGMA user_version = -5",
    "newer version": "PRAGMA user_version = 999; CREATE INDEX more ON calls (abs(length(text)))",
    "huge schema": "",
}
OPENING = {
    "leaderboard": "leaderboard", "show": "show sim/half berth", "doctor": "doctor", "verify": "doctor --verify",
    "salvage": "doctor --salvage out.db", "judge": "judge -j cues --suite harbour", "export": "export out",
    "site": "export site --site", "report": "generate-report -o report.md", "compare": "compare sim/half sim/half",
    "validate-judges": "validate-judges", "clear-cache": "clear-cache --everything --yes",
    "merge": "merge here.db --db all.db",
    "run": "run --suite harbour -m sim/half -j cues --runs 1", "label-sample": "label-sample labels.csv",
}  # fmt: skip


@pytest.fixture(scope="module")
def foreign(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a folder for each of `FOREIGN`."""
    folder = tmp_path_factory.mktemp("foreign")
    for name, statements in FOREIGN.items():
        shutil.copytree(made, folder / name)
        with closing(sqlite3.connect(folder / name / "here.db", isolation_level=None)) as connection:
            connection.executescript("PRAGMA journal_mode = DELETE;" + statements)
            # Of every row that is written or checked, 900 MB are made; here not yet.
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute("UPDATE sqlite_schema SET sql = replace(sql, '.*c'', 7', '.*c'', 900000000')")
            connection.execute("BEGIN")
            for number in range(3_000 if name == "huge schema" else 0):
                connection.execute(f"CREATE TABLE more{number} (a)")
            connection.execute("COMMIT")
    return folder


@pytest.mark.parametrize("line", OPENING.values(), ids=OPENING)
def test_no_command_runs_what_somebody_elses_store_says(foreign: Path, tmp_path: Path, line: str) -> None:
    for name in FOREIGN:
        shutil.copytree(foreign / name, tmp_path / name)
        before = (tmp_path / name / "here.db").read_bytes()
        named = () if line.startswith("merge") else ("--db", "here.db")
        clock = time.process_time()
        ended = command.run(*line.split(), *named, cwd=tmp_path / name)
        took = time.process_time() - clock
        assert ended.code == (1 if line.startswith("doctor") and "salvage" not in line else 2), (name, ended)
        assert ("here.db" in ended.out + ended.err, took < 5) == (True, True), (name, took, ended)
        assert (tmp_path / name / "here.db").read_bytes() == before, name
