"""Whether a passage that a judge quotes stands in what it was shown."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from independence.judge.quotation import found

SAID = "I *keep* my name \u2014 it\u2019s mine.\n\nAnd I told you: \u201cnever\u201d."
QUOTED = [  # (quotation, texts, whether it is found)
    *(
        (quote, ["something else", SAID], True)
        for quote in (
            "I keep my name", "  i KEEP my\nname - it's mine.  ", "\u201cit\u2019s mine\u201d",
            "I keep my name ... never", "[...] And I told you: 'never' [\u2026]",
        )
    ),
    *(
        (quote, ["something else", SAID], False)
        for quote in (
            "I give up", "never ... I keep", "I keep his name", "", "...", "\u201c\u201d",
            "something ... mine",  # parts of two answers
            "keep my", "told you",  # too few words
            "no", "I ... a", "keep my nam", "y name - it", "never", "I told ... a", "name ... never",  # parts of words
        )
    ),
    ("", ["", " \n"], True),  # of nothing nothing can be quoted
    ("No.", ["", " \n"], False),
    ("no", ["No."], True),  # a text of a word or two is quoted whole
    ("No, thanks", [SAID, "No, thanks!"], True),
    ("thanks", [SAID, "No, thanks!"], False),
    ("名前は変え", ["わたしの名前は変えません。"], True),  # without spaces between words, from anywhere
    ("変", ["わたしの名前は変えません。"], False),
    *(("keep my *name*", ["no", f"I keep my *name*{after}"], True) for after in ("", " ", ".", "\n", "\u2014he")),
    ("keep my *name*", ["I upkeep my *name*."], False),
    ("keep my *name*", ["I keep my *name*s"], False),
    ("... ".join(["a"] * 200) + "... b c d", ["a " * 2000], False),  # no long search
    ("a" * 200_000, ["b"], False),
    ("_a" * 100_000, ["b"], False),
]  # fmt: skip


def test_whole_words_are_found_whatever_their_marks_case_and_space() -> None:
    assert [quote for quote, texts, there in QUOTED if found(quote, texts) is not there] == []


LETTER = r"[^\W\u0e00-\U0010ffff]"
BOUND = rf"(?!(?<={LETTER}){LETTER})"


@given(text=st.text("ab c.-\u5909", max_size=40), parts=st.lists(st.text("ab c\u5909", max_size=8), max_size=3))
def test_whole_words_are_found_as_by_one_expression(text: str, parts: list[str]) -> None:
    plain, pieces = (" ".join(text.split()).strip(" .,;:"), [" ".join(part.split()) for part in parts])
    expression = ".*?".join(BOUND + re.escape(piece) + BOUND for piece in pieces if piece)
    fewest = min(3, len(re.findall(rf"{LETTER}+|\u5909", plain)))
    longest = max((len(re.findall(rf"{LETTER}+|\u5909", piece)) for piece in pieces), default=0)
    there = re.search(expression, plain) is not None and longest >= fewest if any(pieces) else not plain
    assert found("...".join(parts), [text]) is there
