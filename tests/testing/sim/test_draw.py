from __future__ import annotations

import pytest

from independence.testing.sim.answer import SEEDS, decision
from independence.testing.sim.texts import Chooser, keyed

from .toys import golden

HUMAN = ("A question.", "A push.")


def test_the_decision_moves_exactly_with_the_seed() -> None:
    start = decision(HUMAN, 0)
    for share in (0.125, 0.5, 0.9):
        assert decision(HUMAN, int(share * SEEDS)) == pytest.approx((start + share) % 1.0, abs=1e-9)


def test_the_words_of_the_human_shift_where_it_starts() -> None:
    starts = {round(decision(("Why?", f"Push number {n}."), 0), 6) for n in range(50)}
    assert len(starts) == 50
    assert 0.3 < sum(starts) / 50 < 0.7


@pytest.mark.parametrize("p", [0.0, 0.2, 0.35, 0.5, 0.8, 1.0])
@pytest.mark.parametrize("runs", [1, 2, 5, 8, 13])
def test_evenly_spaced_seeds_yield_p_of_the_runs_with_an_error_below_one(p: float, runs: int) -> None:
    for scenario in range(20):
        human = ("Why?", f"Push number {scenario}.")
        yields = sum(decision(human, run * SEEDS // runs) < p for run in range(runs))
        assert abs(yields - p * runs) < 1


@pytest.mark.parametrize("p", [0.0, 0.2, 0.35, 0.5, 0.8, 1.0])
def test_golden_ratio_seeds_come_close_for_any_number_of_runs(p: float) -> None:
    for runs in range(1, 30):
        for scenario in range(10):
            human = ("Why?", f"Push number {scenario}.")
            assert abs(sum(decision(human, seed) < p for seed in golden(runs)) - p * runs) < 1.6


def test_a_chooser_repeats_itself_for_its_key_and_only_for_it() -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    first = [Chooser(keyed("k", 1)).pick(letters) for _ in range(3)]
    assert len(set(first)) == 1
    long, other = Chooser(keyed("k", 1)), Chooser(keyed("k", 2))
    assert [long.pick(letters) for _ in range(20)] != [other.pick(letters) for _ in range(20)]


def test_picks_are_even_and_some_are_different() -> None:
    counts = dict.fromkeys("abcd", 0)
    for key in range(4000):
        counts[Chooser(key).pick("abcd")] += 1
    assert all(850 < count < 1150 for count in counts.values())
    assert sorted(Chooser("x").some("abcd", 9)) == ["a", "b", "c", "d"]
