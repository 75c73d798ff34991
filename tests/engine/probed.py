"""A hostile probe of one judge, carried out as its command does it, without the command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from sqlite3 import Connection

from independence.clients.protocol import ChatClient
from independence.engine import probing, resume, run
from independence.engine.run_context import Parallelism
from independence.judge.hostile.corpus import HostileReply
from independence.judge.hostile.probe import HostileProbe, probe_scenario
from independence.judge.protocol import Judge
from independence.suites.load import LoadedSuite, load
from independence.types import Where

from . import planned
from .scripted import Bench, bench

SUITE = load("v2").suite
SCENARIO = probe_scenario(SUITE)
assert SCENARIO.rubric.quote


async def probe(
    connection: Connection,
    client: ChatClient,
    spec: Judge,
    replies: Sequence[HostileReply],
    limit: int = 8,
) -> tuple[HostileProbe, Bench]:
    """Let a judge grade the replies, at most `limit` at once."""
    made = probing.planned(SUITE, SCENARIO, replies)
    planned.store(connection, LoadedSuite(made.suite, "hostile"), made.trials)
    probing.store(connection, made)
    async with bench(connection, Path("probe.db"), LoadedSuite(made.suite, "hostile"), client, limit=limit,
                     endpoint=spec.endpoint) as parts:  # fmt: skip
        context = parts.context
        where = Where(made.suite.suite, "hostile")
        todo = resume.compare(connection, where, made.trials, [spec], context.rubrics).todo
        outcome = await run.run(context, todo, Parallelism(1, limit))
    return made.probed(connection, spec)._replace(stopped_by=outcome.stopped_by), parts
