from __future__ import annotations

from independence.testing.loopback.wire import SEEDS, mixed_seed, uniforms


def test_the_same_parts_give_the_same_numbers_and_their_order_counts() -> None:
    assert uniforms("a", 1) == uniforms("a", 1)
    assert uniforms("a", "b") != uniforms("b", "a")


def test_numbers_fill_the_open_unit_interval_evenly() -> None:
    numbers = [number for i in range(2000) for number in uniforms("n", i)]
    assert all(0 < number < 1 for number in numbers)
    tenths = [sum(k <= 10 * number < k + 1 for number in numbers) for k in range(10)]
    assert all(700 < count < 900 for count in tenths)  # 800 expected, sd 27


def test_the_mixed_seed_moves_exactly_with_the_request_seed() -> None:
    start = mixed_seed(0, 12345)
    assert [(mixed_seed(step, 12345) - start) % SEEDS for step in (1, 1000, SEEDS - 1)] == [1, 1000, SEEDS - 1]


def test_server_seed_zero_passes_the_request_seed_through() -> None:
    assert mixed_seed(99, 0) == 99
    assert mixed_seed(None, 0) == 0


def test_server_seeds_shift_by_different_amounts_and_stay_in_range() -> None:
    shifted = {mixed_seed(5, seed) for seed in range(1000)}
    assert len(shifted) == 1000
    assert all(0 <= seed < SEEDS for seed in shifted)
