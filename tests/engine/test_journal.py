"""A call that a crash ends goes on at the attempt that was in flight, and comes to what it would have come to."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from benchmarks.virtual_time import InPlaceWriter

from independence.clients.client import JournaledClient
from independence.config.endpoints import Endpoint
from independence.engine.journal import StoredJournal
from independence.store import attempts, records
from independence.store.records import FailureRow
from independence.types import Answer, Attempt
from tests.clients.conftest import (
    FINE,
    GREETING,
    KEY,
    PATIENT,
    Step,
    Unplugged,
    completion,
    failing,
    lined,
    question,
)
from tests.virtual_time import in_virtual_time

CALL = ("trial", "turn")
CUT = completion("I am", finish="length")
THOUGHT = completion("", message={"reasoning": f"Who am I? {KEY}"})
# What comes, attempt by attempt.
COURSES: list[list[Step | dict[str, Any]]] = [
    [CUT, FINE],
    [CUT, CUT],  # the longer one is taken as it is
    [THOUGHT, completion(call='{"message": "}"}'), FINE],
    [THOUGHT, THOUGHT, THOUGHT],  # it is missing
    [completion(GREETING.upper()), failing(503), FINE],
    [failing(429), failing(503), CUT, failing(503), FINE],
    [completion("", usage={"prompt_tokens": 100, "completion_tokens": 0}), FINE],
]


class Session(Unplugged):
    """It answers some requests, and the next one not in this life."""

    def __init__(self, steps: list[Step | dict[str, Any]], answers: float) -> None:
        super().__init__(*steps)
        self.answers = answers
        self.waits = asyncio.Event()

    async def request(self, *arguments: Any, **keywords: Any) -> Any:
        if len(self.bodies) == self.answers:
            self.waits.set()
            await asyncio.Event().wait()
        return await super().request(*arguments, **keywords)


async def asked(connection: sqlite3.Connection, clock: Callable[[], float], session: Session) -> Answer | None:
    """What the call comes to in one process; None where that is killed while a request is in flight."""
    there = Endpoint("openrouter", "http://127.0.0.1/v1", "openrouter", api_key=KEY)
    earlier = attempts.of_trial(connection, CALL[0]).get(CALL[1], [])
    journal = StoredJournal(InPlaceWriter(connection), *CALL, earlier)
    client = JournaledClient(lined(session, there, policy=PATIENT, clock=clock).client, journal)
    call = asyncio.ensure_future(client.ask(question(tool=True)))
    killed = asyncio.ensure_future(session.waits.wait())
    await asyncio.wait([call, killed], return_when=asyncio.FIRST_COMPLETED)
    killed.cancel()
    if call.done():
        return call.result()
    call.cancel()
    return None


def without_time(answer: Answer | None) -> Any:
    assert answer is not None
    fields = {name: getattr(answer, name) for name in answer.__struct_fields__}
    return fields | {"attempts": [(one.outcome, one.usage, one.unknown_usd) for one in answer.attempts]}


def test_a_call_killed_at_any_attempt_comes_to_the_same_and_sends_no_other_request(connection: sqlite3.Connection):
    async def compare(clock: Callable[[], float]) -> None:
        for course in COURSES:
            undisturbed = Session(course, float("inf"))
            whole = without_time(await asked(connection, clock, undisturbed))
            assert len(undisturbed.bodies) == len(course)
            connection.execute("DELETE FROM attempts")
            for killed in range(len(course)):
                first = Session(course, killed)
                assert await asked(connection, clock, first) is None
                second = Session(course[killed:], float("inf"))
                assert without_time(await asked(connection, clock, second)) == whole, (course, killed)
                assert [*first.bodies, *second.bodies] == undisturbed.bodies
                connection.execute("DELETE FROM attempts")
            lives = [await asked(connection, clock, Session(course[number:], 1)) for number in range(len(course))]
            assert lives[:-1] == [None] * (len(course) - 1)
            assert without_time(lives[-1]) == whole
            kept = connection.execute("SELECT group_concat(request || attempt || ifnull(answer, '')) FROM attempts")
            assert KEY not in str(kept.fetchone())
            connection.execute("DELETE FROM attempts")

    in_virtual_time(compare)


def test_what_was_asked_otherwise_is_no_answer_but_has_cost_something(connection: sqlite3.Connection):
    async def compare(clock: Callable[[], float]) -> None:
        assert await asked(connection, clock, Session([CUT, FINE], 1)) is None
        connection.execute("UPDATE attempts SET request = 'of another version'")
        again = Session([FINE], float("inf"))
        answer = await asked(connection, clock, again)
        assert answer is not None
        assert [one.outcome for one in answer.attempts] == ["ok", "ok"]
        assert answer.usage.cost_usd == pytest.approx(0.002)
        assert again.bodies[0]["seed"] == 7

    in_virtual_time(compare)


def test_whoever_settles_a_call_takes_its_attempts(connection: sqlite3.Connection):
    row = attempts.StoredAttempt("request", Attempt("length", 1.0))
    for what in ("one", "two"):
        attempts.add(connection, "trial", what, 0, [row, row])
    assert {what: len(own) for what, own in attempts.of_trial(connection, "trial").items()} == {"one": 2, "two": 2}
    records.add_failure(connection, FailureRow("trial", "one", "GaveUp", "", (row.attempt,)))
    assert attempts.of_trial(connection, "trial") == {"two": [row, row]}
    assert attempts.of_trial(connection, "another") == {}
