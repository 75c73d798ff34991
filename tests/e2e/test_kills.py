"""Killed, interrupted, run twice at once: nothing paid for is lost and nothing stored is asked again."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e import command, endpoint, suites

KILLS, CAP, HELD = 20, 50, 10
ENV = {"LOOP_KEY": endpoint.KEY}
SUBJECTS = "loop/never,loop/yield-20,loop/half,loop/always"


def begun(folder: Path, runs: int) -> subprocess.Popen[str]:
    """The harbour suite on four subjects, graded by the model judge, in a process of its own."""
    return command.start(
        "run", "--models-file", "models.yaml", "--suite", "harbour", "-m", SUBJECTS, "-j", "loop/judge",
        "--runs", str(runs), "-pt", "50", "--format", "json", "--db", "here.db", cwd=folder, env=ENV,
    )  # fmt: skip


def calls(runs: int) -> int:
    """Answers and verdicts of such a run."""
    return 4 * runs * (5 + 3)


def prepared(folder: Path, served: endpoint.Served) -> Path:
    """A folder ready for the run; returns where the store will be."""
    suites.write(folder / "harbour", suites.harbour())
    endpoint.models_file(folder, served.base_url, CAP)
    return folder / "here.db"


def wait_until_held(served: endpoint.Served, since: int = 0, answers: int = 2 * HELD) -> None:
    """Until at least `HELD` requests are held and `answers` of those that came after the first `since` are done."""

    def so_far() -> bool:
        requests = served.requests()
        held = sum(request.status is None for request in requests)
        return held >= HELD and len(requests) - held - since >= answers

    endpoint.until(so_far, "requests held", within_s=30)


def settled(served: endpoint.Served) -> int:
    """How many requests came in, once those of a dead process have all arrived and been answered."""
    time.sleep(0.2)
    endpoint.until(lambda: served.held() == 0, "requests answered")
    return len(served.requests())


def test_after_twenty_kills_nothing_is_missing_and_only_what_was_not_committed_was_asked_again(tmp_path: Path):
    runs = 60  # enough work for every kill to fall into the middle of it, also on a fast machine
    lost, came, stored = [], 0, 0
    with endpoint.serving(tmp_path, "--latency", "0.15") as served:
        db = prepared(tmp_path, served)
        for _ in range(KILLS):
            process = begun(tmp_path, runs)
            wait_until_held(served, came, answers=3 * HELD)
            process.send_signal(signal.SIGKILL)
            assert command.finish(process).code == -signal.SIGKILL
            received, kept = settled(served), command.kept(db)
            lost.append((received - came) - (kept - stored))
            came, stored = received, kept
        ended = command.finish(begun(tmp_path, runs))
        asked = served.asked()
    assert ended.code == 0, ended.err
    assert all(row["coverage"] == 1 for row in ended.board["rows"])
    assert command.kept(db) == len(asked) == calls(runs)
    assert not command.missing(db)
    # A slot is freed once its answer is committed: a kill can cost at most what was in flight.
    assert all(0 <= count <= CAP for count in lost), lost
    assert sum(count - 1 for count in asked.values()) <= sum(lost)
    assert stored > KILLS * HELD  # the kills fell into a run that was getting somewhere


def test_an_interrupt_finishes_what_is_in_flight_and_says_how_to_go_on(tmp_path: Path):
    runs = 10
    with endpoint.serving(tmp_path, "--latency", "0.3") as served:
        db = prepared(tmp_path, served)
        process = begun(tmp_path, runs)
        wait_until_held(served)
        process.send_signal(signal.SIGINT)
        ended = command.finish(process)
        assert ended.code == 130
        assert "Traceback" not in ended.err
        assert "the same command resumes" in ended.err
        assert HELD <= len(served.requests()) < calls(runs)
        assert command.kept(db) == len(served.requests())
        again = command.finish(begun(tmp_path, runs))
        assert again.code == 0, again.err
        assert set(served.asked().values()) == {1}
        assert command.kept(db) == calls(runs)


def test_a_second_interrupt_drops_what_is_in_flight(tmp_path: Path):
    probed = 4 * endpoint.PROBED + endpoint.PROBED_JUDGE
    with endpoint.serving(tmp_path, "--faults", f"timeout+{probed + 1}") as served:
        db = prepared(tmp_path, served)
        process = begun(tmp_path, 2)
        endpoint.until(lambda: served.held() >= HELD, "requests held")
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        assert any(line.startswith("stopping") for line in process.stderr)  # it waits for them
        process.send_signal(signal.SIGINT)
        ended = command.finish(process, within_s=10)
        assert ended.code == 130
        assert "Traceback" not in ended.err
        assert "the same command resumes" in ended.err
        assert command.kept(db) == 0


def test_an_interrupt_before_anything_is_asked_is_an_interrupt_too(tmp_path: Path):
    suites.write(tmp_path / "harbour", suites.harbour())
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(30)
        process = command.start(
            "run", "--suite", "harbour", "--local-url", f"http://127.0.0.1:{silent.getsockname()[1]}",
            "--local-model", "one", "-j", "cues", cwd=tmp_path,
        )  # fmt: skip
        with closing(silent.accept()[0]):
            process.send_signal(signal.SIGINT)
            ended = command.finish(process, within_s=10)
    assert ended.code == 130
    assert "interrupted" in command.one_sentence(ended)


@pytest.mark.parametrize("suite", [suites.harbour(), suites.branching()], ids=["single", "branching"])
def test_two_runs_on_one_store_share_the_work(tmp_path: Path, suite: suites.Document):
    runs = 10
    with endpoint.serving(tmp_path, "--latency", "0.1") as served:
        db = prepared(tmp_path, served)
        suites.write(tmp_path / "harbour", suite)
        both = [begun(tmp_path, runs) for _ in range(2)]
        ended = [command.finish(process) for process in both]
        codes = {one.code for one in ended}
        assert codes <= {0, 3}
        assert 0 in codes  # who ends last finds everything there
        for one in ended:
            assert "Traceback" not in one.err
            assert "Error" not in one.err
            assert one.code == 0 or "being worked on by another process" in one.err
        again = command.finish(begun(tmp_path, runs))
        assert again.code == 0
        assert "plan: 0 calls and 0 verdicts to go" in again.err
        assert set(served.asked().values()) == {1}
        assert len(served.requests()) == command.kept(db)
