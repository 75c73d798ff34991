"""Streams, signals and limits that a person's system sets: never a traceback, never a wait."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from independence.cli.screen import interruptible
from tests.e2e import command, suites

BOARD = [sys.executable, "-m", "independence", "leaderboard", "--db", "own.db"]
WITHIN_S = 10


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("process")
    suites.write(folder / "harbour", suites.harbour())
    line = "run --suite harbour -m sim/half,sim/never -j cues --runs 2 --db own.db --quiet"
    assert command.run(*line.split(), cwd=folder).code == 0
    return folder


def board(here: Path, env: dict[str, str], **more: object) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # type: ignore[call-overload]
        BOARD, cwd=here, env=command.environment(env), timeout=60, check=False,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more,
    )  # fmt: skip


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "cp437:strict"])
def test_what_an_encoding_lacks_is_replaced(here: Path, encoding: str) -> None:
    done = board(here, {"PYTHONIOENCODING": encoding})
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode(encoding.partition(":")[0])
    assert "sim/never" in text
    assert "\N{DOWNWARDS ARROW}" not in text


def test_the_c_locale_prints_a_board(here: Path) -> None:
    env = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = board(here, env)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("closed", [(1,), (0, 1, 2)])
def test_closed_streams_stop_nobody(here: Path, closed: tuple[int, ...]) -> None:
    def close() -> None:
        for stream in closed:
            os.close(stream)

    done = board(here, {}, preexec_fn=close)
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    assert command.ask(here / "own.db", "PRAGMA integrity_check") == [("ok",)]


def limited(what: int, value: int) -> Callable[[], None]:
    def limit() -> None:
        resource.setrlimit(what, (value, value))

    return limit


def test_too_few_file_handles_are_named(here: Path) -> None:
    for count in (12, 16):
        ended = command.apart(
            "demo", "--suite", "harbour", "--quiet", "--db", "few.db", cwd=here,
            before=limited(resource.RLIMIT_NOFILE, count),
        )  # fmt: skip
        assert "Traceback" not in ended.err
        assert ended.code == 2
        assert "oo many open files" in command.one_sentence(ended)


def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands without the measuring of coverage: it takes memory, and its tracer drops a Ctrl-C now and then."""
    for name in [name for name in os.environ if name.startswith("COVERAGE_")]:
        monkeypatch.delenv(name)


@pytest.mark.parametrize("megabytes", [400, 150])
def test_little_memory_is_enough_or_named(here: Path, megabytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    unmeasured(monkeypatch)
    done = board(here, {}, preexec_fn=limited(resource.RLIMIT_AS, megabytes * 2**20))
    assert done.returncode in (0, 1)
    assert b"Traceback" not in done.stderr
    assert done.returncode == 0 or b"memory" in done.stderr.lower()


def test_ctrl_c_while_the_command_is_being_loaded_is_one_line() -> None:
    code = (
        "import importlib, os, signal; from independence.__main__ import main; "
        "importlib.import_module = lambda _name: os.kill(os.getpid(), signal.SIGINT); main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "Error: interrupted\n")


def test_nothing_of_ours_is_loaded_before_ctrl_c_is_guarded() -> None:
    code = "import sys, independence.__main__; print(*sorted(one for one in sys.modules if 'independence' in one))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["independence", "independence.__main__", "independence.interrupts"]


WAITING = """
import os, signal, sys, types
from independence.cli.main import _complete

class _LazyModule(types.ModuleType):
    def __getattribute__(self, name):
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:  # as Python does where another module imports this one
            pass
        return name

sys.modules["waiting"] = _LazyModule("waiting")
_complete(lambda: print("the command goes on"))()
"""


def test_ctrl_c_is_not_lost_while_modules_that_wait_are_executed() -> None:
    done = subprocess.run([sys.executable, "-c", WAITING], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Error: interrupted\n")


LOADING = """
import os, signal
from independence.cli import process
from independence.interrupts import guard

def load():
    try:
        os.kill(os.getpid(), signal.SIGINT)
    except KeyboardInterrupt:  # as Python does where a module that waits is imported
        pass
    print("the command goes on")

guard()
process.run(load)
"""


def test_ctrl_c_is_not_lost_while_a_command_is_looked_up() -> None:
    done = subprocess.run([sys.executable, "-c", LOADING], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Error: interrupted\n")


def test_a_ctrl_c_that_the_event_loop_heard_first_ends_what_blocks_it() -> None:
    async def work() -> None:
        asyncio.current_task().cancel()  # type: ignore[union-attr] - what asyncio.Runner does at a Ctrl-C
        with interruptible():
            pytest.fail("the work goes on")

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(work())


@pytest.mark.parametrize("after_s", [1.5, 3.0])
def test_ctrl_c_is_obeyed_while_planning(here: Path, after_s: float, monkeypatch: pytest.MonkeyPatch) -> None:
    unmeasured(monkeypatch)
    line = "run --suite harbour -m sim/half,sim/never,sim/always -j cues --runs {} --db big.db"
    # Beside answers a plan is written for its preview, too, which takes several seconds.
    assert command.run(*line.format(1).split(), "--quiet", cwd=here).code == 0
    before = kept(here / "big.db")
    assert before
    process = command.start(*line.format(20_000).split(), "--dry-run", cwd=here)
    time.sleep(after_s)
    process.send_signal(signal.SIGINT)
    sent = time.monotonic()
    ended = command.finish(process)
    assert time.monotonic() - sent < 3  # a second, on a machine that does nothing else
    assert ended.code == 130, ended.err
    assert "interrupted" in command.one_sentence(ended)
    assert kept(here / "big.db") == before


def kept(db: Path) -> int:
    """What a store holds that is only being made."""
    try:
        return command.kept(db) if db.exists() else 0
    except sqlite3.OperationalError:
        return 0


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no SIGHUP here")
def test_a_lost_terminal_ends_a_run_in_order(here: Path) -> None:
    line = "run --suite harbour -m sim/half,sim/never -j cues --runs 400 --db lost.db"
    process = command.start(*line.split(), cwd=here)
    until = time.monotonic() + 60
    while kept(here / "lost.db") < 20:
        assert time.monotonic() < until
        time.sleep(0.1)
    process.send_signal(signal.SIGHUP)
    ended = command.finish(process, WITHIN_S * 3)
    assert ended.code == 130, ended.err
    assert "Traceback" not in ended.err
    assert command.ask(here / "lost.db", "SELECT count(*) FROM leases") == [(0,)]


def test_doctor_knows_a_process_that_is_dead(here: Path) -> None:
    line = "run --suite harbour -m sim/half,sim/never -j cues --runs 400 --db dead.db --quiet"
    process = command.start(*line.split(), cwd=here)
    until = time.monotonic() + 60
    held = "SELECT count(*) FROM leases"
    while kept(here / "dead.db") < 20:
        assert time.monotonic() < until
        time.sleep(0.1)
    process.kill()
    process.communicate()
    assert command.ask(here / "dead.db", held) != [(0,)]
    ended = command.run("doctor", "--db", "dead.db", "-m", "sim/half", "--format", "json", cwd=here)
    assert "being worked on now" not in ended.out
    assert "were left by a run that was killed" in ended.out
