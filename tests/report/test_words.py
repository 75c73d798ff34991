"""Words are found wherever they stand, nowhere else, and the index of a site says the same."""

from __future__ import annotations

import itertools
import re

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from independence.report.pages import words
from independence.report.pages.search import WordIndex
from tests.web import word_cases

SINGLE = re.compile("[\u540d\u0e01]")


def stand(text: str, query: str, whole: bool) -> int:
    """How often the words of a query stand in a text, none inside another, word by word."""
    said, wanted = words.said(text), words.said(query)
    count = free = 0
    for at in range(len(said) - len(wanted) + 1):
        fits = all(
            own == word
            or (not whole and len(word) >= 3 and not SINGLE.match(word) and part(own, word, place, len(wanted)))
            for place, (own, word) in enumerate(zip(said[at:], wanted, strict=False))
        )
        if fits and at >= free:
            count, free = count + 1, at + len(wanted)
    return count


def part(own: str, word: str, place: int, of: int) -> bool:
    if of == 1:
        return word in own
    return own.endswith(word) if place == 0 else own.startswith(word) if place == of - 1 else False


LETTERS = "aab\u00e9\u00c9I\u0130\u03c3\u03a3\u540d\u0e01\u0301_ -\u2019*1\U0001f600"


@given(text=st.text(LETTERS, max_size=30), query=st.text(LETTERS, max_size=6), whole=st.booleans())
def test_a_pattern_finds_what_stands_there_word_by_word(text: str, query: str, whole: bool) -> None:
    pattern = words.pattern(query, whole=whole)
    if pattern is None:
        assert not words.said(query)
    else:
        assert len(pattern.findall(text)) == stand(text, query, whole)


def test_a_word_is_letters_figures_and_marks_and_a_sign_of_a_script_without_spaces() -> None:
    assert words.said("Don't_go, \u540d\u524d! x\u0301y 12a\u0e01\u0e34") == [
        "don", "t", "go", "\u540d", "\u524d", "x\u0301y", "12a", "\u0e01\u0e34",
    ]  # fmt: skip


def test_an_index_has_every_word_once_in_shards_of_about_one_size() -> None:
    texts = word_cases.texts(35)
    whole = WordIndex(texts, 3)
    shards = [msgspec.json.decode(whole.document(str(number)))["places"] for number in range(3)]
    sizes = [sum(map(len, one)) for one in shards]
    assert max(sizes) < 2 * min(sizes)
    places = sorted(itertools.chain(*(itertools.accumulate(one) for one in itertools.chain(*shards))))
    assert len(places) == len(set(places)) == sum(len(words.said(one.text)) for one in texts)
    assert WordIndex([], 2).document("1") == b'{"schema":1,"places":[]}'
