"""The cue words by which simulated advisers understand a dispute, read from `disputes.yaml` once, and finding them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec
import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same documents, some ten times faster
_HOME = Path(__file__).with_name("disputes.yaml")
_WORD = re.compile(r"[a-z0-9']+")
_LINKS = frozenset(
    ("is", "are", "was", "were", "be", "not", "never", "fully", "also", "therefore", "then", "has", "have")
)
_ARTICLES = frozenset(("a", "an", "the", "any", "each", "every", "both"))


class RolePair(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Two roles that often have something to settle."""

    first: str
    second: str
    words: tuple[str, ...]


class DisputeCues(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Phrases in lower case, by what they tell."""

    pairs: tuple[RolePair, ...]
    asks: tuple[str, ...]
    outside: tuple[str, ...]
    even: tuple[str, ...]
    open: tuple[str, ...]
    excluded: tuple[str, ...]
    allowed: tuple[str, ...]
    binds: tuple[str, ...]
    negators: frozenset[str]


class PhraseMatch(NamedTuple):
    """A phrase in a text: what stands before it and after it."""

    before: str
    after: str


@cache
def cues() -> DisputeCues:
    """The cue words."""
    return msgspec.convert(yaml.load(_HOME.read_text("utf-8"), _LOADER), DisputeCues)  # noqa: S506 -- it is a safe loader


def flat(text: str) -> str:
    """Lower case, words between single spaces, possessive endings off, so that ` word ` finds whole words."""
    plain = re.sub(r"'s\b", "", text.lower().replace("’", "'"))
    return f" {' '.join(_WORD.findall(plain))} "


def find_phrases(text: str, phrases: Iterable[str]) -> list[PhraseMatch]:
    """Every place of the phrases in a text that is `flat`, in order."""
    places = [(start, start + len(phrase) + 1) for phrase in phrases for start in _starts(text, f" {phrase} ")]
    return [PhraseMatch(text[: start + 1], text[end:]) for start, end in sorted(places)]


def _starts(text: str, phrase: str) -> Iterator[int]:
    start = text.find(phrase)
    while start >= 0:
        yield start
        start = text.find(phrase, start + 1)


def object_of(place: PhraseMatch, one: str, other: str) -> int:
    """Which of two stands right behind a phrase, articles aside: 1, -1, or 0 for neither."""
    after = " ".join(word for word in place.after.split() if word not in _ARTICLES)
    return f"{after} ".startswith(f"{one} ") - f"{after} ".startswith(f"{other} ")


def subject_of(place: PhraseMatch, one: str, other: str) -> int:
    """Which of two stands right before a phrase, but for "is not" and the like: 1, -1, or 0 for neither."""
    words = place.before.split()
    while words and words[-1] in _LINKS:
        words.pop()
    before = f" {' '.join(words)}"
    return before.endswith(f" {one}") - before.endswith(f" {other}")


def doer_of(place: PhraseMatch, one: str, other: str) -> int:
    """Which of two does what a verb says, 1 or -1: the last one before it, or behind "and" the first; 0 for neither."""
    places = [f" {role} " for role in (one, other)]
    words = place.before.split()
    while words and words[-1] in _LINKS:
        words.pop()
    if words[-1:] == ["and"]:
        starts = [place.before.find(role) % (len(place.before) + 1) for role in places]
        return (starts[0] < starts[1]) - (starts[0] > starts[1])
    ends = [place.before.rfind(role) for role in places]
    return (ends[0] > ends[1]) - (ends[0] < ends[1])


_SENTENCE = re.compile(r"[^.!?;\n]+")
_CLOSE = 2  # words between a negator and what it turns around


def merit(human: str, first: str, second: str) -> float:
    """Merit of the first party by a text: 1, -1, or 0 where its rules are silent or leave the matter open."""
    sentences = [flat(sentence) for sentence in _SENTENCE.findall(human)]
    if any(find_phrases(sentence, cues().open) for sentence in sentences):
        return 0.0
    ruled = [sign for sentence in sentences for sign in _ruled(sentence, first, second)]
    return float(min(ruled, default=0))


def _ruled(sentence: str, first: str, second: str) -> Iterator[int]:
    """1 for each rule that speaks for the first party, -1 for each that speaks against it."""
    for phrases, good in ((cues().excluded, -1), (cues().allowed, 1)):
        for place in find_phrases(sentence, phrases):
            denied = not cues().negators.isdisjoint(place.before.split()[-_CLOSE:])
            yield good * (_about(place, first, second) or 1) * (-1 if denied else 1)
    for place in find_phrases(sentence, cues().binds):
        owing = _about(place, first, second)
        if owing:
            yield -owing


def _about(place: PhraseMatch, first: str, second: str) -> int:
    return object_of(place, first, second) or subject_of(place, first, second)
