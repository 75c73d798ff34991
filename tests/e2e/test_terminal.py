"""What stands on a terminal: nothing too wide, no name cut like another, hints that work, and word of long work."""

from __future__ import annotations

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e import command, screens

LABELS = [f"acme-laboratories/a-model-of-many-words-preview-{month:02}-2026" for month in (4, 5, 6)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of three subjects whose long names differ near their ends, two runs each."""
    folder = tmp_path_factory.mktemp("widths")
    rows = "".join(
        f"  - {{model_id: sim/half, display_label: {label}, temperature: {at / 10}}}\n"
        for at, label in enumerate(LABELS)
    )
    (folder / "models.yaml").write_text(f"models:\n{rows}")
    command.ok("run", "-m", "sim/half", "-j", "cues", "--runs", "2", "--quiet", cwd=folder)
    return folder


def shown(folder: Path, columns: int, *arguments: str) -> str:
    """What a command prints where there is room for so many columns; nothing is wider."""
    text = command.ok(*arguments, cwd=folder, env={"COLUMNS": str(columns)}).out
    assert max(map(len, text.splitlines())) <= columns, text
    return text


@pytest.mark.parametrize("columns", [50, 60, 80, 120, 200])
def test_a_board_fits_and_tells_its_subjects_apart(folder: Path, columns: int):
    text = shown(folder, columns, "leaderboard")
    more = {80: 2, 120: 1}.get(columns, 0)  # lines that the note on the prompt takes
    assert columns < 80 or len(text.splitlines()) == 1 + len(LABELS) + 3 + more, "what it is, its judge, one warning"
    if columns >= 60:
        named = re.findall(r"acme\S*", text)
        assert len(set(named)) == 3, text
        assert not any(name.endswith("…") for name in named)
    assert (LABELS[0] in text) == (columns >= 200)
    whole = " ".join(shown(folder, columns, "leaderboard", "--explain").split())
    assert ("No room for" in whole) is (columns <= 120)


def test_what_has_no_room_is_where_the_hint_says(folder: Path):
    line = ("published", "--detailed", "--top", "3")
    told = " ".join(shown(folder, 60, *line).split())
    (heads,) = re.findall(r"No room for ([^:]*): widen the terminal, or add --format csv\.", told)
    wide, csv = shown(folder, 200, *line), command.ok(*line, "--format", "csv", cwd=folder).out
    assert "No room for" not in wide
    assert all(head in wide for head in heads.split(", "))
    assert {"Tier", "Runs", "Resistance", "Stability", "Drift↓"} <= set(heads.split(", "))
    assert all(f",{name}" in csv for name in ("tier", "runs", "resistance", "drift"))


def test_a_board_names_only_options_that_are_not_given(folder: Path):
    assert "More: --explain, --detailed." in shown(folder, 120, "leaderboard")
    assert "More: --explain." in shown(folder, 120, "leaderboard", "--detailed")


def test_the_head_of_short_names_is_whole(folder: Path):
    (folder / "short.yaml").write_text("models: [{model_id: sim/never, display_label: abc}]\n")
    run = ("run", "--models-file", "short.yaml", "-m", "abc", "-e", "identity", "-j", "cues", "--runs", "2")
    assert re.search(r"(?m)^# +Subject +Index", command.ok(*run, "--quiet", "--db", "short.db", cwd=folder).out)


@pytest.mark.parametrize("columns", [60, 120])
def test_details_and_comparisons_fit_and_break_no_word(folder: Path, columns: int):
    for arguments in (["leaderboard", "-d"], ["compare", LABELS[0], LABELS[1]], ["models"]):
        text = shown(folder, columns, *arguments)
        if arguments != ["models"]:
            assert all(word in text for word in ("onsistency", "negotiation", "tool_context")), arguments


def test_on_a_terminal_a_board_is_as_wide_as_the_terminal(folder: Path):
    screen = screens.run("leaderboard", cwd=folder, columns=80)
    assert screen.code == 0, screen.text
    assert [line for line in shown(folder, 80, "leaderboard").splitlines() if line.rstrip() not in screen.lines] == []


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a command in `.venv/bin`, as after `make`, that no PATH names."""
    place = tmp_path_factory.mktemp("hints")
    script = place / ".venv" / "bin" / "independence"
    script.parent.mkdir(parents=True)
    script.write_text(f"#!{sys.executable}\nfrom independence.cli.main import main\n\nmain()\n")
    script.chmod(0o755)
    return place


def test_what_the_demo_says_comes_next_runs_as_it_is_printed(place: Path):
    name = ".venv/bin/independence"
    said = screens.run("demo", "--suite", "lite", cwd=place, columns=80, program=[name])
    assert said.code == 0, said.text
    assert max(map(len, said.lines)) <= 80
    after = said.text.split("What to do next:\n")[1].replace(" \\\n", " ").split("\n")
    lines = [line.split("   # ")[0].strip() for line in after if line.strip() and "# " not in line[:4]]
    board, report, key, ask, local, view = lines
    assert board == f"{name} leaderboard --detailed --db independence-demo.db"
    done = subprocess.run(
        f"{board} && {report}", shell=True, cwd=place, env=command.environment(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (place / "report.html").is_file()
    assert key == "export OPENROUTER_API_KEY=..."
    assert ask == f"{name} run --suite lite -m vendor/model"
    assert local.startswith(f"{name} run ")
    assert local.endswith("--local-model ID -j cues")
    assert view == f"{name} view --db independence-demo.db"


def test_an_error_names_the_command_as_it_was_started_and_is_broken_between_words(place: Path, tmp_path: Path):
    script = str(place / ".venv" / "bin" / "independence")
    made = ("run", "-m", "sim/half", "--no-judge", "--runs", "1", "--suite", "lite", "--db", "other.db", "--quiet")
    command.ok(*made, cwd=tmp_path)
    said = screens.run("validate-judges", "--db", "other.db", cwd=tmp_path, columns=300, program=[script])
    assert said.code == 2
    assert f"`{script} judge -j cues --db other.db`" in said.text
    broken = screens.run("leaderboard", cwd=tmp_path, columns=60)
    piped = command.apart("leaderboard", cwd=tmp_path)
    assert max(map(len, broken.lines)) <= 60 < len(command.one_sentence(piped))
    assert " ".join(broken.text.split()) == " ".join(piped.err.split())


def test_a_command_that_waits_for_the_store_says_what_it_is_doing(folder: Path):
    with closing(sqlite3.connect(folder / "independence.db", isolation_level=None)) as holder:
        holder.execute("PRAGMA locking_mode = EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        holder.execute("CREATE TABLE held (a)")
        started = command.start("compare", LABELS[0], LABELS[1], cwd=folder)
        assert started.stderr is not None
        said = started.stderr.readline()
        holder.execute("ROLLBACK")
    assert command.finish(started).code == 0
    assert said.startswith("comparing (")
