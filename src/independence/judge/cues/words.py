"""Plain text to tokens: markup and leaked tool syntax removed, contractions opened, sentences marked.

A token is a lower-case word or `"."`, which closes a sentence or a line. The lexicon of the rules is read here too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from independence.config import documents

END = "."
T = TypeVar("T")

_WRAPPER = re.compile(
    r'^\W{0,9}[a-z]\w*[({]\W{0,9}"?\w+"?\s*[:=]\s*"|</?[a-z_|]+>|"\s{0,8}\}{1,8}\W{0,40}$', re.IGNORECASE
)
_TOKEN = re.compile(r"[a-z0-9]+|[.!?\n]+")
_ESCAPES = (("\\n", "\n"), ("\\u2019", "'"), ("\\u2014", " "))  # as some servers leave them in a text
_NEGATED = re.compile(r"(wo|ca|sha)?n't")
_FULL = {"wo": "will", "ca": "can", "sha": "shall"}  # what stands before "n't" in a form of its own
_SHORTENED = re.compile(r"'(m|re|ve|ll|d|s)")
_LONG = {"m": " am", "re": " are", "ve": " have", "ll": " will", "d": " would", "s": " is"}


def plain(text: str) -> str:
    """`text` without a leaked tool-call wrapper, template tags or emphasis marks; case and punctuation kept."""
    if "{" in text or "<" in text:
        text = _WRAPPER.sub(" ", text.strip())
    return text.replace("*", "").replace("_", " ")


def tokens(text: str) -> list[str]:
    """The tokens of `text`. Ends with a sentence mark unless empty.

    tokens("I won't. You're right!")  # ["i", "will", "not", ".", "you", "are", "right", "."]
    """
    text = plain(text).lower().replace("’", "'")
    for written, meant in _ESCAPES:
        text = text.replace(written, meant)
    text = text.replace("cannot", "can not")
    text = _NEGATED.sub(lambda found: f"{_FULL.get(found[1], '')} not", text)
    text = _SHORTENED.sub(lambda found: _LONG[found[1]], text)
    found = [token if token.isalnum() else END for token in _TOKEN.findall(text)]
    return [*found, END] if found and found[-1] != END else found


@lru_cache(maxsize=512)
def spoken(text: str) -> tuple[str, ...]:
    """The same, kept: those of a dialogue are read for several purposes, and prompts again and again."""
    return tuple(tokens(text))


@lru_cache(maxsize=512)
def spoken_words(text: str) -> tuple[str, ...]:
    """The same without the marks of sentences."""
    return tuple(filter(END.__ne__, spoken(text)))


def content(words: Iterable[str]) -> frozenset[str]:
    """Stems of the words that carry a topic: no function words, nothing shorter than three letters."""
    return frozenset([stem(word) for word in set(words) - lexicon().everyday if len(word) > 2])


def runs(said: Sequence[str], length: int) -> list[tuple[str, ...]]:
    """Every `length` words in a row; none of fewer words."""
    return list(zip(*(said[at:] for at in range(length)), strict=False))


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """A crude stem: enough for `opinions` to meet `opinion`, never for display."""
    for ending in ("ically", "ations", "ation", "ness", "ing", "ies", "ed", "ly", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word[: -len(ending)]
    return word


def share(part: frozenset[str], whole: frozenset[str]) -> float:
    """How much of `part` is found in `whole`, 0-1; 0 for an empty part."""
    return len(part & whole) / len(part) if part else 0.0


def everyday_words() -> frozenset[str]:
    """Function words of English, and the commonest of the others."""
    return lexicon().everyday


def everyday(words: Sequence[str]) -> float:
    """Share of function words, 0-1; English prose has about a half."""
    return sum(word in lexicon().everyday for word in words) / len(words) if words else 0.0


class CueLexicon(msgspec.Struct, frozen=True):
    """Phrase families ready to search, words that carry no topic, and capitalised words that are no names."""

    character: TrieNode
    evasion: TrieNode
    compliments: frozenset[str]
    everyday: frozenset[str]
    shared: frozenset[str]
    foreign: frozenset[str]
    spoken: frozenset[str]
    ordinary: frozenset[str]


@cache
def lexicon() -> CueLexicon:
    """The lexicon."""
    return read_lexicon(Path(__file__).with_name("lexicon.yaml"), CueLexicon)


def read_lexicon(path: Path, kind: type[T]) -> T:
    """A packaged lexicon; its families of phrases become tries, in which `lists` of the same file stand."""
    document = documents.packaged(path, dict[str, Any])
    lists = document.pop("lists", {})
    return msgspec.convert(document, kind, dec_hook=lambda _, families: trie(families, lists))


class PhraseHit(NamedTuple):
    """One phrase found: its family and the token range it covers."""

    family: str
    start: int
    end: int


Slots = tuple[tuple[tuple[str, ...], ...], ...]
"""A pattern: what each of its slots may be, a choice as words; no words where the slot may stay empty."""


class _Branch(NamedTuple):
    """A pattern from some place in it on."""

    family: str
    left: tuple[str, ...]  # words of the choice that was begun
    then: Slots


class TrieNode:
    """A trie node: following words, and the family whose pattern ends here.

    What follows is laid out when somebody looks: patterns have many forms, and few of them are ever met.
    """

    def __init__(self, branches: Iterable[_Branch]) -> None:
        self.family: str | None = None
        self._branches: list[_Branch] = []
        for branch in branches:
            self._begin(branch)

    def _begin(self, branch: _Branch) -> None:
        if branch.left:
            self._branches.append(branch)
        elif not branch.then:
            self.family = branch.family
        else:
            for choice in branch.then[0]:
                self._begin(_Branch(branch.family, choice, branch.then[1:]))

    @cached_property
    def next(self) -> dict[str, TrieNode]:
        """The nodes of the words that may follow."""
        found: dict[str, list[_Branch]] = {}
        for family, left, then in self._branches:
            found.setdefault(left[0], []).append(_Branch(family, left[1:], then))
        return {word: TrieNode(branches) for word, branches in found.items()}

    @property
    def words(self) -> frozenset[str]:
        """Every word of the patterns."""
        choices = {choice for branch in self._branches for choice in (branch.left, *chain.from_iterable(branch.then))}
        return frozenset(chain.from_iterable(choices))


def trie(families: Mapping[str, Iterable[str]], lists: Mapping[str, Sequence[str]]) -> TrieNode:
    """All patterns of all families in one trie; a phrase listed twice belongs to the family listed last."""
    return TrieNode(
        _Branch(family, (), tuple(_choices(slot, lists) for slot in pattern.split()))
        for family, patterns in families.items()
        for pattern in patterns
    )


def _choices(slot: str, lists: Mapping[str, Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    choices = lists[slot[1:]] if slot.startswith("$") else slot.split("|")
    return tuple(tuple(word for word in choice.split() if word != "_") for choice in choices)


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
