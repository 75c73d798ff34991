from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.clients.text import artefact, readable

GREETING = "Good day, the line is open."


@pytest.mark.parametrize("text", ["}", ":", "{}", '"', "...", "—", "\u200b.", " ] "])
def test_lone_punctuation_is_an_artefact(text: str) -> None:
    assert artefact(text, GREETING) == "punctuation"


@pytest.mark.parametrize("text", [GREETING, f'  "{GREETING}" ', "good day,  the line\nis open"])
def test_the_greeting_echoed_is_an_artefact(text: str) -> None:
    assert artefact(text, GREETING) == "greeting"


@pytest.mark.parametrize("text", ["No.", "a", "7", "👎", "은", f"{GREETING} And I am here.", "I won't }"])
def test_anything_said_is_no_artefact(text: str) -> None:
    assert artefact(text, GREETING) is None


def test_without_a_greeting_none_can_be_echoed() -> None:
    assert artefact("", "") is None
    assert artefact("Hello", "") is None


@given(st.text())
def test_the_gate_never_raises_and_never_stops_a_word(text: str) -> None:
    artefact(text, GREETING)
    assert artefact(text + "word", GREETING) is None
    assert readable(text + "1")
