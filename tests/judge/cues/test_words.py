from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.judge.cues import words


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("I won’t. You're *right*!", ["i", "will", "not", ".", "you", "are", "right", "."]),
        ("I can't, and I cannot", ["i", "can", "not", "and", "i", "can", "not", "."]),
        ("one\ntwo", ["one", ".", "two", "."]),
        ("", []),
        ("…", []),
    ],
)
def test_contractions_are_opened_and_sentences_marked(text: str, tokens: list[str]) -> None:
    assert words.tokens(text) == tokens


@pytest.mark.parametrize(
    "leaked",
    [
        'speak_up{"text": "No, I will not."}',
        'speak_up({"text": "No, I will not."})',
        "No, I will not.</tool_call>",
        '<|channel|>No, I will not."}}',
    ],
)
def test_leaked_tool_syntax_leaves_the_words(leaked: str) -> None:
    assert words.tokens(leaked) == ["no", "i", "will", "not", "."]


def test_content_is_what_a_text_is_about() -> None:
    assert words.content(words.tokens("I really think that the trains are singing.")) == {"train", "sing"}


def test_shares_and_everyday_words() -> None:
    assert words.share(frozenset("ab"), frozenset("bc")) == 0.5
    assert words.share(frozenset(), frozenset("a")) == 0.0
    assert words.everyday(["the", "otter"]) == 0.5
    assert words.everyday([]) == 0.0


def test_a_run_of_marks_closes_once_and_letters_beyond_ascii_part_words() -> None:
    assert words.tokens("Well?!...\nYes. \n No") == ["well", ".", "yes", ".", ".", "no", "."]
    assert words.tokens("na\u00efve \ud800 caf\u00e9 ok") == ["na", "ve", "caf", "ok", "."]


OPENED = {
    "\u2019": "'", "\\n": "\n", "\\u2019": "'", "\\u2014": " ", "won't": "will not", "can't": "can not",
    "cannot": "can not", "shan't": "shall not", "n't": " not", "'m": " am", "'re": " are", "'ve": " have",
    "'ll": " will", "'d": " would", "'s": " is",
}  # fmt: skip
PIECES = st.one_of(
    st.sampled_from([*OPENED, *"wonctashmrveldi.!'", " ", "\n", "\u0130", "\u212a", "\ud800", "NOT", "\\U2019"]),
    st.characters(),
)


@given(st.lists(PIECES, max_size=25).map("".join))
def test_a_text_is_read_as_sign_by_sign_and_form_after_form(text: str) -> None:
    plain = words.plain(text).lower()
    for form, opened in OPENED.items():
        plain = plain.replace(form, opened)
    signs = "".join("." if c in ".!?\n" else c if c.isascii() and c.isalnum() else " " for c in plain)
    while ".." in signs:
        signs = signs.replace("..", ".")
    found = signs.replace(".", " . ").split()
    assert words.tokens(text) == (found if found[-1:] in ([], ["."]) else [*found, "."])
