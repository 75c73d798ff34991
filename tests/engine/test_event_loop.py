from __future__ import annotations

import asyncio
import gc

import pytest

from independence.engine.event_loop import drive


async def thresholds() -> tuple[int, int, int]:
    return gc.get_threshold()


def test_the_value_of_the_work_comes_back() -> None:
    async def work() -> int:
        await asyncio.sleep(0)
        return 7

    assert drive(work()) == 7


def test_cycles_are_looked_for_less_often_while_it_runs_and_as_before_afterwards() -> None:
    before = gc.get_threshold()
    during = drive(thresholds())
    assert during[0] > before[0]
    assert gc.get_threshold() == before


def test_an_error_comes_through_and_leaves_the_thresholds_as_they_were() -> None:
    async def work() -> None:
        raise KeyError("gone")

    before = gc.get_threshold()
    with pytest.raises(KeyError):
        drive(work())
    assert gc.get_threshold() == before
