"""Completion in the shell: bash itself, at a terminal, with the script that the command prints."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e import command

MODELS = "models:\n  - model_id: acme/wide\n    display_label: Wide (new)\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store, a models file, and the command in `bin/`."""
    folder = tmp_path_factory.mktemp("completion")
    line = "run -m sim/half,sim/never,sim/always -j cues --runs 1 --exp stability --quiet"
    assert command.run(*line.split(), cwd=folder).code == 0
    (folder / "models.yaml").write_text(MODELS)
    (folder / "mine.md").write_text("You keep a harbour.")
    program = folder / "bin" / "independence"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nfrom independence.__main__ import main\n\nmain()\n")
    program.chmod(0o755)
    return folder


class Terminal:
    """Bash at a terminal, with completion of the command."""

    def __init__(self, folder: Path) -> None:
        path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        env = command.environment({"PATH": path, "TERM": "dumb", "PS1": "> ", "HISTFILE": "/dev/null"})
        self.screen, its = pty.openpty()
        self.process = subprocess.Popen(
            ["bash", "--norc", "--noprofile", "-i"], cwd=folder, env=env, stdin=its, stdout=its, stderr=its,
            start_new_session=True,
        )  # fmt: skip
        os.close(its)
        setup = "stty cols 400; bind 'set bell-style none'; bind 'set show-all-if-ambiguous on'"
        self.shown(f"{setup}; eval \"$(independence completion bash)\"; echo do''ne\n", "done")

    def completed(self, typed: str) -> tuple[str, set[str]]:
        """The line that is there after Tab, and the words that Tab lists."""
        # The cursor goes to its start and to its end, so that the line is printed and not run.
        shown = self.shown(f"{typed}\t\x01echo '[[' \x05 ']''[end]'\n", "][end]")
        line = shown.rpartition("[[ ")[2].partition(" ][end]")[0]
        return line, {word for row in shown.splitlines() if not row.startswith("> ") for word in row.split()}

    def shown(self, typed: str, sign: str) -> str:
        """What is printed up to a sign after something was typed."""
        os.write(self.screen, typed.encode())
        text = ""
        while sign not in text:
            assert select.select([self.screen], [], [], 60)[0], text
            text += os.read(self.screen, 65536).decode()
        return text.replace("\r", "")

    def close(self) -> None:
        os.write(self.screen, b"exit\n")
        os.close(self.screen)
        self.process.wait()


@pytest.fixture(scope="module")
def bash(folder: Path) -> Iterator[Terminal]:
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    terminal = Terminal(folder)
    yield terminal
    terminal.close()


COMPLETED = {
    "lead": "leaderboard",
    "run --max-c": "run --max-cost",
    "show sim/ha": "show sim/half@none-t0.7",
    "show sim/half@no": "show sim/half@none-t0.7",
    "show sim/half@none-t0.7 pt03": "show sim/half@none-t0.7 pt03",
    "compare sim/half@none-t0.7 sim/ne": "compare sim/half@none-t0.7 sim/never@none-t0.7",
    "leaderboard -m sim/half,sim/ne": "leaderboard -m sim/half,sim/never@none-t0.7",
    "run --suite=ren": "run --suite=rent",
    "run --suite v2 --variants str": "run --suite v2 --variants strong_independence",
    "run --variants mi": "run --variants mine.md",
    "run -m Wi": "run -m Wide (new)",
    "run -m sim/fold": "run -m sim/folds-on-preferences",
    "suites lin": "suites lint",
    "nonsense --x": "nonsense --x",
    "show --db nowhere.db sim/ha": "show --db nowhere.db sim/ha",
}


def test_a_word_is_completed_and_what_there_is_to_choose_from_is_listed(bash: Terminal) -> None:
    found = {typed: bash.completed(f"independence {typed}")[0] for typed in COMPLETED}
    assert found == {typed: f"independence {line}" for typed, line in COMPLETED.items()}
    assert {"pt01", "pt05"} <= bash.completed("independence show sim/half@none-t0.7 ")[1]
    assert {"rent", "sides", "v2"} <= bash.completed("independence run --suite ")[1]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_each_shell_parses(shell: str, tmp_path: Path) -> None:
    printed = command.run("completion", shell, cwd=tmp_path)
    assert (printed.code, printed.err) == (0, "")
    assert "_INDEPENDENCE_COMPLETE" in printed.out
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "script").write_text(printed.out)
    read = subprocess.run([shell, "-n", "script"], check=False, cwd=tmp_path, capture_output=True, text=True)
    assert (read.returncode, read.stderr) == (0, "")


def test_nothing_is_written_where_names_are_looked_up(folder: Path) -> None:
    """Neither a store that is not there yet, nor files beside one."""
    before = {path.name: path.stat().st_mtime_ns for path in folder.glob("*.db")}
    for store in ("other.db", "independence.db", "models.yaml"):
        words = f"independence show --db {store} "
        env = {"_INDEPENDENCE_COMPLETE": "fish_complete", "COMP_WORDS": words, "COMP_CWORD": ""}
        ended = subprocess.run(
            [folder / "bin" / "independence"], check=False, cwd=folder, env=command.environment(env),
            capture_output=True, text=True,
        )  # fmt: skip
        assert (ended.returncode, ended.stderr) == (0, "")
        assert ("sim/half@" in ended.stdout) == (store == "independence.db")
    assert {path.name: path.stat().st_mtime_ns for path in folder.glob("*.db")} == before
