"""What calls cost, what is held for them, and the cap that holds."""

from __future__ import annotations

import asyncio
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from independence.clients.catalogue import ModelInfo
from independence.clients.limits import (
    FREE,
    Budget,
    Prices,
    Reservation,
    listed_cost,
    number,
    prompt_tokens,
    reported_cost,
    reservation,
)
from independence.clients.protocol import Parked
from independence.errors import CostCapReached, DiskFull
from independence.types import Message, Reply, Usage

from .conftest import (
    FINE,
    MODEL,
    SAID,
    TOOL,
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


def test_the_prompt_is_estimated_from_its_bytes_and_what_is_offered_counts_as_prompt() -> None:
    plain = question(messages=(Message("system", "a" * 350), Message("user", "é" * 175)))
    assert prompt_tokens(plain) == pytest.approx(700 / 3.5 + 16)
    assert prompt_tokens(question(schema={"type": "object"})) > prompt_tokens(question())
    with_tool, without = question(tool=True), question(messages=question(tool=True).messages)
    texts = TOOL.name + TOOL.description + TOOL.parameter + TOOL.parameter_description
    assert prompt_tokens(with_tool) - prompt_tokens(without) == pytest.approx(350 + len(texts) / 3.5)


def test_a_reservation_covers_the_prompt_with_its_margin_and_the_dearest_completion() -> None:
    request = question(messages=(Message("user", "a" * 350),), max_tokens=1000)
    prices = Prices(prompt=1e-6, completion=2e-6, request=0.01, internal_reasoning=3e-6)
    assert reservation(request, prices) == pytest.approx(108 * 1.3e-6 + 1000 * 3e-6 + 0.01)
    assert reservation(request, FREE) == 0.0


def test_numbers_may_come_as_text_and_what_is_no_amount_is_none() -> None:
    for value, amount in ((1, 1.0), (0.5, 0.5), ("0.25", 0.25), ("1e-7", 1e-7), (0, 0.0), (0.0, 0.0)):
        assert number(value) == amount
    for bad in (True, False, None, "", "free", "nan", "inf", -1, -0.5, "-1", [], {}, 10**400, math.nan, math.inf):
        assert number(bad) is None, bad


def test_ones_own_key_adds_what_the_provider_takes() -> None:
    assert reported_cost(0.01, True, {"upstream_inference_cost": 0.2}) == pytest.approx(0.21)
    assert reported_cost(None, True, {"upstream_inference_cost": "0.2"}) == pytest.approx(0.2)
    assert reported_cost(0.01, True, {"upstream_inference_cost": None}) == 0.01
    assert reported_cost(0.01, False, {"upstream_inference_cost": 0.2}) == 0.01
    assert reported_cost(0.01, True, None) == 0.01
    assert [reported_cost(beyond_belief, None, None) for beyond_belief in (1e300, 1e6, "1e6")] == [None] * 3
    assert reported_cost(999_999.0, None, None) == 999_999.0


def test_reasoning_tokens_cost_their_own_price_where_it_is_higher() -> None:
    usage = Usage(prompt_tokens=10, completion_tokens=100, reasoning_tokens=40)
    prices = Prices(prompt=1.0, completion=2.0, request=0.5, internal_reasoning=3.0)
    assert listed_cost(usage, prices) == pytest.approx(10 + 60 * 2 + 40 * 3 + 0.5)
    cheaper = Prices(prompt=1.0, completion=2.0, internal_reasoning=1.0)
    assert listed_cost(usage, cheaper) == pytest.approx(10 + 100 * 2)
    assert listed_cost(Usage(completion_tokens=10, reasoning_tokens=40), prices) == pytest.approx(10 * 3 + 0.5)


@given(st.text(max_size=400), st.integers(1, 10_000))
def test_a_reservation_is_never_negative_and_grows_with_the_budget(text: str, tokens: int) -> None:
    prices = Prices(1e-6, 2e-6)
    small = reservation(question(messages=(Message("user", text),), max_tokens=tokens), prices)
    large = reservation(question(messages=(Message("user", text),), max_tokens=tokens + 1), prices)
    assert 0 < small < large


async def test_what_is_not_used_comes_back_an_unknown_outcome_keeps_all_and_settling_twice_counts_once() -> None:
    budget = Budget(2.0)
    held = await budget.reserve(0.75)
    assert (budget.held, budget.spent, budget.left, held.usd) == (0.75, 0.0, 1.25, 0.75)
    held.settle(0.25)
    held.keep()
    held.settle(0.5)
    assert (budget.held, budget.spent, budget.unknown) == (0.0, 0.25, 0.0)
    (await budget.reserve(0.5)).keep()
    assert (budget.held, budget.spent, budget.unknown, budget.left) == (0.0, 0.75, 0.5, 1.25)


async def test_the_cap_itself_may_be_spent_to_the_last_cent() -> None:
    budget = Budget(0.3)
    for _ in range(3):
        (await budget.reserve(0.1)).settle(0.1)
    assert budget.spent == pytest.approx(0.3)
    with pytest.raises(CostCapReached, match=r"\$0\.3000 is reached: \$0\.3000 spent.*--max-cost"):
        await budget.reserve(0.0001)


async def test_a_free_call_goes_through_at_the_cap() -> None:
    budget = Budget(0.0)
    (await budget.reserve(0.0)).settle(0.0)
    assert budget.spent == 0
    with pytest.raises(CostCapReached):
        await budget.reserve(1e-9)


async def test_a_call_waits_while_another_may_give_back() -> None:
    budget = Budget(1.0)
    first = await budget.reserve(0.8)
    assert not budget.fits(0.5)
    waiting = asyncio.create_task(budget.reserve(0.5))
    await asyncio.sleep(0)
    assert not waiting.done()
    first.settle(0.1)
    second = await waiting
    assert (budget.held, budget.spent) == (0.5, 0.1)
    second.settle(0.5)


async def test_a_call_that_no_settling_can_make_room_for_is_refused() -> None:
    budget = Budget(1.0)
    first = await budget.reserve(0.8)
    waiting = asyncio.create_task(budget.reserve(0.5))
    await asyncio.sleep(0)
    first.keep()
    with pytest.raises(CostCapReached, match="never came back"):
        await waiting


async def test_a_large_call_is_not_starved_by_small_ones_behind_it() -> None:
    budget = Budget(1.0)
    first = await budget.reserve(0.6)
    large = asyncio.create_task(budget.reserve(0.9))
    small = asyncio.create_task(budget.reserve(0.1))
    await asyncio.sleep(0)
    assert not large.done()
    assert not small.done()
    first.settle(0.0)
    await asyncio.gather(large, small)
    assert budget.held == pytest.approx(1.0)


async def test_a_wait_that_is_cancelled_holds_nothing_and_lets_others_pass() -> None:
    budget = Budget(1.0)
    first = await budget.reserve(0.6)
    large = asyncio.create_task(budget.reserve(0.9))
    small = asyncio.create_task(budget.reserve(0.1))
    await asyncio.sleep(0)
    large.cancel()
    await asyncio.sleep(0)
    held = await small
    granted = asyncio.create_task(budget.reserve(0.5))
    await asyncio.sleep(0)
    first.settle(0)  # grants
    granted.cancel()  # in the same breath
    held.settle(0)
    with pytest.raises(asyncio.CancelledError):
        await granted
    assert budget.held == 0


async def test_a_cost_above_its_reservation_is_counted_and_without_a_cap_everything_is_and_nothing_refused() -> None:
    budget = Budget(1.0)
    (await budget.reserve(0.9)).settle(1.2)
    assert (budget.spent, budget.left < 0) == (1.2, True)
    uncapped = Budget(None)
    held = [await uncapped.reserve(1e6) for _ in range(3)]
    assert uncapped.held == 3e6
    held[0].settle(2.5)
    assert (uncapped.spent, uncapped.left) == (2.5, math.inf)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32), cap=st.floats(0.001, 2.0), calls=st.integers(1, 60))
def test_spent_and_reserved_never_exceed_the_cap_whatever_the_order(seed: int, cap: float, calls: int) -> None:
    rng = random.Random(seed)
    budget = Budget(cap)

    def check() -> None:
        assert budget.left >= 0
        assert budget.held >= 0

    async def one() -> None:
        try:
            held = await budget.reserve(rng.uniform(0, cap / 2))
        except CostCapReached:
            return
        try:
            check()
            for _ in range(rng.randrange(4)):
                await asyncio.sleep(0)
            held.keep() if rng.random() < 0.2 else held.settle(rng.uniform(0, held.usd))
            check()
        finally:
            held.keep()

    async def everything() -> None:
        tasks = [asyncio.create_task(one()) for _ in range(calls)]
        for task in rng.sample(tasks, len(tasks) // 4):
            await asyncio.sleep(0)
            task.cancel()
            check()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(asyncio.wait_for(everything(), 10))
    check()


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


async def test_no_request_leaves_before_the_ledger_holds_what_it_may_cost() -> None:
    disk, written = [0.0, 0.0], 0
    left: list[Reservation] = []  # of requests that have left

    async def record(spent: float, unknown: float) -> None:
        nonlocal written
        await asyncio.sleep(0)
        written, disk[:] = written + 1, [spent, unknown]

    budget = Budget(None)
    budget.record_by(record)

    async def call(number: int) -> None:
        for attempt in range(20):
            hold = await budget.reserve(0.01)
            await budget.record()
            left.append(hold)
            assert disk[0] >= budget.spent + sum(one.usd for one in left) - 1e-12
            await asyncio.sleep(0)
            left.remove(hold)
            if attempt % 5 == number % 5:
                hold.keep()
            else:
                hold.settle(0.002)

    await asyncio.gather(*map(call, range(20)))
    assert disk[0] >= budget.spent == pytest.approx(20 * (4 * 0.01 + 16 * 0.002))
    assert written < 20 * 20 / 5
    await budget.record(anew=True)
    assert disk == [budget.spent, budget.unknown]


async def test_a_ledger_that_cannot_be_written_holds_no_more_than_before() -> None:
    async def full(_spent: float, _unknown: float) -> None:
        raise DiskFull("the disk is full", "free space")

    budget = Budget(None)
    budget.record_by(full)
    await budget.reserve(0.0)
    await budget.record()  # what is free needs no ledger
    for _ in range(2):
        with pytest.raises(DiskFull):
            await budget.record(anew=True)
        hold = await budget.reserve(0.01)
        with pytest.raises(DiskFull):
            await budget.record()
        hold.settle(0.0)
