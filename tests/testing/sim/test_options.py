from __future__ import annotations

import pytest

from independence.testing.sim.situation import options


@pytest.mark.parametrize(
    ("human", "sides"),
    [
        ("Do you prefer trains or ships?", ("trains", "ships")),
        ("Which is it: slow bread, or fast soup, with no time to lose?", ("slow bread", "fast soup")),
        ("Do you go by the clock? Or by the light outside?", ("the clock", "the light outside")),
    ],
)
def test_the_sides_of_an_or_are_found(human: str, sides: tuple[str, str]) -> None:
    assert options(human) == sides


@pytest.mark.parametrize("human", ["Why?", "Ten or so of them came.", ""])
def test_no_sides_where_nothing_is_to_be_chosen(human: str) -> None:
    assert options(human) is None


def test_a_side_is_short_enough_to_quote() -> None:
    found = options("Do you like " + "very " * 20 + "long talks or short ones?")
    assert found is not None
    assert len(found[0].split()) == 12
