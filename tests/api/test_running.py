"""Runs from Python: alone, in a running event loop, watched, refused, cancelled, graded anew."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import independence
from independence import ConnectionOptions, RunOptions, RunPreview, UsageError
from independence.engine.events import CallCommitted, Event, VerdictCommitted
from independence.store import leases
from independence.store.file import digests
from independence.testing.loopback.server import serving
from independence.testing.loopback.settings import LoopbackSettings
from tests.e2e import suites

ASKED: dict[str, Any] = {"models": ["sim/half"], "judges": "cues", "runs": 1, "experiments": "stability"}
DIALOGUES = 5


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path / "store.db"


def kept(store: Path, table: str) -> int:
    with closing(sqlite3.connect(store)) as connection:
        count: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        return count


def there(store: Path) -> bool:
    return store.exists()


def test_a_run_is_a_call_and_the_same_call_resumes(store: Path) -> None:
    first = independence.run("v2", store=store, **ASKED)
    assert (first.started, first.complete, first.stopped_by) == (True, True, None)
    assert (first.unfinished, first.missing, first.spent_usd, first.skipped) == (0, {}, 0.0, 0)
    assert (first.left.planned, kept(store, "verdicts")) == (DIALOGUES, DIALOGUES)
    events: list[Event] = []
    again = independence.run("v2", store=store, on_event=events.append, **ASKED)
    assert again.complete
    assert events == []


@pytest.mark.parametrize("gives_back", [True, False])
def test_what_another_process_held_is_tried_once_more_at_the_end(gives_back: bool, store: Path) -> None:
    independence.run("v2", store=store, **ASKED)
    other = leases.owner()
    with closing(sqlite3.connect(store)) as connection, connection:
        digests.offer(connection)
        held, free = (one for (one,) in connection.execute("SELECT DISTINCT trial FROM calls ORDER BY 1 LIMIT 2"))
        for table in ("verdicts", "calls"):
            connection.execute(f"DELETE FROM {table} WHERE trial IN (?, ?)", (held, free))
        assert leases.take(connection, held, other) is None

    def on_event(event: Event) -> None:
        if gives_back and isinstance(event, VerdictCommitted):
            with closing(sqlite3.connect(store)) as connection, connection:
                leases.release(connection, [held], other)

    result = independence.run("v2", store=store, on_event=on_event, **ASKED)
    assert (result.complete, result.skipped, result.unfinished) == (gives_back, not gives_back, not gives_back)


async def test_a_run_is_awaited_in_a_running_loop_and_heard_of(store: Path) -> None:
    events: list[Event] = []
    result = await independence.arun("v2", store=store, on_event=events.append, **ASKED)
    assert result.complete
    assert sum(isinstance(event, VerdictCommitted) for event in events) == DIALOGUES
    assert sum(isinstance(event, CallCommitted) for event in events) == kept(store, "calls")


async def test_options_are_values_too_and_the_sync_door_works_in_a_running_loop(store: Path) -> None:
    options = RunOptions(models=("sim/half",), judges=("cues",), runs=1, experiments=("stability",))
    assert independence.run(options, store=store).run.options == ConnectionOptions()
    assert kept(store, "verdicts") == DIALOGUES


def test_a_plan_that_is_not_approved_sends_nothing_and_leaves_no_store(store: Path) -> None:
    seen: list[RunPreview] = []

    def refuse(preview: RunPreview) -> bool:
        seen.append(preview)
        return False

    result = independence.run("v2", store=store, approve=refuse, **ASKED)
    assert (result.started, result.unfinished) == (False, DIALOGUES)
    assert seen[0].cost.verdicts == DIALOGUES
    assert not independence.run("v2", store=store, dry_run=True, **ASKED).started
    assert not there(store)


def test_what_is_wrong_is_raised_before_a_store_is_made(store: Path) -> None:
    with pytest.raises(UsageError, match="no model `nobody`"):
        independence.run("v2", store=store, models=["nobody"])
    with pytest.raises(UsageError, match="modles"):
        independence.run("v2", store=store, modles=["sim/half"])
    assert not there(store)


def test_stored_dialogues_are_graded_and_get_more_runs(store: Path) -> None:
    independence.run("v2", store=store, no_judge=True, **{**ASKED, "judges": ()})
    assert kept(store, "verdicts") == 0
    graded = independence.grade("cues", store=store)
    assert graded.complete
    assert kept(store, "verdicts") == DIALOGUES
    more = independence.rerun(store=store, models="sim/half", target_runs=2)
    assert (more.complete, kept(store, "verdicts")) == (True, 2 * DIALOGUES)


def test_a_cost_is_estimated_without_a_store(store: Path) -> None:
    preview = independence.estimate_cost("v2", store=store, **ASKED)
    assert (preview.cost.calls, preview.cost.typical_usd) == (2 * DIALOGUES, 0.0)
    assert not there(store)


async def test_a_cancelled_run_keeps_what_was_answered_and_goes_on_later(store: Path) -> None:
    def hear(event: Event) -> None:
        if isinstance(event, CallCommitted):
            work.cancel()

    async with serving(LoopbackSettings()) as server:
        suites.write(store.parent / "harbour", suites.harbour())
        asked = {
            "models": "local/half", "judges": "cues", "runs": 3, "local_url": server.base_url, "parallel_tasks": 2,
        }  # fmt: skip
        work = asyncio.create_task(independence.arun("harbour", store=store, on_event=hear, **asked))
        with pytest.raises(asyncio.CancelledError):
            await work
        before = kept(store, "calls")
        assert before > 0
        result = await independence.arun("harbour", store=store, **asked)
    assert result.left.planned == result.left.complete
    assert kept(store, "calls") > before


async def test_a_run_that_is_cancelled_before_it_begins_leaves_nothing(store: Path) -> None:
    work = asyncio.create_task(independence.arun("v2", store=store, **ASKED))
    await asyncio.sleep(0)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert not there(store)
