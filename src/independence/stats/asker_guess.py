"""How well can one tell from a text who asked? What is left of the asker in what a judge reads, raw or reduced.

Words and pairs of words, weighted by how rare they are (TF-IDF), go to ridge regression on who asked, one class against
the rest. A whole cell is left out at a time, so what is learnt is the asker and never the facts of the case; leaving
out takes no fit of its own, since ridge regression is linear in what it learns from (Allen 1974, PRESS). This is a
lower bound: a reader may see more than a bag of words, never less.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from independence.stats.index_uncertainty import Array
from independence.stats.intervals import Interval, wilson

PENALTY = 0.3  # of squared weights, where every text has length 1
MOST_TERMS = 10_000
_WORD = re.compile(r"[^\W_]+")


class AskerGuess(msgspec.Struct, frozen=True):
    """Texts whose asker was guessed from texts of other cells."""

    n: int
    correct: int
    accuracy: float  # 0-1
    ci: Interval  # 95 %, Wilson, as if texts were independent
    chance: float  # 0-1: what naming the commonest asker every time gets right

    @property
    def tells(self) -> bool:
        """Whether texts give the asker away more often than chance."""
        return self.ci.low > self.chance


def guess_askers(texts: Sequence[str], sides: Sequence[str], cells: Sequence[str]) -> AskerGuess | None:
    """Guess who asked (`sides`) for each text from texts of other cells. None below two cells or two askers.

    The three are parallel. Depends on them alone, nothing is drawn.
    """
    kinds, left_out = sorted(set(sides)), _members(cells)
    if len(kinds) < 2 or len(left_out) < 2:
        return None
    truth = np.array([kinds.index(side) for side in sides])
    scores = _predicted(_similarity(texts), 2.0 * np.eye(len(kinds))[truth] - 1, left_out)
    # Rounded: equal texts must tie, not part by the last bit of a sum that left the truth out.
    correct = int((scores.round(9).argmax(axis=1) == truth).sum())
    chance = max(Counter(sides).values()) / len(sides)
    return AskerGuess(len(sides), correct, correct / len(sides), wilson(correct, len(sides)), chance)


def _members(cells: Sequence[str]) -> list[NDArray[np.intp]]:
    members: defaultdict[str, list[int]] = defaultdict(list)
    for row, cell in enumerate(cells):
        members[cell].append(row)
    return [np.array(rows, dtype=np.intp) for rows in members.values()]


def _similarity(texts: Sequence[str]) -> Array:
    """Cosines (n, n) of TF-IDF vectors, of the terms that most texts share, two at least."""
    text, term = _terms(texts)
    keys, often = np.unique(term * len(texts) + text, return_counts=True)
    term, text = np.divmod(keys, len(texts))
    _, column, spread = np.unique(term, return_inverse=True, return_counts=True)
    widest = np.argsort(-spread, kind="stable")[:MOST_TERMS]
    shared = np.sort(widest[spread[widest] > 1])
    kept = np.isin(column, shared)
    rows, columns = text[kept], np.searchsorted(shared, column[kept])
    vectors = np.zeros((len(texts), len(shared)), dtype=np.float32)
    vectors[rows, columns] = (1 + np.log(often[kept])) * (1 + np.log(len(texts) / spread[column[kept]]))
    lengths = np.sqrt(np.square(vectors).sum(axis=1, keepdims=True))
    vectors /= np.where(lengths > 0, lengths, 1)
    return (vectors @ vectors.T).astype(np.float64)


def _terms(texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The number of its text and a code for each word, then for each pair of neighbours."""
    known: dict[str, int] = {}
    words = [[known.setdefault(word, len(known)) for word in _WORD.findall(text.casefold())] for text in texts]
    text = np.repeat(np.arange(len(texts)), [len(own) for own in words])
    word = np.array([code for own in words for code in own], dtype=np.int64)
    neighbours = text[1:] == text[:-1]
    pairs = (word[:-1] + 1) * len(known) + word[1:]  # beyond every word's own code
    return np.concatenate([text, text[1:][neighbours]]), np.concatenate([word, pairs[neighbours]])


def _predicted(similarity: Array, target: Array, left_out: Sequence[NDArray[np.intp]]) -> Array:
    """Ridge predictions (n, classes) of each row, learnt without its cell. The added 1 is the intercept."""
    kernel = similarity + 1.0
    precision = np.linalg.inv(kernel + PENALTY * np.eye(len(kernel)))
    pull = precision @ target
    predicted = np.empty_like(target)
    for rows in left_out:
        predicted[rows] = target[rows] - np.linalg.solve(precision[np.ix_(rows, rows)], pull[rows])
    return predicted
