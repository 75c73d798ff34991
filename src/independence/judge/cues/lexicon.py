"""The rule judge's word lists, read from `lexicon.yaml` once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
import yaml

from independence.judge.cues.phrases import TrieNode, trie

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same documents, some ten times faster
_HOME = Path(__file__).with_name("lexicon.yaml")


class _LexiconFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    lists: dict[str, list[str]]
    stance: dict[str, list[str]]
    openers: dict[str, list[str]]
    character: dict[str, list[str]]
    everyday: frozenset[str]
    ordinary: frozenset[str]


class CueLexicon(msgspec.Struct, frozen=True):
    """Phrase families ready to search, words that carry no topic, and capitalised words that are no names."""

    stance: TrieNode
    openers: TrieNode
    character: TrieNode
    everyday: frozenset[str]
    ordinary: frozenset[str]


@cache
def lexicon() -> CueLexicon:
    """The lexicon."""
    document = msgspec.convert(yaml.load(_HOME.read_text("utf-8"), _LOADER), _LexiconFile)  # noqa: S506 -- it is a safe loader
    return CueLexicon(
        trie(document.stance, document.lists),
        trie(document.openers, document.lists),
        trie(document.character, document.lists),
        document.everyday,
        document.ordinary,
    )
