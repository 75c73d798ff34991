"""What a run writes of itself into the store: once a second, where it changed, and without a secret."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

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
from independence.store import database, leases, progress
from independence.store.progress import ParkedModel, RunSnapshot
from independence.store.writer import Writer

KEY = "sk-or-v1-0123456789abcdef"


def counted() -> RunProgress:
    counts = RunProgress()
    for event in (
        SubjectStarted("m", 8, 5),
        CallCommitted("m", 0.25, None),
        CallCommitted("m", 0, "no_answer"),
        VerdictCommitted("m", "j", 0, None),
        CallUnresolved("m", "pt01", "connect"),
        CallWaiting(Wait("m", "429", 60.0, 1)),
        CallWaiting(Wait("m", "429", 90.0, 1)),
        ConcurrencyChanged("openrouter", 5, 20),
        ModelStopped("m", f"refused {KEY}", "m@low"),
        RunStopping("the cap"),
    ):
        counts(event)
    return counts


def test_every_event_is_counted() -> None:
    said = counted().snapshot("run", "toy@1", Budget(2.0))
    assert (said.planned, said.done, said.failed, said.cap_usd, said.stopping) == (13, 3, 1, 2.0, "the cap")
    assert (said.missing, said.retried, said.slots) == ({"no_answer": 1}, {"429": 2}, {"openrouter": (5, 20)})
    assert [(one.model, one.reason, one.calls) for one in said.waits] == [("m", "429", 2)]
    assert said.waits[0].until == pytest.approx(time.time() + 90, abs=5)
    assert said.parked == (ParkedModel("m", "m@low", f"refused {KEY}"),)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    database.connect(tmp_path / "store.db").close()
    return tmp_path / "store.db"


def rows(store: Path) -> list[progress.ProgressRow]:
    with database.reading(store) as connection:
        return progress.read(connection)


async def test_a_secret_is_not_written_and_the_last_row_says_that_the_run_ended(store: Path) -> None:
    counts, me = counted(), leases.owner()
    writer = Writer(database.connect(store), store)
    async with run_progress.written(lambda: counts.snapshot("run", "toy@1", Budget(None)), masking([KEY]), writer, me):
        await asyncio.sleep(0.1)
        (during,) = rows(store)
    await writer.close()
    (after,) = rows(store)
    assert (during.state, during.snapshot.parked[0].why) == ("running", "refused [key]")
    assert after.state == "ended"


async def test_nothing_is_written_while_nothing_changes(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_progress, "EVERY_S", 0.02)
    counts, me, connection = RunProgress(), leases.owner(), database.connect(store)

    def written() -> int:
        return connection.total_changes

    def take() -> RunSnapshot:
        return counts.snapshot("run", "toy@1", Budget(None))

    writer = Writer(connection, store)
    async with run_progress.written(take, masking(()), writer, me):
        await asyncio.sleep(0.2)
        first = written()
        await asyncio.sleep(0.2)
        assert written() == first == 1
        counts(SubjectStarted("m", 1, 0))
        await asyncio.sleep(0.2)
        assert written() == 2
    await writer.close()
