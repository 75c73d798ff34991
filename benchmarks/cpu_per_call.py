"""CPU per model call, persistence included, with 200 calls in flight; and how much more Inspect AI needs for the same.

The work is two-turn dialogues of the stability experiment, each graded by a model, against a loopback endpoint in a
process of its own. The first figure has the suite's default delivery, through a tool; for the second, ours and Inspect
AI send the same plain messages. Each measurement is a fresh process, and its CPU is counted around the work alone,
over all threads: for ours from the check of the endpoint to the last commit, plan and resume included.
"""

from __future__ import annotations

import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.endpoint import endpoint, most_in_flight
from benchmarks.figure import Figure, Result, Skipped, spread
from independence.config.endpoints import Endpoint
from independence.config.options import ConnectionOptions
from independence.config.subjects import Subject
from independence.engine import pipeline, plan
from independence.engine.event_loop import drive
from independence.engine.pipeline import RunPreview, RunResult
from independence.engine.resolve import ResolvedRun
from independence.engine.service import Hooks
from independence.judge.model import ModelJudge
from independence.store import database
from independence.suites import load

IN_FLIGHT = 200
LATENCY_S = "0.25"
SUBJECTS = ("never", "yield-20", "half", "always")
RUNS = 80  # x 4 subjects x 5 dialogues x 3 calls = 4,800 calls
THEIR_RUNS = 80  # x 5 dialogues x 3 calls = 1,200 calls
ROUNDS, THEIR_ROUNDS = 3, 2
NAME = "CPU per model call, 200 in flight"
RATIO = "CPU per model call, Inspect AI / ours"


class Spent(NamedTuple):
    """What one measurement took."""

    calls: int
    cpu_s: float
    wall_s: float
    most: int  # calls in flight at once, as the endpoint saw it

    @property
    def ms(self) -> float:
        """CPU milliseconds per call."""
        return 1000 * self.cpu_s / self.calls


def measure() -> list[Result]:
    """Ours, and the ratio to Inspect AI where that is installed."""
    ours = [_apart(_by_tool) for _ in range(ROUNDS)]
    first = Figure(NAME, median(spent.ms for spent in ours), "ms", 1.0, detail=_detail(ours))
    if find_spec("inspect_ai") is None or find_spec("openai") is None:
        return [first, Skipped(RATIO, "inspect-ai or openai is not installed; install the `bench` extra")]
    pairs = [(_apart(_plainly), _apart(_theirs)) for _ in range(THEIR_ROUNDS)]
    ratio = median(theirs.ms / ours.ms for ours, theirs in pairs)
    plain, theirs = ([pair[side] for pair in pairs] for side in (0, 1))
    detail = f"theirs {_detail(theirs)}; ours {_detail(plain)}"
    return [first, Figure(RATIO, ratio, "x", 10.0, "higher", detail)]


def _detail(spent: list[Spent]) -> str:
    wall = median(s.wall_s / s.calls * 1000 for s in spent)
    most = min(s.most for s in spent)
    return f"{spread([s.ms for s in spent], 'ms')} over {spent[0].calls} calls, wall {wall:.2f} ms, {most} in flight"


def _apart(work: Callable[[str, Path], Spent]) -> Spent:
    """Measure in a fresh process against a fresh endpoint."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "endpoint.jsonl"
        with endpoint(LATENCY_S, log) as url:
            context = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(1, mp_context=context) as pool:
                spent = pool.submit(work, url, Path(folder)).result()
        most = most_in_flight(log)
    if most < IN_FLIGHT:
        raise RuntimeError(f"only {most} calls were in flight; the figure would not be the one that is bound")
    return spent._replace(most=most)


class _Meter:
    """CPU of this process, all threads, and wall time, from its making."""

    def __init__(self) -> None:
        self._cpu, self._wall = _cpu_s(), time.perf_counter()

    def spent(self, calls: int) -> Spent:
        return Spent(calls, _cpu_s() - self._cpu, time.perf_counter() - self._wall, 0)


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _by_tool(url: str, folder: Path) -> Spent:
    return _ours(url, folder, "tool_role")


def _plainly(url: str, folder: Path) -> Spent:
    return _ours(url, folder, "user_role")


def _ours(url: str, folder: Path, mode: str) -> Spent:
    path = folder / "store.db"
    connection = database.connect(path)
    job = _job(url, mode)
    meter = _Meter()
    finished = drive(pipeline.carry_out(lambda _: job, connection, path, _approved, Hooks()))
    spent = meter.spent(_calls(finished))
    connection.close()
    return spent


def _job(url: str, mode: str) -> ResolvedRun:
    loaded = load.load("v2")
    selection = plan.select(loaded.suite, [], [mode], RUNS, ["stability"])
    subjects = [Subject(f"loop/{name}", "loop", name) for name in SUBJECTS]
    judge = ModelJudge("loop/judge", endpoint="loop", model="judge")
    door = Endpoint("loop", url, "openrouter", "any", IN_FLIGHT)
    trials = plan.trials(loaded.suite, selection, subjects)
    return ResolvedRun(
        suite=loaded.suite,
        edition=loaded.edition,
        trials=trials,
        judges=(judge,),
        endpoints={"loop": door},
        options=ConnectionOptions(parallel=len(subjects), parallel_tasks=IN_FLIGHT),
    )


async def _approved(_preview: RunPreview) -> bool:
    return True


def _calls(finished: RunResult) -> int:
    if not finished.complete:
        raise RuntimeError("our run did not complete")
    return 3 * finished.left.complete


def _theirs(url: str, folder: Path) -> Spent:
    from benchmarks.harness import evaluate

    loaded = load.load("v2")
    dialogues = plan.dialogues(loaded.suite, plan.select(loaded.suite, [], ["user_role"], 1, ["stability"]))
    meter = _Meter()
    calls = evaluate(loaded.suite, dialogues, THEIR_RUNS, url, folder, IN_FLIGHT)
    return meter.spent(calls)
