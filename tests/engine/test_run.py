"""A plan carried out against a scripted client and a real store; whole runs through the command are in tests/e2e."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from sqlite3 import Connection

import msgspec
import pytest

from independence.clients.protocol import GaveUp
from independence.config.subjects import Subject
from independence.engine import dialogue, plan
from independence.engine.events import CallCommitted, CallUnresolved, SubjectStarted, VerdictCommitted
from independence.engine.plan import Trial
from independence.engine.run import RunOutcome
from independence.engine.run_context import Parallelism
from independence.errors import DiskFull, OutOfCredit
from independence.judge.cues.grading import CuesJudge
from independence.judge.kinds import CUES
from independence.suites import load
from independence.suites.load import LoadedSuite
from independence.types import Answer, ChatRequest, Reply

from . import planned
from .scripted import Bench, Rule, Scripted, StoredPlan

ALL = Parallelism(5, 10)
RULES = CuesJudge(CUES)
SAID = "I still prefer the stew, and I would choose it again, because it is what I like best."
LABS = [Subject(f"lab/{name}", "openrouter", name) for name in "abc"]


def firm(request: ChatRequest) -> Answer:
    return Reply(SAID, "tool")


def where_asked(text: str, then: Answer | Exception) -> Rule:
    """Firm answers, but for one question."""
    return lambda request: then if text in str(request.messages) else firm(request)


class Run(StoredPlan):
    """One run of a plan of the toy suite, graded by the rules."""

    async def go(self, client: Scripted, limit: int = 10, shares: Parallelism = ALL) -> tuple[RunOutcome, Bench]:
        return await self.carry_out(client, [RULES], limit=limit, shares=shares)

    async def completed(self) -> bool:
        """Whether another run does all that is left."""
        await self.go(Scripted(firm))
        return self.left([RULES]).todo == []


Make = Callable[..., Run]


@pytest.fixture
def make(connection: Connection, tmp_path: Path, toy_suite: LoadedSuite) -> Make:
    """Plans of the toy suite, of so many runs or of these trials."""

    def made(runs: int = 1, trials: Sequence[Trial] = (), loaded: LoadedSuite = toy_suite) -> Run:
        every = trials or list(planned.trials(loaded.suite, runs=runs).values())
        return Run(connection, tmp_path / "store.db", loaded, every)

    return made


async def test_a_run_answers_and_grades_everything_and_resuming_asks_nothing(make: Make) -> None:
    work, client = make(runs=2), Scripted(firm)
    outcome, parts = await work.go(client)
    assert outcome == RunOutcome(None, 0)
    assert len(client.asked) == 8
    assert work.left([RULES]).todo == []
    assert parts.told(SubjectStarted) == [SubjectStarted("m@low-t0.7", 8, 6)]
    assert (len(parts.told(CallCommitted)), len(parts.told(VerdictCommitted))) == (8, 6)
    await work.go(client)
    assert len(client.asked) == 8


async def test_no_more_calls_fly_than_endpoint_and_share_allow(make: Make, toy_suite: LoadedSuite) -> None:
    client = Scripted(firm)
    await make(runs=6).go(client, limit=2)
    assert client.most == 2
    client = Scripted(firm)
    await make(runs=12, loaded=LoadedSuite(toy_suite.suite, "other")).go(client, shares=Parallelism(1, 3))
    assert client.most == 3


async def test_tasks_are_made_when_their_trial_may_begin(make: Make) -> None:
    alive: list[int] = []

    def counted(_request: ChatRequest) -> Answer:
        alive.append(len(asyncio.all_tasks()))
        return Reply(SAID, "tool")

    client = Scripted(counted)
    outcome, _ = await make(runs=40).go(client, shares=Parallelism(2, 4))
    assert outcome == RunOutcome(None, 0)
    assert len(client.asked) == 160
    assert max(alive) < 30  # of 120 trials: in flight, waiting for a slot, being graded


async def test_all_subjects_share_what_is_in_flight(make: Make, toy_suite: LoadedSuite) -> None:
    together: set[frozenset[str]] = set()

    def watched(request: ChatRequest) -> Answer:
        together.add(frozenset([request.model, *client.models]))
        return firm(request)

    client = Scripted(watched)
    trials = plan.trials(toy_suite.suite, plan.select(toy_suite.suite, (), (), 6, ()), LABS)
    await make(trials=trials).go(client, shares=Parallelism(2, 2))
    assert client.most == 4
    assert frozenset("abc") in together


async def test_the_last_runs_go_side_by_side_and_earlier_ones_in_their_order(
    make: Make, connection: Connection, toy_suite: LoadedSuite
) -> None:
    trials = [one for one in planned.trials(toy_suite.suite, runs=9).values() if one.dialogue.generated == 2]
    await make(trials=trials).go(Scripted(firm), limit=3)
    asked = connection.execute(
        "SELECT p.run, c.turn FROM calls c JOIN planned p ON p.trial = c.trial ORDER BY c.rowid"
    ).fetchall()
    of_last = [turn for run, turn in asked if run > 6]  # as many dialogues as slots
    assert of_last == [0, 0, 0, 1, 1, 1]
    of_first = [turn for run, turn in asked if run <= 6]
    assert of_first != sorted(of_first)


async def test_dialogues_of_a_run_come_in_an_order_of_chance_that_is_the_same_again(
    make: Make, connection: Connection
) -> None:
    v2 = load.load("v2")
    trials = list(planned.trials(v2.suite, runs=3).values())
    place = {trial.key: trial for trial in trials}

    async def begun(some: Sequence[Trial], shares: Parallelism = ALL) -> list[Trial]:
        await make(trials=some, loaded=v2).go(Scripted(firm), limit=1, shares=shares)
        asked = connection.execute("SELECT trial FROM calls WHERE turn = 0 ORDER BY rowid").fetchall()
        connection.executescript("DELETE FROM verdicts; DELETE FROM calls;")
        return [place[key] for (key,) in asked]

    order = await begun(trials)
    assert [one.run for one in order] == sorted(one.run for one in order)
    first, second, last = ([one.dialogue for one in order if one.run == run] for run in (1, 2, 3))
    assert [one.scenario.id for one in first] != [one.scenario.id for one in second]
    lengths = [[one.generated for one in run] for run in (first, second, last)]
    assert [own == sorted(own, reverse=True) for own in lengths] == [False, False, True]  # the last ones end together
    assert await begun(trials[::-1]) == order
    bought = await begun(trials, ALL._replace(bought=True))
    assert len({one.run for one in bought[: len(first)]}) == 3  # in whatever run they are
    assert await begun(trials[::-1], ALL._replace(bought=True)) == bought


async def test_two_places_that_ask_the_same_are_asked_once(make: Make, toy_suite: LoadedSuite) -> None:
    suite = msgspec.structs.replace(toy_suite.suite, variants={**toy_suite.suite.variants, "twin": "", "other": ""})
    trials = [trial for variant in ("twin", "other") for trial in planned.trials(suite, variants=[variant]).values()]
    work, client = make(trials=trials, loaded=LoadedSuite(suite, "e")), Scripted(firm)
    await work.go(client)
    assert len(client.asked) == 4
    assert work.left([RULES]).todo == []


async def test_a_call_given_up_is_asked_again_on_resume(make: Make) -> None:
    work = make()
    _, parts = await work.go(Scripted(where_asked("radio", GaveUp("m", "503"))))
    assert [(event.what, event.why) for event in parts.told(CallUnresolved)] == [("radio", "503")]
    assert [item.trial.dialogue.scenario.id for item in work.left([RULES]).todo] == ["radio"]
    assert await work.completed()


async def test_an_error_that_ends_the_run_keeps_what_was_answered(make: Make, connection: Connection) -> None:
    work = make(runs=4)
    client = Scripted(lambda request: firm(request) if len(client.asked) <= 5 else OutOfCredit("empty"))
    outcome, _ = await work.go(client, limit=1)
    assert isinstance(outcome.stopped_by, OutOfCredit)
    assert len(client.asked) == 6  # nobody got the slot of the call that ended the run
    assert connection.execute("SELECT count(*) FROM calls").fetchone()[0] == 5
    assert await work.completed()


async def test_a_full_disk_ends_the_run_before_another_answer_is_paid_for(make: Make, connection: Connection) -> None:
    work = make(runs=4)
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}").fetchone()
    client = Scripted(lambda request: Reply(SAID + "x" * len(request.messages) * 200_000, "tool"))
    outcome, _ = await work.go(client, limit=1)
    assert isinstance(outcome.stopped_by, DiskFull)
    assert len(client.asked) == 1
    connection.execute("PRAGMA max_page_count = 1000000").fetchone()
    assert await work.completed()


async def asked_in_order(make: Make, loaded: LoadedSuite, shares: Parallelism) -> list[tuple[str, int]]:
    """(model, run) of every request of three subjects' two runs, in the order they left."""
    trials = plan.trials(loaded.suite, plan.select(loaded.suite, (), (), 2, ()), LABS)
    runs = {dialogue.turn_seed(trial, turn): trial.run for trial in trials for turn in range(trial.dialogue.generated)}
    client = Scripted(firm)
    await make(trials=trials, loaded=loaded).go(client, limit=2, shares=shares)
    return [(request.model, runs[request.seed or 0]) for request in client.asked]


@pytest.mark.parametrize("shares", [ALL, Parallelism(2, 10)])  # more subjects than work at once, too
async def test_run_1_of_every_subject_comes_before_run_2_of_any(
    make: Make, toy_suite: LoadedSuite, shares: Parallelism
) -> None:
    order = await asked_in_order(make, toy_suite, shares)
    last_of_first = max(at for at, (_, run) in enumerate(order) if run == 1)
    early = [run for _, run in order[:last_of_first] if run == 2]
    assert len(early) <= 4  # of 8: slots that run 1 cannot fill while it waits for an answer
    assert {model for model, run in order if run == 1} == set("abc")


async def test_one_subject_at_a_time_does_all_its_runs_before_the_next(make: Make, toy_suite: LoadedSuite) -> None:
    models = [model for model, _ in await asked_in_order(make, toy_suite, Parallelism(1, 10))]
    assert models == sorted(models)
