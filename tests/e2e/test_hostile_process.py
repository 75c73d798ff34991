"""Streams, signals and limits that a person's system sets: never a traceback, never a wait."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from independence.cli.output import activity, process
from independence.cli.screen import interruptible
from tests.e2e import command, endpoint, suites

BOARD = [sys.executable, "-m", "independence", "leaderboard", "--db", "own.db"]
RUN = "run --suite harbour -m sim/half,sim/never -j cues --runs"


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("process")
    suites.write(folder / "harbour", suites.harbour())
    for name in ("own.db", "big.db"):
        assert command.run(*RUN.split(), "2", "--db", name, "--quiet", cwd=folder).code == 0
    return folder


@pytest.fixture
def unmeasured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands without the measuring of coverage: it takes memory, and its tracer drops a Ctrl-C now and then."""
    for name in [name for name in os.environ if name.startswith("COVERAGE_")]:
        monkeypatch.delenv(name)


def board(
    here: Path, env: dict[str, str] | None = None, before: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        BOARD, cwd=here, env=command.environment(env), capture_output=True, check=False,
        preexec_fn=before,
    )  # fmt: skip


def limited(what: int, value: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(what, (value, value))


def test_what_an_encoding_lacks_is_replaced(here: Path) -> None:
    posix = {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    for env in ({"PYTHONIOENCODING": "cp1252"}, {"PYTHONIOENCODING": "cp437:strict"}, posix):
        done = board(here, env)
        assert done.returncode == 0, done.stderr
        text = done.stdout.decode(env.get("PYTHONIOENCODING", "ascii").partition(":")[0])
        assert "sim/never" in text
        assert "\N{DOWNWARDS ARROW}" not in text


@pytest.mark.parametrize("closed", [(1,), (0, 1, 2)])
def test_closed_streams_stop_nobody(here: Path, closed: tuple[int, ...]) -> None:
    def close() -> None:
        for stream in closed:
            os.close(stream)

    done = board(here, before=close)
    assert (done.returncode, done.stderr) == (0, b"")
    assert command.ask(here / "own.db", "PRAGMA integrity_check") == [("ok",)]


def test_too_few_file_handles_are_named(here: Path) -> None:
    ended = command.apart(
        "demo", "--suite", "harbour", "--quiet", "--db", "few.db", cwd=here, before=limited(resource.RLIMIT_NOFILE, 16)
    )
    assert ended.code == 2
    assert "oo many open files" in command.one_sentence(ended)


@pytest.mark.usefixtures("unmeasured")
def test_little_memory_is_enough(here: Path) -> None:
    done = board(here, before=limited(resource.RLIMIT_AS, 400 * 2**20))
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.usefixtures("unmeasured")
@pytest.mark.parametrize("megabytes", [80, 150, 255])
def test_too_little_memory_is_refused_with_the_limit_to_set(here: Path, megabytes: int) -> None:
    done = board(here, before=limited(resource.RLIMIT_AS, megabytes * 2**20))
    says = f"Error: not enough memory: the limit is {megabytes} MiB; allow 256 (`ulimit -v 262144`)\n"
    assert (done.returncode, done.stderr.decode()) == (2, says)


def test_work_goes_on_where_no_thread_can_show_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", full)
    with activity.working("counting"):
        counted = sum(range(4))
    assert counted == 6
    with pytest.raises(SystemExit, match="70"):
        process.run(threading.Thread().start)


@pytest.mark.parametrize(
    ("module", "says"),
    [
        ("errors", "interrupted"),
        ("cli.output.process", "interrupted"),
        ("report.board", "interrupted; the same command continues"),
    ],
)
def test_ctrl_c_while_the_command_is_being_loaded_ends_it(module: str, says: str) -> None:
    """At the start, between both, and while a command that runs imports what it works with."""
    code = f"""
import os, signal, sys
class Pressed:
    def find_spec(self, name, path, target=None):
        if name == "independence.{module}":
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Pressed())
sys.argv = ["independence", "leaderboard"]
from independence.__main__ import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert command.one_sentence(command.Ended(130, "", done.stderr)).startswith(f"Error: {says}")


def test_a_ctrl_c_that_the_event_loop_heard_first_ends_what_blocks_it() -> None:
    async def work() -> None:
        asyncio.current_task().cancel()  # type: ignore[union-attr] - what asyncio.Runner does at a Ctrl-C
        with interruptible():
            pytest.fail("the work goes on")

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(work())


def test_a_ctrl_c_inside_a_function_that_sqlite_calls_is_one() -> None:
    def pressed() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        for _ in range(1_000):  # a signal is heard between two steps of Python
            pass

    async def work() -> None:
        with closing(sqlite3.connect(":memory:")) as connection, interruptible():
            connection.create_function("pressed", 0, pressed)
            connection.execute("SELECT pressed()")

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(work())


@pytest.mark.usefixtures("unmeasured")
def test_ctrl_c_is_obeyed_while_planning(here: Path) -> None:
    # Beside answers a plan is written for its preview, too, which takes several seconds.
    before, written = command.kept(here / "big.db"), here / "big.db-wal"
    process = command.start(*RUN.split(), "4000", "--db", "big.db", "--dry-run", cwd=here)
    endpoint.until(lambda: written.exists() and written.stat().st_size > 2**16, "a plan is being written")
    process.send_signal(signal.SIGINT)
    ended = command.finish(process)
    assert ended.code == 130, ended.err
    assert "interrupted" in command.one_sentence(ended)
    assert command.kept(here / "big.db") == before


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="no SIGHUP here")
@pytest.mark.parametrize("sent", ["SIGHUP", "SIGKILL"])
def test_a_lost_terminal_ends_a_run_in_order_and_doctor_knows_a_process_that_is_dead(here: Path, sent: str) -> None:
    db = here / f"{sent}.db"
    process = command.start(*RUN.split(), "400", "--db", db, cwd=here)
    endpoint.until(lambda: command.holds(db, 20), "twenty answers are stored")
    process.send_signal(signal.Signals[sent])
    ended = command.finish(process)
    assert "Traceback" not in ended.err
    ((held,),) = command.ask(db, "SELECT count(*) FROM leases")
    if sent == "SIGHUP":
        assert (ended.code, held) == (130, 0), ended.err
        return
    assert held
    found = command.run("doctor", "--db", db, "-m", "sim/half", "--format", "json", cwd=here)
    assert "being worked on now" not in found.out
    assert "were left by a run that was killed" in found.out
