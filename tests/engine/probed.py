"""A hostile probe of one judge, carried out as its command does it, without the command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from sqlite3 import Connection

from independence.clients.protocol import ChatClient
from independence.engine import probing
from independence.engine.run_context import Parallelism
from independence.judge.hostile.corpus import HostileReply
from independence.judge.hostile.probe import HostileProbe, probe_scenario
from independence.judge.protocol import Judge
from independence.suites.load import LoadedSuite, load

from .scripted import Bench, StoredPlan

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
    path = Path(connection.execute("PRAGMA database_list").fetchone()[2])
    work = StoredPlan(connection, path, LoadedSuite(made.dialogues.suite, "hostile"), made.dialogues.trials)
    probing.store(connection, made.dialogues)
    outcome, parts = await work.carry_out(client, [spec], limit=limit, shares=Parallelism(1, limit))
    return made.probed(connection, spec)._replace(stopped_by=outcome.stopped_by), parts
