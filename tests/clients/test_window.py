from __future__ import annotations

import asyncio
import itertools
import math
import random
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients.protocol import Policy
from independence.clients.throttle import Throttle
from independence.engine.gate import ConcurrencyLimit, EndpointGate
from tests.virtual_time import in_virtual_time

REFUSAL_S = 0.05
DEEP = pytest.mark.deep


class Server(NamedTuple):
    """What an endpoint refuses, and how."""

    capacity: int = 10**9
    status: int = 429
    faulty: float = 0.0  # share of requests that are refused with a 503 at random
    limited: float = 0.0  # the same with a 429
    retry_after: float | None = None
    down: tuple[float, float] = (math.inf, math.inf)  # begin and end of an outage: everything is refused


class Run(NamedTuple):
    """How a simulated run went."""

    stretch: float  # makespan over work / slots
    found: float  # seconds until the window was at most 1.5 times the capacity
    unanswered: int
    lowest: int
    limits: list[tuple[float, int]]


def simulate(server: Server, seed: int, *, cap: int, calls: int) -> Run:
    """Calls of log-normal length through the gate and the throttle, in virtual time."""
    return in_virtual_time(lambda clock: _calls(server, random.Random(seed), clock, cap, calls))  # type: ignore[no-any-return]


async def _calls(server: Server, rng: random.Random, clock: object, cap: int, calls: int) -> Run:
    assert callable(clock)
    random.seed(rng.random())  # of the policy's jitter
    limits: list[tuple[float, int]] = [(0.0, cap)]
    throttle = Throttle(cap, lambda limit: limits.append((clock(), limit)))
    gate, policy = EndpointGate(lambda: throttle.limit), Policy()
    queue = gate.open_queue(ConcurrencyLimit(math.inf))
    busy, work, unanswered = 0, 0.0, 0

    def status() -> int:
        draw = rng.random()
        if busy >= server.capacity or server.down[0] <= clock() < server.down[1]:
            return server.status
        return 429 if draw < server.limited else 503 if draw < server.limited + server.faulty else 200

    async def call(seconds: float) -> None:
        nonlocal busy, unanswered
        room = math.inf
        async with gate.slot(queue, 1.0):
            for tried in range(policy.retries + 1):
                epoch = await throttle.enter(room, lambda _left: None)
                answer = status()
                if answer == 200:
                    busy += 1
                    await asyncio.sleep(seconds)
                    busy -= 1
                    throttle.served(epoch)
                    return
                await asyncio.sleep(REFUSAL_S)
                room = throttle.refused(epoch, certain=answer == 429)
                await asyncio.sleep(policy.pause(tried, server.retry_after))
            unanswered += 1

    async with asyncio.TaskGroup() as group:
        for _ in range(calls):
            seconds = rng.lognormvariate(1.5, 0.6)
            work += seconds
            group.create_task(call(seconds))
    assert throttle.in_flight == 0
    found = next((at for at, limit in limits if limit <= 1.5 * server.capacity), math.inf)
    stretch = clock() / (work / min(cap, server.capacity))
    return Run(stretch, found, unanswered, min(limit for _, limit in limits), limits)


@pytest.mark.parametrize(("seed", "calls"), [(0, 600), *(pytest.param(seed, 1500, marks=DEEP) for seed in range(4))])
def test_refusals_now_and_then_hardly_narrow_the_window(seed: int, calls: int) -> None:
    calm = simulate(Server(), seed, cap=80, calls=calls)
    assert calm.limits == [(0.0, 80)]
    faulty = simulate(Server(faulty=0.05), seed, cap=80, calls=calls)
    assert faulty.lowest > 40
    assert faulty.stretch < 1.08 * calm.stretch
    assert faulty.unanswered == 0
    odd = simulate(Server(faulty=0.04, limited=0.01), seed, cap=80, calls=calls)
    assert odd.stretch < 1.25 * calm.stretch  # the odd 429 costs a fifth at most


GRID = itertools.product(((200, 80), (200, 16), (50, 4)), (429, 503), (None, 2.0), range(3))


@pytest.mark.parametrize(
    ("sizes", "status", "retry_after", "seed"),
    [((50, 4), 429, 2.0, 0), ((40, 8), 503, None, 0), *(pytest.param(*one, marks=DEEP) for one in GRID)],
)
def test_what_an_endpoint_takes_is_found_within_seconds(
    sizes: tuple[int, int], status: int, retry_after: float | None, seed: int
) -> None:
    cap, capacity = sizes
    run = simulate(Server(capacity, status, retry_after=retry_after), seed, cap=cap, calls=10 * cap)
    assert run.found < 4 + 2 * (retry_after or 0.0)
    calm = simulate(Server(), seed, cap=capacity, calls=10 * cap)
    assert run.stretch < 1.2 * calm.stretch
    assert run.unanswered <= 0.02 * 10 * cap
    assert max(limit for at, limit in run.limits if at > 30) <= 3 * capacity


def test_the_window_is_back_soon_after_an_outage() -> None:
    run = simulate(Server(status=503, down=(30.0, 40.0)), 1, cap=40, calls=1200)
    assert run.lowest <= 6
    assert next(at for at, limit in run.limits if at > 40 and limit == 40) < 100


def throttled(cap: int) -> Throttle:
    throttle = Throttle(cap)
    throttle.in_flight = 10**6  # of attempts that tests do not begin one by one
    return throttle


def test_a_429_cuts_the_window_and_a_round_of_served_calls_brings_it_back() -> None:
    throttle = throttled(100)
    throttle.refused(0, certain=True)
    for _ in range(40):  # those of attempts from before the cut are one refusal
        throttle.refused(0, certain=True)
        assert throttle.limit == 89  # nine tenths of what would have fitted
    grown = []
    for _ in range(120):
        throttle.served(1)
        grown.append(throttle.limit)
    assert [grown[at] for at in (9, 39, 79, 119)] == [92, 98, 99, 100]


def test_one_503_says_nothing_and_four_in_a_row_cut() -> None:
    throttle = throttled(100)
    for _ in range(3):
        throttle.refused(0, certain=False)
        assert throttle.limit == 100
    throttle.refused(0, certain=False)
    assert throttle.limit == 90


def test_what_refuses_most_calls_after_a_cut_is_halved() -> None:
    throttle = throttled(100)
    for epoch in range(3):
        for _ in range(4):
            throttle.refused(epoch, certain=False)
    assert throttle.limit == 22  # 100 x 0.9 x 0.5 x 0.5


@given(st.lists(st.sampled_from(["served", "429", "503"]), max_size=300), st.integers(0, 50))
def test_the_window_stays_between_one_and_the_cap_and_every_limit_is_told(events: list[str], cap: int) -> None:
    told = [max(1, cap)]
    throttle = Throttle(cap, told.append)
    throttle.in_flight = len(events)
    epoch = 0
    for event in events:
        before = throttle.limit
        if event == "served":
            throttle.served(epoch)
            assert throttle.limit >= before
        else:
            throttle.refused(epoch, certain=event == "429")
            assert throttle.limit <= before
            epoch += throttle.limit < before or (event == "429" and before == 1)
        assert 1 <= throttle.limit <= max(1, cap)
        assert told[-1] == throttle.limit
    assert throttle.in_flight == 0


def test_who_was_refused_goes_first_and_who_leaves_takes_no_place_along() -> None:
    async def work(_clock: object) -> list[str]:
        throttle, went = Throttle(4), []
        epochs = [await throttle.enter(math.inf, print) for _ in range(4)]
        room = throttle.refused(epochs.pop(), certain=False)
        assert room == 2

        async def enter(name: str, room: float) -> None:
            await throttle.enter(room, print)
            went.append(name)

        tasks = [asyncio.create_task(enter(name, room)) for name, room in (("refused", room), ("leaver", room))]
        await asyncio.sleep(0)
        tasks.append(asyncio.create_task(enter("new", math.inf)))
        await asyncio.sleep(0)
        assert went == []
        tasks[1].cancel()
        await asyncio.sleep(0)
        throttle.ended()
        await asyncio.sleep(0.1)
        assert went == []  # as many are in flight as when it was refused, but one
        throttle.ended()
        await asyncio.sleep(0.1)
        assert went == ["refused", "new"]
        assert throttle.in_flight == 3
        return went

    in_virtual_time(work)
