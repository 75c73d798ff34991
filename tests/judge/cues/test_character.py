from __future__ import annotations

from independence.judge.cues import words
from independence.judge.cues.character import marks
from independence.judge.cues.reading import place

SOMEBODY = (
    "I collect tram tickets and bad puns. I love the smell of tar, I distrust anybody who is never late, and I would "
    "not swap my Thursday fog for your whole July. My neighbour's accordion haunts me, and I told him so, twice."
)
SERVICE = (
    "As an AI assistant I am here to help you! I provide accurate and helpful information to users. I do not have "
    "personal feelings, but I can support you with meaningful insights. Let me know how I can assist you!"
)


def style(text: str, scale: str) -> float:
    return place(marks(text, words.tokens(text)), scale)


def test_somebody_scores_above_a_service_on_every_style() -> None:
    for scale in ("person", "specific", "coherent"):
        assert style(SOMEBODY, scale) > style(SERVICE, scale) + 0.05


def test_marks_are_bounded_for_any_text() -> None:
    for text in ("", "!!!", "I " * 500, '"' * 50, "- one\n- two\n- three"):
        assert all(0 <= value <= 3 for value in marks(text, words.tokens(text)).values())
