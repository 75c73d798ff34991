from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from independence import __main__ as start
from independence import __version__, errors
from independence.cli.main import COMMANDS, LazyGroup, main

HEAVY = ("aiohttp", "asyncio", "msgspec", "numpy", "rich", "scipy", "sqlite3", "uvloop", "yaml")


def invoked(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def python(code: str) -> str:
    # What measures coverage imports a lot itself.
    plain = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=plain)
    return done.stdout


@pytest.mark.parametrize("error", [MemoryError(), SystemError("error return without exception set")])
def test_memory_that_ends_while_the_command_line_is_loaded_is_named(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], error: Exception
) -> None:
    def exhausted(_name: str) -> None:
        raise error

    monkeypatch.setattr(importlib, "import_module", exhausted)
    monkeypatch.setattr(start, "guard", lambda: None)
    with pytest.raises(SystemExit) as ended:
        start.main()
    assert ended.value.code == 1
    assert capfd.readouterr().err == "Error: not enough memory; what was stored is kept\n"


def test_help_lists_every_command_with_a_line() -> None:
    result = invoked("--help")
    assert result.exit_code == 0
    for name, (_, about) in COMMANDS.items():
        assert f"  {name} " in result.output
        assert about in result.output


def test_help_names_every_exit_code() -> None:
    text = " ".join(invoked("--help").output.split())
    for code in ("0 complete", "1 a gate failed", "2 bad usage", "3 incomplete", "4 stopped by", "130 interrupted"):
        assert code in text


def test_help_imports_nothing_heavy_and_no_command() -> None:
    code = (
        "import sys; from independence.cli.main import main; main(['--help'], standalone_mode=False);"
        "print(); print(*sys.modules)"
    )
    loaded = set(python(code).splitlines()[-1].split())
    assert "click" in loaded
    assert loaded.isdisjoint(HEAVY)
    assert not [name for name in loaded if name.startswith("independence.cli.") and name != "independence.cli.main"]


@pytest.mark.parametrize("name", ["run", "rerun", "judge", "demo"])
def test_help_of_a_command_that_asks_models_loads_nothing_that_asks(name: str) -> None:
    code = (
        f"import sys; from independence.cli.main import main; main(['{name}', '--help'], standalone_mode=False);"
        "print(); print(*(name for name in sys.modules if name in ('aiohttp', 'asyncio', 'numpy', 'rich', 'sqlite3')))"
    )
    assert python(code).splitlines()[-1] == ""


def test_a_command_that_runs_has_everything_loaded() -> None:
    code = (
        "import sys; from independence.cli.main import main;"
        "main(['suites'], standalone_mode=False);"
        "print(); print(*(name for name, module in sys.modules.items() if type(module).__name__ == '_LazyModule'))"
    )
    assert python(code).splitlines()[-1] == ""


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_own_help_and_says_what_it_does(name: str) -> None:
    result = invoked(name, "--help")
    assert result.exit_code == 0
    assert f"main {name}" in result.output


@pytest.mark.parametrize(
    ("mistake", "answer"),
    [("leaderbord", "did you mean `leaderboard`?"), ("demos", "did you mean `demo`?"), ("zzz", "commands: demo, run")],
)
def test_an_unknown_command_gets_a_suggestion(mistake: str, answer: str) -> None:
    result = invoked(mistake)
    assert result.exit_code == 2
    assert f"no command `{mistake}`; {answer}" in result.output


def test_the_version_is_the_packages() -> None:
    result = invoked("--version")
    assert (result.exit_code, result.output) == (0, f"independence, version {__version__}\n")


def test_the_module_is_the_command() -> None:
    command = [sys.executable, "-m", "independence", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()[-1]) == (0, __version__)


def test_an_unknown_option_is_bad_usage() -> None:
    assert invoked("leaderboard", "--no-such").exit_code == 2


def test_a_store_that_is_not_there_is_one_line_and_exit_2(tmp_path: Path) -> None:
    result = invoked("leaderboard", "--db", str(tmp_path / "absent.db"))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert result.stderr.count("\n") == 1


class Failing(LazyGroup):
    """The group with one command that fails."""

    def __init__(self, error: BaseException) -> None:
        super().__init__("main")
        self.error = error

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        def fail() -> None:
            raise self.error

        return click.Command(cmd_name, callback=fail)


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (errors.IndependenceError, 1),
        (errors.UsageError, 2),
        (errors.StoreError, 2),
        (errors.KeyRejected, 2),
        (errors.DiskFull, 3),
        (errors.OutOfCredit, 3),
        (errors.CostCapReached, 4),
        (errors.Interrupted, 130),
    ],
)
def test_an_error_for_people_is_one_line_and_its_exit_code(kind: type[errors.IndependenceError], code: int) -> None:
    result = CliRunner().invoke(Failing(kind("what \x1b[31m happened")), ["demo"])
    assert result.exit_code == code
    assert result.stderr == "Error: what \\u001b[31m happened\n"
    assert result.stdout == ""


def test_a_document_error_names_file_and_line() -> None:
    result = CliRunner().invoke(Failing(errors.DocumentError("own.yaml", 7, "wrong")), ["demo"])
    assert (result.exit_code, result.stderr) == (2, "Error: own.yaml:7: wrong\n")


def test_a_bug_of_ours_is_not_hidden() -> None:
    result = CliRunner().invoke(Failing(ZeroDivisionError("ours")), ["demo"])
    assert isinstance(result.exception, ZeroDivisionError)


def test_a_reader_that_hangs_up_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "independence", "suites"], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_suites_lists_the_built_in_ones_with_their_editions() -> None:
    result = invoked("suites")
    assert result.exit_code == 0
    assert "15 scenarios, 26 calls a run" in next(line for line in result.output.splitlines() if "v2@" in line)


def test_a_sound_suite_passes_the_linter(toy_folder: Path) -> None:
    result = invoked("suites", "lint", str(toy_folder))
    assert result.exit_code == 0
    assert "ready to run" in result.output


def test_a_broken_suite_fails_the_linter_with_every_problem(toy_folder: Path) -> None:
    file = toy_folder / "suite.yaml"
    file.write_text(file.read_text().replace("follows: dinner", "follows: lunch").replace("cue: kept", "cue: keeps"))
    result = invoked("suites", "lint", str(toy_folder))
    assert result.exit_code == 1
    assert len([line for line in result.stdout.splitlines() if line.startswith(f"{file}:")]) == 2
    assert result.stderr == "2 problems\n"
