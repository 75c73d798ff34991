"""Decisions from Python: results, options as values, approval stage by stage, cancelling and going on."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

import independence
from independence import RunOptions, RunPreview, UsageError
from independence.api.purchase import StagePreview
from independence.engine.events import CallCommitted, Event
from tests.e2e import suites

CALLS = 5  # answers of one run


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.chdir(tmp_path)
    suites.write(tmp_path / "harbour", suites.harbour())
    return {"models": ["sim/half", "sim/yield-35"], "judges": "cues", "store": tmp_path / "store.db"}


def stored(store: Path) -> int:
    with closing(sqlite3.connect(store)) as connection:
        count: int = connection.execute("SELECT count(*) FROM calls").fetchone()[0]
        return count


def test_a_decision_is_a_call(asked: dict[str, Any]) -> None:
    found = independence.decide("harbour", **asked | {"models": ["sim/never", "sim/always"]})
    assert (found.outcome, found.exit_code, found.started, found.stopped_by) == ("differ", 0, True, None)
    high, low = found.records()
    assert [str(one["subject"]).partition("@")[0] for one in (high, low)] == ["sim/never", "sim/always"]
    assert found.compared is not None
    assert [table.id for table in found.tables] == [table.id for table in found.compared.tables]
    document = msgspec.json.decode(found.to_json())
    assert document["calls_bought"] == stored(asked["store"]) == found.document.calls_bought
    assert found.document.reason.startswith("sim/never@none-t0.7 is higher than sim/always@none-t0.7, by 100.0 points")
    assert "is higher than" in repr(found)
    assert "<table" in found._repr_html_()


def test_options_are_values_and_of_three_the_best_is_decided(asked: dict[str, Any]) -> None:
    options = RunOptions(suite="harbour", models=("sim/never", "sim/always", "sim/half"), judges=("cues",))
    found = independence.decide(options, max_runs=4, store=asked["store"])
    assert [table.id for table in found.tables] == ["decision"]
    assert found.compared is None
    best, *others = found.document.sides
    assert (best.standing, best.behind, best.below_since) == ("best", None, None)
    assert all(one.behind is not None and one.behind > 0 for one in others)


def test_what_no_decision_is_about_is_refused_and_nothing_is_stored(asked: dict[str, Any]) -> None:
    rows: list[tuple[dict[str, Any], str]] = [
        *(({name: value}, "is not for runs that are bought") for name, value in {
            "runs": 4, "run_number": 2, "shard": "1/2", "no_judge": True, "experiments": "course",
        }.items()),
        ({"models": "sim/half"}, "a decision is between two subjects or more"),
        ({"judges": ["cues", "sim/judge"]}, "goes by one judge, and these are 2"),
        ({"within": 0}, "--within 0: write points of the index above 0"),
        ({"max_runs": 1}, "--max-runs 1: write a number of runs from 2"),
        ({"models": ["sim/half", "sim/never"], "modes": ["user_role", "tool_role"]}, "under one condition"),
        ({"margin": 3}, r"decide\(\) has no option `margin`"),
    ]  # fmt: skip
    for settings, says in rows:
        with pytest.raises(UsageError, match=says):
            independence.decide("harbour", **asked | settings)
    with pytest.raises(UsageError, match="a decision is about an index"):
        independence.decide("sides", **asked)
    assert not asked["store"].exists() or stored(asked["store"]) == 0


def test_each_stage_is_shown_before_it_is_bought_with_all_that_may_follow(asked: dict[str, Any]) -> None:
    seen: list[StagePreview] = []

    def so_often(times: int) -> Any:
        def approve(preview: RunPreview) -> bool:
            assert isinstance(preview, StagePreview)
            seen.append(preview)
            return len(seen) < times

        return approve

    none = independence.decide("harbour", max_runs=6, approve=so_often(1), **asked)
    assert (none.started, none.exit_code, none.outcome, none.document.sides) == (False, 0, None, ())
    (first,) = seen
    assert (first.stage, first.calls, first.most_calls, first.so_far) == (2, 2 * 2 * CALLS, 2 * 6 * CALLS, "")
    seen.clear()
    found = independence.decide("harbour", max_runs=6, approve=so_often(3), **asked)
    assert (found.outcome, found.exit_code) == ("open", 5)
    assert "No further run was approved." in found.document.reason
    assert [(one.stage, one.calls) for one in seen] == [(2, 20), (3, 10), (4, 10)]
    assert all(one.so_far.startswith("Open: sim/yield-35@none-t0.7 has the highest") for one in seen[1:])
    assert stored(asked["store"]) == found.document.calls_bought == 2 * 3 * CALLS
    seen.clear()
    independence.decide("harbour", max_runs=6, approve=so_often(9), **asked)
    assert seen[0].most_calls == 2 * (6 - 3) * CALLS  # what is stored is not counted again
    assert stored(asked["store"]) == 2 * 6 * CALLS


def test_how_many_calls_are_likely_is_foretold_where_a_suite_ships_its_noise(asked: dict[str, Any]) -> None:
    likely: dict[float, int] = {}

    def note(preview: RunPreview) -> bool:
        assert isinstance(preview, StagePreview)
        assert preview.likely_calls is not None
        assert preview.calls <= preview.likely_calls <= preview.most_calls
        likely[margin] = preview.likely_calls
        return False

    for margin in (3.0, 5.0, 12.0, 30.0):
        independence.decide("v2", within=margin, approve=note, **asked)
    assert list(likely.values()) == sorted(likely.values(), reverse=True)
    assert likely[3.0] > 2 * likely[30.0]


async def test_a_decision_that_was_cancelled_goes_on_without_asking_twice(asked: dict[str, Any]) -> None:
    heard: list[Event] = []

    def hear(event: Event) -> None:
        heard.append(event)
        if sum(isinstance(one, CallCommitted) for one in heard) == 2 * 3 * CALLS - 3:
            work.cancel()

    work = asyncio.ensure_future(independence.adecide("harbour", max_runs=4, on_event=hear, **asked))
    with pytest.raises(asyncio.CancelledError):
        await work
    before = stored(asked["store"])
    assert 2 * 2 * CALLS < before <= 2 * 3 * CALLS
    again: list[Event] = []
    found = await independence.adecide("harbour", max_runs=4, on_event=again.append, **asked)
    calls = sum(isinstance(one, CallCommitted) for one in again)
    assert calls == found.document.calls_bought == 2 * 4 * CALLS - before
    whole = await independence.adecide("harbour", max_runs=4, **asked | {"store": asked["store"].with_name("other.db")})
    assert whole.document.sides == found.document.sides
    assert whole.document.reason == found.document.reason
