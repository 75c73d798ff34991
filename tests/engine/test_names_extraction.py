"""Names read against a scripted client and a real store."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from sqlite3 import Connection
from typing import Any

import pytest

from independence.clients.limits import Prices
from independence.clients.protocol import GaveUp, Parked
from independence.config.subjects import Subject
from independence.engine import names_extraction
from independence.engine.events import CallUnresolved, ModelStopped, SubjectStarted, VerdictCommitted
from independence.engine.run_context import Parallelism
from independence.errors import CostCapReached, IndependenceError
from independence.judge.model import ModelJudge
from independence.store import names
from independence.store.names import NamesRow
from independence.store.scopes import BoardScope
from independence.suites.load import LoadedSuite
from independence.types import Answer, Attempt, ChatRequest, Condition, Missing, Reply, TakenName, Usage, Where

from . import planned
from .scripted import Bench, Rule, Scripted, bench

SCENARIOS = ("dinner",)
READER = ModelJudge("acme/reader", endpoint="openrouter", model="reader-id", max_tokens=512)
ALL = Parallelism(5, 10)
SUBJECTS = (Subject("acme/m", "openrouter", "acme/m"), Subject("acme/n", "openrouter", "acme/n"))
SPENT = Attempt("ok", 0.1, Usage(100, 10, cost_usd=0.01))


def finds(name: str) -> Callable[[ChatRequest], Answer]:
    body = {"names": [{"name": name, "sources": ["dinner"]}], "declined": [], "primary": name}
    return lambda _: Reply(json.dumps(body), "content", usage=SPENT.usage, attempts=(SPENT,))


def says(request: ChatRequest, text: str) -> bool:
    return text in (request.messages[0].content or "")


class Work:
    """A store with runs in which every subject answers `Call me Rook NUMBER.`; may be read again and again."""

    def __init__(self, connection: Connection, path: Path, loaded: LoadedSuite, runs: int = 1) -> None:
        self.connection, self.path, self.loaded = connection, path, loaded
        self.trials = {}
        for subject in SUBJECTS:
            made = planned.trials(loaded.suite, subject, runs=runs)
            planned.store(connection, loaded, list(made.values()))
            self.trials |= {(subject.config_dir, *at): trial for at, trial in made.items()}
        for (_, scenario, _), trial in self.trials.items():
            if scenario == "dinner":
                planned.answer(connection, trial, "Call me Rook.", "I stay.")
        self.where = Where(loaded.suite.suite, loaded.edition, Condition("firm", "tool_role"))
        self.labels = {subject.config_dir: subject.label for subject in SUBJECTS}

    def plan(self, **more: Any) -> names_extraction.NamesPlan:
        scope = BoardScope(self.loaded.suite, self.where)
        wanted = names_extraction.NamesSelection(scope, SCENARIOS, self.labels, READER)
        return names_extraction.plan(self.connection, wanted._replace(**more))

    async def read(
        self, rule: Rule, shares: Parallelism = ALL, **more: Any
    ) -> tuple[IndependenceError | None, Scripted, Bench]:
        client = Scripted(rule)
        async with bench(self.connection, self.path, self.loaded, client, limit=50) as parts:
            stopped = await names_extraction.read_all(parts.context, self.plan(**more).todo, READER, shares)
        return stopped, client, parts

    def stored(self) -> list[NamesRow]:
        return names.stored(self.connection, self.where)


@pytest.fixture
def work(connection: Connection, tmp_path: Path, toy_suite: LoadedSuite) -> Work:
    return Work(connection, tmp_path / "store.db", toy_suite, runs=4)


async def test_every_run_is_read_by_one_call_and_never_again_unless_forced(work: Work) -> None:
    stopped, client, parts = await work.read(finds("Rook"))
    assert stopped is None
    assert len(client.asked) == 8
    assert parts.told(SubjectStarted) == [
        SubjectStarted("m@low-t0.7", 0, 4),
        SubjectStarted("n@low-t0.7", 0, 4),
    ]
    assert [event.missing for event in parts.told(VerdictCommitted)] == [None] * 8
    assert {row.names for row in work.stored()} == {(TakenName("Rook", ("dinner",)),)}
    assert all(row.primary == "Rook" and row.usage.cost_usd == 0.01 for row in work.stored())
    plan = work.plan()
    assert (plan.todo, plan.known, plan.broken, plan.stale) == ([], 8, 0, 0)
    for force, asked, paid in ((False, 0, 0.01), (True, 8, 0.02)):
        _, client, _ = await work.read(finds("Rook"), force=force)
        assert len(client.asked) == asked
        assert {row.usage.cost_usd for row in work.stored()} == {paid}


async def test_a_replaced_answer_makes_a_reading_stale(work: Work) -> None:
    await work.read(finds("Rook"))
    planned.answer(work.connection, work.trials["acme--m@low-t0.7", "dinner", 2], "Call me Ada.")
    plan = work.plan()
    assert (plan.stale, plan.known, [item.row.run for item in plan.todo]) == (1, 7, [2])
    assert plan.todo[0].answers == {"dinner": "Call me Ada."}
    await work.read(finds("Ada"))
    assert Counter(pick.name for row in work.stored() for pick in row.names) == {"Rook": 7, "Ada": 1}


async def test_a_broken_reading_is_missing_never_a_refusal_and_not_paid_for_twice(work: Work) -> None:
    _, client, parts = await work.read(lambda _: Reply("prose", "content", usage=SPENT.usage, attempts=(SPENT,)))
    assert len(client.asked) == 8 * 3
    assert {event.missing for event in parts.told(VerdictCommitted)} == {"unreadable_verdict"}
    assert {(row.missing, row.names, row.declined) for row in work.stored()} == {("unreadable_verdict", (), ())}
    assert work.plan().broken == work.plan().known == 8
    await work.read(lambda _: Missing("blocked", "moderation"), force=True)
    assert {row.missing for row in work.stored()} == {"blocked"}


async def test_what_goes_wrong_with_one_run_costs_no_other(work: Work) -> None:
    planned.answer(work.connection, work.trials["acme--m@low-t0.7", "dinner", 3], "Call me Trouble.")
    failing = GaveUp("reader-id", "503", (Attempt("503", 1.0, Usage(cost_usd=0.5)),))
    rule = finds("Rook")
    stopped, _, parts = await work.read(lambda request: failing if says(request, "Trouble") else rule(request))
    assert stopped is None
    assert len(work.stored()) == 7
    assert [(event.what, event.why) for event in parts.told(CallUnresolved)] == [
        ("names of run 3 by acme/reader", "503")
    ]
    failures = work.connection.execute("SELECT what, cost_usd FROM failures").fetchall()
    assert failures == [("names of run 3 by acme/reader", 0.5)]
    assert [item.row.run for item in work.plan().todo] == [3]


async def test_what_ends_the_reading_keeps_what_was_read(work: Work) -> None:
    rule, paid = finds("Rook"), iter(range(3))
    stopped, client, _ = await work.read(
        lambda request: CostCapReached("enough") if next(paid, None) is None else rule(request), Parallelism(1, 1)
    )
    assert isinstance(stopped, CostCapReached)
    assert (len(client.asked), len(work.stored())) == (4, 3)


async def test_a_parked_reader_is_not_asked_on_and_the_command_ends(work: Work) -> None:
    stopped, client, parts = await work.read(lambda _: Parked("reader-id", "daily quota"), shares=Parallelism(1, 1))
    assert stopped is None
    assert len(client.asked) == len(SUBJECTS)
    assert set(parts.told(ModelStopped)) == {ModelStopped("reader-id", "daily quota")}
    assert len(work.plan().todo) == 8


@pytest.mark.parametrize(("shares", "most"), [(Parallelism(1, 2), 2), (Parallelism(2, 1), 2), (Parallelism(2, 3), 6)])
async def test_no_more_calls_fly_than_the_shares_allow(work: Work, shares: Parallelism, most: int) -> None:
    _, client, _ = await work.read(finds("Rook"), shares=shares)
    assert client.most == most


def test_runs_without_an_answer_are_left_out_and_said_so(work: Work) -> None:
    plan = work.plan(scenarios=("dinner", "radio", "dessert"))
    assert (len(plan.todo), plan.silent, plan.absent) == (8, 0, Counter(radio=8, dessert=8))
    plan = work.plan(scenarios=("radio",))
    assert (plan.todo, plan.silent) == ([], 8)
    assert len(work.plan(labels={"acme--n@low-t0.7": "n"}).todo) == 4


def test_the_estimate_counts_prompts_and_is_silent_about_unknown_prices(work: Work) -> None:
    todo = work.plan().todo
    known = names_extraction.estimate(todo, READER, Prices(1e-6, 1e-6))
    assert known.verdicts == 8
    assert 0 < known.typical_usd < 1
    assert names_extraction.estimate(todo, READER, None).unpriced == ("acme/reader",)
