from __future__ import annotations

import asyncio
import time

from independence.clients.limits import Buckets, PacedCall
from independence.config.endpoints import Endpoint, ModelBounds, Rate
from independence.engine.gate import CallQueue, ConcurrencyLimit, EndpointGate, PerModelLimits
from independence.engine.run_context import EndpointBackend
from independence.types import Answer, ChatRequest, Missing


class Nobody:
    """A client that is never asked."""

    async def ask(self, request: ChatRequest) -> Answer:
        return Missing("no_answer")


class Place:
    """An endpoint of 6 slots whose calls take a token and then a moment."""

    def __init__(self, *bounds: ModelBounds, rate: Rate | None = None) -> None:
        endpoint = Endpoint("e", "http://e/v1", "local", bounds=bounds, rate=rate)
        self.buckets = Buckets(endpoint)
        self.backend = EndpointBackend(Nobody(), EndpointGate(lambda: 6), PerModelLimits(endpoint, self.buckets))
        self.inside: dict[str, int] = {}
        self.most: dict[str, int] = {}

    async def call(self, lane: CallQueue, model: str, seconds: float, provider: str | None = None) -> None:
        async with self.backend.gate.slot(lane, 1):
            self.inside[model] = self.inside.get(model, 0) + 1
            self.most[model] = max(self.most.get(model, 0), self.inside[model])
            bucket = self.buckets.of(model, provider)
            visit = PacedCall(bucket) if bucket else None
            try:
                if visit:
                    await visit.take(lambda _left: None)
                await asyncio.sleep(seconds)
            finally:
                if visit:
                    visit.end()
                self.inside[model] -= 1


async def test_calls_in_line_for_a_token_leave_slots_for_other_models() -> None:
    place = Place(ModelBounds("slow", rate=Rate(10, 1)))
    slow, free = (
        place.backend.open_queue(ConcurrencyLimit(50), model="slow"),
        place.backend.open_queue(ConcurrencyLimit(50), model="free"),
    )
    began = time.perf_counter()
    waiting = [asyncio.create_task(place.call(slow, "slow", 0.001)) for _ in range(9)]
    await asyncio.sleep(0.01)
    await asyncio.gather(*(place.call(free, "free", 0.01) for _ in range(20)))
    assert sum(not task.done() for task in waiting) >= 4
    assert place.most["slow"] <= 5
    await asyncio.gather(*waiting)
    took = time.perf_counter() - began
    assert 0.79 <= took < 1.6  # and the slow one is never without somebody in line


async def test_long_calls_that_have_their_token_do_not_count_as_the_line() -> None:
    place = Place(ModelBounds("paced", rate=Rate(100, 1)))
    lane = place.backend.open_queue(ConcurrencyLimit(50), model="paced")
    tasks = [asyncio.create_task(place.call(lane, "paced", 30)) for _ in range(12)]
    await asyncio.sleep(0.25)
    assert place.inside["paced"] == 6
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


async def test_all_lanes_of_a_model_share_its_concurrency() -> None:
    place = Place(ModelBounds("small", concurrency=2))
    lanes = [place.backend.open_queue(ConcurrencyLimit(50), model="small") for _ in range(3)]
    await asyncio.gather(*(place.call(lane, "small", 0.005) for lane in lanes for _ in range(5)))
    assert place.most["small"] == 2


async def test_whoever_leaves_the_line_lets_the_next_in() -> None:
    place = Place(rate=Rate(5, 1))
    lane = place.backend.open_queue(ConcurrencyLimit(50), model="m")
    tasks = [asyncio.create_task(place.call(lane, "m", 0)) for _ in range(8)]
    await asyncio.sleep(0.02)
    for task in tasks[1:6]:
        task.cancel()
    outcomes = await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 2)
    assert [type(outcome) for outcome in outcomes] == [type(None)] + [asyncio.CancelledError] * 5 + [type(None)] * 2
    assert place.backend.gate.busy == 0


def test_a_model_without_bounds_has_no_share_and_pins_have_their_own() -> None:
    endpoint = Endpoint(
        "e", "http://e/v1", "local", bounds=(ModelBounds("m", "host", Rate(1)), ModelBounds("n", concurrency=3))
    )
    wards = PerModelLimits(endpoint, Buckets(endpoint))
    assert wards.share("m") is None
    assert wards.share("other") is None
    pinned = wards.share("m", "host")
    assert pinned is not None
    assert pinned is wards.share("m", "host")
    assert wards.share("n") is not wards.share("n", "host")
