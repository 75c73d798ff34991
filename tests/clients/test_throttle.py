from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients.limits import HEARTBEAT_S, Bucket, Buckets, PacedCall
from independence.config.endpoints import Endpoint, ModelBounds, Rate
from tests.virtual_time import in_virtual_time

SLIP = 1e-6  # of a token, and of a second


def quiet(_left: float) -> None:
    return None


def burst_held(times: list[float], rate: Rate) -> bool:
    """Whether no stretch of time holds more than `burst + rate * length` of the sorted times."""
    return all(
        j - i + 1 <= rate.burst + rate.per_second * (times[j] - times[i]) + SLIP
        for i in range(len(times))
        for j in range(i, len(times))
    )


async def leaving(bucket: Bucket, clock: Callable[[], float], arrivals: list[float]) -> list[tuple[float, int]]:
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


@given(rates, gaps)
def test_no_stretch_of_time_ever_holds_more_than_the_burst_and_the_rate(rate: Rate, arrivals: list[float]) -> None:
    left = in_virtual_time(lambda clock: leaving(Bucket(rate, clock), clock, arrivals))
    assert burst_held([at for at, _ in left], rate)


@given(rates, gaps)
def test_who_comes_first_is_served_first_and_nobody_longer_than_the_rate_makes_them(
    rate: Rate, arrivals: list[float]
) -> None:
    left = in_virtual_time(lambda clock: leaving(Bucket(rate, clock), clock, arrivals))
    assert [who for _, who in left] == list(range(len(arrivals)))
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


@given(rates, gaps, st.lists(st.tuples(st.floats(0, 20), st.floats(0, 30)), min_size=1, max_size=5))
def test_nobody_is_served_while_the_bucket_is_held_empty(
    rate: Rate, arrivals: list[float], refusals: list[tuple[float, float]]
) -> None:
    held: list[tuple[float, float]] = []

    async def work(clock: Callable[[], float]) -> list[tuple[float, int]]:
        bucket = Bucket(rate, clock)

        async def refuse(at: float, seconds: float) -> None:
            await asyncio.sleep(at)
            bucket.empty(seconds)
            held.append((clock(), clock() + seconds))

        async with asyncio.TaskGroup() as group:
            for at, seconds in refusals:
                group.create_task(refuse(at, seconds))
            return await leaving(bucket, clock, arrivals)

    left = in_virtual_time(work)
    times = [at for at, _ in left]
    assert burst_held(times, rate)
    for begin, end in held:
        assert not [at for at in times if begin + SLIP < at < end + 1 / rate.per_second - 1e-5]


@given(rates, gaps, st.sets(st.integers(0, 39)), st.floats(0, 5))
def test_who_leaves_the_line_takes_no_token_along(
    rate: Rate, arrivals: list[float], leavers: set[int], patience: float
) -> None:
    """Those who stay are served as if the others had never come, or sooner than the rate would let all of them."""

    async def work(clock: Callable[[], float]) -> tuple[list[float], list[int]]:
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


def test_the_first_minute_holds_the_burst_on_top_of_the_rate() -> None:
    rate = Rate(0.367, 5)  # 22 a minute, people think
    left = in_virtual_time(lambda clock: leaving(Bucket(rate, clock), clock, [0.0] * 40))
    assert sum(at <= 60 for at, _ in left) == 27
    modest = Rate(18 / 60, 2)
    left = in_virtual_time(lambda clock: leaving(Bucket(modest, clock), clock, [0.0] * 40))
    assert max(sum(begin <= at < begin + 60 for at, _ in left) for begin, _ in left) <= 20


def test_whoever_waits_says_so_every_second() -> None:
    async def work(clock: Callable[[], float]) -> list[tuple[float, float]]:
        bucket, beats = Bucket(Rate(0.25, 1), clock), []
        await bucket.take(quiet)
        await bucket.take(lambda left: beats.append((clock(), left)))
        return beats

    beats = in_virtual_time(work)
    assert [round(at, 6) for at, _ in beats] == [0, 1, 2, 3]
    assert [round(left, 6) for _, left in beats] == [4, 3, 2, 1]
    assert HEARTBEAT_S == 1


def test_a_run_that_stops_ends_the_whole_line_within_a_heartbeat() -> None:
    async def work(clock: Callable[[], float]) -> tuple[float, list[BaseException | None]]:
        bucket, stopping = Bucket(Rate(0.001, 1), clock), []

        def beat(_left: float) -> None:
            if stopping:
                raise ValueError("stopping")

        await bucket.take(beat)
        tasks = [asyncio.create_task(bucket.take(beat)) for _ in range(50)]
        await asyncio.sleep(10.5)
        stopping.append(True)
        began = clock()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        return clock() - began, outcomes

    took, outcomes = in_virtual_time(work)
    assert took <= HEARTBEAT_S
    assert [type(outcome) for outcome in outcomes] == [ValueError] * 50


def test_an_ask_is_past_the_bucket_from_its_token_until_it_wants_another() -> None:
    async def work(clock: Callable[[], float]) -> list[int]:
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


def test_every_model_and_every_pin_has_a_bucket_of_its_own() -> None:
    own = (ModelBounds("fast", rate=Rate(50, 5)), ModelBounds("free", concurrency=2))
    buckets = Buckets(Endpoint("e", "http://e/v1", "local", rate=Rate(1), bounds=own))
    assert buckets.of("m", None) is buckets.of("m", None)
    made = [buckets.of("m", None), buckets.of("m", "host"), buckets.of("n", None), buckets.of("fast", "host")]
    assert len({id(bucket) for bucket in made}) == 4
    assert None not in made
    only = Buckets(Endpoint("e", "http://e/v1", "local", bounds=own))
    assert only.of("m", None) is only.of("free", None) is None
    assert only.of("fast", None) is not None


def test_without_a_rate_there_is_no_bucket() -> None:
    assert Buckets(Endpoint("e", "http://e/v1", "local")).of("m", None) is None
