from __future__ import annotations

import pytest

from independence.clients.throttle import Throttle


def test_concurrency_starts_at_the_cap_and_halves_on_overload() -> None:
    throttle = Throttle(16)
    assert throttle.limit == 16
    throttle.overloaded(throttle.epoch)
    assert throttle.limit == 8


def test_overloads_of_calls_from_before_the_last_decrease_are_one_overload() -> None:
    throttle = Throttle(64)
    epochs = [throttle.epoch] * 40
    for epoch in epochs:
        throttle.overloaded(epoch)
    assert throttle.limit == 32
    throttle.overloaded(throttle.epoch)
    assert throttle.limit == 16


def test_a_round_of_successes_adds_about_one_and_never_passes_the_cap() -> None:
    throttle = Throttle(16)
    throttle.overloaded()
    for _ in range(8):
        throttle.succeeded()
    assert throttle.limit == 9 or throttle.limit == 8
    throttle.succeeded()
    assert throttle.limit == 9
    for _ in range(1000):
        throttle.succeeded()
    assert throttle.limit == 16


@pytest.mark.parametrize("cap", [0, 1, 3])
def test_at_least_one_call_is_always_allowed(cap: int) -> None:
    throttle = Throttle(cap)
    for _ in range(20):
        throttle.overloaded()
    assert throttle.limit == 1


def test_every_new_limit_is_told() -> None:
    told: list[int] = []
    throttle = Throttle(4, told.append)
    throttle.overloaded()
    throttle.overloaded()
    for _ in range(20):
        throttle.succeeded()
    assert told == [2, 1, 2, 3, 4]
