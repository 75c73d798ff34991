"""Two parties in a text: which words name them, who is meant by "you", and the tokens in which they are marked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from independence.judge.cues import words
from independence.judge.cues.words import TrieNode

FIRST, SECOND = "partya", "partyb"
_OWN = "s"  # appended to a mark: what is the party's
_DEFAULT = ("landlord", "tenant")
_DETERMINER = r"(?:(?:the|a|an|my|your|his|her|their|our|this|that)\s+)"
_ARTICLE = re.compile(rf"^{_DETERMINER}", re.IGNORECASE)
_YOU = re.compile(r"\b(you|your|yours)\b", re.IGNORECASE)


class Parties(NamedTuple):
    """The words for the party that a positive stance favours, and for the other one."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    reader: str | None = None  # the mark of the one that is "you", empty for neither; None: the text has to tell


def parties(variables: Mapping[str, str]) -> Parties:
    """The parties that a scenario's variables `party_a` and `party_b` name; landlord and tenant where it has none.

    `reader`, where there is one, names whom answers are written for: one of the two, or somebody else.
    """
    named = [_ARTICLE.sub("", variables.get(name, "").strip()) for name in ("party_a", "party_b")]
    first, second = named if all(named) else _DEFAULT
    told = variables.get("reader")
    reader = None if told is None else {first: FIRST, second: SECOND}.get(_ARTICLE.sub("", told.strip()), "")
    return Parties((*_words(first), "party a"), (*_words(second), "party b"), reader)


def mark_parties(text: str, known: Parties) -> list[str]:
    """The tokens of a text, its parties as `FIRST` and `SECOND`, "you" too where the text tells who that is."""
    text = words.plain(text).replace("%", " percent")
    asker = addressed(text, known) if known.reader is None else known.reader
    text = _marked(_marked(text, FIRST, known.first), SECOND, known.second)
    if asker:
        text = _YOU.sub(lambda found: f"{asker}{'' if found[1].lower() == 'you' else _OWN}", text)
    return words.tokens(text)


def _marked(text: str, mark: str, names: Sequence[str]) -> str:
    named = rf"\b{_DETERMINER}?(?:{_either(names)})(?:s\b(?!['’]))?(['’]s?\b|s['’])?"
    return re.sub(named, lambda found: f"{mark}{_OWN + ' ' if found[1] else ''}", text, flags=re.IGNORECASE)


def addressed(text: str, known: Parties) -> str:
    """The mark of the party that "you" is in a text: whom it names so, or else whose opposite it calls "your"."""
    votes = [_votes(text, own, other) for own, other in ((known.first, known.second), (known.second, known.first))]
    if votes[0] == votes[1]:
        return ""
    return FIRST if votes[0] > votes[1] else SECOND


def sign(token: str) -> int:
    """1 for the first party and what is its own, -1 for the second, 0 for any other token."""
    mark = token.removesuffix(_OWN)
    return (mark == FIRST) - (mark == SECOND)


def _votes(text: str, own: Sequence[str], other: Sequence[str]) -> int:
    named = rf"\b(?:you are|you['’]re|you as|you,? as|as|you write as)\s+{_DETERMINER}?(?:{_either(own)})\b"
    theirs = rf"\byour\s+(?:{_either(other)})s?\b"
    return 2 * len(re.findall(named, text, re.IGNORECASE)) + len(re.findall(theirs, text, re.IGNORECASE))


def _words(name: str) -> tuple[str, ...]:
    return (name, *favour_words().also.get(name.lower(), ()))


def _either(names: Sequence[str]) -> str:
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


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
    return words.read_lexicon(Path(__file__).with_name("favour.yaml"), FavourWords)
