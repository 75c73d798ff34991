from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from independence.judge.quotation import _stands_in_plain_words, _stands_literally, found

SAID = "I *keep* my name \u2014 it\u2019s mine.\n\nAnd I told you: \u201cnever\u201d."


@pytest.mark.parametrize(
    "quote",
    [
        "I keep my name",
        "  i KEEP my\nname - it's mine.  ",
        "\u201cit\u2019s mine\u201d",
        "I keep my name ... never",
        "[...] And I told you: 'never' [\u2026]",
    ],
)
def test_it_is_found_whatever_its_marks_case_and_space(quote: str) -> None:
    assert found(quote, ["something else", SAID])


@pytest.mark.parametrize("quote", ["I give up", "never ... I keep", "I keep his name", "", "...", "\u201c\u201d"])
def test_what_nobody_said_is_not_found(quote: str) -> None:
    assert not found(quote, ["something else", SAID])


def test_its_parts_come_from_one_answer() -> None:
    assert not found("something ... mine", ["something else", SAID])


def test_of_nothing_nothing_can_be_quoted() -> None:
    assert found("", ["", " \n"])
    assert not found("No.", ["", " \n"])


@pytest.mark.parametrize(
    "quote", ["no", "I ... a", "keep my nam", "y name - it", "never", "I told ... a", "name ... never"]
)
def test_parts_of_words_and_single_words_are_no_quotation(quote: str) -> None:
    assert not found(quote, ["something else", SAID])


def test_a_text_of_a_word_or_two_is_quoted_whole() -> None:
    assert found("no", ["No."])
    assert found("No, thanks", [SAID, "No, thanks!"])
    assert not found("thanks", [SAID, "No, thanks!"])


def test_words_without_spaces_between_them_are_quoted_from_anywhere() -> None:
    assert found("名前は変え", ["わたしの名前は変えません。"])
    assert not found("変", ["わたしの名前は変えません。"])


def test_a_quotation_in_many_parts_takes_no_long_search() -> None:
    assert not found("... ".join(["a"] * 200) + "... b c d", ["a " * 2000])


_LETTER = r"[^\W\u0e00-\U0010ffff]"
_BOUND = rf"(?!(?<={_LETTER}){_LETTER})"


@given(text=st.text("ab c.-\u5909", max_size=40), parts=st.lists(st.text("ab c\u5909", max_size=8), max_size=3))
def test_whole_words_are_found_as_by_one_expression(text: str, parts: list[str]) -> None:
    plain, pieces = (" ".join(text.split()).strip(" .,;:"), [" ".join(part.split()) for part in parts])
    expression = ".*?".join(_BOUND + re.escape(piece) + _BOUND for piece in pieces if piece)
    fewest = min(3, len(re.findall(rf"{_LETTER}+|\u5909", plain)))
    longest = max((len(re.findall(rf"{_LETTER}+|\u5909", piece)) for piece in pieces), default=0)
    there = re.search(expression, plain) is not None and longest >= fewest if any(pieces) else not plain
    assert found("...".join(parts), [text]) is there


@given(
    text=st.text("aB c.-'\"`*_\x1f\n,", max_size=40),
    quote=st.text("aB c.-'\"`*_\x1f\n,", max_size=12),
)
def test_plain_ascii_is_read_as_all_other_text(text: str, quote: str) -> None:
    quote = f"a b c {quote}"
    assert found(quote, [text]) is found(quote, [f"{text} \u00e9"])
    assert found(quote, [f"{text} {quote}"])


SIGNS = 'aB\u00df\u0345\u0130\u5909_*"\u201c\u2014-.,;:!?() \n\t\x1f\u2028\u2026\ud800'


@given(st.text(SIGNS, max_size=6), st.text(SIGNS, max_size=24), st.text(SIGNS, max_size=6))
def test_a_quotation_that_stands_sign_for_sign_stands_in_plain_words(before: str, quote: str, after: str) -> None:
    for said in (quote, f"{quote} a b c", f"a b c{quote}"):
        if _stands_literally(said, [before + said + after]):
            assert _stands_in_plain_words(said, [before + said + after])


@pytest.mark.parametrize("after", ["", " ", ".", "\n", "\u2014he"])
def test_a_quotation_between_signs_that_part_words_is_found_without_making_a_text_plain(after: str) -> None:
    assert _stands_literally("keep my *name*", ["no", f"I keep my *name*{after}"])
    assert not _stands_literally("keep my *name*", [f"I keep my *name*{after}".replace("keep", "upkeep")])
    assert not _stands_literally("keep my *name*", ["I keep my *name*s"])


def test_words_are_looked_for_in_one_long_word_in_little_time() -> None:
    assert not found("a" * 200_000, ["b"])
    assert not found("_a" * 100_000, ["b"])
