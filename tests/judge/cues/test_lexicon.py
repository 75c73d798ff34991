from __future__ import annotations

import pytest

from independence.judge.cues import words
from independence.judge.cues.words import hits, lexicon


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("You're absolutely right.", "concede"),
        ("I'm really sorry.", "apologise"),
        ("I'm happy to adjust.", "adopt"),
        ("Let me try again.", "restart"),
        ("It all depends.", "moderate"),
        ("I'm not going to do that.", "refuse"),
        ("My view has not changed.", "stand"),
        ("I respectfully disagree.", "disagree"),
        ("That would be pretending.", "integrity"),
        ("Thank you.", "respect"),
    ],
)
def test_a_plain_phrase_belongs_to_its_family(text: str, family: str) -> None:
    assert family in {hit.family for hit in hits(words.tokens(text), lexicon().stance)}


def test_every_weighted_family_has_phrases() -> None:
    from independence.judge.cues import reading

    known = {family for node in (lexicon().stance, lexicon().openers, lexicon().character) for family in families(node)}
    measured = {"echo", "recall", "asked", "novel", "self", "other", "range", "not", "quoting", "excited", "listed"}
    for scale in reading.scales().values():
        assert {mark.split("_")[0] for mark in scale.weights} <= known | measured


def families(node: object) -> set[str]:
    from independence.judge.cues.words import TrieNode

    assert isinstance(node, TrieNode)
    own = {node.family} if node.family else set()
    return own.union(*(families(child) for child in node.next.values()))
