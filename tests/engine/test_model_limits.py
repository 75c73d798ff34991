"""Models with bounds of their own, beside others of the same endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from independence.clients.limits import Buckets, PacedCall
from independence.config.endpoints import Endpoint, ModelBounds, Rate
from independence.engine.gate import CallQueue, ConcurrencyLimit, EndpointGate, PerModelLimits
from independence.engine.run_context import EndpointBackend
from independence.types import Reply
from tests.virtual_time import in_virtual_time

from .scripted import Scripted

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
