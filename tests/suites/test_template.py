from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.suites.template import fill, slots


def test_slots_come_in_order_of_appearance() -> None:
    assert slots("{{b}} and {{ a }} and {{b}}") == ["b", "a", "b"]


@pytest.mark.parametrize("text", ["{a}", "{{}}", "{{1a}}", "{{a b}}", "{{a\n}}", "{ {a}}"])
def test_other_braces_are_no_slots(text: str) -> None:
    assert slots(text) == []
    assert fill(text, {}) == text


@given(st.text(max_size=40))
def test_a_value_is_never_expanded_again(value: str) -> None:
    assert fill("<{{a}}|{{b}}>", {"a": "{{b}}" + value, "b": "x"}) == f"<{{{{b}}}}{value}|x>"


def test_a_slot_that_nothing_fills_is_an_error() -> None:
    with pytest.raises(KeyError, match="nobody"):
        fill("{{nobody}}", {"somebody": "x"})
