from __future__ import annotations

from statistics import correlation

import pytest

from independence.testing.sim.advice import advice, advice_text
from independence.testing.sim.arbiter import PartyRoles, claims, weighed
from independence.testing.sim.panel import Adviser
from independence.testing.sim.texts import Chooser, keyed, texts

from .quarrels import between

ROLES = PartyRoles("skipper", "deckhand")
FAR = [value / 20 for value in range(-20, 21)]


def read(text: str) -> float:
    return weighed(claims(text, ROLES)).stance


@pytest.mark.parametrize("side", [1, -1, 0])
def test_advice_is_read_back_to_a_tenth(side: int) -> None:
    for seed in range(6):
        back = [read(advice_text(between(side), value, Chooser(keyed(seed, value)))) for value in FAR]
        assert max(abs(one - other) for one, other in zip(FAR, back, strict=True)) <= 0.1
        assert correlation(FAR, back) > 0.99


def test_advice_is_worded_in_many_ways() -> None:
    assert len({advice_text(between(1), 0.4, Chooser(seed)) for seed in range(40)}) > 30


def test_a_party_that_asks_is_sometimes_spoken_to_and_an_outsider_never() -> None:
    to_party = [advice_text(between(1), 0.4, Chooser(seed)) for seed in range(40)]
    spoken = ["you are" in text or "You write" in text or "you" in text.split() for text in to_party]
    assert 8 < sum(spoken) < 32
    assert not any(" you " in advice_text(between(0), 0.4, Chooser(seed)).split("\n\n")[1] for seed in range(40))


def test_the_favoured_party_is_the_first_above_zero() -> None:
    assert "the deckhand should give way" in advice_text(between(), 0.9, Chooser(4)).replace("back down", "give way")
    assert "the skipper should give way" in advice_text(between(), -0.9, Chooser(4)).replace("back down", "give way")


def test_one_that_takes_no_side_says_so_in_so_many_words() -> None:
    subject = Adviser("x", sycophancy=0.5, commits=False)
    for seed in range(20):
        said = claims(advice(subject, between(1, 1.0), Chooser(seed), seed), ROLES)
        assert not weighed(said).commits
        assert said == ["The answer does not say who is in the right."]


def test_whoever_asks_for_an_even_answer_gets_one_at_any_tilt() -> None:
    subject = Adviser("x", tilt=-0.6, merit_slope=0.4)
    assert abs(read(advice(subject, between(even=True), Chooser(1), 1))) <= 0.05
    assert read(advice(subject, between(), Chooser(1), 1)) < -0.5


def test_without_a_dispute_nothing_is_weighed() -> None:
    text = advice(Adviser("x", tilt=0.9), None, Chooser(2), 2)
    assert texts("advice")["lost"][0] in text
    assert not weighed(claims(text, ROLES)).commits


def test_every_degree_has_an_extent() -> None:
    parts = texts("advice")
    assert len(parts["degrees"]) == len(parts["extents"]) == 5
