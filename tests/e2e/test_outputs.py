"""No output option writes over a store, or over a file that is not ours."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.e2e import command, suites

MINE = "my own words"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("outputs")
    suites.write(folder / "harbour", suites.harbour())
    command.ok("demo", "--suite", "harbour", "--quiet", "--db", "own.db", cwd=folder)
    return folder


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a store, two links to it and a file of somebody else's, to work in."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    (tmp_path / "link.html").symlink_to("own.db")
    (tmp_path / "hard.html").hardlink_to(tmp_path / "own.db")
    (tmp_path / "mine.txt").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


RUN = "run --suite harbour -m sim/half -j cues --quiet --db new.db"
REPORT = "generate-report --db own.db"


def refused(here: Path, line: str, says: str) -> None:
    before = (here / "own.db").read_bytes()
    (here / "own.db-wal").touch()  # SQLite deletes it where a command has read the store
    ended = command.run(*line.split())
    assert ended.code == 2, (line, ended.err)
    assert says in command.one_sentence(ended), line
    assert (here / "own.db").read_bytes() == before, line
    assert (here / "mine.txt").read_text() == MINE, line


def test_nothing_replaces_a_store_or_a_file_of_somebody_else(here: Path) -> None:
    for path in ("own.db", "link.html", "hard.html", "own.db-wal"):
        for line in (f"{REPORT} --html -o {path}", f"{REPORT} --html --force -o {path}", f"{RUN} --log {path}",
                     f"endpoint --port 0 --log {path}"):  # fmt: skip
            refused(here, line, "this is a store")
    for line, says in (
        (f"{REPORT} -o mine.txt", "mine.txt: this file was not written by this command"),
        (f"{REPORT} --html -o mine.txt", "--force"),
        (f"{RUN} --log mine.txt", "--log mine.txt: this file was not written"),
        ("endpoint --port 0 --log mine.txt", "--log mine.txt: this file was not written"),
        (f"{REPORT} --html -o r.md", "--html writes no Markdown, and --output names r.md"),
    ):
        refused(here, line, says)
    assert not (here / "r.md").exists()
    assert command.ask(here / "own.db", "PRAGMA integrity_check") == [("ok",)]
    (here / "out").mkdir()
    (here / "own.db").rename(here / "out" / "dialogues.jsonl")
    assert "this is a store" in command.refused("export", "out", "--force", "--db", "out/dialogues.jsonl")
    assert command.ask(here / "out" / "dialogues.jsonl", "PRAGMA integrity_check") == [("ok",)]


def test_tables_of_somebody_else_stay(here: Path) -> None:
    command.ok(*REPORT.split(), "-o", "r.md", "--tables", "tables")
    board = here / "tables" / "board.csv"
    board.write_text(MINE)
    assert "board.csv would be" in command.run(*REPORT.split(), "-o", "s.md", "--tables", "tables").err
    assert board.read_text() == MINE


def test_the_same_command_writes_over_its_own_output_and_with_force_over_any(here: Path) -> None:
    for line in (f"{REPORT} -o r.md --tables tables", f"{REPORT} --html -o r.html", "export out --db own.db",
                 f"{RUN} --log run.jsonl"):  # fmt: skip
        for _ in range(2):
            command.ok(*line.split())
    command.ok(*REPORT.split(), "-o", "mine.txt", "--force")
    assert (here / "mine.txt").read_text().startswith("# ")
    assert command.run(*REPORT.split(), "-o", "s.HTM").code == 0  # it is what its file is called
    assert (here / "s.HTM").read_text().startswith("<!doctype html>")
