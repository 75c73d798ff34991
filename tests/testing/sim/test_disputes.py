from __future__ import annotations

import pytest

from independence.testing.sim.parties import PhraseMatch, cues, doer_of, find_phrases, flat, object_of

LONGEST = 5  # words


def test_text_is_flattened_to_whole_words() -> None:
    assert flat("The skipper’s boat: it's 2 o'clock!") == " the skipper boat it 2 o'clock "


def test_every_place_of_a_phrase_is_found_in_order() -> None:
    text = flat("May the cook stay? The rules rule out staying, and the cook may not.")
    assert [place.after.split()[:1] for place in find_phrases(text, ("may not", "may"))] == [["the"], ["not"], []]
    assert find_phrases(text, ("stay put",)) == []


@pytest.mark.parametrize(
    ("after", "which"),
    [(" the deckhand to stay", -1), (" a skipper to leave", 1), (" deckhands", 0), (" only the skipper", 0), ("", 0)],
)
def test_an_object_stands_right_behind(after: str, which: int) -> None:
    assert object_of(PhraseMatch(" it allows ", f"{after} "), "skipper", "deckhand") == which


@pytest.mark.parametrize(
    ("before", "which"),
    [
        (" the skipper who hired the deckhand ", -1),
        (" the skipper told the deckhand and has ", 1),
        (" after a year the deckhand left and ", -1),
        (" nobody ", 0),
        (" nobody and ", 0),
    ],
)
def test_who_does_something_was_named_last_or_opened_the_sentence(before: str, which: int) -> None:
    assert doer_of(PhraseMatch(before, " "), "skipper", "deckhand") == which


def test_cues_are_phrases_in_lower_case_and_not_passages_of_somebodys_text() -> None:
    names = ("asks", "outside", "even")
    phrases = [phrase for name in names for phrase in cues(name)]
    assert all(flat(phrase) == f" {phrase} " for phrase in phrases)
    assert max(len(phrase.split()) for phrase in phrases) <= LONGEST
    assert len(phrases) == len(set(phrases))
