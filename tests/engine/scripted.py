"""A client that answers by a rule, and what a run needs around it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from sqlite3 import Connection
from typing import NamedTuple, TypeVar

from independence.clients.limits import Budget
from independence.clients.protocol import ChatClient
from independence.engine import resume, run
from independence.engine.concurrency import EndpointGate, StopSignal
from independence.engine.events import Event
from independence.engine.plan import Trial
from independence.engine.progress import RunProgress
from independence.engine.resume import PendingWork
from independence.engine.run import RunOutcome
from independence.engine.run_context import EndpointBackend, Parallelism, RunContext
from independence.judge.protocol import Judge
from independence.store import leases
from independence.store.writer import Writer
from independence.suites import digest
from independence.suites.load import LoadedSuite
from independence.types import Answer, ChatRequest, Where

from . import planned

E = TypeVar("E")
ONE = Parallelism(1, 1)
Rule = Callable[[ChatRequest], Answer | Exception]


class Scripted:
    """Answers by a rule; keeps what it was asked, and how many calls were in flight at most."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.asked: list[ChatRequest] = []
        self.models: list[str] = []  # of the calls in flight
        self.most = 0

    async def ask(self, request: ChatRequest) -> Answer:
        self.asked.append(request)
        self.models.append(request.model)
        self.most = max(self.most, len(self.models))
        for _ in range(3):  # others may come
            await asyncio.sleep(0)
        self.models.remove(request.model)
        answer = self.rule(request)
        if isinstance(answer, Exception):
            raise answer
        return answer


class Bench(NamedTuple):
    """The parts of one run, and what it told."""

    context: RunContext
    events: list[Event]

    def told(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]


@asynccontextmanager
async def bench(
    connection: Connection,
    path: Path,
    loaded: LoadedSuite,
    client: ChatClient,
    *,
    limit: int = 1,
    endpoint: str = "openrouter",
) -> AsyncIterator[Bench]:
    """What a run needs around a client that takes `limit` calls at once. It leaves nothing in flight and no lease."""
    events: list[Event] = []
    rubrics = {scenario.id: digest.rubric(loaded.suite, scenario) for scenario in loaded.suite.scenarios}
    writer, gate = Writer(connection, path), EndpointGate(lambda: limit)
    backends = {endpoint: EndpointBackend(client, gate)}
    backends["judges"] = EndpointBackend(client, EndpointGate(lambda: 100))  # what it takes is nothing to the subjects
    halt = StopSignal([gate], events.append)
    context = RunContext(
        loaded.suite, rubrics, backends, writer, events.append, halt, leases.owner(), Budget(None), RunProgress()
    )
    yield Bench(context, events)
    await writer.close()
    assert gate.busy == 0
    assert connection.execute("SELECT count(*) FROM leases").fetchone() == (0,)


class StoredPlan:
    """A plan in a store, carried out as often as one likes."""

    def __init__(self, connection: Connection, path: Path, loaded: LoadedSuite, trials: Sequence[Trial]) -> None:
        self.connection, self.path, self.loaded, self.trials = connection, path, loaded, trials
        self.rubrics = {scenario.id: digest.rubric(loaded.suite, scenario) for scenario in loaded.suite.scenarios}
        planned.store(connection, loaded, trials)

    def left(self, judges: Sequence[Judge] = ()) -> PendingWork:
        where = Where(self.loaded.suite.suite, self.loaded.edition)
        return resume.compare(self.connection, where, self.trials, judges, self.rubrics)

    async def carry_out(
        self, client: ChatClient, judges: Sequence[Judge], *, limit: int = 1, shares: Parallelism = ONE
    ) -> tuple[RunOutcome, Bench]:
        endpoint = judges[0].endpoint or "openrouter"
        async with bench(self.connection, self.path, self.loaded, client, limit=limit, endpoint=endpoint) as parts:
            return await run.run(parts.context, self.left(judges).todo, shares), parts
