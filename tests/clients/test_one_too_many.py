"""Calls through the real client, in virtual time, at a server that takes a few at once: in this process, and leased."""

from __future__ import annotations

import asyncio
import itertools
import math
import random
from collections.abc import Callable, Coroutine
from functools import partial
from typing import NamedTuple

import pytest

from independence.clients.catalogue import Catalogue
from independence.clients.client import OpenAIClient
from independence.clients.connection import EndpointConnection
from independence.clients.leases import LeasedThrottle, SlotLeases
from independence.clients.limits import Budget
from independence.clients.protocol import GaveUp, Policy
from independence.clients.throttle import Throttle
from independence.config.endpoints import Endpoint
from independence.engine.gate import ConcurrencyLimit, EndpointGate
from independence.types import ChatRequest, Message, Missing, Sampling
from tests.virtual_time import in_virtual_time

from .conftest import Response, Step

ASKED = ChatRequest("m", (Message("user", "Who?"),), 100, Sampling())
FINE = Step(body={"choices": [{"message": {"content": "I am."}, "finish_reason": "stop"}]})
FULL = Step(429, {"error": {"message": "too many requests"}})
ANSWER_S, REFUSAL_S = 0.1, 0.005
QUICK = Policy(0.05)
DEEP = pytest.mark.deep


class Server:
    """Takes so many requests at once, and refuses every other one. Used as the session of a connection."""

    def __init__(self, capacity: int, seed: int) -> None:
        self.rng = random.Random(seed)
        self.seen: list[int] = []  # requests held when each came, itself included
        self._capacity = capacity
        self._held = 0

    async def request(self, *_: object, **__: object) -> Response:
        self._held += 1
        self.seen.append(self._held)
        fits = self._held <= self._capacity
        await asyncio.sleep(ANSWER_S * self.rng.lognormvariate(0, 0.3) if fits else REFUSAL_S)
        self._held -= 1
        return Response(FINE if fits else FULL)


class Ended(NamedTuple):
    """How a run of calls ended."""

    seconds: float
    attempts: list[int]  # of every call
    unanswered: int
    late: list[int]  # what the server held when each request of the second half came


Beside = Callable[[int, EndpointGate], Coroutine[None, None, None]]


def ask(
    server: Server,
    throttles: list[Throttle],
    calls: int,
    beside: Beside | None = None,
    policy: Policy = QUICK,
) -> Ended:
    """Calls, dealt to as many clients as there are throttles; `beside`: what goes on while they are asked."""
    random.seed(7)  # of the policy's jitter
    attempts: list[int] = []
    unanswered = 0

    async def work(clock: Callable[[], float]) -> Ended:
        door = Endpoint("e", "http://127.0.0.1/v1", "local")
        gates = [EndpointGate(partial(getattr, throttle, "limit")) for throttle in throttles]
        queues = [gate.open_queue(ConcurrencyLimit(math.inf)) for gate in gates]
        clients = [
            OpenAIClient(
                EndpointConnection(
                    door, server, Catalogue(), budget=Budget(None), throttle=one, notify=lambda _: None  # type: ignore[arg-type]
                ),
                policy,
            )
            for one in throttles
        ]  # fmt: skip

        async def call(at: int) -> None:
            nonlocal unanswered
            async with gates[at].slot(queues[at], 1.0):
                try:
                    answer = await clients[at].ask(ASKED)
                    assert not isinstance(answer, Missing)
                    attempts.append(len(answer.attempts))
                except GaveUp as gone:
                    attempts.append(len(gone.attempts))
                    unanswered += 1

        going = [asyncio.ensure_future(beside(at, gate)) for at, gate in enumerate(gates)] if beside else []
        async with asyncio.TaskGroup() as group:
            for number in range(calls):
                group.create_task(call(number % len(clients)))
        for task in going:
            task.cancel()
        return Ended(clock(), attempts, unanswered, server.seen[len(server.seen) // 2 :])

    return in_virtual_time(work)  # type: ignore[no-any-return]


def leased(server: Server, cap: int, calls: int, workers: int, delay_s: float) -> Ended:
    """The same by workers that hear of a cut and of each other only by messages that take their time."""
    leases, throttles = SlotLeases(Throttle(cap)), [LeasedThrottle() for _ in range(workers)]

    async def exchange(at: int, gate: EndpointGate) -> None:
        while True:
            granted, epoch = leases.grant(at), leases.throttle.epoch
            await asyncio.sleep(delay_s * server.rng.uniform(0.5, 1.5))
            throttles[at].lend(granted, epoch)
            gate.dispatch()
            await asyncio.sleep(0.01)
            report = throttles[at].report(gate.demand, gate.busy)
            await asyncio.sleep(delay_s * server.rng.uniform(0.5, 1.5))
            leases.report(at, report)

    return ask(server, list(throttles), calls, exchange)


def over(ended: Ended, capacity: int) -> float:
    """Share of the late requests that were one too many."""
    return sum(held > capacity for held in ended.late) / len(ended.late)


@pytest.mark.parametrize(
    ("cap", "seed", "calls"),
    [(200, 0, 250), *(pytest.param(cap, seed, 500, marks=DEEP) for cap in (50, 200) for seed in range(3))],
)
def test_an_endpoint_that_takes_one_call_at_a_time_leaves_none_unanswered(cap: int, seed: int, calls: int) -> None:
    ended = ask(Server(1, seed), [Throttle(cap)], calls)
    assert ended.unanswered == 0
    assert ended.seconds < 1.15 * calls * ANSWER_S


def test_an_endpoint_that_refuses_everything_is_given_up_in_time() -> None:
    ended = ask(Server(0, 1), [Throttle(50)], 50)
    assert ended.unanswered == 50
    assert max(ended.attempts) <= 1 + Policy().retries + Policy().spared
    assert ended.seconds < 15
    alone = ask(Server(0, 1), [Throttle(1)], 1, policy=Policy(retries=0))
    assert alone.attempts == [1]  # who asks for no retries gets none


GRID = itertools.product((12, 1), (2, 4), (0.002, 0.02, 0.1, 0.3), (500,))


@pytest.mark.parametrize(
    ("capacity", "workers", "delay_s", "calls"),
    [(12, 2, 0.02, 300), (1, 2, 0.02, 300), *(pytest.param(*one, marks=DEEP) for one in GRID)],
)
def test_workers_that_hear_late_of_each_other_settle_below_what_the_endpoint_takes(
    capacity: int, workers: int, delay_s: float, calls: int
) -> None:
    alone = ask(Server(capacity, 3), [Throttle(50)], calls)
    ended = leased(Server(capacity, 3), 50, calls, workers, delay_s)
    assert ended.unanswered == 0
    assert over(ended, capacity) < over(alone, capacity) + 0.1
    assert max(ended.late) <= 2 * capacity + 3
    assert ended.seconds < 1.6 * alone.seconds
