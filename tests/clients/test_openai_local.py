"""Local servers: what they reject, and that they are free."""

from __future__ import annotations

import asyncio

import pytest

from independence.clients.catalogue import ModelInfo
from independence.clients.limits import Prices
from independence.clients.protocol import Refused
from independence.types import Reply

from .conftest import (
    FINE,
    MODEL,
    Connect,
    Scripted,
    answered,
    completion,
    failing,
    question,
)


async def test_calls_in_flight_when_a_parameter_is_rejected_all_go_on_without_it(
    server: Scripted, connect: Connect
) -> None:
    rejected = failing(400, "unknown parameter reasoning_effort")
    server.says(*[rejected] * 5, FINE)
    line = connect("local", info=None)
    replies = await asyncio.gather(*(line.client.ask(question(effort="low")) for _ in range(5)))
    assert all(isinstance(r, Reply) and r.flags == ("effort_renamed",) for r in replies)
    assert len(server.seen) == 10


async def test_a_400_about_nothing_that_was_sent_is_a_refusal(server: Scripted, connect: Connect) -> None:
    server.says(failing(400, "the moon is full"))
    with pytest.raises(Refused, match="the moon is full"):
        await connect("local", info=None).client.ask(question(schema={"type": "object"}, effort="low"))


async def test_a_local_server_without_usage_is_free(server: Scripted, connect: Connect) -> None:
    server.says(completion("Yes.", usage=None))
    line = connect("local", info=None, cap=0.0)
    reply = await answered(line)
    assert reply.attempts[0].unknown_usd == 0
    assert line.budget.spent == 0
