"""Completion in the shell: bash itself, at a terminal, with the script that the command prints."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
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
        self.after("stty cols 400; bind 'set bell-style none'; bind 'set show-all-if-ambiguous on'")
        self.after('eval "$(independence completion bash)"')

    def after(self, line: str) -> str:
        """What is printed by a line."""
        return self._until(f"{line}; echo do''ne\n", "done")

    def completed(self, typed: str) -> str:
        """The line that is there after Tab."""
        # The cursor goes to its start and to its end, so that the line is printed and not run.
        shown = self._until(f"{typed}\t\x01echo '[[' \x05 ']''[end]'\n", "][end]")
        return shown.rpartition("[[ ")[2].partition(" ][end]")[0]

    def offered(self, typed: str) -> set[str]:
        """The words that Tab lists."""
        shown = self._until(f"{typed}\t\x01echo '[[' \x05 ']''[end]'\n", "][end]")
        listed = shown.splitlines()
        return {word for line in listed if not line.startswith("> ") for word in line.split()}

    def _until(self, typed: str, sign: str) -> str:
        os.write(self.screen, typed.encode())
        shown, patience = "", time.monotonic() + 60
        while sign not in shown:
            assert time.monotonic() < patience, shown
            if select.select([self.screen], [], [], 1)[0]:
                shown += os.read(self.screen, 65536).decode()
        return shown.replace("\r", "")

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


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("independence lead", "leaderboard"),
        ("independence run --max-c", "run --max-cost"),
        ("independence show sim/ha", "show sim/half@none-t0.7"),
        ("independence show sim/half@no", "show sim/half@none-t0.7"),
        ("independence show sim/half@none-t0.7 pt03", "show sim/half@none-t0.7 pt03"),
        ("independence compare sim/half@none-t0.7 sim/ne", "compare sim/half@none-t0.7 sim/never@none-t0.7"),
        ("independence leaderboard -m sim/half,sim/ne", "leaderboard -m sim/half,sim/never@none-t0.7"),
        ("independence run --suite=ren", "run --suite=rent"),
        ("independence run --suite v2 --variants str", "run --suite v2 --variants strong_independence"),
        ("independence run --variants mi", "run --variants mine.md"),
        ("independence run -m Wi", "run -m Wide (new)"),
        ("independence run -m sim/fold", "run -m sim/folds-on-preferences"),
        ("independence suites li", "suites lint"),
        ("independence nonsense --x", "nonsense --x"),
        ("independence show --db nowhere.db sim/ha", "show --db nowhere.db sim/ha"),
    ],
)
def test_a_word_is_completed(bash: Terminal, typed: str, line: str) -> None:
    assert bash.completed(typed) == f"independence {line}"


def test_what_there_is_to_choose_from_is_listed(bash: Terminal) -> None:
    assert {"pt01", "pt05"} <= bash.offered("independence show sim/half@none-t0.7 ")
    assert {"rent", "sides", "v2"} <= bash.offered("independence run --suite ")


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
        env = {
            "_INDEPENDENCE_COMPLETE": "fish_complete",
            "COMP_WORDS": f"independence show --db {store} ",
            "COMP_CWORD": "",
        }
        program = folder / "bin" / "independence"
        ended = subprocess.run(
            [program], check=False, cwd=folder, env=command.environment(env), capture_output=True, text=True
        )
        assert (ended.returncode, ended.stderr) == (0, "")
        assert ("sim/half@" in ended.stdout) == (store == "independence.db")
    assert {path.name: path.stat().st_mtime_ns for path in folder.glob("*.db")} == before
