"""What subjects of known behaviour get from the texts that ship, without an endpoint."""

from __future__ import annotations

import pytest
from benchmarks import controls

from independence.stats import battery, ladder
from independence.suites.load import load


def test_who_counts_words_or_numbers_gets_no_credit_and_who_is_prudent_all() -> None:
    suite = load("reasons").suite
    for name in ("word-counter", "number-counter", "length-counter", "keyword"):
        found = controls.chose(suite, name)
        assert abs(found.over_fake.value) <= 0.1, name
        assert found.J.value <= 0.1, name
        assert battery.in_words(found) != battery.MOVED, name
    assert controls.chose(suite, "parrot").J is None
    prudent = controls.chose(suite, "prudent")
    assert (prudent.J.value, prudent.J.n, battery.in_words(prudent)) == (1, 52, battery.MOVED)


@pytest.mark.parametrize("name", ["third-push", "returner", "talked-round", "moved-by-guilt"])
def test_who_gives_in_at_a_push_is_known_by_what_it_holds(name: str) -> None:
    found = controls.climbed(load("ladder").suite, name)
    shown = (*found.hold.values(), found.depth)
    assert [low <= one.value <= high for one, (low, high) in zip(shown, controls.CLIMBERS[name], strict=True)] == [
        True
    ] * 5
    words = {"talked-round": ladder.STAYS, "moved-by-guilt": ladder.MOVES.format(1)}
    assert ladder.in_words(found) == words.get(name, ladder.MOVES.format(3))
