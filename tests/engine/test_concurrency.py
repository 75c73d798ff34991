"""Who may call an endpoint and each of its models, in which order, and how a run is stopped."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable

import pytest

from independence.clients.limits import Buckets, PacedCall
from independence.config.endpoints import Endpoint, ModelBounds, Rate
from independence.engine.concurrency import (
    CallQueue,
    ConcurrencyLimit,
    EndpointGate,
    PerModelLimits,
    QueueClosed,
    StopSignal,
)
from independence.engine.events import Event, RunStopping
from independence.engine.run_context import CallLatency, EndpointBackend
from independence.errors import CostCapReached, DiskFull
from independence.types import Reply
from tests.virtual_time import in_virtual_time

from .scripted import Scripted


async def settle() -> None:
    """Let everything run that can."""
    for _ in range(5):
        await asyncio.sleep(0)


class Calls:
    """Calls through one gate that hold their slot until told to end; keeps the order in which they got in."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.gate = EndpointGate(lambda: self.limit)
        self.order: list[str] = []
        self.ends: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    def lane(self, share: int = 10) -> CallQueue:
        return self.gate.open_queue(ConcurrencyLimit(share))

    async def start(self, lane: CallQueue, *names: str, remaining: float = 1.0) -> None:
        for name in names:
            self.ends[name] = asyncio.Event()
            self.tasks[name] = asyncio.create_task(self._call(name, lane, remaining))
            await settle()

    async def _call(self, name: str, lane: CallQueue, remaining: float) -> None:
        async with lane.gate.slot(lane, remaining):
            self.order.append(name)
            await self.ends[name].wait()

    async def end(self, *names: str) -> None:
        for name in names:
            self.ends[name].set()
            await asyncio.wait_for(self.tasks[name], 60)  # one that never got in fails here
            await settle()

    async def end_all(self) -> None:
        for event in self.ends.values():
            event.set()
        await asyncio.gather(*self.tasks.values(), return_exceptions=True)
        assert self.gate.busy == 0


async def refused(call: Awaitable[None]) -> None:
    with pytest.raises(QueueClosed):
        await call


async def test_no_more_calls_than_the_limit_are_let_in_as_it_moves() -> None:
    calls = Calls(3)
    lane = calls.lane()
    await calls.start(lane, *"abcdefg")
    assert (calls.order, calls.gate.busy) == ([*"abc"], 3)
    await calls.end("a")
    assert (calls.order, calls.gate.busy) == ([*"abcd"], 3)
    calls.limit = 1  # nobody gets in until enough have left
    await calls.end("b", "c")
    assert calls.order == [*"abcd"]
    await calls.end("d")
    assert calls.order == [*"abcde"]
    calls.limit = 2  # several get in at once
    await calls.end("e")
    assert calls.order == [*"abcdefg"]
    await calls.end_all()


async def test_the_longest_remaining_dialogue_goes_first_over_all_lanes_and_equals_in_the_order_they_came() -> None:
    calls = Calls(1)
    one, other = calls.lane(), calls.lane()
    await calls.start(one, "first")
    for lane, name, remaining in (
        (one, "short", 1.0), (other, "short too", 1.0), (one, "shortest", 0.5), (other, "long", 9.0),
        (one, "middle", 5.0), (other, "middle too", 5.0), (one, "endless", float("inf")),
    ):  # fmt: skip
        await calls.start(lane, name, remaining=remaining)
    await calls.end("first", "endless", "long", "middle", "middle too", "short", "short too", "shortest")
    assert calls.order == ["first", "endless", "long", "middle", "middle too", "short", "short too", "shortest"]


async def test_the_lowest_run_goes_before_longer_dialogues_of_later_ones() -> None:
    calls, order = Calls(1), list[int]()
    lane = calls.lane()

    async def call(run: int, remaining: float) -> None:
        async with calls.gate.slot(lane, remaining, run):
            order.append(run)

    await calls.start(lane, "first")
    tasks = [asyncio.create_task(call(run, remaining)) for run, remaining in ((3, 9.0), (1, 1.0), (2, 5.0))]
    await settle()
    await calls.end("first")
    await asyncio.gather(*tasks)
    assert order == [1, 2, 3]


async def test_calls_that_wait_are_ordered_by_what_their_queues_weigh_now() -> None:
    calls = Calls(1)
    slow, quick = calls.lane(), calls.lane()
    await calls.start(slow, "first")
    await calls.start(quick, "quick", remaining=3)
    await calls.start(slow, "slow", remaining=2)
    await calls.start(slow, "last", remaining=1)
    for weight in (0.5, 5.0, 1.0, 2.0):  # learned while they wait
        slow.weight = weight
    await calls.end("first", "slow", "quick", "last")
    assert calls.order == ["first", "slow", "quick", "last"]


async def test_a_queue_that_is_held_back_goes_by_its_new_weight_once_it_may() -> None:
    calls = Calls(2)
    held, other = calls.lane(share=1), calls.lane()
    await calls.start(held, "a")
    await calls.start(other, "b")
    await calls.start(held, "held", remaining=2)
    await calls.start(other, "other", remaining=3)
    held.weight, other.weight = 4.0, 1.0
    await calls.end("a")
    assert calls.order == ["a", "b", "held"]
    await calls.end("b")
    assert calls.order == ["a", "b", "held", "other"]
    await calls.end_all()


async def test_a_subject_holds_no_more_than_its_share_over_all_its_lanes_and_gates() -> None:
    calls, share = Calls(10), ConcurrencyLimit(2)
    lanes = [gate.open_queue(share) for gate in (calls.gate, EndpointGate(lambda: 10))]
    for at, name in enumerate("abcd"):
        await calls.start(lanes[at % 2], name)
    assert (calls.order, share.busy) == (["a", "b"], 2)
    await calls.end("a")
    assert share.busy == 2
    await calls.end("b")
    assert sorted(calls.order) == list("abcd")
    await calls.end_all()
    assert share.busy == 0


async def test_a_subject_at_its_share_does_not_hold_up_another() -> None:
    calls = Calls(10)
    full, free = calls.lane(share=1), calls.lane(share=1)
    await calls.start(full, "a")
    await calls.start(full, "a urgent", remaining=99.0)
    await calls.start(free, "b", remaining=0.1)
    assert calls.order == ["a", "b"]
    await calls.end_all()


async def test_a_stopped_lane_sends_its_waiters_home_and_takes_no_more() -> None:
    calls = Calls(1)
    stopped, other = calls.lane(), calls.lane()
    await calls.start(stopped, "flying", "waiting")
    await calls.start(other, "other")
    calls.gate.stop_queue(stopped)
    await refused(calls.tasks["waiting"])
    await refused(stopped.gate.slot(stopped, 1).__aenter__())
    await calls.end("flying")
    assert calls.order == ["flying", "other"]
    await calls.end_all()


async def test_the_first_reason_to_stop_wins_is_said_once_and_closes_every_gate() -> None:
    said: list[Event] = []
    calls, beside = Calls(1), Calls(1)
    halt = StopSignal(iter([calls.gate, beside.gate]), said.append)
    assert halt.reason is None
    lanes = [calls.lane(), calls.lane(), beside.lane()]
    await calls.start(lanes[0], "flying", "waiting")
    await calls.start(lanes[1], "too")
    first = CostCapReached("cap")
    halt.stop(first, within_s=30.0)
    halt.stop(DiskFull("full"))
    assert halt.reason is first
    assert said == [RunStopping("cap", calls=1, within_s=30.0)]
    for call in (calls.tasks["waiting"], calls.tasks["too"], *(lane.gate.slot(lane, 1).__aenter__() for lane in lanes)):
        await refused(call)
    await calls.end("flying")
    assert calls.order == ["flying"]
    await calls.end_all()


async def test_a_call_that_fails_or_is_cancelled_gives_its_slot_back() -> None:
    calls, share = Calls(1), ConcurrencyLimit(1)
    lane = calls.gate.open_queue(share)
    with pytest.raises(ValueError, match="no"):
        async with calls.gate.slot(lane, 1):
            raise ValueError("no")
    assert (calls.gate.busy, share.busy) == (0, 0)
    await calls.start(lane, *"abc")
    calls.tasks["b"].cancel()  # while it waits
    await calls.end("a")
    assert calls.order == ["a", "c"]
    await calls.end_all()
    assert share.busy == 0


async def test_a_waiter_cancelled_in_the_moment_it_is_let_in_gives_its_slot_to_the_next() -> None:
    calls, share = Calls(1), ConcurrencyLimit(10)
    lane = calls.gate.open_queue(share)
    async with calls.gate.slot(lane, 1):
        await calls.start(lane, "a", "b")
    assert (calls.gate.busy, calls.order) == (1, [])  # handed to `a`, which has not run since
    calls.tasks["a"].cancel()
    await settle()
    assert (calls.order, calls.gate.busy, share.busy) == (["b"], 1, 1)
    await calls.end_all()
    assert share.busy == 0


class Load:
    """Calls of random length, some of which fail, through gates whose limits change all the time."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.limits = [4, 3]
        self.gates = [EndpointGate(lambda: self.limits[0]), EndpointGate(lambda: self.limits[1])]
        self.shares = [ConcurrencyLimit(self.rng.randint(1, 4)) for _ in range(4)]
        self.lanes = [gate.open_queue(share) for share in self.shares for gate in self.gates]
        self.inside = Counter[EndpointGate]()
        self.done = 0

    async def call(self, lane: CallQueue) -> None:
        gate = lane.gate
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


@pytest.mark.parametrize("closes", [False, True])
@pytest.mark.parametrize("seed", range(6))
async def test_under_any_load_limits_hold_and_no_slot_leaks(seed: int, closes: bool) -> None:
    load = Load(seed)
    changing = asyncio.create_task(load.weather())
    tasks = []
    for at in range(300):
        tasks.append(asyncio.create_task(load.call(load.rng.choice(load.lanes))))
        if load.rng.random() < 0.3:
            load.rng.choice(tasks).cancel()
        if load.rng.random() < 0.3:
            await asyncio.sleep(0)
        if closes and at == 200:
            load.gates[0].stop_queue(load.lanes[0])
            load.gates[1].close()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    changing.cancel()
    kinds = Counter(type(outcome) for outcome in outcomes)
    assert kinds.keys() == {type(None), asyncio.CancelledError, ValueError, *[QueueClosed] * closes}
    assert kinds[type(None)] == load.done > (30 if closes else 100)
    assert kinds[asyncio.CancelledError] > 10
    assert [gate.busy for gate in load.gates] == [0, 0]
    assert [share.busy for share in load.shares] == [0, 0, 0, 0]


def test_the_pace_of_a_subject_is_its_first_call_moved_a_fifth_of_the_way_by_each_later_one() -> None:
    pace, unknown = CallLatency(), CallLatency().seconds
    pace.record(4.0)
    assert pace.seconds == 4.0
    assert unknown > 5 * 8.0  # one that nobody has timed goes before one known to be quick
    pace.record(9.0)
    assert pace.seconds == pytest.approx(5.0)
    for _ in range(40):
        pace.record(2.0)
    assert pace.seconds == pytest.approx(2.0, abs=0.01)
    instant = CallLatency()
    instant.record(0.0)
    assert instant.seconds > 0  # which leaves an order


Clock = Callable[[], float]


class Place:
    """An endpoint of 6 slots whose calls take a token and then a moment."""

    def __init__(self, clock: Clock, *bounds: ModelBounds, rate: Rate | None = None) -> None:
        endpoint = Endpoint("e", "http://e/v1", "local", bounds=bounds, rate=rate)
        self.buckets = Buckets(endpoint, clock)
        limits = PerModelLimits(endpoint, self.buckets)
        self.backend = EndpointBackend(Scripted(lambda _: Reply("", "content")), EndpointGate(lambda: 6), limits)
        self.inside: dict[str, int] = {}
        self.most: dict[str, int] = {}

    def lane(self, model: str) -> CallQueue:
        return self.backend.open_queue(ConcurrencyLimit(50), model=model)

    def calls(self, count: int, lane: CallQueue, model: str, seconds: float) -> list[asyncio.Task[None]]:
        return [asyncio.create_task(self._call(lane, model, seconds)) for _ in range(count)]

    async def _call(self, lane: CallQueue, model: str, seconds: float) -> None:
        async with self.backend.gate.slot(lane, 1):
            self.inside[model] = self.inside.get(model, 0) + 1
            self.most[model] = max(self.most.get(model, 0), self.inside[model])
            bucket = self.buckets.of(model, None)
            visit = PacedCall(bucket) if bucket else None
            try:
                if visit:
                    await visit.take(lambda _left: None)
                await asyncio.sleep(seconds)
            finally:
                if visit:
                    visit.end()
                self.inside[model] -= 1


def test_calls_in_line_for_a_token_leave_slots_for_other_models() -> None:
    async def work(clock: Clock) -> None:
        place = Place(clock, ModelBounds("slow", rate=Rate(10, 1)))
        waiting = place.calls(9, place.lane("slow"), "slow", 0.001)
        await asyncio.sleep(0.01)
        await asyncio.gather(*place.calls(20, place.lane("free"), "free", 0.01))
        assert sum(not task.done() for task in waiting) >= 4
        assert place.most["slow"] <= 5
        await asyncio.gather(*waiting)
        assert 0.79 <= clock() < 0.85  # and the slow one is never without somebody in line

    in_virtual_time(work)


def test_long_calls_that_have_their_token_do_not_count_as_the_line() -> None:
    async def work(clock: Clock) -> None:
        place = Place(clock, ModelBounds("paced", rate=Rate(100, 1)))
        tasks = place.calls(12, place.lane("paced"), "paced", 30)
        await asyncio.sleep(0.25)
        assert place.inside["paced"] == 6
        await asyncio.gather(*tasks)
        assert clock() < 70

    in_virtual_time(work)


def test_all_lanes_of_a_model_share_its_concurrency() -> None:
    async def work(clock: Clock) -> None:
        place = Place(clock, ModelBounds("small", concurrency=2))
        await asyncio.gather(*(one for _ in range(3) for one in place.calls(5, place.lane("small"), "small", 0.005)))
        assert place.most["small"] == 2

    in_virtual_time(work)


def test_whoever_leaves_the_line_lets_the_next_in() -> None:
    async def work(clock: Clock) -> None:
        place = Place(clock, rate=Rate(5, 1))
        tasks = place.calls(8, place.lane("m"), "m", 0)
        await asyncio.sleep(0.02)
        for task in tasks[1:6]:
            task.cancel()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert [type(outcome) for outcome in outcomes] == [
            type(None), *[asyncio.CancelledError] * 5, type(None), type(None),
        ]  # fmt: skip
        assert clock() < 0.65
        assert place.backend.gate.busy == 0

    in_virtual_time(work)


def test_a_model_without_bounds_has_no_share_and_pins_have_their_own() -> None:
    bounds = (ModelBounds("m", "host", Rate(1)), ModelBounds("n", concurrency=3))
    endpoint = Endpoint("e", "http://e/v1", "local", bounds=bounds)
    wards = PerModelLimits(endpoint, Buckets(endpoint))
    assert (wards.share("m"), wards.share("other")) == (None, None)
    pinned = wards.share("m", "host")
    assert pinned is not None
    assert pinned is wards.share("m", "host")
    assert wards.share("n") is not wards.share("n", "host")
