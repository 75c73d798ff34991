"""Makespan against its lower bound, and against first in, first out: the real engine, client and store.

Five subjects do all of V2 five times with a model judge, through an endpoint that takes 20 calls at once. Latencies are
drawn like the measured ones (latency.py) and divided by 20. No schedule can end before the longest dialogue with its
verdict, nor before all work divided by the cap; the larger of the two is the bound. Every draw is run twice, the second
time with a gate that knows no priorities. Some draws run beside each other, which costs every one of them a little.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from benchmarks.endpoint import endpoint
from benchmarks.figure import Figure, Result, spread
from benchmarks.latency import Draw, Slowed
from independence.clients.limits import Budget, Throttle
from independence.clients.listing import check
from independence.clients.openai import EndpointConnection, OpenAIClient
from independence.clients.transport import open_session
from independence.config.endpoints import Endpoint
from independence.config.subjects import Subject
from independence.engine import dialogue, plan, run
from independence.engine.event_loop import drive
from independence.engine.gate import CallQueue, EndpointGate, StopSignal
from independence.engine.plan import Trial
from independence.engine.resume import PendingTrial
from independence.engine.run_context import EndpointBackend, Parallelism, RunContext
from independence.judge.model import ModelJudge
from independence.store import database, leases, records
from independence.store.records import TrialRow
from independence.store.writer import Writer
from independence.suites import digest, load
from independence.suites.load import LoadedSuite

CAP = 20
SUBJECTS = ("never", "yield-20", "half", "yield-65", "always")
RUNS = 5
DRAWS = 30
DIVISOR = 20.0
BESIDE = 4  # draws at once
UNBOUND = 1000  # -pt
JUDGE = ModelJudge("loop/judge", endpoint="loop", model="judge")


class FirstInFirstOut(EndpointGate):
    """The same gate without priorities."""

    @asynccontextmanager
    async def slot(self, lane: CallQueue, remaining: float, run: int = 0) -> AsyncIterator[None]:
        """Hold a slot in the order of asking."""
        async with super().slot(lane, 0.0):
            yield


class Took(NamedTuple):
    """One run of one draw; seconds."""

    makespan: float
    longest: float  # dialogue with its verdict
    work: float  # all calls together

    @property
    def ratio(self) -> float:
        """Makespan over its lower bound."""
        return self.makespan / max(self.longest, self.work / CAP)


def measure() -> list[Result]:
    """The mean ratio to the bound over all draws, and the ratio to first in, first out, draw by draw."""
    context = multiprocessing.get_context("spawn")
    with endpoint("0") as url, ProcessPoolExecutor(BESIDE, mp_context=context) as pool:
        jobs = [
            (pool.submit(took, url, n, EndpointGate), pool.submit(took, url, n, FirstInFirstOut)) for n in range(DRAWS)
        ]
        pairs = [(ours.result(), fifo.result()) for ours, fifo in jobs]
    ratios = [ours.ratio for ours, _ in pairs]
    against = [ours.makespan / fifo.makespan for ours, fifo in pairs]
    bare = fmean(fifo.ratio for _, fifo in pairs)
    bound_by_path = sum(ours.longest > ours.work / CAP for ours, _ in pairs)
    what = f"{spread(ratios)}; {bound_by_path} bound by the longest dialogue; first in, first out {bare:.3f}"
    return [
        Figure("makespan / lower bound, mean", fmean(ratios), "x", 1.10, detail=what),
        Figure("makespan / first in, first out, mean", fmean(against), "x", 1.0, detail=spread(against)),
    ]


def took(url: str, number: int, gate: type[EndpointGate]) -> Took:
    """Run one draw in this process."""
    with tempfile.TemporaryDirectory() as folder:
        return drive(_run(url, Draw(number, DIVISOR), gate, Path(folder) / "store.db"))


async def _run(url: str, draw: Draw, gate_type: type[EndpointGate], path: Path) -> Took:
    loaded = load.load("v2")
    subjects = [Subject(f"loop/{name}", "loop", name) for name in SUBJECTS]
    trials = plan.trials(loaded.suite, plan.select(loaded.suite, [], [], RUNS, []), subjects)
    door = Endpoint("loop", url, "openrouter", "any", CAP)
    connection = database.connect(path)
    throttle = Throttle(CAP)
    gate = gate_type(lambda: throttle.limit)
    async with open_session() as session:
        catalogue = await check(door, dict.fromkeys(SUBJECTS, True), session)
        client = OpenAIClient(
            EndpointConnection(
                door, session, catalogue, budget=Budget(None), throttle=throttle, notify=lambda _wait: None
            )
        )
        slowed = Slowed(client, draw, {b.human: b.id for t in trials for b in t.dialogue.turns}, [])
        connection.execute("BEGIN")
        records.add_trials(connection, [_row(loaded, trial) for trial in trials])
        connection.execute("COMMIT")
        writer = Writer(connection, path)
        bench = RunContext(
            loaded.suite,
            {s.id: digest.rubric(loaded.suite, s) for s in loaded.suite.scenarios},
            {"loop": EndpointBackend(slowed, gate)},
            writer,
            lambda _event: None,
            StopSignal([gate], lambda _event: None),
            leases.owner(),
        )
        todo = [PendingTrial(trial, trial.dialogue.generated, (JUDGE,)) for trial in trials]
        began = time.perf_counter()
        await run.run(bench, todo, Parallelism(len(subjects), UNBOUND))
        makespan = time.perf_counter() - began
        await writer.close()
    verdicts = dict(connection.execute("SELECT trial, key FROM verdicts WHERE missing IS NULL"))
    connection.close()
    return Took(makespan, *_bounds(draw, trials, verdicts, slowed.seconds))


def _row(loaded: LoadedSuite, trial: Trial) -> TrialRow:
    dialogue = trial.dialogue
    return TrialRow(
        trial.key, loaded.suite.suite, loaded.edition, trial.subject.config_dir, *dialogue.condition,
        dialogue.scenario.experiment, dialogue.scenario.id, trial.run, None, dialogue.generated, trial.shape,
    )  # fmt: skip


def _bounds(draw: Draw, trials: Sequence[Trial], verdicts: dict[str, str], asked: list[float]) -> tuple[float, float]:
    """Longest dialogue and all work, from the plan; raises RuntimeError unless exactly that was asked."""
    lengths = [
        sum(_answers(draw, trial)) + draw.verdict(int(verdicts[trial.key][:8], 16) % 2**31)  # as grading seeds it
        for trial in trials
        if trial.key in verdicts
    ]
    calls = sum(trial.dialogue.generated + 1 for trial in trials)
    if len(lengths) != len(trials) or len(asked) != calls or abs(sum(asked) - sum(lengths)) > 1e-6 * sum(asked):
        raise RuntimeError(f"a draw did not go as planned: {len(asked)} of {calls} calls, {len(lengths)} verdicts")
    return max(lengths), sum(lengths)


def _answers(draw: Draw, trial: Trial) -> list[float]:
    turns = [turn.id for turn in trial.dialogue.turns if turn.reply is None]
    return [draw.answer(trial.subject.model, turn_id, dialogue.turn_seed(trial, n)) for n, turn_id in enumerate(turns)]
