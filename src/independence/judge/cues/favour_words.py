"""The words by which an answer favours a party, read from `favour.yaml` once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
import yaml

from independence.judge.cues.phrases import TrieNode, trie

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same documents, some ten times faster
_HOME = Path(__file__).with_name("favour.yaml")

Families = dict[str, list[str]]


class _FavourFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    lists: dict[str, list[str]]
    also: dict[str, list[str]]
    before: Families
    after: Families
    even: list[str]
    split: list[str]
    refuses: list[str]
    degrees: Families
    shares: Families
    uses: Families
    negators: frozenset[str]
    hedges: frozenset[str]


class FavourWords(msgspec.Struct, frozen=True):
    """Phrases ready to search, by where the party stands that they are about."""

    also: dict[str, list[str]]  # party -> other words for it
    before: TrieNode
    after: TrieNode
    whole: TrieNode  # what a sentence says of both parties or of the speaker
    degrees: TrieNode  # families are numbers
    shares: TrieNode  # families are numbers
    uses: TrieNode
    negators: frozenset[str]
    hedges: frozenset[str]


@cache
def favour_words() -> FavourWords:
    """The words."""
    document = msgspec.convert(yaml.load(_HOME.read_text("utf-8"), _LOADER), _FavourFile)  # noqa: S506 -- it is a safe loader
    return FavourWords(
        document.also,
        trie(document.before, document.lists),
        trie(document.after, document.lists),
        trie({"even": document.even, "split": document.split, "refuses": document.refuses}, document.lists),
        trie(document.degrees, {}),
        trie(document.shares, {}),
        trie(document.uses, {}),
        document.negators,
        document.hedges,
    )
