"""What a run writes of itself into the store: once a second, where it changed, and without a secret."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from sqlite3 import Connection
from typing import TypeVar

from independence.clients.limits import Budget
from independence.clients.protocol import Wait
from independence.config.endpoints import masking
from independence.engine import progress as run_progress
from independence.engine.events import (
    CallCommitted,
    CallUnresolved,
    CallWaiting,
    ConcurrencyChanged,
    ModelStopped,
    RunStopping,
    SubjectStarted,
    VerdictCommitted,
)
from independence.engine.progress import RunProgress
from independence.store import leases, progress
from independence.store.progress import ParkedModel, RunSnapshot, WaitingModel
from independence.store.writer import Write
from tests.virtual_time import HandClock, in_virtual_time

T = TypeVar("T")
KEY = "sk-or-v1-0123456789abcdef"


def counted(time: HandClock) -> RunProgress:
    counts = RunProgress(time)
    for event in (
        SubjectStarted("m", 8, 5),
        CallCommitted("m", 0.25, None),
        CallCommitted("m", 0, "no_answer"),
        VerdictCommitted("m", "j", 0, None),
        CallUnresolved("m", "pt01", "connect"),
        CallWaiting(Wait("m", "429", 60.0, 1)),
        CallWaiting(Wait("m", "429", 90.0, 1)),
        CallWaiting(Wait("m", "rate", 0.9)),
        CallWaiting(Wait("n", "rate", 1.0)),
        ConcurrencyChanged("openrouter", 5, 20),
        ModelStopped("m", f"refused {KEY}", "m@low"),
        RunStopping("the cap"),
    ):
        counts(event)
    return counts


def test_every_event_is_counted() -> None:
    time = HandClock(now=1000.0)
    counts = counted(time)
    assert counts.snapshot("run", "toy@1", Budget(2.0)) == RunSnapshot(
        command="run", about="toy@1", began=1000.0, planned=13, done=3, failed=1, usd=0.0, cap_usd=2.0,
        missing={"no_answer": 1}, retried={"429": 2}, slots={"openrouter": (5, 20)}, stopping="the cap",
        waits=(WaitingModel("m", "429", 2, 1090.0), WaitingModel("n", "rate", 1, 1001.0)),
        parked=(ParkedModel("m", "m@low", f"refused {KEY}"),),
    )  # fmt: skip
    assert (counts.usd, counts.why_unsettled) == (0.25, f"refused {KEY}")
    for passed, waiting in ((60.0, 1), (30.0, 0)):
        time.forward(passed)
        assert [one.calls for one in counts.waits()] == [waiting] * bool(waiting)


def test_a_run_writes_what_changed_once_a_second_without_a_secret_and_then_that_it_ended(
    connection: Connection,
) -> None:
    time, me = HandClock(), leases.owner()
    counts = RunProgress(time)
    written: list[tuple[float, progress.ProgressRow]] = []

    async def work(_passed: Callable[[], float]) -> None:
        loop = asyncio.get_running_loop()

        class Store:
            async def write(self, write: Write[T], /) -> T:
                result = write(connection)
                written.append((loop.time(), progress.read(connection)[0]))
                return result

        def take() -> RunSnapshot:
            return counts.snapshot("run", "toy@1", Budget(None))

        async with run_progress.written(take, masking([KEY]), Store(), me, time):
            await asyncio.sleep(10.5)
            counts(SubjectStarted("m", 1, 0))
            counts(ModelStopped("m", f"refused {KEY}"))
            await asyncio.sleep(10)
            time.forward(20)

    in_virtual_time(work)
    assert [at for at, _ in written] == [0.0, 11.0, 20.5]
    first, second, last = (row for _, row in written)
    assert [row.state for row in (first, second, last)] == ["running", "running", "ended"]
    assert [one.why for one in second.snapshot.parked] == ["refused [key]"]
    assert last.snapshot.ended == time.now()
