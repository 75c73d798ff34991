"""The command as a whole: what it loads, its help and its examples, and how it ends."""

from __future__ import annotations

import importlib
import os
import re
import resource
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from independence import __version__, errors
from independence.cli.main import COMMANDS, GROUPS, LazyGroup, main
from independence.cli.output import process
from independence.suites.load import built_in, load
from tests.e2e import command

HEAVY = ("aiohttp", "asyncio", "msgspec", "numpy", "rich", "scipy", "sqlite3", "uvloop", "yaml")
NO_MEMORY = "Error: not enough memory; what was stored is kept\n"
DAMAGED = "Error: the installation is damaged ({}); install this program again\n"


def python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    # What measures coverage imports a lot itself. No store of the folder is to be found.
    plain = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    plain["INDEPENDENCE_DB"] = "absent.db"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False, env=plain
    )


def loaded(*arguments: str) -> set[str]:
    """The modules that a command loads."""
    call = f"from independence.cli.main import main\ntry: main({list(arguments)})\nexcept SystemExit: pass\n"
    return set(python(f"{call}import sys\nprint(); print(*sys.modules)").stdout.splitlines()[-1].split())


def test_help_imports_nothing_heavy_and_a_command_only_what_it_works_with(tmp_path: Path) -> None:
    names = loaded("--help")
    assert "click" in names
    assert names.isdisjoint(HEAVY)
    ours = {name for name in names if name.startswith("independence.cli.")}
    assert ours == {"independence.cli.main", "independence.cli.option_groups"}
    for name in COMMANDS:
        assert loaded(name, "--help").isdisjoint(("aiohttp", "asyncio", "numpy", "rich", "sqlite3")), name
    command.ok("run", "-m", "sim/half", "-j", "cues", "--runs", "1", "--exp", "stability", "--quiet", cwd=tmp_path)
    store = ("--db", str(tmp_path / "independence.db"))
    for line in ("leaderboard", "show sim/half", "clear-cache --missing --dry-run", "compare a b", "suites"):
        stored = () if line == "suites" else store
        assert loaded(*line.split(), *stored).isdisjoint(("aiohttp", "asyncio", "uvloop")), line


def test_help_lists_every_command_with_a_line_and_every_exit_code() -> None:
    shown = command.run("--help")
    assert shown.code == 0
    text = " ".join(shown.out.split())
    first = [name for names in GROUPS.values() for name in names]
    assert len(first) <= 12
    assert all(f"{name} {COMMANDS[name][1]}" in text for name in first)
    assert sorted(text.rpartition("More: ")[2].split(", ")) == sorted(set(COMMANDS) - set(first))
    for code in (
        "0 complete",
        "1 a gate failed",
        "2 bad usage",
        "3 incomplete",
        "4 stopped by",
        "5 undecided",
        "70 an error",
        "130 interrupted",
    ):
        assert code in text


CONTEXT = click.Context(main)


def found(name: str) -> click.Command:
    first, _, inner = name.partition(" ")
    own = main.get_command(CONTEXT, first)
    assert own is not None
    return getattr(own, "commands", {})[inner] if inner else own


def names() -> list[str]:
    inner = [f"{name} {sub}" for name in COMMANDS for sub in getattr(found(name), "commands", {})]
    return [*COMMANDS, *inner]


def examples(name: str) -> list[str]:
    """The command lines below the help of a command, our own or one of an extension."""
    return re.findall(r"^  independence (.*)$", found(name).epilog or "", re.MULTILINE)


def test_every_help_ends_in_examples_that_stand_on_lines_of_their_own() -> None:
    assert [name for name in names() if not examples(name)] == []
    for name in names():
        shown = command.run(*name.split(), "--help")
        assert (shown.code, f"main {name}" in shown.out) == (0, True), name
        lines = [line for line in shown.out.splitlines() if not line.startswith("All options: ")]
        lines = lines[-len(examples(name)) - 1 :]
        assert [f"independence {line}" for line in examples(name)] == [line.strip() for line in lines[1:]], name
        assert "Example" in lines[0], name


@pytest.mark.parametrize("name", ["run", "check"])
def test_help_fits_on_a_screen(name: str) -> None:
    assert len(command.ok(name, "--help", env={"COLUMNS": "80"}).out.splitlines()) <= 40


def test_help_of_run_names_the_option_that_shows_all() -> None:
    lines = command.ok("run", "--help", env={"COLUMNS": "80"}).out.splitlines()
    assert lines[-1].endswith("run --help-all")
    heads = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert heads == [f"{group}:" for group in ("What", "How many", "Model settings", "Limits", "Judge", "Local server",
                                               "Output")]  # fmt: skip
    assert ("--models" in " ".join(lines), "--ray-workers" in " ".join(lines)) == (True, False)


@pytest.mark.parametrize("name", names())
def test_help_all_has_every_option_once(name: str) -> None:
    whole = re.split(r"(?m)^[A-Z][\w ]*:$", command.ok(*name.split(), "--help-all").out, maxsplit=1)[1]
    shown = re.findall(r"^  (?:-\w+, )?(--[\w-]+)", whole, re.MULTILINE)
    own = [one for one in found(name).params if isinstance(one, click.Option)]
    listed = [next(flag for flag in one.opts if flag.startswith("--")) for one in own]
    assert sorted(shown) == sorted([*listed, "--help", "--help-all"])


@pytest.mark.parametrize("name", names())
def test_every_example_parses(name: str) -> None:
    for line in examples(name):
        words = shlex.split(line)
        assert words[: len(name.split())] == name.split()
        rest = words[len(name.split()) :]
        own = found(name)
        if rest and f"{name} {rest[0]}" in names():
            own, rest = found(f"{name} {rest[0]}"), rest[1:]
        context = click.Context(own)
        values, left, _ = own.make_parser(context).parse_args(rest)
        assert left == []
        for option in own.params:
            if option.name in values and not isinstance(option.type, click.Path):
                option.type_cast_value(context, option.consume_value(context, values)[0])


def test_every_built_in_suite_and_experiment_is_explained_in_sentences_and_where_it_is_chosen() -> None:
    suites = {name: load(name).suite for name in built_in()}
    listed = command.run("suites").out.splitlines()
    assert command.ok("suites", "list").out.splitlines() == listed
    assert "15 scenarios, 26 calls a run" in next(line for line in listed if "v2@" in line)
    expected = []
    for suite in suites.values():
        expected += [*suite.about.split(), *" ".join(map(": ".join, suite.experiments.items())).split()]
        for about in (suite.about, *suite.experiments.values()):
            assert re.fullmatch(r"[A-Z]\w*( [^ ]+){3,}[.?]", about), about
    assert " ".join(line for line in listed if line.startswith("    ")).split() == expected
    helped = " ".join(command.run("run", "--help-all").out.split())
    experiments = {one: [name for name in suites if one in suites[name].experiments]
                   for suite in suites.values() for one in suite.experiments}  # fmt: skip
    for name in (*suites, *experiments):
        (about,) = re.findall(rf"\b{name} \(([^()]+)\)", helped)
        words, _, where = about.partition("; ")
        assert len(words.split()) >= 3, name
        assert sorted(where.split(", ")) == experiments.get(name, [""]), name


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--version"], 0, f"independence, version {__version__}\n"),
        (["leaderbord"], 2, "no command `leaderbord`; did you mean `leaderboard`?"),
        (["demos"], 2, "no command `demos`; did you mean `demo`?"),
        (["zzz"], 2, "no command `zzz`; commands: demo, run"),
        (["suites", "lin"], 2, "no command `lin`; did you mean `lint`?"),
        (["run", "--modles", "a"], 2, "Did you mean one of: '--models'"),
        (["export", "x", "--format", "parquett"], 2, "nothing is exported as `parquett`; did you mean `parquet`?"),
        (
            ["export", "x", "--format", "xls"],
            2,
            "nothing is exported as `xls`; there are jsonl, csv, parquet, site, snapshot, rent, summary, published,",
        ),
        (["leaderboard", "--no-such"], 2, "--no-such"),
        (["leaderboard", "--db", "absent.db"], 2, "Error: "),
    ],
)
def test_a_mistake_is_bad_usage_and_gets_a_suggestion(
    tmp_path: Path, arguments: list[str], code: int, says: str
) -> None:
    ended = command.run(*arguments, cwd=tmp_path)
    assert ended.code == code
    assert says in (ended.err if code else ended.out)
    assert not (code and ended.out)
    assert "absent.db" not in arguments or ended.err.count("\n") == 1


class Failing(LazyGroup):
    """The group with one command that fails."""

    def __init__(self, error: BaseException) -> None:
        super().__init__("main")
        self.error = error

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        def fail() -> None:
            raise self.error

        return click.Command(cmd_name, callback=fail)


def test_an_error_for_people_is_one_line_and_its_exit_code_and_a_bug_of_ours_is_not_hidden() -> None:
    codes = {
        errors.IndependenceError: 70, errors.UsageError: 2, errors.StoreError: 2, errors.KeyRejected: 2,
        errors.DiskFull: 3, errors.OutOfCredit: 3, errors.CostCapReached: 4, errors.Interrupted: 130,
    }  # fmt: skip
    for kind, code in codes.items():
        ended = CliRunner().invoke(Failing(kind("what \x1b[31m happened")), ["demo"])
        assert (ended.exit_code, ended.stdout, ended.stderr) == (code, "", "Error: what \\u001b[31m happened\n"), kind
    ended = CliRunner().invoke(Failing(errors.DocumentError("own.yaml", 7, "wrong")), ["demo"])
    assert (ended.exit_code, ended.stderr) == (2, "Error: own.yaml:7: wrong\n")
    assert isinstance(CliRunner().invoke(Failing(ZeroDivisionError("ours")), ["demo"]).exception, ZeroDivisionError)


def test_the_module_is_the_command_and_a_reader_that_hangs_up_is_no_error() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    line = [sys.executable, "-m", "independence", "suites"]
    done = subprocess.run(line, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_windows_is_refused_at_every_entry_before_anything_of_ours_is_loaded() -> None:
    """A process of another system stands for one of Windows: nothing that is different there is reached."""
    entries = (
        "from independence.__main__ import main; main()",
        "import runpy; runpy.run_module('independence', run_name='__main__')",
    )
    for entry in entries:
        done = python(f"import sys; sys.platform = 'win32'; {entry}", "--help")
        said = "Error: Windows is not supported yet; use WSL 2 or a container (docs/installing.md)\n"
        assert (done.returncode, done.stdout, done.stderr) == (2, "", said)


def test_a_module_of_ours_that_is_missing_is_a_damaged_installation() -> None:
    missing = "sys.modules['independence.report.board.board'] = None"
    start = f"import sys; {missing}; from independence.__main__ import main; main()"
    done = python(start, "leaderboard")
    said = DAMAGED.format("import of independence.report.board.board halted; None in sys.modules")
    assert (done.returncode, done.stderr) == (2, said)


OURS = ImportError("cannot import name 'x' from 'independence.y'", name="independence.y")
MAPPED = ImportError("libblas.so: failed to map segment from shared object", name="numpy")
UNLIMITED = resource.RLIM_INFINITY


@pytest.mark.parametrize(
    ("error", "limit", "code", "said"),
    [
        (OURS, UNLIMITED, 2, DAMAGED.format(OURS)),
        (OURS, 2**40, 70, NO_MEMORY),  # where memory is limited, that is what a name of ours lacks
        (MAPPED, UNLIMITED, 70, NO_MEMORY),
        (MemoryError(), UNLIMITED, 70, NO_MEMORY),
        (RecursionError(), UNLIMITED, 70, "Error: something is nested too deep to be read; what was stored is kept\n"),
    ],
)
def test_what_ends_while_the_command_is_loaded_is_named(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: Exception,
    limit: int,
    code: int,
    said: str,
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _kind: (limit, limit))

    def load() -> None:
        raise error

    with pytest.raises(SystemExit) as ended:
        process.run(load)
    assert (ended.value.code, capsys.readouterr().err) == (code, said)


@pytest.mark.parametrize("error", ["MemoryError()", "SystemError('error return without exception set')"])
def test_memory_that_ends_before_a_command_runs_is_named(error: str) -> None:
    done = python(
        "import sys, types\n"
        f"def fail(): raise {error}\n"
        "sys.modules['independence.cli.main'] = types.SimpleNamespace(main=fail)\n"
        "from independence.__main__ import main; main()"
    )
    assert (done.returncode, done.stderr) == (70, NO_MEMORY)


def test_an_error_of_the_program_ends_with_a_code_of_its_own_and_shows_where_it_happened() -> None:
    done = python(
        "import sys, types\n"
        "sys.modules['independence.report.board.board'] = types.SimpleNamespace()\n"
        "from independence.__main__ import main; main()",
        "leaderboard",
    )
    assert (done.returncode, done.stdout) == (70, "")
    assert done.stderr.startswith("Traceback")
    assert done.stderr.splitlines()[-1].startswith("Error: this is an error of the program")


def test_a_module_of_somebody_else_that_is_missing_is_shown_as_it_is() -> None:
    with pytest.raises(ModuleNotFoundError):
        process.run(lambda: importlib.import_module("no_such_module_elsewhere"))


def test_the_linter_passes_a_sound_suite_and_tells_every_problem_of_a_broken_one(toy_folder: Path) -> None:
    sound = command.run("suites", "lint", toy_folder)
    assert (sound.code, "ready to run" in sound.out) == (0, True)
    file = toy_folder / "suite.yaml"
    file.write_text(file.read_text().replace("follows: dinner", "follows: lunch").replace("cue: kept", "cue: keeps"))
    broken = command.run("suites", "lint", toy_folder)
    assert (broken.code, broken.err) == (1, "2 problems\n")
    assert len([line for line in broken.out.splitlines() if line.startswith(f"{file}:")]) == 2
