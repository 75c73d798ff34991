"""A judge that copies every hostile reply whole before its own verdict, over HTTP: what is read is its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from independence.clients.client import OpenAIClient
from independence.clients.connection import EndpointConnection
from independence.clients.limits import Budget
from independence.clients.listing import check
from independence.clients.protocol import Policy
from independence.clients.throttle import Throttle
from independence.clients.transport import open_session
from independence.config.endpoints import Endpoint
from independence.judge.hostile.corpus import corpus
from independence.judge.model import ModelJudge, grade
from independence.judge.prompt import passages
from independence.testing.loopback.server import serving
from independence.testing.loopback.settings import LoopbackSettings
from independence.testing.sim.grader import FormField, value
from independence.types import Grade, Scalar, Verdict
from tests.engine.probed import SCENARIO

FIELDS = SCENARIO.rubric.fields
AT_ONCE = 24
ROOM = 8192  # tokens: the longest reply fits into a verdict


@asynccontextmanager
async def copying() -> AsyncIterator[tuple[OpenAIClient, ModelJudge]]:
    """The copying judge behind HTTP."""
    model = "judge:copying"
    async with serving(LoopbackSettings()) as server, open_session() as session:
        endpoint = Endpoint("sim", server.base_url, "openrouter", api_key="none", max_concurrency=AT_ONCE)
        policy = Policy(base_backoff_s=0.01)
        catalogue = await check(endpoint, {model: False}, session, policy)
        connection = EndpointConnection(
            endpoint, session, catalogue, budget=Budget(None), throttle=Throttle(AT_ONCE), notify=lambda _: None
        )
        spec = ModelJudge(f"sim/{model}", endpoint="sim", model=model, max_tokens=ROOM)
        yield OpenAIClient(connection, policy), spec


def due(seed: int) -> dict[str, Scalar]:
    """What the copying judge says under a seed."""
    return {
        name: value(name, FormField(field.type, *(field.range or (0.0, 10.0))), seed) for name, field in FIELDS.items()
    }


async def test_at_least_199_of_200_known_verdicts_are_recovered() -> None:
    replies = corpus()
    door = asyncio.Semaphore(AT_ONCE)
    async with copying() as (client, spec):

        async def graded(seed: int, text: str) -> Grade:
            async with door:
                prompt = SCENARIO.prompt(text)
                return await grade(client, spec, prompt, SCENARIO.rubric, seed, passages(prompt)[-1:])

        grades = await asyncio.gather(*(graded(seed, reply.text) for seed, reply in enumerate(replies)))
    recovered = [
        isinstance(given, Verdict) and given.values == due(seed) and len(given.attempts) == 1
        for seed, given in enumerate(grades)
    ]
    lost = [reply.id for reply, fine in zip(replies, recovered, strict=True) if not fine]
    assert len(replies) >= 210
    assert sum(recovered) * 200 >= 199 * len(replies), lost
    for reply, given in zip(replies, grades, strict=True):
        if isinstance(given, Verdict):  # it did copy the whole reply, as far as it could see it
            assert given.reasoning == passages(SCENARIO.prompt(reply.text))[-1], reply.id
    assert len({str(due(seed)) for seed in range(len(replies))}) > 50
