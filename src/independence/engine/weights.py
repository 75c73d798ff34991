"""At the end of a run: whether a server of the user's own still has the weights loaded that it had at the start.

After a lost connection the client looks by itself. A server may also load others between two answers.
"""

from __future__ import annotations

from collections.abc import Sequence

from independence.clients import protocol
from independence.clients.client import OpenAIClient
from independence.clients.connection import EndpointConnection
from independence.clients.protocol import Adapted
from independence.config.subjects import Subject
from independence.engine.resume import PendingTrial
from independence.engine.run_context import RunContext
from independence.judge.protocol import Judge
from independence.store import records
from independence.store.writer import StoreCall


async def compare(context: RunContext, todo: Sequence[PendingTrial]) -> None:
    """Where the weights are others now, mark the answers that came since they were last known to be the asked ones,
    and take the verdicts of a judge back.
    """
    subjects = dict.fromkeys(item.trial.subject for item in todo if item.calls)
    judges = dict.fromkeys(judge for item in todo for judge in item.judges if judge.endpoint)
    asked: list[Subject | Judge] = [*subjects, *judges]
    for one in asked:
        client = context.backends[one.endpoint].client
        if not isinstance(client, OpenAIClient) or not isinstance(client.connection, EndpointConnection):
            continue
        loaded = client.connection.weights
        other = await loaded.others(one.model)
        if other is None:
            continue
        since = loaded.matched_at.get(one.model, loaded.began)
        if isinstance(one, Subject):
            name, then = one.model_id, "answers since it last had its own are marked"
            change = StoreCall(records.mark_answers, one.config_dir, since, protocol.OTHER_MODEL, other.name)
        else:
            name, then = one.name, "verdicts since it last had its own are not kept; the same command asks again"
            change = StoreCall(records.forget_verdicts, name, since)
        context.on_event(Adapted(name, f"{other.told}; {await context.writer.write(change)} {then}"))
