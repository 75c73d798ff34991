"""A hostile probe of one judge, carried out as its command does it, without the command."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from independence.clients.protocol import ChatClient
from independence.engine import probing, resume, run
from independence.engine.events import Event
from independence.engine.gate import EndpointGate, StopSignal
from independence.engine.run_context import EndpointBackend, Parallelism, RunContext
from independence.judge.hostile.corpus import HostileReply
from independence.judge.hostile.probe import HostileProbe, probe_scenario
from independence.judge.protocol import Judge
from independence.store import leases
from independence.store.writer import Writer
from independence.suites import digest
from independence.suites.load import LoadedSuite, load
from independence.types import Where

from . import planned

SUITE = load("v2").suite
SCENARIO = probe_scenario(SUITE)
assert SCENARIO.rubric.quote


async def probe(
    connection: sqlite3.Connection,
    client: ChatClient,
    spec: Judge,
    replies: Sequence[HostileReply],
    limit: int = 8,
) -> tuple[HostileProbe, list[Event]]:
    """Let a judge grade the replies, at most `limit` at once."""
    made = probing.planned(SUITE, SCENARIO, replies)
    planned.store(connection, LoadedSuite(made.suite, "hostile"), made.trials)
    probing.store(connection, made)
    rubrics = {scenario.id: digest.rubric(made.suite, scenario) for scenario in made.suite.scenarios}
    todo = resume.compare(connection, Where(made.suite.suite, "hostile"), made.trials, [spec], rubrics).todo
    seen: list[Event] = []
    writer, gate = Writer(connection, Path("probe.db")), EndpointGate(lambda: limit)
    halt = StopSignal([gate], seen.append)
    backends = {spec.endpoint: EndpointBackend(client, gate)}
    bench = RunContext(
        suite=made.suite, rubrics=rubrics, backends=backends, writer=writer, on_event=seen.append, stop_signal=halt,
        lease_owner=leases.owner(),
    )  # fmt: skip
    outcome = await run.run(bench, todo, Parallelism(1, limit))
    await writer.close()
    return made.probed(connection, spec)._replace(stopped_by=outcome.stopped_by), seen
