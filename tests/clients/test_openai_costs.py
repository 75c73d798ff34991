"""What calls cost, and the cap that holds."""

from __future__ import annotations

import asyncio

import pytest

from independence.clients.catalogue import ModelInfo
from independence.clients.protocol import Parked
from independence.errors import CostCapReached
from independence.types import Reply

from .conftest import (
    FINE,
    MODEL,
    USAGE,
    Connect,
    Scripted,
    Step,
    answered,
    completion,
    failing,
    question,
)


async def test_a_cost_that_never_came_back_stays_spent(server: Scripted, connect: Connect) -> None:
    server.says(Step(fault="reset"), completion("Yes.", usage=None))
    line = connect(cap=1.0)
    reply = await answered(line)
    assert reply.usage.cost_usd == 0
    assert all(a.unknown_usd > 0 for a in reply.attempts)
    assert line.budget.spent == pytest.approx(sum(a.unknown_usd for a in reply.attempts))
    assert line.budget.spent == line.budget.unknown
    assert line.budget._reserved == 0


async def test_a_refusal_at_the_door_costs_nothing(server: Scripted, connect: Connect) -> None:
    server.says(failing(429), failing(503), FINE)
    line = connect(cap=1.0)
    await answered(line)
    assert line.budget.spent == pytest.approx(0.001)


async def test_with_ones_own_provider_key_both_bills_count(server: Scripted, connect: Connect) -> None:
    server.says(
        completion("Yes.", usage=USAGE | {"is_byok": True, "cost_details": {"upstream_inference_cost": "0.04"}})
    )
    assert (await answered(connect())).usage.cost_usd == pytest.approx(0.041)


async def test_tokens_at_list_price_stand_in_for_a_cost_that_is_not_stated(server: Scripted, connect: Connect) -> None:
    server.says(completion("Yes.", usage={"prompt_tokens": 100, "completion_tokens": 20, "cost": True}))
    assert (await answered(connect())).usage.cost_usd == pytest.approx(100e-6 + 80e-6)


async def test_the_cap_is_never_exceeded_by_calls_side_by_side(server: Scripted, connect: Connect) -> None:
    server.says(completion("Yes.", usage={"prompt_tokens": 20, "completion_tokens": 64}))
    line = connect(cap=0.002)
    answers = await asyncio.gather(*(line.client.ask(question()) for _ in range(40)), return_exceptions=True)
    assert any(isinstance(a, Reply) for a in answers)
    assert any(isinstance(a, CostCapReached) for a in answers)
    assert all(isinstance(a, Reply | CostCapReached) for a in answers)
    assert line.budget.spent <= 0.002
    assert sum(a.usage.cost_usd for a in answers if isinstance(a, Reply)) == pytest.approx(line.budget.spent)
    assert any(w.reason == "budget" for w in line.waits)


async def test_without_a_listed_price_a_cap_cannot_be_kept(server: Scripted, connect: Connect) -> None:
    server.says(FINE)
    unpriced = ModelInfo(id=MODEL, prices=None)
    with pytest.raises(Parked, match="--max-cost"):
        await connect(cap=1.0, info=unpriced).client.ask(question())
    assert server.seen == []
    assert (await answered(connect(info=unpriced))).usage.cost_usd == 0.001


async def test_a_cancelled_call_keeps_its_reservation_as_spent(server: Scripted, connect: Connect) -> None:
    server.says(Step(fault="hang"))
    line = connect(cap=1.0)
    task = asyncio.create_task(line.client.ask(question()))
    await server.asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert line.budget.spent > 0
    assert line.budget._reserved == 0


async def test_a_cap_reached_between_attempts_keeps_what_was_tried(server: Scripted, connect: Connect) -> None:
    server.says(Step(fault="reset"))
    line = connect(cap=0.0005)
    with pytest.raises(CostCapReached) as caught:
        await line.client.ask(question())
    assert [a.outcome for a in caught.value.attempts] == ["reset"]
    assert sum(a.unknown_usd for a in caught.value.attempts) == pytest.approx(line.budget.spent)
