"""The token bucket, in virtual time: what it lets through, and what a call at it pays and waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from independence.clients.limits import Bucket, Buckets, PacedCall
from independence.clients.protocol import GaveUp, Wait
from independence.config.endpoints import Endpoint, ModelBounds, Rate
from tests.virtual_time import in_virtual_time

from .conftest import FINE, MODEL, SAID, Unplug, answered, completion, failing, question, without_waiting

SLIP = 1e-6  # of a token, and of a second
Clock = Callable[[], float]


def quiet(_left: float) -> None:
    return None


def burst_held(times: list[float], rate: Rate) -> bool:
    """Whether no stretch of time holds more than `burst + rate * length` of the sorted times."""
    return all(
        j - i + 1 <= rate.burst + rate.per_second * (times[j] - times[i]) + SLIP
        for i in range(len(times))
        for j in range(i, len(times))
    )


async def leaving(bucket: Bucket, clock: Clock, arrivals: list[float]) -> list[tuple[float, int]]:
    """(time, who) of everybody who takes a token, each arriving so many seconds after the one before."""
    left: list[tuple[float, int]] = []

    async def one(number: int) -> None:
        await bucket.take(quiet)
        left.append((clock(), number))

    async with asyncio.TaskGroup() as group:
        for number, gap in enumerate(arrivals):
            await asyncio.sleep(gap)
            group.create_task(one(number))
    return left


rates = st.builds(Rate, st.floats(0.01, 200), st.integers(1, 12))
gaps = st.lists(st.one_of(st.just(0.0), st.floats(0, 3)), min_size=1, max_size=40)


@settings(max_examples=40)
@given(rates, gaps)
def test_who_comes_first_is_served_first_and_as_soon_as_the_rate_allows(rate: Rate, arrivals: list[float]) -> None:
    left = in_virtual_time(lambda clock: leaving(Bucket(rate, clock), clock, arrivals))
    assert [who for _, who in left] == list(range(len(arrivals)))
    assert burst_held([at for at, _ in left], rate)
    tokens, at = float(rate.burst), 0.0  # the same bucket, worked out by hand
    come = 0.0
    for gap, (when, _) in zip(arrivals, left, strict=True):
        come += gap
        go = max(come, at)
        tokens = min(rate.burst, tokens + (go - at) * rate.per_second)
        if tokens < 1:
            go, tokens = go + (1 - tokens) / rate.per_second, 1.0
        assert when == pytest.approx(go, abs=1e-5)
        tokens, at = tokens - 1, go


@settings(max_examples=40)
@given(rates, gaps, st.lists(st.tuples(st.floats(0, 20), st.floats(0, 30)), min_size=1, max_size=5))
def test_nobody_is_served_while_the_bucket_is_held_empty(
    rate: Rate, arrivals: list[float], refusals: list[tuple[float, float]]
) -> None:
    held: list[tuple[float, float]] = []

    async def work(clock: Clock) -> list[tuple[float, int]]:
        bucket = Bucket(rate, clock)

        async def refuse(at: float, seconds: float) -> None:
            await asyncio.sleep(at)
            bucket.empty(seconds)
            held.append((clock(), clock() + seconds))

        async with asyncio.TaskGroup() as group:
            for at, seconds in refusals:
                group.create_task(refuse(at, seconds))
            return await leaving(bucket, clock, arrivals)

    times = [at for at, _ in in_virtual_time(work)]
    assert burst_held(times, rate)
    for begin, end in held:
        assert not [at for at in times if begin + SLIP < at < end + 1 / rate.per_second - 1e-5]


@settings(max_examples=40)
@given(rates, gaps, st.sets(st.integers(0, 39)), st.floats(0, 5))
def test_who_leaves_the_line_takes_no_token_along(
    rate: Rate, arrivals: list[float], leavers: set[int], patience: float
) -> None:
    """Those who stay are served as if the others had never come, or sooner than the rate would let all of them."""

    async def work(clock: Clock) -> tuple[list[float], list[int]]:
        bucket, served, who = Bucket(rate, clock), [], []

        async def one(number: int) -> None:
            try:
                async with asyncio.timeout(patience if number in leavers else None):
                    await bucket.take(quiet)
            except TimeoutError:
                return
            served.append(clock())
            who.append(number)

        async with asyncio.TaskGroup() as group:
            for number, gap in enumerate(arrivals):
                await asyncio.sleep(gap)
                group.create_task(one(number))
        before = clock()
        await bucket.take(quiet)  # the line is free
        served.append(clock())
        assert clock() - before <= 1 / rate.per_second + 1e-5
        return served, who

    served, who = in_virtual_time(work)
    assert burst_held(served, rate)
    assert who == sorted(who)
    assert set(range(len(arrivals))) - set(who) <= leavers


def test_whoever_waits_says_so_every_second_and_a_run_that_stops_ends_the_line_within_one() -> None:
    async def work(clock: Clock) -> tuple[list[tuple[float, float]], float, list[BaseException | None]]:
        bucket, beats, stopping = Bucket(Rate(0.25, 1), clock), [], []

        def beat(left: float) -> None:
            beats.append((round(clock(), 6), round(left, 6)))
            if stopping:
                raise ValueError("stopping")

        await bucket.take(beat)
        await bucket.take(beat)
        heard = list(beats)
        tasks = [asyncio.create_task(bucket.take(beat)) for _ in range(50)]
        await asyncio.sleep(10.5)
        stopping.append(True)
        began = clock()
        return heard, began, await asyncio.gather(*tasks, return_exceptions=True) + [clock() - began]

    heard, _, outcomes = in_virtual_time(work)
    assert heard == [(0, 4), (1, 3), (2, 2), (3, 1)]
    *ended, took = outcomes
    assert [type(one) for one in ended] == [type(None)] * 2 + [ValueError] * 48
    assert took <= 1


def test_an_ask_is_past_the_bucket_from_its_token_until_it_wants_another() -> None:
    async def work(clock: Clock) -> list[int]:
        bucket, past, moved = Bucket(Rate(1, 1), clock), [], []
        bucket.moved = lambda: moved.append(bucket.past)
        one, other = PacedCall(bucket), PacedCall(bucket)
        await one.take(quiet)
        past.append(bucket.past)
        waiting = asyncio.create_task(other.take(quiet))
        await asyncio.sleep(0.5)
        past.append(bucket.past)
        again = asyncio.create_task(one.take(quiet))  # a retry pays again, at the end of the line
        await asyncio.sleep(0)
        past.append(bucket.past)
        await waiting
        other.end()
        other.end()
        await again
        past.append(bucket.past)
        one.end()
        assert moved == [1, 1, 1]
        return [*past, bucket.past]

    assert in_virtual_time(work) == [1, 1, 0, 1, 0]


def test_every_model_and_every_pin_has_a_bucket_of_its_own_and_without_a_rate_there_is_none() -> None:
    own = (ModelBounds("fast", rate=Rate(50, 5)), ModelBounds("free", concurrency=2))
    buckets = Buckets(Endpoint("e", "http://e/v1", "local", rate=Rate(1), bounds=own))
    assert buckets.of("m", None) is buckets.of("m", None)
    made = [buckets.of("m", None), buckets.of("m", "host"), buckets.of("n", None), buckets.of("fast", "host")]
    assert len({id(bucket) for bucket in made}) == 4
    assert None not in made
    only = Buckets(Endpoint("e", "http://e/v1", "local", bounds=own))
    assert only.of("m", None) is only.of("free", None) is None
    assert only.of("fast", None) is not None
    assert Buckets(Endpoint("e", "http://e/v1", "local")).of("m", None) is None


def test_every_attempt_pays_retries_and_second_thoughts_too() -> None:
    async def work(unplug: Unplug) -> list[float]:
        line, session = unplug(failing(502), completion("", message={"reasoning": "hm"}), FINE, rate=Rate(1 / 60, 1))
        assert len((await answered(line)).attempts) == 3
        return session.sent

    assert without_waiting(work) == pytest.approx([0, 60, 120])


def test_a_wait_is_announced_with_its_length_and_then_goes_on() -> None:
    async def work(unplug: Unplug) -> list[Wait]:
        line, _ = unplug(FINE, rate=Rate(0.5, 1))
        for _ in range(2):
            await answered(line)
        return line.waits

    first, *later = without_waiting(work)
    assert (first.model, first.reason, first.attempt, first.still) == (MODEL, "rate", 0, False)
    assert first.seconds == pytest.approx(2)
    assert [(wait.seconds, wait.still) for wait in later] == [(0.0, True)]


def test_a_refusal_with_retry_after_holds_everybody_at_that_bucket_and_nobody_else() -> None:
    async def work(unplug: Unplug) -> list[tuple[str, float]]:
        told = asyncio.Event()
        refusal = failing(429, headers={"Retry-After": "30"})
        line, session = unplug(refusal, FINE, rate=Rate(1000, 50), notify=lambda _wait: told.set())
        refused = asyncio.create_task(answered(line))
        await told.wait()
        held = asyncio.create_task(answered(line))
        await answered(line, model="maker/other")
        assert [attempt.outcome for attempt in (await refused).attempts] == ["429", "ok"]
        assert len((await held).attempts) == 1
        return [(body["model"], at) for body, at in zip(session.bodies, session.sent, strict=True)]

    _, other, *held = without_waiting(work)
    assert other == ("maker/other", pytest.approx(0))
    assert all(30 <= at < 31 for _, at in held)


def test_a_refusal_without_a_time_takes_what_the_bucket_had_saved() -> None:
    async def work(unplug: Unplug) -> list[float]:
        line, session = unplug(failing(429), FINE, rate=Rate(4, 50))
        await answered(line)
        return session.sent

    assert without_waiting(work) == pytest.approx([0, 0.25])


def test_a_model_of_its_own_rate_does_not_slow_the_others() -> None:
    async def work(unplug: Unplug) -> list[Wait]:
        line, _ = unplug(completion(SAID, model=""), bounds=(ModelBounds("maker/free", rate=Rate(0.01)),))
        for _ in range(20):
            await answered(line)
        await answered(line, model="maker/free")
        return line.waits

    assert without_waiting(work) == []


def test_a_run_that_stops_sends_nothing_and_spends_nothing_for_those_in_line() -> None:
    heard: list[Wait] = []

    def notify(wait: Wait) -> None:
        heard.append(wait)
        if len(heard) > 1:
            raise GaveUp(wait.model, "the run is stopping")

    async def work(unplug: Unplug) -> None:
        line, session = unplug(FINE, rate=Rate(0.01), cap=1.0, notify=notify)
        await answered(line)
        spent = line.budget.spent
        with pytest.raises(GaveUp, match="stopping") as caught:
            await line.client.ask(question())
        assert caught.value.attempts == ()
        assert (len(session.sent), line.budget.spent, line.budget.held, line.throttle.in_flight) == (1, spent, 0, 0)

    without_waiting(work)
    assert [(wait.reason, wait.still) for wait in heard] == [("rate", False), ("rate", True)]


def test_a_cancelled_wait_leaves_money_and_line_as_they_were() -> None:
    async def work(unplug: Unplug) -> list[float]:
        told = asyncio.Event()
        line, session = unplug(FINE, rate=Rate(1), cap=1.0, notify=lambda _wait: told.set())
        await answered(line)
        spent = line.budget.spent
        tasks = [asyncio.create_task(line.client.ask(question())) for _ in range(3)]
        await told.wait()
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        assert (line.budget.spent, line.budget.held) == (spent, 0)
        await answered(line)
        bucket = line.client.buckets.of(MODEL, None)
        assert bucket is not None
        assert bucket.past == 0
        return session.sent

    assert without_waiting(work) == pytest.approx([0, 1])  # those who left have taken no tokens
