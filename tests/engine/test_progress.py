"""What a run tells of itself: lines of a log, and a snapshot in the store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from sqlite3 import Connection
from typing import Any, TypeVar

import msgspec
import pytest

from independence.clients.limits import Budget
from independence.clients.protocol import Wait
from independence.config.endpoints import masking
from independence.engine import progress as run_progress
from independence.engine.events import (
    POSITION,
    CallCommitted,
    CallUnresolved,
    CallWaiting,
    ConcurrencyChanged,
    Event,
    ModelStopped,
    RunPosition,
    RunStopping,
    SubjectStarted,
    TrialSkipped,
    VerdictCommitted,
    entries,
)
from independence.engine.progress import RunProgress
from independence.store import leases, progress
from independence.store.progress import ParkedModel, RunSnapshot, WaitingModel
from independence.store.writer import Write
from independence.types import Attempt, Condition, Missing, Reply, Usage, Verdict
from tests.virtual_time import HandClock, in_virtual_time

SPOT = RunPosition("m@low-t0.7", "acme/m", Condition("plain", "user_role"), "berth", 2, "berth_push")
PLACE = {
    "subject": "m@low-t0.7", "condition": "plain/user_role", "scenario": "berth", "run": 2, "turn": "berth_push",
}  # fmt: skip
TRIED = (Attempt("429", 0.25), Attempt("ok", 1.5, Usage(cost_usd=0.002)))
REPLY = Reply("SECRET WORDS", "content", attempts=TRIED)
VERDICT = Verdict({"held": 3}, raw="SECRET WORDS", attempts=(Attempt("ok", 0.5),))
BROKEN = Missing("unreadable_verdict", "no JSON object found", "SECRET WORDS", TRIED)


def told(event: Event, here: RunPosition | None = SPOT) -> list[dict[str, Any]]:
    return [msgspec.to_builtins(entry) for entry in entries(event, here)]


def test_an_answered_call_says_who_where_how_often_how_long_and_for_how_much() -> None:
    call, stored = told(CallCommitted("m@low-t0.7", 0.002, None, REPLY))
    assert call == {
        "level": "info", "event": "call", "model": "acme/m", **PLACE, "attempt": 2, "status": "ok", "seconds": 1.75,
        "cost": 0.002, "detail": "429, ok",
    }  # fmt: skip
    assert stored == {
        "level": "debug", "event": "stored", "model": "acme/m", **PLACE, "status": "ok", "text": "SECRET WORDS",
    }  # fmt: skip


UNREADABLE = Missing(
    "unreadable_verdict", "no", "hm",
    (Attempt("429", 0.1), Attempt("invalid", 0.5, detail="`held` is missing"), Attempt("invalid", 0.5, detail="no")),
)  # fmt: skip


@pytest.mark.parametrize(
    ("event", "status", "detail"),
    [
        (CallCommitted("m", 0, "no_answer", Missing("no_answer", "a loop", "hm")), "no_answer", "a loop"),
        (CallCommitted("m", 0, "no_answer", Missing("no_answer", "a loop", "hm", TRIED)), "no_answer",
         "a loop (429, ok)"),
        (VerdictCommitted("m", "j", 0.5, "unreadable_verdict", UNREADABLE), "unreadable_verdict",
         "429, invalid: `held` is missing, invalid: no"),
    ],
)  # fmt: skip
def test_what_came_to_nothing_is_a_warning_with_its_reason_and_why_each_time(
    event: Event, status: str, detail: str
) -> None:
    call, stored = told(event)
    assert (call["level"], call["status"], call["detail"]) == ("warning", status, detail)
    assert (stored["level"], stored["text"]) == ("debug", "hm")
    assert stored["detail"] in detail.split(" (", maxsplit=1)[0]


def test_a_verdict_names_its_judge() -> None:
    verdict, stored = told(VerdictCommitted("m@low-t0.7", "acme/judge", 0.5, None, VERDICT))
    assert (verdict["event"], verdict["model"], verdict["subject"]) == ("verdict", "acme/judge", "m@low-t0.7")
    assert (verdict["cost"], verdict["attempt"], verdict["seconds"]) == (0.5, 1, 0.5)
    assert (stored["event"], stored["model"]) == ("stored", "acme/judge")


def test_a_retry_says_which_attempt_failed_how_and_a_wait_is_of_interest_where_it_takes_a_while() -> None:
    assert told(CallWaiting(Wait("m", "429", 2.5, attempt=1))) == [
        {"level": "warning", "event": "retry", "model": "m", **PLACE, "attempt": 1, "status": "429", "seconds": 2.5}
    ]
    assert told(CallWaiting(Wait("m", "429", 0.0, still=True))) == []
    for wait, level in (
        (Wait("m", "rate", 0.02), "debug"),
        (Wait("m", "rate", 1.0), "info"),
        (Wait("m", "budget", 0), "info"),
    ):
        (entry,) = told(CallWaiting(wait))
        assert (entry["event"], entry["level"], entry["status"]) == ("wait", level, wait.reason)


@pytest.mark.parametrize(
    ("event", "entry"),
    [
        (SubjectStarted("m@low-t0.7", 30, 18),
         {"level": "info", "event": "planned", "subject": "m@low-t0.7", "calls": 30, "verdicts": 18}),
        (ModelStopped("acme/judge", "429: daily limit"),
         {"level": "error", "event": "parked", "model": "acme/judge", "detail": "429: daily limit"}),
        (CallUnresolved("m@low-t0.7", "berth_push", "502 after 2 attempts", TRIED),
         {"level": "warning", "event": "call", "subject": "m@low-t0.7", "status": "unsettled", "attempt": 2,
          "seconds": 1.75, "cost": 0.002, "detail": "berth_push: 502 after 2 attempts"}),
        (TrialSkipped("m@low-t0.7", "box:1:2"),
         {"level": "info", "event": "skipped", "subject": "m@low-t0.7", "detail": "held by box:1:2"}),
        (RunStopping("the cap is reached"),
         {"level": "warning", "event": "stopped", "status": "stopping", "detail": "the cap is reached"}),
    ],
)  # fmt: skip
def test_the_course_of_a_run_is_told(event: Event, entry: dict[str, object]) -> None:
    assert told(event, None) == [entry]


def test_what_a_model_wrote_is_in_debug_entries_alone() -> None:
    for event in (
        CallCommitted("m", 0.0, None, REPLY),
        CallCommitted("m", 0.0, "transport", BROKEN),
        VerdictCommitted("m", "j", 0.0, None, VERDICT),
        VerdictCommitted("m", "j", 0.0, "unreadable_verdict", BROKEN),
        VerdictCommitted("m", "j", 0.0, None),
        CallCommitted("m", 0.0, None),
    ):
        found = list(entries(event, SPOT))
        assert [entry.level for entry in found if b"SECRET" in msgspec.json.encode(entry)] in ([], ["debug"])
        assert len(found) == 2


async def test_tasks_know_their_own_place_and_not_each_others() -> None:
    async def work(number: int) -> RunPosition | None:
        POSITION.set(SPOT._replace(run=number))
        await asyncio.sleep(0)
        return POSITION.get()

    found = await asyncio.gather(*(asyncio.create_task(work(number)) for number in range(3)))
    assert [spot.run for spot in found if spot] == [0, 1, 2]
    assert POSITION.get() is None


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
        command="run", about="toy@1", began=1000.0, started=1000.0, planned=13, done=3, failed=1, usd=0.0, cap_usd=2.0,
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
