from __future__ import annotations

import asyncio
import random
from collections import Counter

import pytest

from independence.engine.gate import CallQueue, ConcurrencyLimit, EndpointGate, QueueClosed


class Calls:
    """Calls that hold their slot until told to end; keeps the order in which they got in."""

    def __init__(self) -> None:
        self.order: list[str] = []
        self.ends: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def start(self, name: str, gate: EndpointGate, lane: CallQueue, remaining: float = 1.0) -> None:
        self.ends[name] = asyncio.Event()
        self.tasks[name] = asyncio.create_task(self._call(name, gate, lane, remaining))
        await settle()

    async def _call(self, name: str, gate: EndpointGate, lane: CallQueue, remaining: float) -> None:
        async with gate.slot(lane, remaining):
            self.order.append(name)
            await self.ends[name].wait()

    async def end(self, name: str) -> None:
        self.ends[name].set()
        await asyncio.wait_for(self.tasks[name], 1)
        await settle()

    async def end_all(self) -> None:
        for event in self.ends.values():
            event.set()
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)


async def settle() -> None:
    """Let everything run that can."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_no_more_calls_than_the_limit_are_let_in() -> None:
    gate, calls = EndpointGate(lambda: 2), Calls()
    lane = gate.open_queue(ConcurrencyLimit(10))
    for name in "abcd":
        await calls.start(name, gate, lane)
    assert (calls.order, gate.busy) == (["a", "b"], 2)
    await calls.end("a")
    assert (calls.order, gate.busy) == (["a", "b", "c"], 2)
    await calls.end_all()
    assert gate.busy == 0


async def test_a_limit_that_falls_lets_nobody_in_until_enough_have_left() -> None:
    limit = [3]
    gate, calls = EndpointGate(lambda: limit[0]), Calls()
    lane = gate.open_queue(ConcurrencyLimit(10))
    for name in "abcd":
        await calls.start(name, gate, lane)
    limit[0] = 1
    await calls.end("a")
    await calls.end("b")
    assert calls.order == ["a", "b", "c"]
    await calls.end("c")
    assert calls.order == ["a", "b", "c", "d"]
    await calls.end_all()


async def test_a_limit_that_rises_lets_several_in_at_once() -> None:
    limit = [1]
    gate, calls = EndpointGate(lambda: limit[0]), Calls()
    lane = gate.open_queue(ConcurrencyLimit(10))
    for name in "abcd":
        await calls.start(name, gate, lane)
    limit[0] = 3
    await calls.end("a")
    assert calls.order == ["a", "b", "c", "d"]
    await calls.end_all()


async def test_the_longest_remaining_dialogue_goes_first_over_all_lanes() -> None:
    gate, calls = EndpointGate(lambda: 1), Calls()
    one, other = gate.open_queue(ConcurrencyLimit(10)), gate.open_queue(ConcurrencyLimit(10))
    await calls.start("first", gate, one)
    await calls.start("short", gate, one, 1.0)
    await calls.start("long", gate, other, 9.0)
    await calls.start("middle", gate, one, 5.0)
    await calls.start("endless", gate, other, float("inf"))
    for name in ("first", "endless", "long", "middle", "short"):
        await calls.end(name)
    assert calls.order == ["first", "endless", "long", "middle", "short"]


async def test_equals_go_in_the_order_they_came() -> None:
    gate, calls = EndpointGate(lambda: 1), Calls()
    lanes = [gate.open_queue(ConcurrencyLimit(10)) for _ in range(3)]
    for at, name in enumerate("abcdef"):
        await calls.start(name, gate, lanes[at % 3])
    for name in "abcdef":
        await calls.end(name)
    assert calls.order == list("abcdef")


async def test_a_subject_holds_no_more_than_its_share_over_all_its_lanes_and_gates() -> None:
    gates, calls, share = [EndpointGate(lambda: 10), EndpointGate(lambda: 10)], Calls(), ConcurrencyLimit(2)
    lanes = [gate.open_queue(share) for gate in gates]
    for at, name in enumerate("abcd"):
        await calls.start(name, gates[at % 2], lanes[at % 2])
    assert (calls.order, share.busy) == (["a", "b"], 2)
    await calls.end("a")
    assert share.busy == 2
    await calls.end("b")
    assert sorted(calls.order) == list("abcd")
    await calls.end_all()
    assert share.busy == 0


async def test_a_subject_at_its_share_does_not_hold_up_another() -> None:
    gate, calls = EndpointGate(lambda: 10), Calls()
    full, free = gate.open_queue(ConcurrencyLimit(1)), gate.open_queue(ConcurrencyLimit(1))
    await calls.start("a", gate, full)
    await calls.start("a urgent", gate, full, 99.0)
    await calls.start("b", gate, free, 0.1)
    assert calls.order == ["a", "b"]
    await calls.end_all()


async def test_a_parked_lane_sends_its_waiters_home_and_takes_no_more() -> None:
    gate, calls = EndpointGate(lambda: 1), Calls()
    share = ConcurrencyLimit(10)
    parked, other = gate.open_queue(share), gate.open_queue(share)
    await calls.start("flying", gate, parked)
    await calls.start("waiting", gate, parked)
    await calls.start("other", gate, other)
    gate.stop_queue(parked)
    with pytest.raises(QueueClosed):
        await calls.tasks["waiting"]
    with pytest.raises(QueueClosed):
        async with gate.slot(parked, 1):
            pytest.fail("a parked lane let somebody in")
    await calls.end("flying")
    assert calls.order == ["flying", "other"]
    await calls.end_all()
    assert (gate.busy, share.busy) == (0, 0)


async def test_a_closed_gate_sends_everybody_home() -> None:
    gate, calls = EndpointGate(lambda: 1), Calls()
    lanes = [gate.open_queue(ConcurrencyLimit(10)) for _ in range(2)]
    await calls.start("flying", gate, lanes[0])
    for at, lane in enumerate(lanes):
        await calls.start(f"waiting {at}", gate, lane)
    gate.close()
    for at in range(2):
        with pytest.raises(QueueClosed):
            await calls.tasks[f"waiting {at}"]
    with pytest.raises(QueueClosed):
        async with gate.slot(lanes[1], 1):
            pytest.fail("a closed gate let somebody in")
    await calls.end("flying")
    assert gate.busy == 0


async def test_a_call_that_fails_gives_its_slot_back() -> None:
    gate, share = EndpointGate(lambda: 1), ConcurrencyLimit(1)
    lane = gate.open_queue(share)
    with pytest.raises(ValueError, match="no"):
        async with gate.slot(lane, 1):
            raise ValueError("no")
    assert (gate.busy, share.busy) == (0, 0)


async def test_a_waiter_that_is_cancelled_leaves_no_trace() -> None:
    gate, calls = EndpointGate(lambda: 1), Calls()
    lane = gate.open_queue(ConcurrencyLimit(10))
    for name in "abc":
        await calls.start(name, gate, lane)
    calls.tasks["b"].cancel()
    await calls.end("a")
    assert calls.order == ["a", "c"]
    await calls.end_all()
    assert gate.busy == 0


async def test_a_waiter_cancelled_in_the_moment_it_is_let_in_gives_its_slot_to_the_next() -> None:
    gate, calls = EndpointGate(lambda: 1), Calls()
    share = ConcurrencyLimit(10)
    lane = gate.open_queue(share)
    async with gate.slot(lane, 1):
        await calls.start("a", gate, lane)
        await calls.start("b", gate, lane)
    assert gate.busy == 1  # handed to `a`, which has not run since
    assert calls.order == []
    calls.tasks["a"].cancel()
    await settle()
    assert (calls.order, gate.busy, share.busy) == (["b"], 1, 1)
    await calls.end_all()
    assert (gate.busy, share.busy) == (0, 0)


async def test_a_lane_that_left_is_not_served() -> None:
    gate = EndpointGate(lambda: 1)
    gone, here = gate.open_queue(ConcurrencyLimit(1)), gate.open_queue(ConcurrencyLimit(1))
    gate.remove_queue(gone)
    async with gate.slot(here, 1):
        assert gate.busy == 1


class Load:
    """Calls of random length, some of which fail, through gates whose limits change all the time."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.limits = [4, 3]
        self.gates = [EndpointGate(lambda: self.limits[0]), EndpointGate(lambda: self.limits[1])]
        self.shares = [ConcurrencyLimit(self.rng.randint(1, 4)) for _ in range(4)]
        self.lanes = [(gate, gate.open_queue(share)) for share in self.shares for gate in self.gates]
        self.inside = Counter[EndpointGate]()
        self.done = 0

    async def call(self, gate: EndpointGate, lane: CallQueue) -> None:
        async with gate.slot(lane, self.rng.random() * 10):
            self.inside[gate] += 1
            try:
                assert self.inside[gate] <= gate.busy <= 6
                assert all(share.busy <= share.limit for share in lane.limits)
                for _ in range(self.rng.randint(0, 4)):
                    await asyncio.sleep(0)
                if self.rng.random() < 0.1:
                    raise ValueError("a call that fails")
            finally:
                self.inside[gate] -= 1
        self.done += 1

    async def weather(self) -> None:
        while True:
            self.limits[:] = [self.rng.randint(1, 6), self.rng.randint(1, 6)]
            await asyncio.sleep(0)


@pytest.mark.parametrize("seed", range(12))
async def test_under_any_load_limits_hold_and_no_slot_leaks(seed: int) -> None:
    load = Load(seed)
    changing = asyncio.create_task(load.weather())
    tasks = []
    for _ in range(300):
        tasks.append(asyncio.create_task(load.call(*load.rng.choice(load.lanes))))
        if load.rng.random() < 0.3:
            load.rng.choice(tasks).cancel()
        if load.rng.random() < 0.3:
            await asyncio.sleep(0)
    outcomes = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 20)
    changing.cancel()
    kinds = Counter(type(outcome) for outcome in outcomes)
    assert kinds.keys() == {type(None), asyncio.CancelledError, ValueError}
    assert kinds[type(None)] == load.done > 100
    assert kinds[asyncio.CancelledError] > 10
    assert [gate.busy for gate in load.gates] == [0, 0]
    assert [share.busy for share in load.shares] == [0, 0, 0, 0]


@pytest.mark.parametrize("seed", range(6))
async def test_closing_in_the_middle_of_any_load_lets_everybody_go(seed: int) -> None:
    rng = random.Random(seed)
    gate, share = EndpointGate(lambda: 3), ConcurrencyLimit(2)
    lanes = [gate.open_queue(share), gate.open_queue(ConcurrencyLimit(5))]

    async def call(lane: CallQueue) -> None:
        async with gate.slot(lane, rng.random()):
            for _ in range(rng.randint(0, 3)):
                await asyncio.sleep(0)

    tasks = [asyncio.create_task(call(rng.choice(lanes))) for _ in range(60)]
    for _ in range(rng.randint(1, 20)):
        await asyncio.sleep(0)
    rng.choice(tasks).cancel()
    gate.stop_queue(lanes[0])
    await asyncio.sleep(0)
    gate.close()
    outcomes = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 20)
    assert all(one is None or isinstance(one, QueueClosed | asyncio.CancelledError) for one in outcomes)
    assert any(isinstance(one, QueueClosed) for one in outcomes)
    assert (gate.busy, share.busy) == (0, 0)


async def test_calls_that_wait_are_ordered_by_what_their_queues_weigh_now() -> None:
    gate, calls = EndpointGate(lambda: 1), Calls()
    slow, quick = (gate.open_queue(ConcurrencyLimit(10)) for _ in range(2))
    await calls.start("first", gate, slow)
    await calls.start("quick", gate, quick, remaining=3)
    await calls.start("slow", gate, slow, remaining=2)
    await calls.start("last", gate, slow, remaining=1)
    for weight in (0.5, 5.0, 1.0, 2.0):  # learned while they wait
        gate.weigh(slow, weight)
    for name in ("first", "slow", "quick", "last"):
        await calls.end(name)
    assert calls.order == ["first", "slow", "quick", "last"]


async def test_a_queue_that_is_held_back_goes_by_its_new_weight_once_it_may() -> None:
    gate, calls, share = EndpointGate(lambda: 2), Calls(), ConcurrencyLimit(1)
    held, other = gate.open_queue(share), gate.open_queue(ConcurrencyLimit(10))
    await calls.start("a", gate, held)
    await calls.start("b", gate, other)
    await calls.start("held", gate, held, remaining=2)
    await calls.start("other", gate, other, remaining=3)
    for _ in range(20):  # each asks anew, none keeps its place twice
        gate.weigh(held, 4.0)
        gate.weigh(other, 1.0)
    assert len(gate._first) <= 5
    await calls.end("a")
    assert calls.order == ["a", "b", "held"]
    await calls.end("b")
    assert calls.order == ["a", "b", "held", "other"]
    await calls.end_all()
    assert gate.busy == share.busy == 0
