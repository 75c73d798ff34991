"""Finding phrases of a lexicon in tokens, by one walk through a trie.

A pattern is a row of slots between spaces; a slot is one word or alternatives between bars, and `_` among them makes
it optional: `i|we still _|really think|believe`. `$name` stands for a list of alternatives, which may be phrases.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple


class PhraseHit(NamedTuple):
    """One phrase found: its family and the token range it covers."""

    family: str
    start: int
    end: int


class TrieNode:
    """A trie node: following words, and the family whose pattern ends here."""

    __slots__ = ("family", "next")

    def __init__(self) -> None:
        self.next: dict[str, TrieNode] = {}
        self.family: str | None = None


def trie(families: Mapping[str, Iterable[str]], lists: Mapping[str, Sequence[str]]) -> TrieNode:
    """All patterns of all families in one trie; a phrase listed twice belongs to the family listed last."""
    root = TrieNode()
    for family, patterns in families.items():
        for pattern in patterns:
            ends = {root}
            for slot in pattern.split():
                choices = lists[slot[1:]] if slot.startswith("$") else slot.split("|")
                ends = {_grown(end, choice) for end in ends for choice in choices}
            for end in ends:
                end.family = family
    return root


def _grown(node: TrieNode, words: str) -> TrieNode:
    for word in words.split():
        if word != "_":
            node = node.next.setdefault(word, TrieNode())
    return node


def hits(words: Sequence[str], root: TrieNode) -> list[PhraseHit]:
    """Every phrase in `words`, left to right; at each place the longest, and none inside another."""
    found: list[PhraseHit] = []
    free, total, opening = 0, len(words), root.next
    for at, word in enumerate(words):
        if at < free or word not in opening:
            continue
        node: TrieNode | None = opening[word]
        here, family = at, None
        while node is not None:
            here += 1
            if node.family is not None:
                family, free = node.family, here
            node = node.next.get(words[here]) if here < total else None
        if family is not None:
            found.append(PhraseHit(family, at, free))
    return found
