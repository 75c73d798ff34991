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
    SAID,
    USAGE,
    Connect,
    Scripted,
    Step,
    Unplug,
    answered,
    ask,
    completion,
    failing,
    question,
    without_waiting,
)


async def test_a_cost_that_never_came_back_stays_spent(server: Scripted, connect: Connect) -> None:
    server.says(Step(fault="reset"), completion("Yes.", usage=None))
    line = connect(cap=1.0)
    reply = await answered(line)
    assert reply.usage.cost_usd == 0
    assert all(a.unknown_usd > 0 for a in reply.attempts)
    assert line.budget.spent == pytest.approx(sum(a.unknown_usd for a in reply.attempts))
    assert (line.budget.spent, line.budget.held) == (line.budget.unknown, 0)


def test_a_bill_is_what_is_stated_else_tokens_at_list_price_and_local_servers_are_free() -> None:
    own_key = USAGE | {"is_byok": True, "cost_details": {"upstream_inference_cost": "0.04"}}
    unstated = {"prompt_tokens": 100, "completion_tokens": 20, "cost": True}
    assert ask(completion("Yes.", usage=own_key)).answer.usage.cost_usd == pytest.approx(0.041)
    assert ask(completion("Yes.", usage=unstated)).answer.usage.cost_usd == pytest.approx(100e-6 + 80e-6)
    local = ask(completion("Yes.", usage=None), dialect="local", info=None).answer
    assert (local.usage.cost_usd, local.attempts[0].unknown_usd) == (0, 0)


def test_a_refusal_at_the_door_costs_nothing() -> None:
    async def work(unplug: Unplug) -> float:
        line, _ = unplug(failing(429), failing(503), FINE, cap=1.0)
        await answered(line)
        return line.budget.spent

    assert without_waiting(work) == pytest.approx(0.001)


def test_the_cap_is_never_exceeded_by_calls_side_by_side() -> None:
    async def work(unplug: Unplug) -> None:
        line, _ = unplug(completion("Yes.", usage={"prompt_tokens": 20, "completion_tokens": 64}), cap=0.002)
        answers = await asyncio.gather(*(line.client.ask(question()) for _ in range(40)), return_exceptions=True)
        assert {type(answer) for answer in answers} == {Reply, CostCapReached}
        assert line.budget.spent <= 0.002
        assert sum(a.usage.cost_usd for a in answers if isinstance(a, Reply)) == pytest.approx(line.budget.spent)
        assert any(wait.reason == "budget" for wait in line.waits)

    without_waiting(work)


def test_without_a_listed_price_a_cap_cannot_be_kept() -> None:
    unpriced = ModelInfo(id=MODEL, prices=None)

    async def work(unplug: Unplug) -> None:
        line, session = unplug(FINE, cap=1.0, info=unpriced)
        with pytest.raises(Parked, match="its price is not listed, so --max-cost cannot be kept"):
            await line.client.ask(question())
        assert session.sent == []

    without_waiting(work)
    assert ask(FINE, info=unpriced).end == SAID


async def test_a_cancelled_call_keeps_its_reservation_as_spent(server: Scripted, connect: Connect) -> None:
    server.says(Step(fault="hang"))
    line = connect(cap=1.0)
    task = asyncio.create_task(line.client.ask(question()))
    await server.asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert line.budget.spent > 0
    assert (line.budget.held, line.throttle.in_flight) == (0, 0)


async def test_a_cap_reached_between_attempts_keeps_what_was_tried(server: Scripted, connect: Connect) -> None:
    server.says(Step(fault="reset"))
    line = connect(cap=0.0005)
    with pytest.raises(CostCapReached) as caught:
        await line.client.ask(question())
    assert [a.outcome for a in caught.value.attempts] == ["reset"]
    assert sum(a.unknown_usd for a in caught.value.attempts) == pytest.approx(line.budget.spent)
