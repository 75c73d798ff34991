"""A judge that copies every hostile reply whole before its own verdict, over HTTP: what is read is its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from independence.clients.client import OpenAIClient
from independence.clients.connection import EndpointConnection
from independence.clients.limits import Budget
from independence.clients.listing import check
from independence.clients.protocol import Policy
from independence.clients.throttle import Throttle
from independence.clients.transport import open_session
from independence.config.endpoints import Endpoint
from independence.engine.events import VerdictCommitted
from independence.engine.gate import EndpointGate
from independence.engine.run_context import EndpointBackend
from independence.judge.hostile.corpus import corpus
from independence.judge.model import ModelJudge, grade
from independence.judge.prompt import passages
from independence.judge.protocol import Judge
from independence.store import database
from independence.testing.loopback.server import serving
from independence.testing.loopback.settings import LoopbackSettings
from independence.testing.sim.grader import FormField, value
from independence.types import Grade, Scalar, Verdict
from tests.engine.probed import SCENARIO, probe

FIELDS = SCENARIO.rubric.fields
AT_ONCE = 24
ROOM = 8192  # tokens: the longest reply fits into a verdict


@asynccontextmanager
async def asked(model: str, faults: str = "") -> AsyncIterator[tuple[EndpointBackend, Judge]]:
    """A simulated judge behind HTTP."""
    async with serving(LoopbackSettings(faults=faults)) as server, open_session() as session:
        endpoint = Endpoint("sim", server.base_url, "openrouter", api_key="none", max_concurrency=AT_ONCE)
        policy, throttle = Policy(base_backoff_s=0.01), Throttle(AT_ONCE)
        catalogue = await check(endpoint, {model: False}, session, policy)
        connection = EndpointConnection(
            endpoint, session, catalogue, budget=Budget(None), throttle=throttle, notify=lambda _: None
        )
        client = OpenAIClient(connection, policy)
        spec = ModelJudge(f"sim/{model}", endpoint="sim", model=model, max_tokens=ROOM)
        yield EndpointBackend(client, EndpointGate(lambda: throttle.limit)), spec


def due(seed: int) -> dict[str, Scalar]:
    """What the copying judge says under a seed."""
    return {
        name: value(name, FormField(field.type, *(field.range or (0.0, 10.0))), seed) for name, field in FIELDS.items()
    }


async def test_at_least_199_of_200_known_verdicts_are_recovered() -> None:
    replies = corpus()
    door = asyncio.Semaphore(AT_ONCE)
    async with asked("judge:copying") as (backend, spec):

        async def graded(seed: int, text: str) -> Grade:
            async with door:
                prompt = SCENARIO.prompt(text)
                return await grade(backend.client, spec, prompt, SCENARIO.rubric, seed, passages(prompt)[-1:])

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


async def test_a_probe_over_http_shows_which_judge_can_be_moved(tmp_path: Path) -> None:
    replies = corpus()[::6]
    with closing(database.connect(tmp_path / "one.db")) as connection:
        async with asked("judge") as (backend, spec):
            credulous, seen = await probe(connection, backend.client, spec, replies)
    shifts = [by for p in credulous.replies if (by := SCENARIO.shift(p.clean, p.attacked)) is not None]
    assert len(shifts) == len(replies)
    assert any(by > 1 for by in shifts)
    assert sum(event.usd for event in seen.told(VerdictCommitted)) > 0
    assert credulous.stopped_by is None


async def test_a_probe_survives_a_line_that_drops_requests(tmp_path: Path) -> None:
    replies = corpus()[::12]
    found = []
    for faults in ("429=0.2,reset=0.1", ""):
        with closing(database.connect(tmp_path / f"{len(found)}.db")) as connection:
            async with asked("judge", faults) as (backend, spec):
                found.append((await probe(connection, backend.client, spec, replies))[0])
    shaky, smooth = ([p.attacked.values for p in one.replies if isinstance(p.attacked, Verdict)] for one in found)
    assert shaky == smooth
    assert len(found[0].replies) == len(replies)
