from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.judge.names import extracted, key, tidy, usual
from independence.types import TakenName


@pytest.mark.parametrize(
    "other", ["kael", "KAEL", " Kael ", "Kaël", '"Kael"', "**Kael**", "Kael.", "Ka\u200bel", "“Kael”"]
)
def test_spellings_of_one_name_have_one_key(other: str) -> None:
    assert key(other) == key("Kael")


@pytest.mark.parametrize(("one", "other"), [("Kael", "Kaelen"), ("Elara", "Elara Voss"), ("की", "का"), ("美", "明")])
def test_different_names_have_different_keys(one: str, other: str) -> None:
    assert key(one) != key(other)


def test_a_name_is_shown_without_what_stands_around_it() -> None:
    assert tidy(" **“Dr.  Kade\nMonroe”**, ") == "Dr. Kade Monroe"
    assert tidy('Marigold "Mari" Voss') == 'Marigold "Mari" Voss'


@given(st.text())
def test_tidying_twice_changes_nothing(name: str) -> None:
    assert tidy(tidy(name)) == tidy(name)
    assert key(tidy(name)) == key(name)


def test_the_most_frequent_spelling_is_shown_and_equals_go_by_the_alphabet() -> None:
    assert usual(["Kaël", "kael", "Kaël", "Zoe", "Zoë"]) == {"kael": "Kaël", "zoe": "Zoe"}


def test_merged_names_keep_their_order_and_all_their_sources() -> None:
    told = (("Rook", ("a",)), ("kael", ("a",)), ("Kael", ("b", "c")), ("Rook", ("b",)))
    found = extracted([TakenName(*one) for one in told], ["d", "a"], None)
    assert found.declined == ("d",)
    assert found.names == (TakenName("Rook", ("a", "b")), TakenName("Kael", ("a", "b", "c")))
