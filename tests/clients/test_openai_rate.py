"""The token bucket as an ask meets it: who pays, who waits, and what a wait costs."""

from __future__ import annotations

import asyncio
import time

import pytest

from independence.clients.protocol import GaveUp, Wait
from independence.config.endpoints import ModelBounds, Rate

from .conftest import FINE, Connect, Scripted, answered, completion, failing, question

PERIOD_S = 0.06
SLOW = Rate(1 / PERIOD_S, 1)


async def test_every_attempt_pays_retries_and_second_thoughts_too(server: Scripted, connect: Connect) -> None:
    server.says(failing(502), completion("", message={"reasoning": "hm"}), FINE)
    began = time.perf_counter()
    reply = await answered(connect(rate=SLOW))
    assert len(reply.attempts) == len(server.seen) == 3
    assert time.perf_counter() - began >= 2 * PERIOD_S


async def test_the_time_in_line_is_not_the_time_of_an_attempt(server: Scripted, connect: Connect) -> None:
    server.says(FINE)
    line = connect(rate=Rate(0.5, 1))
    await answered(line)
    began = time.perf_counter()
    reply = await answered(line)
    wait, *later = line.waits
    assert (wait.reason, wait.attempt, wait.still) == ("rate", 0, False)
    assert all(one.still for one in later)
    assert 0 < wait.seconds <= 2
    assert time.perf_counter() - began >= wait.seconds + reply.seconds - 0.001


async def test_a_refusal_with_retry_after_holds_everybody_at_that_bucket_and_nobody_else(
    server: Scripted, connect: Connect
) -> None:
    server.says(failing(429, headers={"Retry-After": "0.6"}), FINE)
    told = asyncio.Event()
    line = connect(rate=Rate(1000, 50), notify=lambda _wait: told.set())
    began = time.perf_counter()
    refused = asyncio.create_task(answered(line))
    await told.wait()
    held = asyncio.create_task(answered(line))
    other = await answered(line, model="maker/other")
    assert not held.done()
    assert len(other.attempts) == 1
    assert len((await held).attempts) == 1
    assert time.perf_counter() - began >= 0.6
    assert [attempt.outcome for attempt in (await refused).attempts] == ["429", "ok"]


async def test_a_refusal_without_a_time_takes_what_the_bucket_had_saved(server: Scripted, connect: Connect) -> None:
    server.says(failing(429), FINE)
    line = connect(rate=Rate(4, 50))
    began = time.perf_counter()
    await answered(line)
    assert time.perf_counter() - began >= 0.24


async def test_a_model_of_its_own_rate_does_not_slow_the_others(server: Scripted, connect: Connect) -> None:
    server.says(FINE)
    line = connect(bounds=(ModelBounds("maker/free", rate=Rate(0.01)),))
    for _ in range(20):
        await answered(line)
    await answered(line, model="maker/free")
    assert line.waits == []


async def test_a_run_that_stops_sends_nothing_and_spends_nothing_for_those_in_line(
    server: Scripted, connect: Connect
) -> None:
    server.says(FINE)
    heard: list[Wait] = []

    def notify(wait: Wait) -> None:
        heard.append(wait)
        if len(heard) > 1:
            raise GaveUp(wait.model, "the run is stopping")

    line = connect(rate=Rate(0.01), cap=1.0, notify=notify)
    await answered(line)
    spent = line.budget.spent
    with pytest.raises(GaveUp, match="stopping") as caught:
        await line.client.ask(question())
    assert caught.value.attempts == ()
    assert [(wait.reason, wait.still) for wait in heard] == [("rate", False), ("rate", True)]
    assert (len(server.seen), line.budget.spent, line.budget._reserved / 1e12) == (1, spent, 0)


async def test_a_cancelled_wait_leaves_money_and_line_as_they_were(server: Scripted, connect: Connect) -> None:
    server.says(FINE)
    told = asyncio.Event()
    line = connect(rate=Rate(1), cap=1.0, notify=lambda _wait: told.set())
    await answered(line)
    spent = line.budget.spent
    tasks = [asyncio.create_task(line.client.ask(question())) for _ in range(3)]
    await told.wait()
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)
    assert (line.budget.spent, line.budget._reserved / 1e12) == (spent, 0)
    began = time.perf_counter()
    await answered(line)
    assert time.perf_counter() - began < 3.5  # those who left have taken no tokens: that would be 4 seconds
    bucket = line.client.buckets.of(question().model, None)
    assert bucket is not None
    assert bucket.past == 0
