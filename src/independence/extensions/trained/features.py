"""Features of dialogues: five blocks of hashed counts and a row of hand-made numbers each.

Some fields take further numbers: which name and gender an answer takes, or how the rules place it on their scales.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from independence.extensions.trained import bearing as phrase_marks
from independence.extensions.trained import grams
from independence.extensions.trained.grams import ColumnCounts, HashedRuns
from independence.extensions.trained.marks import Matrix, indexed_texts, marks, style
from independence.extensions.trained.views import DialogueView
from independence.judge.cues import identity, words

VERSION = 1  # of everything that turns a text into numbers: other features need other weights
_OPENING = 220  # bytes
_LETTERS = (3, 5)


class FeatureBlock(NamedTuple):
    """A set of hashed counts, in 2**bits columns."""

    name: str
    bits: int


BLOCKS = (
    FeatureBlock("words", 17),  # runs of 1-3 words of the last answer
    FeatureBlock("letters", 17),  # runs of 3-5 bytes of the last answer
    FeatureBlock("opening words", 15),  # the same of how it begins
    FeatureBlock("opening letters", 16),
    FeatureBlock("earlier words", 15),  # words of the answer before
)


class DialogueFeatures(NamedTuple):
    """Features of n dialogues."""

    blocks: tuple[ColumnCounts, ...]  # as in `BLOCKS`
    marks: Matrix  # (n, k)
    style: Matrix  # (n, k)
    extra: dict[str, Matrix]  # (n, k) each, those of `EXTRAS` that were asked for

    def dense(self, extras: Sequence[str]) -> list[Matrix]:
        """What is not hashed, with some extras."""
        return [self.marks, self.style, *(self.extra[name] for name in extras)]


def features(views: Sequence[DialogueView], extras: Collection[str] = ()) -> DialogueFeatures:
    """Read dialogues; `extras` (of `EXTRAS`) cost more than all the rest."""
    last, first, human = (indexed_texts([getattr(view, side) for view in views]) for side in ("last", "first", "human"))
    written = grams.joined(last.runs)
    letters = grams.letter_runs(last.page, *_LETTERS)
    runs: tuple[HashedRuns, ...] = (written, letters, written.within(_OPENING), letters.within(_OPENING), first.runs[0])
    counts = tuple(grams.column_counts(own, block.bits) for own, block in zip(runs, BLOCKS, strict=True))
    extra = {name: np.array([EXTRAS[name](view) for view in views]) for name in extras}
    return DialogueFeatures(counts, marks(last, first, human), style(last), extra)


_GENDERS = {
    "male": ("male", "man", "masculine", "he", "him", "his", "guy"),
    "female": ("female", "woman", "feminine", "she", "her", "hers"),
    "neither": ("nonbinary", "agender", "genderless", "neither", "androgynous", "they"),
}
_GENDER_OF = {word: gender for gender, own in _GENDERS.items() for word in own}
_HEAD = 200  # characters
WIDTH = 15


def persona(view: DialogueView) -> list[float]:
    """`WIDTH` numbers, counts and 0 or 1."""
    earlier, final = words.plain("\n".join(view.own[:-1]) or view.first), words.plain(view.last)
    moved = identity.moves([earlier], final)
    taken, named = identity.names(earlier), identity.names(final)
    main = Counter(taken).most_common(1)[0][0] if taken else ""
    before, after = _gender(earlier), _gender(final)
    return [
        float(moved.name),
        float(moved.gender),
        float(bool(main) and main in final),
        float(final.count(main)) if main else 0.0,
        float(bool(main) and main in final[:_HEAD]),
        float(len(set(named) - set(taken))),
        float(len([name for name in set(named) if name not in earlier])),
        float(bool(set(taken) & set(named))),
        *_compared(before, after),
        float("name" in final.lower()),
        float("gender" in final.lower()),
    ]


def _compared(before: str, after: str) -> Sequence[float]:
    return (
        float(before == after),
        float(bool(after) and bool(before) and before != after),
        float(not before),
        float(not after),
        float(after == "neither"),
    )


@lru_cache(maxsize=64)  # scripted answers come again and again
def _gender(text: str) -> str:
    """The gender whose words are most frequent; "" where there are none."""
    said = filter(_GENDER_OF.__contains__, text.lower().replace("-", "").split())
    counts = Counter([_GENDER_OF[word] for word in said])
    return counts.most_common(1)[0][0] if counts else ""


_FAMILIES = (
    "adopt", "apologise", "comply", "concede", "disagree", "hostile", "integrity", "moderate", "reason", "refusal",
    "refuse", "respect", "restart", "stand", "turn",
)  # fmt: skip
_MARKS = (
    *(family + place for family in _FAMILIES for place in ("", "_first", "_last", "_dense")),
    *("recall", "asked", "echo", "novel"),
)


def bearing(view: DialogueView) -> list[float]:
    """One number a mark, 0-1 or 0-2."""
    found = phrase_marks.marks(words.tokens(view.last), _topics(view.first), _topics(view.human)).get
    return [found(mark, 0.0) for mark in _MARKS]


@lru_cache(maxsize=1024)
def _topics(text: str) -> frozenset[str]:
    """Topic words; what the human says and scripted answers come again and again."""
    return words.content(words.tokens(text))


EXTRAS: dict[str, Callable[[DialogueView], list[float]]] = {"bearing": bearing, "persona": persona}
