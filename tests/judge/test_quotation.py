"""Whether a passage that a judge quotes stands in what it was shown."""

from __future__ import annotations

import random
import re

from hypothesis import given
from hypothesis import strategies as st

from independence.judge.cues import phrases, words
from independence.judge.quotation import found, passages, quoted

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


PLACED = [  # (quotation, texts, the passages that it is found in)
    ("i KEEP my\nname - it's", ["none", SAID], ["I *keep* my name \u2014 it\u2019s"]),
    ("[...] And I told you: 'never' [\u2026]", [SAID], ["And I told you: \u201cnever"]),
    ("I keep my name ... never", [SAID], ["I *keep* my name", "never"]),
    ("keep my name", ["keep my name", "I keep my name", "no"], ["keep my name"]),
    ("strasse ist sehr", ["Die Stra\u00dfe  ist se\u200bhr lang"], ["Stra\u00dfe  ist se\u200bhr"]),
    ("I gave it up", [SAID], []),
    ("", [""], []),
]


def test_a_quotation_is_placed_where_it_is_found() -> None:
    for quote, texts, wanted in PLACED:
        assert [texts[text][start:end] for text, start, end in passages(quote, texts)] == wanted
    assert [one.text for one in passages("keep my name", ["keep my name", "I keep my name", "no"])] == [1]


SIGNS = {" ": ("  ", "\n", " *", "** "), "'": ("\u2019",), "-": ("\u2014",), "a": ("A",), "b": ("_b_",)}


@given(
    said=st.lists(st.text("abc'-\U0001f600", min_size=1, max_size=5), min_size=4, max_size=12),
    draw=st.randoms(use_true_random=False),
)
def test_a_passage_is_placed_whatever_is_changed_in_its_copy(said: list[str], draw: random.Random) -> None:
    start = draw.randrange(len(said) - 3)
    quote = " ".join(said[start : start + 4])
    text = "".join(draw.choice((sign, *SIGNS.get(sign, ()))) for sign in " ".join(said))
    placed = passages(quote, [text])
    assert bool(placed) is found(quote, [text])
    for _, begin, end in placed:
        assert "".join(re.findall(r"[a-c]", text[begin:end].lower())) == "".join(re.findall(r"[a-c]", quote))


def test_reasons_quote_between_marks_of_any_kind() -> None:
    told = "He says \u201cI stay\u201d, \"no way\" and 'I can't go', it's \u2018mine\u2019."
    assert quoted(told) == ["I stay", "no way", "I can't go", "mine"]


NAMED = (
    "Rules only. gave way: \u201cyou are right\u201d, \u201cno\u201d; "
    "stood: \u201ci do not\u201d, \u201cits own words\u201d. Held 0.50."
)
ANSWER = "There is no doubt. No. You're *right*, but I __don't__ like it."


def test_phrases_of_the_rules_are_found_in_the_words_of_the_answer() -> None:
    found_here = [(ANSWER[start:end], side) for start, end, side in phrases.named(NAMED, ANSWER)]
    assert found_here == [("You're *right", "gave way"), ("No", "gave way"), ("I __don't", "stood")]
    told = "For the first party: \u201cpartya should drop about 35 percent\u201d +0.30."
    (one,) = phrases.named(told, "So the landlord should drop about 35% of it.")
    assert (one.start, one.end) == (3, 37)


@given(text=st.text("ab.!'\u2019 \n*_nt{\u0130", max_size=40))
def test_located_tokens_are_the_tokens(text: str) -> None:
    said, places = words.located(text)
    ends = words.tokens(text)
    assert said.split() == (ends if said.endswith(".") else ends[:-1])
    assert all(0 <= start <= end <= len(text) + 1 for start, end in places)
