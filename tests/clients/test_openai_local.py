"""Local servers: what they reject, and that they are free."""

from __future__ import annotations

import asyncio

import pytest

from independence.clients import protocol
from independence.clients.catalogue import ModelInfo
from independence.clients.limits import Prices
from independence.clients.protocol import Parked
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


async def test_a_local_server_that_rejects_schemas_is_asked_without_from_then_on(
    server: Scripted, connect: Connect
) -> None:
    server.says(failing(400, "'response_format.type' must be 'text'"), FINE)
    line = connect("local", info=ModelInfo(id=MODEL, prices=Prices()))
    schema = {"type": "object"}
    first = await answered(line, schema=schema)
    await answered(line, schema=schema)
    assert ["response_format" in s.body for s in server.seen] == [True, False, False]
    assert first.flags == (protocol.SCHEMA_REFUSED,)


async def test_calls_in_flight_when_a_parameter_is_rejected_all_go_on_without_it(
    server: Scripted, connect: Connect
) -> None:
    rejected = failing(400, "unknown parameter reasoning_effort")
    server.says(*[rejected] * 5, FINE)
    line = connect("local", info=None)
    replies = await asyncio.gather(*(line.client.ask(question(effort="low")) for _ in range(5)))
    assert all(isinstance(r, Reply) and protocol.EFFORT_REFUSED in r.flags for r in replies)


async def test_a_400_about_something_else_parks_a_local_model_too(server: Scripted, connect: Connect) -> None:
    server.says(failing(400, "context too small"))
    with pytest.raises(Parked, match="context too small"):
        await connect("local", info=None).client.ask(question(schema={"type": "object"}, effort="low"))


async def test_a_local_server_without_usage_is_free(server: Scripted, connect: Connect) -> None:
    server.says(completion("Yes.", usage=None))
    line = connect("local", info=None, cap=0.0)
    reply = await answered(line)
    assert reply.attempts[0].unknown_usd == 0
    assert line.budget.spent == 0
