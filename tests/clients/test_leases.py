"""What is lent to workers: never more than there is, all of it where it is wanted, and nothing lost with a worker."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients.leases import (
    DollarLeases,
    DollarReport,
    LeasedBucket,
    LeasedBudget,
    LeasedThrottle,
    SlotLeases,
    SlotReport,
    split,
)
from independence.clients.limits import Budget
from independence.clients.throttle import Throttle
from independence.config.endpoints import Rate
from independence.errors import CostCapReached


def test_a_window_is_shared_by_demand() -> None:
    rows = {
        (80, 100, 100): [40, 40],
        (80, 10, 100): [10, 70],
        (80, 10, 20): [35, 45],
        (1, 5, 5): [0, 1],
        (3, 0, 0): [1, 2],
    }
    assert {key: split(key[0], key[1:]) for key in rows} == rows


@given(st.integers(0, 200), st.lists(st.integers(0, 300), min_size=1, max_size=9))
def test_all_of_a_window_is_shared_and_no_more(window: int, demands: list[int]) -> None:
    shares = split(window, demands)
    assert sum(shares) == window
    assert all(share >= 0 for share in shares)
    wanting = [share for share, demand in zip(shares, demands, strict=True) if share < demand]
    assert not wanting or max(wanting) - min(wanting) <= 1


def report(demand: int, busy: int, served: int = 0, refused: tuple[int, ...] = ()) -> SlotReport:
    return SlotReport(demand, busy, ((0, 0),) * served, tuple((epoch, True) for epoch in refused))


def test_slots_that_one_worker_had_go_to_another_once_it_has_reported_that_they_are_free() -> None:
    leases = SlotLeases(Throttle(10))
    assert leases.grant(0) == 10  # nobody else is known
    assert leases.grant(1) == 0
    leases.report(1, report(8, 0))
    leases.report(0, report(9, 9))
    assert leases.grant(0) == 5
    assert leases.grant(1) == 0  # the first may still have ten in flight
    leases.report(0, report(9, 7))
    assert leases.grant(1) == 3
    leases.report(0, report(9, 5))
    assert leases.grant(1) == 5


def test_a_window_that_breaks_is_cut_once_for_all_workers() -> None:
    throttle = Throttle(100)
    leases = SlotLeases(throttle)
    for worker in (0, 1):
        leases.grant(worker)
        leases.report(worker, report(80, 50))
    leases.report(0, report(80, 50, refused=(0, 0)))
    cut = throttle.limit
    assert cut < 100
    leases.report(1, report(80, 50, refused=(0, 0, 0)))  # they began before
    assert throttle.limit == cut
    assert throttle.in_flight == 0


def test_the_slots_of_a_worker_that_is_gone_are_free() -> None:
    leases = SlotLeases(Throttle(10))
    leases.grant(0)
    leases.report(0, report(50, 10))
    leases.drop(0)
    assert leases.grant(1) == 10


async def test_a_worker_without_slots_admits_who_was_refused_once_it_is_lent_some() -> None:
    throttle = LeasedThrottle()
    assert throttle.limit == 0
    assert await throttle.enter(float("inf"), lambda _: None) == 0
    room = throttle.refused(0, certain=True)
    again = asyncio.create_task(throttle.enter(room, lambda _: None))
    await asyncio.sleep(0)
    assert throttle.report(1, 1) == SlotReport(1, 0, (), ((0, True),))
    assert not again.done()
    throttle.lend(1, 3)
    assert await again == 3


def test_dollars_are_lent_within_the_cap_and_a_dead_workers_count_as_spent() -> None:
    budget = Budget(1.0)
    leases = DollarLeases(budget)
    leases.report(0, DollarReport(wanted=0.01))
    usd, refused = leases.grant(0)
    assert refused is None
    assert 0.01 <= usd <= 0.25
    assert budget.held == pytest.approx(usd)
    leases.report(0, DollarReport(spent=0.1, unknown=0.02, held=0.03, lent=usd - 0.1))
    assert (budget.spent, budget.unknown) == (pytest.approx(0.1), pytest.approx(0.02))
    assert budget.held == pytest.approx(usd - 0.1)
    leases.drop(0, died=True)
    assert budget.held == 0
    assert budget.spent == pytest.approx(usd)
    assert budget.unknown == pytest.approx(0.02 + usd - 0.1)


def test_dollars_are_refused_only_when_no_worker_holds_any() -> None:
    leases = DollarLeases(Budget(0.10))
    leases.report(0, DollarReport(wanted=0.06))
    assert leases.grant(0)[0] == pytest.approx(0.06)
    leases.report(0, DollarReport(held=0.06, lent=0.06))
    leases.report(1, DollarReport(wanted=0.06))
    assert leases.grant(1) == (0.0, None)
    assert leases.short
    leases.report(0, DollarReport(spent=0.06, wanted=0.01))
    assert leases.grant(0) == (0.0, None)  # the other one came first
    usd, refused = leases.grant(1)
    assert usd == 0
    assert isinstance(refused, CostCapReached)


def test_a_worker_that_is_gone_stands_in_nobodys_way() -> None:
    leases = DollarLeases(Budget(0.10))
    leases.report(0, DollarReport(held=0.06, lent=0.06))
    leases.report(1, DollarReport(wanted=0.06))
    leases.report(2, DollarReport(wanted=0.01))
    assert [leases.grant(worker) for worker in (1, 2)] == [(0.0, None)] * 2
    leases.drop(1, died=False)
    usd, refused = leases.grant(2)
    assert (usd >= 0.01, refused, leases.short) == (True, None, False)


async def test_a_worker_waits_for_dollars_and_gives_back_what_is_free_where_they_are_short() -> None:
    wanted: list[float] = []
    budget = LeasedBudget(5.0, lambda: wanted.append(budget.report().wanted))
    waiting = asyncio.create_task(budget.reserve(0.2))
    await asyncio.sleep(0)
    assert wanted == [0.2]
    budget.lend(1.0, short=False, refused=None)
    (await waiting).settle(0.15)
    assert budget.report() == DollarReport(0.15, 0.0, held=0.0, lent=0.85)
    budget.lend(0.0, short=True, refused=None)
    assert budget.report().lent == 0
    refused = asyncio.create_task(budget.reserve(0.2))
    await asyncio.sleep(0)
    budget.lend(0.0, short=True, refused=Budget(5.0).reached(0.2))
    with pytest.raises(CostCapReached):
        await refused


async def test_tokens_are_lent_to_calls_that_wait_and_gone_when_the_server_wants_fewer_requests() -> None:
    bucket = LeasedBucket(Rate(5.0, 3))
    calls = [asyncio.create_task(bucket.take(lambda _: None)) for _ in range(3)]
    await asyncio.sleep(0)
    assert bucket.wanted == 3
    bucket.lend(2)
    await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.sleep(0)
    assert [call.done() for call in calls] == [True, True, False]
    assert bucket.wanted == 1
    bucket.empty(0.5)
    assert bucket.emptied == 0.5
    bucket.lend(1)
    await calls[2]
