"""Commands that we print run as they are printed."""

from __future__ import annotations

import sys
from pathlib import Path

import click
import pytest

from independence.cli import options, terminal
from independence.cli.main import COMMANDS, main
from independence.cli.terminal import WITHOUT_STORE, runnable

HINT = "`independence leaderboard` shows who is"


def started(monkeypatch: pytest.MonkeyPatch, folder: Path, as_: str | Path, path: str = "") -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", path)
    monkeypatch.setattr(sys, "argv", [str(as_)])


def script(folder: Path) -> Path:
    file = folder / ".venv" / "bin" / "independence"
    file.parent.mkdir(parents=True)
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return file


def test_a_command_is_named_as_it_was_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, here = script(tmp_path / "a place"), tmp_path / "here"
    here.mkdir()
    module = Path("/somewhere/independence/__main__.py")
    for folder, as_, path, shown in (
        (file.parents[2], file, "", ".venv/bin/independence leaderboard"),
        (here, file, "", f"'{file}' leaderboard"),
        (here, file, f"{file.parent}", "independence leaderboard"),
        (here, module, "", f"{sys.executable} -m independence leaderboard"),
    ):
        started(monkeypatch, folder, as_, path)
        assert runnable(HINT) == f"`{shown}` shows who is"


@pytest.mark.parametrize(
    ("store", "variable", "hint", "printed"),
    [
        ("other one.db", None, "leaderboard", "leaderboard --db 'other one.db'"),
        ("independence.db", None, "leaderboard", "leaderboard"),
        (None, "set.db", "leaderboard", "leaderboard"),
        ("other.db", None, "demo", "demo"),
        ("other.db", None, "models --catalogue", "models --catalogue"),
        ("other.db", None, "judge -j cues", "judge -j cues --db other.db"),
        ("other.db", None, "leaderboard --db mine.db", "leaderboard --db mine.db"),
        ("other.db", None, "view", "view --db other.db"),
        ("other.db", None, "view --site out", "view --site out"),
        ("other.db", None, "export out --site", "export out --site --db other.db"),
    ],
)
def test_the_store_is_named_where_a_command_would_not_find_it(
    monkeypatch: pytest.MonkeyPatch, store: str | None, variable: str | None, hint: str, printed: str
) -> None:
    said: list[str] = []

    @click.command()
    @options.db()
    def show(db: Path) -> None:
        assert db
        said.append(terminal.command_line(hint))

    if variable:
        monkeypatch.setenv("INDEPENDENCE_DB", variable)
    monkeypatch.setattr(sys, "argv", ["pytest"])
    show.main(["--db", store] if store else [], standalone_mode=False)
    assert said == [f"independence {printed}"]


def test_every_command_about_a_store_is_known_as_one() -> None:
    context = click.Context(main)
    having = {
        name
        for name in COMMANDS
        if (command := main.get_command(context, name)) and any(one.name == "db" for one in command.params)
    }
    assert {*COMMANDS} - having | {"demo"} == WITHOUT_STORE - {""}
