"""Makespan against its lower bound, and against first in, first out: the real engine, client and store.

Five subjects do all of V2 five times with a model judge, through an endpoint that takes 20 calls at once. Latencies are
drawn like the measured ones (latency.py) and divided by 20. No schedule can end before the longest dialogue with its
verdict, nor before all work divided by the cap; the larger of the two is the bound. Every draw is run twice, the second
time with a gate that knows no priorities. Some draws run beside each other, which costs every one of them a little.

Then fifty subjects do all of V2 once, 2,050 calls: with 80 slots and without faults; and at an endpoint that answers a
429 above 80 in flight, of which the client does not know, and fails every twentieth request with a 429, 500, 502, 503
or a reset. Both with room for all subjects' calls, and with the default options. What is refused or fails counts
nothing in the bound. No verdict is stuck here: one that begins late and takes minutes would be all that is measured,
and no order of work can know it.

These fifty run in virtual time (virtual_time.py): latencies as in life, no socket, and no CPU counts. That measures the
schedule. 2,050 calls cost some seconds of CPU, which in a makespan that is divided until it can be waited for weigh
several times what they do in life, and more where others use the machine; `floor` and `peers` measure them. So that
nothing is hidden by it, one of the four is run again in real time, divided by 2, and shown without a bound.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import tempfile
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from benchmarks import virtual_time
from benchmarks.congestion import Congested, Congestion, Timed
from benchmarks.endpoint import endpoint
from benchmarks.figure import Figure, Result, spread
from benchmarks.latency import Draw, Slowed
from benchmarks.virtual_time import InPlaceEndpoint, InPlaceWriter
from independence.clients.catalogue import Catalogue
from independence.clients.client import OpenAIClient
from independence.clients.connection import EndpointConnection
from independence.clients.limits import Budget
from independence.clients.listing import check
from independence.clients.protocol import Policy
from independence.clients.throttle import Throttle
from independence.clients.transport import open_session
from independence.config.endpoints import Endpoint
from independence.config.options import ConnectionOptions
from independence.config.subjects import Subject
from independence.engine import dialogue, plan, run
from independence.engine.concurrency import CallQueue, EndpointGate, StopSignal
from independence.engine.event_loop import drive
from independence.engine.plan import Trial
from independence.engine.progress import RunProgress
from independence.engine.resume import PendingTrial
from independence.engine.run_context import EndpointBackend, Parallelism, RunContext
from independence.judge.model import ModelJudge
from independence.store import leases, records
from independence.store.file import database
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
MANY = tuple(f"yield-{share}" for share in range(1, 51))
SLOTS = 80
MANY_DRAWS = 4
REAL_DIVISOR = 2.0
FAULTY = 0.05


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
_CALM = Setting(MANY, 1, SLOTS, SLOTS, divisor=1.0, stuck=False, shares=_WIDE)
_TROUBLED = _CALM._replace(cap=200, faulty=FAULTY)
MANY_SETTINGS = {
    "50 subjects": (_CALM, 1.1),
    "50 subjects, default options": (_CALM._replace(shares=_DEFAULTS), 1.1),
    "50 subjects, 5% faults, 429 above 80": (_TROUBLED, 1.3),
    "50 subjects, 5% faults, 429 above 80, default options": (_TROUBLED._replace(shares=_DEFAULTS), 1.3),
}


class FirstInFirstOut(EndpointGate):
    """The same gate without priorities."""

    @asynccontextmanager
    async def slot(self, queue: CallQueue, remaining: float, run: int = 0) -> AsyncIterator[None]:
        """A slot in the order of asking."""
        async with super().slot(queue, 0.0):
            yield


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
    real = f"50 subjects, 5% faults, 429 above 80, real time / {REAL_DIVISOR:g}"
    with endpoint("0") as url, ProcessPoolExecutor(BESIDE, mp_context=context) as pool:
        once = pool.submit(took, url, 0, EndpointGate, _TROUBLED._replace(divisor=REAL_DIVISOR)).result().ratio
        jobs = {
            name: [pool.submit(took, url, n, EndpointGate, setting, virtual=True) for n in range(MANY_DRAWS)]
            for name, (setting, _) in MANY_SETTINGS.items()
        }
        ratios = {name: [job.result().ratio for job in own] for name, own in jobs.items()}
    return [
        *(
            Figure(f"makespan / lower bound, {name}", fmean(ratios[name]), "x", bound, detail=spread(ratios[name]))
            for name, (_, bound) in MANY_SETTINGS.items()
        ),
        Figure(f"makespan / lower bound, {real}", once, "x", detail="n = 1; our CPU counts, and that of all others"),
    ]


def took(url: str, number: int, gate: type[EndpointGate], setting: Setting = _FIVE, *, virtual: bool = False) -> Took:
    """Run one draw in this process."""
    door = Endpoint("loop", url, "openrouter", "any", setting.cap)
    catalogue = asyncio.run(_catalogue(door, setting))
    random.seed(number)  # of the jitter of retries
    draw = Draw(number, setting.divisor, setting.stuck)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        if virtual:
            return virtual_time.drive(_run(door, catalogue, draw, gate, setting, path, InPlaceEndpoint()))
        return drive(_run(door, catalogue, draw, gate, setting, path))


async def _catalogue(door: Endpoint, setting: Setting) -> Catalogue:
    async with open_session() as session:
        return (await check(door, dict.fromkeys(setting.subjects, True), session)).listed


async def _run(
    door: Endpoint,
    catalogue: Catalogue,
    draw: Draw,
    gate_type: type[EndpointGate],
    setting: Setting,
    path: Path,
    beyond: InPlaceEndpoint | None = None,
) -> Took:
    loaded = load.load("v2")
    subjects = [Subject(f"loop/{name}", "loop", name) for name in setting.subjects]
    trials = plan.trials(loaded.suite, plan.select(loaded.suite, [], [], setting.runs, []), subjects)
    connection = database.connect(path)
    throttle = Throttle(setting.cap)
    gate = gate_type(lambda: throttle.limit)
    async with open_session() as session:
        way = EndpointConnection(
            door, session, catalogue, budget=Budget(None), throttle=throttle, notify=lambda _wait: None
        )
        if setting.faulty or beyond:
            own = Congested(session, door, Congestion(setting.slots, setting.faulty, draw), beyond)
            way._servers.each[0].transport = own
        client = OpenAIClient(way, Policy(Policy().base_backoff_s / draw.divisor, Policy().cap_s / draw.divisor))
        texts = {b.human: b.id for t in trials for b in t.dialogue.turns}
        slowed = (Timed if setting.faulty or beyond else Slowed)(client, draw, texts, [])
        connection.execute("BEGIN")
        records.add_trials(connection, [_row(loaded, trial) for trial in trials])
        connection.execute("COMMIT")
        writer = InPlaceWriter(connection) if beyond else Writer(connection, path)
        bench = RunContext(
            loaded.suite,
            {s.id: digest.rubric(loaded.suite, s) for s in loaded.suite.scenarios},
            {"loop": EndpointBackend(slowed, gate)},
            writer,
            lambda _event: None,
            StopSignal([gate], lambda _event: None),
            leases.owner(),
            Budget(None),
            RunProgress(),
        )
        todo = [PendingTrial(trial, trial.dialogue.generated, (JUDGE,)) for trial in trials]
        loop = asyncio.get_running_loop()
        began = loop.time()
        await run.run(bench, todo, setting.shares)
        makespan = loop.time() - began
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
