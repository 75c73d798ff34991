from __future__ import annotations

import asyncio

import pytest

from independence.engine.events import Event, RunStopping
from independence.engine.gate import ConcurrencyLimit, EndpointGate, QueueClosed, StopSignal
from independence.errors import CostCapReached, DiskFull


async def test_the_first_reason_to_stop_wins_and_is_said_once() -> None:
    said: list[Event] = []
    halt = StopSignal([EndpointGate(lambda: 1)], said.append)
    assert halt.reason is None
    first = CostCapReached("cap")
    halt.stop(first)
    halt.stop(DiskFull("full"))
    assert halt.reason is first
    assert said == [RunStopping("cap")]


async def test_every_gate_closes_and_calls_in_flight_finish() -> None:
    gates = [EndpointGate(lambda: 1), EndpointGate(lambda: 1)]
    halt = StopSignal(iter(gates), [].append)
    lanes = [gate.open_queue(ConcurrencyLimit(2)) for gate in gates]
    finished = []

    async def call(gate: EndpointGate, lane: object, inside: asyncio.Event, go_on: asyncio.Event) -> None:
        async with gate.slot(lane, 1):  # type: ignore[arg-type]
            inside.set()
            await go_on.wait()
            finished.append(gate)

    inside, go_on = asyncio.Event(), asyncio.Event()
    flying = asyncio.create_task(call(gates[0], lanes[0], inside, go_on))
    await inside.wait()
    waiting = asyncio.create_task(call(gates[0], lanes[0], asyncio.Event(), go_on))
    await asyncio.sleep(0)
    halt.stop(DiskFull("full"))
    with pytest.raises(QueueClosed):
        await waiting
    with pytest.raises(QueueClosed):
        await call(gates[1], lanes[1], asyncio.Event(), go_on)
    go_on.set()
    await flying
    assert finished == [gates[0]]
