"""Calls through the real client, in virtual time, at servers that take a few at once: by one process, by several."""

from __future__ import annotations

import asyncio
import itertools
import math
import random
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients.protocol import GaveUp, Policy
from independence.clients.throttle import Throttle
from independence.config.endpoints import Endpoint
from independence.engine.concurrency import ConcurrencyLimit, EndpointGate
from tests.virtual_time import in_virtual_time

from .conftest import Response, Step, lined, question

DEEP = pytest.mark.deep
QUICK = Policy(0.05)
FINE = Step(body={"choices": [{"message": {"content": "I am."}, "finish_reason": "stop"}]})
FULL = b'{"error": {"message": "too many requests"}}'


class Server(NamedTuple):
    """What an endpoint refuses, and how long it takes to answer."""

    capacity: int = 10**9
    seed: int = 0
    status: int = 429
    faulty: float = 0.0  # share of requests that are refused with a 503 at random
    limited: float = 0.0  # the same with a 429
    retry_after: float | None = None
    down: tuple[float, float] = (math.inf, math.inf)  # begin and end of an outage: everything is refused
    answer_s: float = 0.1
    refusal_s: float = 0.005


class Serving:
    """The session of a connection to it."""

    def __init__(self, server: Server) -> None:
        self.server, self.rng = server, random.Random(server.seed)
        self.seen: list[int] = []  # requests held when each came, itself included
        self.work_s = 0.0
        self._held = 0

    async def request(self, *_: object, **__: object) -> Response:
        server, now = self.server, asyncio.get_running_loop().time()
        self._held += 1
        self.seen.append(self._held)
        draw, status = self.rng.random(), 200
        if self._held > server.capacity or server.down[0] <= now < server.down[1]:
            status = server.status
        elif draw < server.limited + server.faulty:
            status = 429 if draw < server.limited else 503
        took = server.refusal_s if status != 200 else server.answer_s * self.rng.lognormvariate(0, 0.4)
        self.work_s += took if status == 200 else 0.0
        await asyncio.sleep(took)
        self._held -= 1
        asked = {} if server.retry_after is None else {"Retry-After": str(server.retry_after)}
        return Response(FINE if status == 200 else Step(status, FULL, asked))


class Ended(NamedTuple):
    """How a run of calls ended."""

    seconds: float
    attempts: list[int]  # of every call
    unanswered: int
    late: list[int]  # what the server held when each request of the second half came
    limits: list[tuple[float, int]]  # every limit of the first window, and when it held
    stretch: float  # makespan over work / slots

    def found(self, capacity: int) -> float:
        """When the window was at most 1.5 times what the server takes."""
        return next((at for at, limit in self.limits if limit <= 1.5 * capacity), math.inf)

    @property
    def lowest(self) -> int:
        """The narrowest that the window was."""
        return min(limit for _, limit in self.limits)

    def over(self, capacity: int) -> float:
        """Share of the late requests that were one too many."""
        return sum(held > capacity for held in self.late) / len(self.late)


def ask(server: Server, calls: int, cap: int = 50, policy: Policy = QUICK, workers: int = 1) -> Ended:
    """Calls, with at most `cap` at once, by so many workers with as large a part of it each."""
    return in_virtual_time(lambda clock: _ask(server, calls, cap, policy, workers, clock))  # type: ignore[no-any-return]


async def _ask(server: Server, calls: int, cap: int, policy: Policy, workers: int, clock: Callable[[], float]) -> Ended:
    random.seed(server.seed)  # of the policy's jitter
    limits: list[tuple[float, int]] = [(0.0, cap)]
    session = Serving(server)
    throttles = [Throttle(cap // workers, lambda limit: limits.append((clock(), limit))) for _ in range(workers)]
    gates = [EndpointGate(partial(getattr, throttle, "limit")) for throttle in throttles]
    queues = [gate.open_queue(ConcurrencyLimit(math.inf)) for gate in gates]
    there = Endpoint("e", "http://127.0.0.1/v1", "local")
    lines = [lined(session, there, info=None, policy=policy, throttle=one, notify=lambda _: None) for one in throttles]
    attempts: list[int] = []
    unanswered = 0

    async def call(at: int) -> None:
        nonlocal unanswered
        async with gates[at].slot(queues[at], 1.0):
            try:
                attempts.append(len((await lines[at].client.ask(question())).attempts))
            except GaveUp as gone:
                attempts.append(len(gone.attempts))
                unanswered += 1

    async with asyncio.TaskGroup() as group:
        for number in range(calls):
            group.create_task(call(number % len(lines)))
    assert all(throttle.in_flight == 0 for throttle in throttles)
    stretch = clock() / (session.work_s / min(cap, server.capacity)) if session.work_s else math.inf
    return Ended(clock(), attempts, unanswered, session.seen[len(session.seen) // 2 :], limits, stretch)


@pytest.mark.parametrize(
    ("cap", "seed", "calls"),
    [(200, 0, 250), *(pytest.param(cap, seed, 500, marks=DEEP) for cap in (50, 200) for seed in range(3))],
)
def test_an_endpoint_that_takes_one_call_at_a_time_leaves_none_unanswered(cap: int, seed: int, calls: int) -> None:
    ended = ask(Server(1, seed), calls, cap)
    assert ended.unanswered == 0
    assert ended.stretch < 1.15


def test_an_endpoint_that_refuses_everything_is_given_up_in_time() -> None:
    ended = ask(Server(0, 1), 50)
    assert ended.unanswered == 50
    assert max(ended.attempts) <= 1 + Policy().retries + Policy().spared
    assert ended.seconds < 15
    assert ask(Server(0, 1), 1, 1, Policy(retries=0)).attempts == [1]  # who asks for no retries gets none


@pytest.mark.parametrize(
    ("capacity", "workers", "calls"),
    [(12, 2, 300), *(pytest.param(*one, marks=DEEP) for one in itertools.product((12, 40), (2, 4), (500,)))],
)
def test_workers_that_know_nothing_of_each_other_settle_below_what_the_endpoint_takes(
    capacity: int, workers: int, calls: int
) -> None:
    alone, ended = ask(Server(capacity, 3), calls, 48), ask(Server(capacity, 3), calls, 48, workers=workers)
    assert ended.unanswered == 0
    assert ended.over(capacity) < alone.over(capacity) + 0.05 * workers
    assert max(ended.late) <= 2 * capacity + 3
    assert ended.seconds < 1.6 * alone.seconds


SLOW = Server(answer_s=4.5, refusal_s=0.05)


@pytest.mark.parametrize(("seed", "calls"), [(2, 600), *(pytest.param(seed, 1500, marks=DEEP) for seed in range(4))])
def test_refusals_now_and_then_hardly_narrow_the_window(seed: int, calls: int) -> None:
    own = SLOW._replace(seed=seed)
    calm = ask(own, calls, 80, Policy())
    assert calm.limits == [(0.0, 80)]
    faulty = ask(own._replace(faulty=0.05), calls, 80, Policy())
    assert faulty.lowest > 40
    assert faulty.stretch < 1.08 * calm.stretch
    assert faulty.unanswered == 0
    odd = ask(own._replace(faulty=0.04, limited=0.01), calls, 80, Policy())
    assert odd.stretch < 1.25 * calm.stretch  # the odd 429 costs a fifth at most


SIZES = itertools.product(((200, 80), (200, 16), (50, 4)), (429, 503), (None, 2.0), range(3))


@pytest.mark.parametrize(
    ("sizes", "status", "retry_after", "seed"),
    [((50, 4), 429, 2.0, 0), ((40, 8), 503, None, 0), *(pytest.param(*one, marks=DEEP) for one in SIZES)],
)
def test_what_an_endpoint_takes_is_found_within_seconds(
    sizes: tuple[int, int], status: int, retry_after: float | None, seed: int
) -> None:
    cap, capacity = sizes
    server = SLOW._replace(capacity=capacity, status=status, retry_after=retry_after, seed=seed)
    run, calm = ask(server, 10 * cap, cap, Policy()), ask(SLOW._replace(seed=seed), 10 * cap, capacity, Policy())
    assert run.found(capacity) < 4 + 2 * (retry_after or 0.0)
    assert run.stretch < 1.2 * calm.stretch
    assert run.unanswered <= 0.02 * 10 * cap
    assert max(limit for at, limit in run.limits if at > 30) <= 3 * capacity


def test_the_window_is_back_soon_after_an_outage() -> None:
    run = ask(SLOW._replace(status=503, down=(30.0, 40.0), seed=1), 1200, 40, Policy())
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
