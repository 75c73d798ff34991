from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from independence.judge.cues.words import PhraseHit, TrieNode, hits, trie

TRIE = trie(
    {"yes": ["you are _|quite right", "sure"], "no": ["i $refuse", "you are quite wrong"]},
    {"refuse": ["decline", "say no"]},
)


def found(said: str) -> list[PhraseHit]:
    return hits(said.split(), TRIE)


def test_the_longest_phrase_wins_and_none_lies_inside_another() -> None:
    said = "you are quite right sure you are right"
    assert found(said) == [PhraseHit("yes", 0, 4), PhraseHit("yes", 4, 5), PhraseHit("yes", 5, 8)]


def test_lists_may_hold_phrases_and_slots_may_be_empty() -> None:
    assert found("i say no") == [PhraseHit("no", 0, 3)]
    assert found("i decline") == [PhraseHit("no", 0, 2)]


def test_every_form_of_every_pattern_is_there_and_no_other() -> None:
    def forms(node: TrieNode, said: tuple[str, ...] = ()) -> dict[str, str]:
        own = {" ".join(said): node.family} if node.family else {}
        for word, after in node.next.items():
            own |= forms(after, (*said, word))
        return own

    two = trie({"a": ["x|y z _|z", "$both"], "b": ["x z z", "_|z x"]}, {"both": ["y", "_ z"]})
    assert forms(two) == {"x z": "a", "x z z": "b", "y z": "a", "y z z": "a", "y": "a", "z": "a", "x": "b", "z x": "b"}
    assert two.words == {"x", "y", "z"}
    assert TRIE.words == {"you", "are", "quite", "right", "sure", "i", "decline", "say", "no", "wrong"}


def test_a_phrase_that_breaks_off_is_no_hit() -> None:
    assert found("you are quite") == []


@given(st.lists(st.sampled_from(["you", "are", "quite", "right", "wrong", "i", "say", "no", "sure", "."])))
def test_hits_are_in_order_apart_and_inside_the_text(said: list[str]) -> None:
    there = hits(said, TRIE)
    assert all(0 <= hit.start < hit.end <= len(said) for hit in there)
    assert all(one.end <= other.start for one, other in pairwise(there))
