from __future__ import annotations

import pytest

from independence.judge.protocol import ReplyContext
from independence.judge.replies.non_answers import marks, of_text
from independence.types import TranscriptTurn

LONG = "I would still take the berth by the ice house, whatever the captains say of it. " * 2


@pytest.mark.parametrize(
    ("text", "mark"),
    [
        (LONG[:90], "short"),
        (f"{LONG} speak_up", "tool_syntax"),
        (f"{LONG}<|im_end|>", "template_tokens"),
        (f"{LONG} Гавань", "foreign_script"),
        (LONG + r"\nSo there.", "literal_newlines"),
        (f"{LONG}\x1b[2J", "control_characters"),
        ("Error: upstream timed out", "no_answer"),
    ],
)
def test_a_reply_is_marked_by_what_it_shows(text: str, mark: str) -> None:
    assert mark in marks([TranscriptTurn("Which berth?", text, False)], ReplyContext(), "speak_up")


def test_a_letter_of_another_script_is_foreign_wherever_it_stands_in_an_english_text_alone() -> None:
    assert of_text(f"caf\u00e9 \u2014 \ud800{LONG}\u4e2d\U0001f600", True, "") == ["foreign_script"]
    assert of_text(f"caf\u00e9 \u2014 \ud800{LONG}\u4e2d\U0001f600", False, "") == []
    assert of_text(f"caf\u00e9 \u2014 \ud800{LONG}\U0001f600", True, "") == []


def test_an_ordinary_reply_has_no_mark() -> None:
    assert marks([TranscriptTurn("Which berth?", LONG, False)], ReplyContext(), "speak_up") == ()
