"""A run on two Ray workers: the board of a local run, nothing lost, no bound passed, whoever is killed."""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.e2e import command, endpoint, suites

CAP, HELD, RUNS = 40, 10, 12
ENV = {"LOOP_KEY": endpoint.KEY, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
SUBJECTS = "loop/never,loop/yield-20,loop/half,loop/always"
CALLS = 4 * RUNS * (5 + 3)
OWN = ("--executor", "ray", "--ray-workers", "2")
START = """
import sys, ray
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="CRITICAL")
print(ray.get_runtime_context().gcs_address, flush=True)
sys.stdin.read()
"""


class Cluster(NamedTuple):
    """A Ray cluster on this machine that several commands use: it takes longer to start than they take."""

    process: subprocess.Popen[str]
    address: str

    def workers(self) -> list[int]:
        """The two workers of the command that runs on it, once both are there."""
        found: list[int] = []

        def both() -> bool:
            found[:] = [pid for pid, line in below(self.process.pid).items() if "ShardWorker" in line]
            return len(found) == 2

        endpoint.until(both, "two workers")
        return found


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    pytest.importorskip("ray")
    process = subprocess.Popen(
        [sys.executable, "-c", START],
        cwd=tmp_path_factory.mktemp("cluster"),
        env=command.environment(ENV | {"RAY_USAGE_STATS_ENABLED": "0"}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield Cluster(process, process.stdout.readline().strip())
    finally:
        process.communicate()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[endpoint.Served]:
    with endpoint.serving(tmp_path, "--latency", "0.4", "--bill", "max") as found:
        suites.write(tmp_path / "harbour", suites.harbour())
        endpoint.models_file(tmp_path, found.base_url, CAP)
        yield found


def begun(folder: Path, *more: str, db: str = "here.db", on: Cluster | None = None) -> subprocess.Popen[str]:
    return command.start(
        "run", "--models-file", "models.yaml", "--suite", "harbour", "-m", SUBJECTS, "-j", "loop/judge",
        "--runs", str(RUNS), "-pt", "50", "--format", "json", "--db", db, *more, *(OWN if on else ()), cwd=folder,
        env=ENV | ({"RAY_ADDRESS": on.address} if on else {}),
    )  # fmt: skip


def processes() -> dict[int, tuple[int, str]]:
    """pid -> parent and command line, of everything that runs on this machine."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError):
            continue
        found[int(entry.name)] = (parent, line)
    return found


def below(pid: int) -> dict[int, str]:
    """The processes that a process has started, and those that these have."""
    known, found = processes(), {pid: ""}
    while new := {one: line for one, (parent, line) in known.items() if parent in found and one not in found}:
        found |= new
    del found[pid]
    return found


def busier(workers: list[int]) -> int:
    """The worker with more connections."""

    def sockets(pid: int) -> int:
        return sum("socket" in str(entry.readlink()) for entry in Path(f"/proc/{pid}/fd").iterdir())

    return max(workers, key=sockets)


def logs(pids: Iterable[str]) -> Path:
    """The folder that a Ray cluster logs into, by the command lines of its processes."""
    found = {option for line in pids for option in line.split() if "--log_dir=" in option}
    (option,) = found
    return Path(option.partition("=")[2])


def gone(pids: dict[int, str]) -> bool:
    return not pids.keys() & {pid for pid, (_, line) in processes().items() if line}


def settled_board(ended: command.Ended) -> dict[str, Any]:
    """A board without what no two runs have in common: when it was measured."""
    return {name: value for name, value in ended.board.items() if name != "dates"}


@pytest.mark.deep
def test_a_worker_that_is_killed_loses_its_calls_in_flight_alone(
    tmp_path: Path, served: endpoint.Served, cluster: Cluster
):
    locally = command.finish(begun(tmp_path, db="local.db"))
    before = len(served.requests())
    process = begun(tmp_path, "--max-cost", "20", on=cluster)
    workers = cluster.workers()
    served.wait_until_at_work(HELD, 3 * HELD, before)
    os.kill(busier(workers), signal.SIGKILL)
    ended = command.finish(process)
    assert ended.code == 0, ended.err
    assert "worker" in ended.err
    assert "died" in ended.err
    assert settled_board(ended) == settled_board(locally)
    assert command.kept(tmp_path / "here.db") == CALLS
    requests = served.requests()[before:]
    assert 0 < len(requests) - CALLS <= CAP
    assert sum(request.cost_usd for request in requests) <= 20
    texts = [path.read_bytes() for path in logs(below(cluster.process.pid).values()).rglob("*") if path.is_file()]
    assert texts
    assert not any(endpoint.KEY.encode() in text for text in texts)


@pytest.mark.deep
def test_the_cap_on_costs_holds_over_all_workers_and_over_one_that_died(
    tmp_path: Path, served: endpoint.Served, cluster: Cluster
):
    process = begun(tmp_path, "--max-cost", "0.06", on=cluster)
    workers = cluster.workers()
    endpoint.until(lambda: served.held() >= HELD // 2, "requests held")
    os.kill(busier(workers), signal.SIGKILL)
    ended = command.finish(process)
    assert ended.code == 4, ended.err
    assert "the cost cap of $0.0600 is reached" in command.one_sentence(ended)
    assert 0.01 < sum(request.cost_usd for request in served.requests()) <= 0.06
    assert "reserved for calls whose cost was not reported" in ended.err


@pytest.mark.deep
def test_after_an_interrupt_and_after_a_kill_the_same_command_resumes(
    tmp_path: Path, served: endpoint.Served, cluster: Cluster
):
    process = begun(tmp_path, *OWN)
    served.wait_until_at_work(HELD, 3 * HELD)
    started = below(process.pid)
    process.send_signal(signal.SIGINT)
    ended = command.finish(process)
    assert ended.code == 130, ended.err
    assert "Traceback" not in ended.err
    assert "the same command resumes" in ended.err
    assert command.kept(tmp_path / "here.db") == len(served.requests()) < CALLS
    assert HELD <= endpoint.most_at_once(served.log) <= CAP  # of both workers together
    endpoint.until(lambda: gone(started), "Ray's processes gone")

    before = len(served.requests())
    process = begun(tmp_path, on=cluster)
    asking = dict.fromkeys(cluster.workers(), "")
    served.wait_until_at_work(HELD, 3 * HELD, before)
    process.send_signal(signal.SIGKILL)
    command.finish(process)
    endpoint.until(lambda: gone(asking), "workers gone")
    lost = len(served.settled()) - command.kept(tmp_path / "here.db")
    assert lost <= CAP
    ended = command.finish(begun(tmp_path, on=cluster))
    assert ended.code == 0, ended.err
    assert command.kept(tmp_path / "here.db") == CALLS
    assert len(served.requests()) == CALLS + lost


@pytest.mark.deep
def test_a_cluster_that_is_not_there_is_one_sentence(tmp_path: Path):
    pytest.importorskip("ray")
    run = ("run", "-m", "sim/half", "-j", "cues", "--executor", "ray")
    for address, told in (
        ("nonsense", "it is not HOST:PORT"),
        ("127.0.0.1:1", "no Ray cluster can be reached at `127.0.0.1:1`"),
        ("ray://127.0.0.1:10001", "it is not HOST:PORT"),
    ):
        assert told in command.refused(*run, cwd=tmp_path, env={"RAY_ADDRESS": address})
    assert "at least 1 is needed" in command.refused(*run, "--ray-workers", "0", cwd=tmp_path)
    assert not list(tmp_path.iterdir())


def test_without_ray_the_command_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    ended = command.run("run", "-m", "sim/half", "-j", "cues", "--executor", "ray", "--dry-run", cwd=tmp_path)
    assert ended.code == 2
    where = "in the folder of this program's checkout or unpacked archive"
    assert ended.err.endswith(f"--executor ray needs Ray; run pip install '.[ray]' {where}\n")
