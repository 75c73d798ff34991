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
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert command.run("demo", "--suite", "harbour", "--quiet", "--db", "own.db").code == 0
    return folder


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a store, two links to it and a file of somebody else's, to work in."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    (tmp_path / "link.html").symlink_to("own.db")
    (tmp_path / "hard.html").hardlink_to(tmp_path / "own.db")
    (tmp_path / "own.db-wal").write_bytes(b"")
    (tmp_path / "mine.txt").write_text(MINE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


RUN = "run --suite harbour -m sim/half -j cues --quiet --db new.db"
STORE = ("own.db", "link.html", "hard.html", "own.db-wal")


@pytest.mark.parametrize("force", ["", " --force"])
@pytest.mark.parametrize("path", STORE)
def test_a_report_never_replaces_a_store(here: Path, path: str, force: str) -> None:
    refused(here, f"generate-report --db own.db --html -o {path}{force}", "this is a store")


@pytest.mark.parametrize("path", STORE)
@pytest.mark.parametrize("line", [f"{RUN} --log", "endpoint --port 0 --log"])
def test_no_log_is_added_to_a_store(here: Path, line: str, path: str) -> None:
    refused(here, f"{line} {path}", "this is a store")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("generate-report --db own.db -o mine.txt", "mine.txt: this file was not written by this command"),
        ("generate-report --db own.db --html -o mine.txt", "--force"),
        (f"{RUN} --log mine.txt", "--log mine.txt: this file was not written"),
        ("endpoint --port 0 --log mine.txt", "--log mine.txt: this file was not written"),
        ("train-judge --from own.db --out .", "offline.npz: this file was not written"),
    ],
)
def test_a_file_of_somebody_else_stays(here: Path, line: str, says: str) -> None:
    (here / "offline.npz").write_text(MINE)
    refused(here, line, says)
    assert (here / "mine.txt").read_text() == (here / "offline.npz").read_text() == MINE


def refused(here: Path, line: str, says: str) -> None:
    before = (here / "own.db").read_bytes()
    ended = command.run(*line.split())
    assert ended.code == 2, ended.err
    assert says in command.one_sentence(ended)
    assert (here / "own.db").read_bytes() == before
    assert command.ask(here / "own.db", "PRAGMA integrity_check") == [("ok",)]


def test_figures_and_tables_of_somebody_else_stay(here: Path) -> None:
    assert command.run("generate-report", "--db", "own.db", "-o", "r.md", "--tables", "tables").code == 0
    figure = next((here / "r-figures").iterdir())
    figure.write_text(MINE)
    (here / "tables" / "board.csv").write_text(MINE)
    assert figure.name in command.run("generate-report", "--db", "own.db", "-o", "r.md").err
    assert (
        "board.csv would be" in command.run("generate-report", "--db", "own.db", "-o", "s.md", "--tables", "tables").err
    )
    assert figure.read_text() == (here / "tables" / "board.csv").read_text() == MINE


def test_an_export_never_replaces_a_store(here: Path) -> None:
    (here / "out").mkdir()
    (here / "own.db").rename(here / "out" / "dialogues.jsonl")
    ended = command.run("export", "out", "--force", "--db", "out/dialogues.jsonl")
    assert ended.code == 2
    assert "this is a store" in command.one_sentence(ended)
    assert command.ask(here / "out" / "dialogues.jsonl", "PRAGMA integrity_check") == [("ok",)]


@pytest.mark.parametrize(
    "line",
    [
        "generate-report --db own.db -o r.md --tables tables",
        "generate-report --db own.db --html -o r.html",
        "export out --db own.db",
        f"{RUN} --log run.jsonl",
    ],
)
def test_the_same_command_writes_over_its_own_output(here: Path, line: str) -> None:
    for _ in range(2):
        ended = command.run(*line.split())
        assert ended.code == 0, ended.err


def test_with_force_a_report_replaces_any_other_file(here: Path) -> None:
    assert command.run("generate-report", "--db", "own.db", "-o", "mine.txt", "--force").code == 0
    assert (here / "mine.txt").read_text().startswith("# ")


@pytest.mark.parametrize("name", ["r.html", "r.HTM"])
def test_a_report_is_what_its_file_is_called(here: Path, name: str) -> None:
    assert command.run("generate-report", "--db", "own.db", "-o", name).code == 0
    assert (here / name).read_text().startswith("<!doctype html>")
    assert not (here / "r-figures").exists()


def test_html_is_not_written_to_a_file_of_markdown(here: Path) -> None:
    refused(here, "generate-report --db own.db --html -o r.md", "--html writes no Markdown, and --output names r.md")
    assert not (here / "r.md").exists()
