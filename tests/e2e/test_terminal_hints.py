"""What a newcomer is told to run next runs as it is printed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e import command, screens


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a command in `.venv/bin`, as after `make`, that no PATH names."""
    folder = tmp_path_factory.mktemp("hints")
    script = folder / ".venv" / "bin" / "independence"
    script.parent.mkdir(parents=True)
    script.write_text(f"#!{sys.executable}\nfrom independence.cli.main import main\n\nmain()\n")
    script.chmod(0o755)
    return folder


def commands(text: str) -> list[str]:
    """The commands after "What to do next:", each on one line."""
    after = text.split("What to do next:\n")[1].replace(" \\\n", " ")
    return [line.split("   # ")[0].strip() for line in after.split("\n") if line.strip() and "# " not in line[:4]]


def test_what_the_demo_says_comes_next_runs_as_it_is_printed(folder: Path):
    said = screens.run("demo", cwd=folder, columns=80, program=[".venv/bin/independence"])
    assert said.code == 0, said.text
    assert max(map(len, said.lines)) <= 80
    shown, report, key, ask, local, view = commands(said.text)
    assert shown == ".venv/bin/independence leaderboard --detailed --db independence-demo.db"
    for line in (shown, report):
        ended = subprocess.run(
            line, shell=True, cwd=folder, env=command.environment(), capture_output=True, text=True, check=False
        )
        assert ended.returncode == 0, ended.stderr
    assert (folder / "report.html").is_file()
    assert key == "export OPENROUTER_API_KEY=..."
    assert ask == ".venv/bin/independence run --suite v2 -m vendor/model"
    assert local.split()[:2] == [".venv/bin/independence", "run"]
    assert local.endswith("--local-model ID -j cues")
    assert view == ".venv/bin/independence view --db independence-demo.db"


def test_an_error_names_the_command_as_it_was_started_and_the_store_it_is_about(folder: Path, tmp_path: Path):
    script = str(folder / ".venv" / "bin" / "independence")
    made = screens.run("run", "-m", "sim/half", "--no-judge", "--runs", "1", "--suite", "lite", "--db", "other.db",
                       cwd=tmp_path, columns=80, program=[script])  # fmt: skip
    assert made.code == 0, made.text
    said = screens.run("validate-judges", "--db", "other.db", cwd=tmp_path, columns=300, program=[script])
    assert said.code == 2
    assert f"`{script} judge -j cues --db other.db`" in said.text


def test_a_long_error_is_broken_between_words_on_a_terminal_and_whole_in_a_pipe(tmp_path: Path):
    piped = command.apart("leaderboard", cwd=tmp_path)
    shown = screens.run("leaderboard", cwd=tmp_path, columns=60)
    assert max(map(len, shown.lines)) <= 60 < len(command.one_sentence(piped))
    assert " ".join(shown.text.split()) == " ".join(piped.err.split())
