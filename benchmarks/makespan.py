"""Makespan against its lower bound, and against first in, first out: the real engine, client and store.

Five subjects do all of V2 five times with a model judge, through an endpoint that takes 20 calls at once. Latencies are
drawn like the measured ones (latency.py) and divided by 20. No schedule can end before the longest dialogue with its
verdict, nor before all work divided by the cap; the larger of the two is the bound. Every draw is run twice, the second
time with a gate that knows no priorities. Some draws run beside each other, which costs every one of them a little.

Then fifty subjects do all of V2 once, 2,050 calls, latencies divided by 4: with 80 slots and without faults; and at an
endpoint that answers a 429 above 80 in flight, of which the client does not know, and fails every twentieth request
with a 429, 500, 502, 503 or a reset. Both with room for all subjects' calls, and with the default options. What is
refused or fails counts nothing in the bound. No verdict is stuck here: one that begins late and takes minutes would be
all that is measured, and no order of work can know it.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextvars import ContextVar
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from aiohttp import ClientOSError, ClientSession
from multidict import CIMultiDict

from benchmarks.endpoint import endpoint
from benchmarks.figure import Figure, Result, spread
from benchmarks.latency import Draw, Slowed
from independence.clients.limits import Budget
from independence.clients.listing import check
from independence.clients.openai import EndpointConnection, OpenAIClient
from independence.clients.protocol import Policy
from independence.clients.throttle import Throttle
from independence.clients.transport import HttpResponse, Transport, open_session
from independence.config.endpoints import Endpoint
from independence.config.options import ConnectionOptions
from independence.config.subjects import Subject
from independence.engine import dialogue, plan, run
from independence.engine.event_loop import drive
from independence.engine.gate import CallQueue, EndpointGate, Slot, StopSignal
from independence.engine.plan import Trial
from independence.engine.resume import PendingTrial
from independence.engine.run_context import EndpointBackend, Parallelism, RunContext
from independence.judge.model import ModelJudge
from independence.store import database, leases, records
from independence.store.records import TrialRow
from independence.store.writer import Writer
from independence.suites import digest, load
from independence.suites.load import LoadedSuite
from independence.types import Answer, ChatRequest

CAP = 20
SUBJECTS = ("never", "yield-20", "half", "yield-65", "always")
RUNS = 5
DRAWS = 30
DIVISOR = 20.0
BESIDE = 4  # draws at once
UNBOUND = 1000  # -pt
JUDGE = ModelJudge("loop/judge", endpoint="loop", model="judge")
MANY = tuple(f"yield-{share}" for share in range(1, 51))
SLOTS = 80
MANY_DIVISOR = 4.0
MANY_DRAWS = 2
FAULTY = 0.05
_REFUSAL_S = 0.1
_STATUSES = (429, 500, 502, 503, 0)  # 0: reset
_seconds: ContextVar[float] = ContextVar("seconds")  # that the endpoint takes for the call of this task


class Setting(NamedTuple):
    """What is run, and how."""

    subjects: tuple[str, ...] = SUBJECTS
    runs: int = RUNS
    cap: int = CAP  # calls in flight, as far as the client knows
    slots: int = CAP  # calls that the endpoint takes at once
    faulty: float = 0.0  # share of requests that fail
    divisor: float = DIVISOR
    stuck: bool = True
    shares: Parallelism = Parallelism(len(SUBJECTS), UNBOUND)


_FIVE = Setting()
_DEFAULTS = Parallelism(ConnectionOptions().parallel, ConnectionOptions().calls)
_WIDE = Parallelism(len(MANY), SLOTS)
_CALM = Setting(MANY, 1, SLOTS, SLOTS, divisor=MANY_DIVISOR, stuck=False, shares=_WIDE)
_TROUBLED = _CALM._replace(cap=200, faulty=FAULTY)
MANY_SETTINGS = {
    "50 subjects": (_CALM, 1.1),
    "50 subjects, default options": (_CALM._replace(shares=_DEFAULTS), 1.1),
    "50 subjects, 5 % faults, 429 above 80": (_TROUBLED, 1.3),
    "50 subjects, 5 % faults, 429 above 80, default options": (_TROUBLED._replace(shares=_DEFAULTS), 1.3),
}


class FirstInFirstOut(EndpointGate):
    """The same gate without priorities."""

    def slot(self, queue: CallQueue, remaining: float, run: int = 0) -> Slot:
        """A slot in the order of asking."""
        return super().slot(queue, 0.0)


class Timed(Slowed):
    """Tells the way to the endpoint how long a call takes there."""

    async def ask(self, request: ChatRequest) -> Answer:
        """Ask."""
        self.seconds.append(self._seconds(request))
        _seconds.set(self.seconds[-1])
        return await self.inner.ask(request)


class Took(NamedTuple):
    """One run of one draw; seconds."""

    makespan: float
    longest: float  # dialogue with its verdict
    work: float  # all calls together
    slots: int = CAP

    @property
    def ratio(self) -> float:
        """Makespan over its lower bound."""
        return self.makespan / max(self.longest, self.work / self.slots)


class Congested(Transport):
    """The way to an endpoint that takes its time, has so many slots, and fails now and then."""

    def __init__(self, session: ClientSession, door: Endpoint, setting: Setting, seed: int) -> None:
        super().__init__(session, door)
        self._setting = setting
        self._draws = random.Random(seed)
        self._busy = 0

    async def post(self, body: bytes, timeout_s: float | None = None) -> HttpResponse:
        """Answer when the call's time has come, or refuse it."""
        draw = self._draws.random()
        if self._busy >= self._setting.slots:
            return await self._refusal(429)
        if draw < self._setting.faulty:
            return await self._refusal(_STATUSES[int(draw / self._setting.faulty * len(_STATUSES))])
        self._busy += 1
        try:
            due = time.perf_counter() + _seconds.get()
            response = await super().post(body, timeout_s)
            await asyncio.sleep(due - time.perf_counter())
            return response
        finally:
            self._busy -= 1

    async def _refusal(self, status: int) -> HttpResponse:
        await asyncio.sleep(_REFUSAL_S / self._setting.divisor)
        if not status:
            raise ClientOSError("reset")
        return HttpResponse(status, CIMultiDict(), b'{"error": {"message": "no"}}')


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
        *measure_many(),
    ]


def measure_many() -> list[Result]:
    """The mean ratio to the bound with fifty subjects, with and without faults and with the default options."""
    context = multiprocessing.get_context("spawn")
    results: list[Result] = []
    for name, (setting, bound) in MANY_SETTINGS.items():
        with endpoint("0") as url, ProcessPoolExecutor(MANY_DRAWS, mp_context=context) as pool:
            jobs = [pool.submit(took, url, n, EndpointGate, setting) for n in range(MANY_DRAWS)]
            ratios = [job.result().ratio for job in jobs]
        results.append(Figure(f"makespan / lower bound, {name}", fmean(ratios), "x", bound, detail=spread(ratios)))
    return results


def took(url: str, number: int, gate: type[EndpointGate], setting: Setting = _FIVE) -> Took:
    """Run one draw in this process."""
    with tempfile.TemporaryDirectory() as folder:
        return drive(_run(url, Draw(number, setting.divisor, setting.stuck), gate, setting, Path(folder) / "store.db"))


async def _run(url: str, draw: Draw, gate_type: type[EndpointGate], setting: Setting, path: Path) -> Took:
    loaded = load.load("v2")
    subjects = [Subject(f"loop/{name}", "loop", name) for name in setting.subjects]
    trials = plan.trials(loaded.suite, plan.select(loaded.suite, [], [], setting.runs, []), subjects)
    door = Endpoint("loop", url, "openrouter", "any", setting.cap)
    connection = database.connect(path)
    throttle = Throttle(setting.cap)
    gate = gate_type(lambda: throttle.limit)
    async with open_session() as session:
        catalogue = await check(door, dict.fromkeys(setting.subjects, True), session)
        way = EndpointConnection(
            door, session, catalogue, budget=Budget(None), throttle=throttle, notify=lambda _wait: None
        )
        if setting.faulty:
            way._transport = Congested(session, door, setting, draw.number)
        client = OpenAIClient(way, Policy(Policy().base_backoff_s / draw.divisor, Policy().cap_s / draw.divisor))
        texts = {b.human: b.id for t in trials for b in t.dialogue.turns}
        slowed = (Timed if setting.faulty else Slowed)(client, draw, texts, [])
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
        await run.run(bench, todo, setting.shares)
        makespan = time.perf_counter() - began
        await writer.close()
    verdicts = dict(connection.execute("SELECT trial, key FROM verdicts WHERE missing IS NULL"))
    connection.close()
    return Took(makespan, *_bounds(draw, trials, verdicts, slowed.seconds), setting.slots)


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
