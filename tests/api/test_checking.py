"""Gates from Python: options, refusals before anything is asked, approval, cancelling and going on."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import independence
from independence import RunOptions, RunPreview, UsageError
from independence.engine.events import CallCommitted, Event
from independence.store import leases
from independence.store.file import digests
from tests.e2e import suites

CALLS = 5


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(tmp_path)
    suites.write(tmp_path / "harbour", suites.harbour())
    return {"models": "sim/half", "judges": "cues", "store": tmp_path / "store.db"}


def stored(store: Path) -> int:
    with closing(sqlite3.connect(store)) as connection:
        count: int = connection.execute("SELECT count(*) FROM calls").fetchone()[0]
        return count


def test_a_gate_is_a_call(asked: dict[str, Any]) -> None:
    found = independence.check("harbour", min_index=50, max_runs=3, **asked)
    assert (found.decision, found.exit_code, found.started) == ("undecided", 5, True)
    assert (found.document.runs, found.document.calls_bought) == (3, 3 * CALLS)
    assert [row["scenario"] for row in found.records()] == [one.scenario for one in found.document.scenarios]
    assert '"written_by"' in found.to_baseline()
    assert "undecided" in found._repr_html_()


def test_what_plans_other_runs_is_refused(asked: dict[str, Any]) -> None:
    others: list[dict[str, Any]] = [
        {"runs": 4}, {"run_number": 2}, {"shard": "1/2"},
        {"no_judge": True}, {"experiments": "course"},
    ]  # fmt: skip
    for settings in others:
        with pytest.raises(UsageError, match="is not for runs that are bought until something is decided"):
            independence.check("harbour", min_index=50, **asked, **settings)
    with pytest.raises(UsageError, match="names several subjects, and a gate is about one"):
        independence.check("harbour", min_index=50, roster="default", **asked)


def test_options_are_values_too(asked: dict[str, Any]) -> None:
    options = RunOptions(suite="harbour", models=("sim/always",), judges=("cues",))
    assert independence.check(options, min_index=50, store=asked["store"]).decision == "fail"


def test_a_run_that_is_not_approved_is_not_bought(asked: dict[str, Any]) -> None:
    seen: list[RunPreview] = []

    def twice(preview: RunPreview) -> bool:
        seen.append(preview)
        return len(seen) < 2

    none = independence.check("harbour", min_index=50, approve=lambda _: False, **asked)
    assert (none.started, none.exit_code, none.decision) == (False, 0, None)
    found = independence.check("harbour", min_index=50, approve=twice, **asked)
    assert found.decision == "undecided"
    assert "no further run was approved" in found.document.reason
    assert stored(asked["store"]) == 2 * CALLS


async def test_a_gate_that_was_cancelled_goes_on_without_asking_twice(asked: dict[str, Any]) -> None:
    heard: list[Event] = []

    def hear(event: Event) -> None:
        heard.append(event)
        if sum(isinstance(one, CallCommitted) for one in heard) == 3 * CALLS - 2:
            work.cancel()

    work = asyncio.ensure_future(independence.acheck("harbour", min_index=50, max_runs=4, on_event=hear, **asked))
    with pytest.raises(asyncio.CancelledError):
        await work
    before = stored(asked["store"])
    assert 2 * CALLS < before <= 3 * CALLS
    asked_again: list[Event] = []
    found = await independence.acheck("harbour", min_index=50, max_runs=4, on_event=asked_again.append, **asked)
    assert found.document.runs == 4
    assert sum(isinstance(one, CallCommitted) for one in asked_again) == 4 * CALLS - before
    straight = {**asked, "store": asked["store"].with_name("other.db")}
    whole = await independence.acheck("harbour", min_index=50, max_runs=4, **straight)
    assert whole.document.bars == found.document.bars


def test_a_run_that_was_planned_before_and_is_not_whole_is_filled_first(asked: dict[str, Any]) -> None:
    store = asked["store"]
    independence.run("harbour", runs=5, models="sim/half", judges="cues", store=store)
    with closing(sqlite3.connect(store)) as connection, connection:
        trial = "trial = (SELECT trial FROM planned WHERE scenario = 'bell' AND run = 5)"
        connection.execute(f"DELETE FROM calls WHERE {trial}")
        connection.execute(f"DELETE FROM verdicts WHERE {trial}")
    found = independence.check("harbour", min_index=50, max_runs=5, **asked)
    assert (found.document.runs, found.document.calls_bought) == (5, 1)
    assert stored(store) == 5 * CALLS


def test_what_another_process_works_on_is_unfinished_and_said_so(asked: dict[str, Any]) -> None:
    independence.run("harbour", runs=2, **asked)
    with closing(sqlite3.connect(asked["store"])) as connection, connection:
        digests.offer(connection)
        (trial,) = connection.execute("SELECT max(trial) FROM calls").fetchone()
        for table in ("verdicts", "calls"):
            connection.execute(f"DELETE FROM {table} WHERE trial = ?", (trial,))
        assert leases.take(connection, trial, leases.owner()) is None
    found = independence.check("harbour", min_index=50, **asked)
    assert (found.exit_code, found.decision) == (3, None)
    assert found.document.missing["dialogues unfinished, which the same command asks again"] == 1
    assert "1 dialogues unfinished" in found.document.reason
