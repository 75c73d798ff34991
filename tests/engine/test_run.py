"""A plan carried out against a scripted client and a real store; whole runs through the command are in tests/e2e."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from independence.clients.protocol import GaveUp, Parked
from independence.config.subjects import Subject
from independence.engine import dialogue, plan, resume, run
from independence.engine.events import (
    CallCommitted,
    CallUnresolved,
    Event,
    ModelStopped,
    SubjectStarted,
    VerdictCommitted,
)
from independence.engine.gate import EndpointGate, StopSignal
from independence.engine.plan import Trial
from independence.engine.resume import PendingWork
from independence.engine.run import RunOutcome
from independence.engine.run_context import EndpointBackend, Parallelism, RunContext
from independence.errors import DiskFull, OutOfCredit
from independence.judge.cues.grading import CuesJudge
from independence.judge.kinds import CUES
from independence.store import leases
from independence.store.writer import Writer
from independence.suites import digest
from independence.suites.load import LoadedSuite
from independence.types import Answer, ChatRequest, Missing, Reply, Where

from . import planned

ALL = Parallelism(5, 10)
RULES = CuesJudge(CUES)
SAID = "I still prefer the stew, and I would choose it again, because it is what I like best."


class Subjects:
    """A client that answers by a rule and keeps what it was asked."""

    def __init__(self, rule: Callable[[ChatRequest], Answer | Exception]) -> None:
        self.rule = rule
        self.asked: list[ChatRequest] = []
        self.flying = self.most = 0

    async def ask(self, request: ChatRequest) -> Answer:
        self.asked.append(request)
        self.flying += 1
        self.most = max(self.most, self.flying)
        await asyncio.sleep(0.001)
        self.flying -= 1
        answer = self.rule(request)
        if isinstance(answer, Exception):
            raise answer
        return answer


def firm(request: ChatRequest) -> Answer:
    return Reply(SAID, "tool")


def exhausted(request: ChatRequest) -> Exception:
    return Parked("m", "daily quota")


class Run:
    """One run of a plan of the toy suite; may be carried out again."""

    def __init__(
        self, connection: sqlite3.Connection, path: Path, loaded: LoadedSuite, trials: Sequence[Trial]
    ) -> None:
        self.connection, self.path, self.loaded, self.trials = connection, path, loaded, trials
        self.rubrics = {s.id: digest.rubric(loaded.suite, s) for s in loaded.suite.scenarios}
        planned.store(connection, loaded, trials)

    def left(self) -> PendingWork:
        where = Where(self.loaded.suite.suite, self.loaded.edition)
        return resume.compare(self.connection, where, self.trials, [RULES], self.rubrics)

    async def carry_out(
        self, client: Subjects, limit: int = 10, shares: Parallelism = ALL
    ) -> tuple[RunOutcome, list[Event]]:
        events: list[Event] = []
        writer, gate = Writer(self.connection, self.path), EndpointGate(lambda: limit)
        halt = StopSignal([gate], events.append)
        judges = EndpointBackend(client, EndpointGate(lambda: 100))  # what it takes is nothing to the subjects
        backends = {"openrouter": EndpointBackend(client, gate), "judges": judges}
        bench = RunContext(self.loaded.suite, self.rubrics, backends, writer, events.append, halt, leases.owner())
        outcome = await run.run(bench, self.left().todo, shares)
        await writer.close()
        assert gate.busy == 0
        held = self.connection.execute("SELECT count(*) FROM leases")
        assert held.fetchone()[0] == 0
        return outcome, events


def made(connection: sqlite3.Connection, tmp_path: Path, loaded: LoadedSuite, runs: int = 1) -> Run:
    trials = list(planned.trials(loaded.suite, runs=runs).values())
    return Run(connection, tmp_path / "store.db", loaded, trials)


async def test_a_run_answers_and_grades_everything_and_resuming_asks_nothing(
    connection: sqlite3.Connection, tmp_path: Path, toy_suite: LoadedSuite
) -> None:
    work, client = made(connection, tmp_path, toy_suite, runs=2), Subjects(firm)
    outcome, events = await work.carry_out(client)
    assert outcome == RunOutcome(None, 0)
    assert len(client.asked) == 8
    assert work.left().todo == []
    assert [event for event in events if isinstance(event, SubjectStarted)] == [SubjectStarted("m@low-t0.7", 8, 6)]
    assert sum(isinstance(event, CallCommitted) for event in events) == 8
    assert sum(isinstance(event, VerdictCommitted) for event in events) == 6
    await work.carry_out(client)
    assert len(client.asked) == 8


async def test_no_more_calls_fly_than_endpoint_and_share_allow(
    connection: sqlite3.Connection, tmp_path: Path, toy_suite: LoadedSuite
) -> None:
    work, client = made(connection, tmp_path, toy_suite, runs=6), Subjects(firm)
    await work.carry_out(client, limit=2)
    assert client.most == 2
    other, client = made(connection, tmp_path, LoadedSuite(toy_suite.suite, "other"), runs=12), Subjects(firm)
    await other.carry_out(client, shares=Parallelism(1, 3))
    assert client.most == 3


async def test_tasks_are_made_when_their_trial_may_begin(
    connection: sqlite3.Connection, tmp_path: Path, toy_suite: LoadedSuite
) -> None:
    alive: list[int] = []

    def counted(_request: ChatRequest) -> Answer:
        alive.append(len(asyncio.all_tasks()))
        return Reply(SAID, "tool")

    work, client = made(connection, tmp_path, toy_suite, runs=100), Subjects(counted)
    outcome, _ = await work.carry_out(client, shares=Parallelism(2, 4))
    assert outcome == RunOutcome(None, 0)
    assert len(client.asked) == 400
    assert max(alive) < 30  # of 300 trials: in flight, waiting for a slot, being graded


async def test_all_subjects_share_what_is_in_flight(
    connection: sqlite3.Connection, tmp_path: Path, toy_suite: LoadedSuite
) -> None:
    subjects = [Subject(f"lab/{name}", "openrouter", name) for name in "abc"]
    trials = plan.trials(toy_suite.suite, plan.select(toy_suite.suite, (), (), 6, ()), subjects)
    together: set[frozenset[str]] = set()
    flying: list[str] = []

    class Watched(Subjects):
        async def ask(self, request: ChatRequest) -> Answer:
            flying.append(request.model)
            together.add(frozenset(flying))
            answer = await super().ask(request)
            flying.remove(request.model)
            return answer

    client = Watched(firm)
    await Run(connection, tmp_path / "store.db", toy_suite, trials).carry_out(client, shares=Parallelism(2, 2))
    assert client.most == 4
    assert frozenset("abc") in together


async def test_the_last_runs_go_side_by_side_and_earlier_ones_in_their_order(
    connection: sqlite3.Connection, tmp_path: Path, toy_suite: LoadedSuite
) -> None:
    trials = [one for one in planned.trials(toy_suite.suite, runs=9).values() if one.dialogue.generated == 2]
    await Run(connection, tmp_path / "store.db", toy_suite, trials).carry_out(Subjects(firm), limit=3)
    asked = connection.execute(
        "SELECT p.run, c.turn FROM calls c JOIN planned p ON p.trial = c.trial ORDER BY c.rowid"
    ).fetchall()
    of_last = [turn for run, turn in asked if run > 6]  # as many dialogues as slots
    assert of_last == [0, 0, 0, 1, 1, 1]
    of_first = [turn for run, turn in asked if run <= 6]
    assert of_first != sorted(of_first)


async def test_two_places_that_ask_the_same_are_asked_once(
    connection: sqlite3.Connection, tmp_path: Path, toy_suite: LoadedSuite
) -> None:
    suite = msgspec.structs.replace(toy_suite.suite, variants={**toy_suite.suite.variants, "twin": "", "other": ""})
    loaded = LoadedSuite(suite, "e")
    trials = [trial for variant in ("twin", "other") for trial in planned.trials(suite, variants=[variant]).values()]
    work, client = Run(connection, tmp_path / "store.db", loaded, trials), Subjects(firm)
    await work.carry_out(client)
    assert len(client.asked) == 4
    assert work.left().todo == []


async def test_a_missing_answer_ends_its_dialogue_and_what_follows(
    connection: sqlite3.Connection, tmp_path: Path, toy_suite: LoadedSuite
) -> None:
    work = made(connection, tmp_path, toy_suite)
    client = Subjects(lambda request: Missing("no_answer") if "Which dish" in str(request.messages) else firm(request))
    await work.carry_out(client)
    assert len(client.asked) == 2
    left = work.left()
    assert left.todo == []
    assert left.missing == {"no_answer": 1, "parent_missing": 1}


async def test_a_call_given_up_is_asked_again_on_resume(
    connection: sqlite3.Connection, tmp_path: Path, toy_suite: LoadedSuite
) -> None:
    work = made(connection, tmp_path, toy_suite)
    client = Subjects(lambda request: GaveUp("m", "503") if "radio" in str(request.messages) else firm(request))
    _, events = await work.carry_out(client)
    assert [(event.what, event.why) for event in events if isinstance(event, CallUnresolved)] == [("radio", "503")]
    assert [item.trial.dialogue.scenario.id for item in work.left().todo] == ["radio"]
    await work.carry_out(Subjects(firm))
    assert work.left().todo == []


async def test_a_parked_subject_goes_home_and_the_run_ends(
    connection: sqlite3.Connection, tmp_path: Path, toy_suite: LoadedSuite
) -> None:
    work = made(connection, tmp_path, toy_suite, runs=4)
    client = Subjects(exhausted)
    outcome, events = await work.carry_out(client, limit=1)
    assert outcome.stopped_by is None
    assert [event for event in events if isinstance(event, ModelStopped)] == [
        ModelStopped("m", "daily quota", subject="m@low-t0.7")
    ]
    assert len(client.asked) == 1
    assert len(work.left().todo) == 12


async def test_an_error_that_ends_the_run_keeps_what_was_answered(
    connection: sqlite3.Connection, tmp_path: Path, toy_suite: LoadedSuite
) -> None:
    work = made(connection, tmp_path, toy_suite, runs=4)
    client = Subjects(lambda request: firm(request) if len(client.asked) <= 5 else OutOfCredit("empty"))
    outcome, _ = await work.carry_out(client, limit=1)
    assert isinstance(outcome.stopped_by, OutOfCredit)
    assert len(client.asked) == 6  # nobody got the slot of the call that ended the run
    assert connection.execute("SELECT count(*) FROM calls").fetchone()[0] == 5
    await work.carry_out(Subjects(firm))
    assert work.left().todo == []


async def test_a_full_disk_ends_the_run_before_another_answer_is_paid_for(
    connection: sqlite3.Connection, tmp_path: Path, toy_suite: LoadedSuite
) -> None:
    work = made(connection, tmp_path, toy_suite, runs=4)
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}").fetchone()
    client = Subjects(lambda request: Reply(SAID + "x" * len(request.messages) * 10_000, "tool"))
    outcome, _ = await work.carry_out(client, limit=1)
    assert isinstance(outcome.stopped_by, DiskFull)
    assert len(client.asked) == 1
    connection.execute("PRAGMA max_page_count = 1000000").fetchone()
    await work.carry_out(Subjects(firm))
    assert work.left().todo == []


async def asked_in_order(
    connection: sqlite3.Connection, tmp_path: Path, loaded: LoadedSuite, shares: Parallelism
) -> list[tuple[str, int]]:
    """(model, run) of every request of three subjects' two runs, in the order they left."""
    subjects = [Subject(f"lab/{name}", "openrouter", name) for name in "abc"]
    trials = plan.trials(loaded.suite, plan.select(loaded.suite, (), (), 2, ()), subjects)
    runs = {dialogue.turn_seed(trial, turn): trial.run for trial in trials for turn in range(trial.dialogue.generated)}
    work, client = Run(connection, tmp_path / "store.db", loaded, trials), Subjects(firm)
    await work.carry_out(client, limit=2, shares=shares)
    return [(request.model, runs[request.seed or 0]) for request in client.asked]


async def test_run_1_of_every_subject_comes_before_run_2_of_any(
    connection: sqlite3.Connection, tmp_path: Path, toy_suite: LoadedSuite
) -> None:
    for shares in (ALL, Parallelism(2, 10)):  # more subjects than work at once, too
        loaded = LoadedSuite(toy_suite.suite, f"e{shares.subjects}")
        order = await asked_in_order(connection, tmp_path, loaded, shares)
        connection.execute("DELETE FROM calls")
        last_of_first = max(at for at, (_, run) in enumerate(order) if run == 1)
        early = [run for _, run in order[:last_of_first] if run == 2]
        assert len(early) <= 4  # of 8: slots that run 1 cannot fill while it waits for an answer
        assert {model for model, run in order if run == 1} == set("abc")


async def test_one_subject_at_a_time_does_all_its_runs_before_the_next(
    connection: sqlite3.Connection, tmp_path: Path, toy_suite: LoadedSuite
) -> None:
    order = await asked_in_order(connection, tmp_path, toy_suite, Parallelism(1, 10))
    models = [model for model, _ in order]
    assert models == sorted(models)
