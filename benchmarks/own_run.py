"""A run of ours against a loopback endpoint in a process of its own, and how its CPU and wall time are counted.

Each measurement is a fresh process. Its CPU is counted around the work alone, over all threads: from the check of the
endpoint to the last commit, plan, grading and persistence included.
"""

from __future__ import annotations

import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar

from benchmarks.endpoint import endpoint, most_in_flight
from independence.config.endpoints import Endpoint
from independence.config.options import ConnectionOptions
from independence.config.subjects import Subject
from independence.engine import pipeline, plan
from independence.engine.event_loop import drive
from independence.engine.pipeline import RunPreview
from independence.engine.resolve import RunPlan
from independence.engine.service import Hooks
from independence.judge.model import ModelJudge
from independence.store.file import database
from independence.suites import load

IN_FLIGHT = 200
LATENCY_S = "0.25"
SUBJECTS = ("never", "yield-20", "half", "always")


class Spent(NamedTuple):
    """What one measurement took."""

    calls: int
    cpu_s: float
    wall_s: float
    most: int  # calls in flight at once, as the endpoint saw it


T = TypeVar("T")
P = ParamSpec("P")
Work = Callable[[str, Path], Spent]  # address of the endpoint, folder to write to


def apart(work: Work) -> Spent:
    """Measure in a fresh process against a fresh endpoint."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "endpoint.jsonl"
        with endpoint(LATENCY_S, log) as url:
            spent = in_process(work, url, Path(folder))
        most = most_in_flight(log)
    if most < IN_FLIGHT:
        raise RuntimeError(f"only {most} calls were in flight; the figure would not be the one that is bound")
    return spent._replace(most=most)


def in_process(
    work: Callable[Concatenate[str, Path, P], T], url: str, folder: Path, *more: P.args, **named: P.kwargs
) -> T:
    """Measure in a fresh process."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, url, folder, *more, **named).result()


class Meter:
    """CPU of this process, all threads, and wall time, from its making."""

    def __init__(self) -> None:
        self._cpu, self._wall = _cpu_s(), time.perf_counter()

    def spent(self, calls: int) -> Spent:
        """What was used since, for so many calls."""
        return Spent(calls, _cpu_s() - self._cpu, time.perf_counter() - self._wall, 0)


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def ours(
    url: str, folder: Path, mode: str = "tool_role", runs: int = 1, experiments: Sequence[str] = ("stability",)
) -> Spent:
    """A run of ours over V2, or some experiments of it: from the check of the endpoint to the last commit."""
    path = folder / "store.db"
    connection = database.connect(path)
    job = _job(url, mode, runs, experiments)
    meter = Meter()
    resolver = pipeline.Resolver(lambda _: None, lambda *_: job)
    finished = drive(pipeline.run_pipeline(resolver, connection, path, _approved, Hooks()))
    if not finished.complete:
        raise RuntimeError("our run did not complete")
    spent = meter.spent(sum(trial.dialogue.generated + 1 for trial in job.trials))
    connection.close()
    return spent


def _job(url: str, mode: str, runs: int, experiments: Sequence[str]) -> RunPlan:
    loaded = load.load("v2")
    selection = plan.select(loaded.suite, [], [mode], runs, experiments)
    subjects = [Subject(f"loop/{name}", "loop", name) for name in SUBJECTS]
    judge = ModelJudge("loop/judge", endpoint="loop", model="judge")
    door = Endpoint("loop", url, "openrouter", "any", IN_FLIGHT)
    trials = plan.trials(loaded.suite, selection, subjects)
    return RunPlan(
        suite=loaded.suite,
        edition=loaded.edition,
        trials=trials,
        judges=(judge,),
        endpoints={"loop": door},
        options=ConnectionOptions(parallel=len(subjects), parallel_tasks=IN_FLIGHT),
    )


async def _approved(_preview: RunPreview) -> bool:
    return True
