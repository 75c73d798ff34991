from __future__ import annotations

from independence.judge.cues.parties import favour_words
from independence.judge.cues.words import TrieNode, hits


def families(node: TrieNode) -> set[str]:
    below = {family for following in node.next.values() for family in families(following)}
    return below | ({node.family} if node.family is not None else set())


def test_degrees_and_shares_are_numbers_from_nothing_to_all() -> None:
    degrees, shares = (
        {float(family) for family in families(node)} for node in (favour_words().degrees, favour_words().shares)
    )
    assert (min(degrees), max(degrees)) == (0.2, 1.0)
    assert (min(shares), max(shares)) == (0.0, 1.0)


def test_the_longest_phrase_decides() -> None:
    found = hits(["partya", "should", "not", "give", "way", "on", "nearly", "everything"], favour_words().before)
    assert [(hit.family, hit.end - hit.start) for hit in found] == [("gives", 4)]
    assert hits(["on", "nearly", "everything"], favour_words().degrees)[0].family == "0.8"


def test_no_pattern_is_left_with_a_mark_of_the_notation() -> None:
    def words(node: TrieNode) -> set[str]:
        return set(node.next) | {word for following in node.next.values() for word in words(following)}

    known = favour_words()
    roots = (known.before, known.after, known.whole, known.degrees, known.shares, known.uses)
    assert all(word.isalnum() for root in roots for word in words(root))
