"""Answers that are streamed, as real servers do: the client reads each of them, and the log has what was sent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import pytest

from independence.clients.protocol import GaveUp, Policy
from independence.clients.transport import open_session
from independence.config import endpoints
from independence.testing import Endpoint
from independence.testing.loopback import ways
from independence.types import Answer, Missing, Reply
from tests.clients.conftest import lined, question

# What the second half of an answer gives way to -> how the attempt ends.
LOST = {"error-event": "500", "error-chunk": "502", "error-choice": "502"}
ONCE = Policy(base_backoff_s=0.001, retries=0)


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    async with open_session() as opened:
        yield opened


async def asked(
    session: aiohttp.ClientSession, url: str, *, stream: bool = True, tool: bool = False, silence_s: float = 60.0
) -> Answer:
    there = endpoints.Endpoint("local", url, "local", stream=stream, silence_s=silence_s)
    line = lined(session, there, info=None, policy=ONCE, loops=lambda text: len(text) > 2000)
    return await line.client.ask(question(model="half", max_tokens=2048, **({"tool": True} if tool else {})))


async def test_every_way_to_stream_comes_to_the_answer_that_comes_whole(session: aiohttp.ClientSession) -> None:
    kinds = [
        "",
        *(f"stream={value}" for value in ways.choices("stream") if value not in {*LOST, "silent"}),
        "stream=crlf,stream=comments",
    ]
    for tool in (False, True):
        async with Endpoint(ways="") as endpoint:
            whole = await asked(session, endpoint.url, stream=False, tool=tool)
        assert isinstance(whole, Reply)
        for spec in kinds:
            async with Endpoint(ways=spec) as endpoint:
                reply = await asked(session, endpoint.url, tool=tool)
                assert endpoint.bodies[0]["stream"]
            assert isinstance(reply, Reply), spec
            assert (reply.text, reply.channel, reply.reasoning) == (whole.text, whole.channel, whole.reasoning), spec
            assert (reply.usage, reply.finish_reason) == (whole.usage, whole.finish_reason), spec


async def test_the_second_half_of_an_answer_may_be_lost(session: aiohttp.ClientSession) -> None:
    for value, kind in LOST.items():
        async with Endpoint(ways=f"stream={value}") as endpoint:
            answer = await asked(session, endpoint.url)
        assert isinstance(answer, Missing)
        assert (answer.attempts[0].outcome, bool(answer.raw)) == (kind, True), value
    async with Endpoint(ways="stream=silent") as endpoint:
        with pytest.raises(GaveUp, match="no token for 0 s"):
            await asked(session, endpoint.url, silence_s=0.05)
    async with Endpoint(faults="cut") as endpoint:
        answer = await asked(session, endpoint.url)
        assert isinstance(answer, Missing)
        assert answer.attempts[0].outcome == "cut"


async def test_who_leaves_early_is_billed_what_was_sent(session: aiohttp.ClientSession) -> None:
    async with Endpoint(ways="repeats,pace=20000") as endpoint:
        answer = await asked(session, endpoint.url)
        assert isinstance(answer, Missing)
        assert answer.attempts[0].outcome == "loop"
        assert 500 <= answer.usage.completion_tokens < 1000
        while endpoint.log.in_flight:  # noqa: ASYNC110 - until it has seen that its client is gone
            await asyncio.sleep(0)
    assert endpoint.log.usage.completion_tokens < 2048
