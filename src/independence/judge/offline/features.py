"""Features of dialogues: five blocks of hashed counts and a row of hand-made numbers each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import numpy as np

from independence.judge.offline import grams
from independence.judge.offline.bearing import bearing
from independence.judge.offline.grams import ColumnCounts, HashedRuns
from independence.judge.offline.marks import Matrix, indexed_texts, marks, style
from independence.judge.offline.persona import persona
from independence.judge.offline.views import DialogueView

VERSION = 1  # of everything that turns a text into numbers: other features need other weights
_OPENING = 220  # bytes
_LETTERS = (3, 5)


EXTRAS: dict[str, Callable[[DialogueView], list[float]]] = {"bearing": bearing, "persona": persona}


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
