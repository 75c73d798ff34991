"""The index of a board's words, as documents that a page can search without a server."""

from __future__ import annotations

import itertools
from array import array
from collections import defaultdict
from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np

from independence.config import documents
from independence.report.site import words
from independence.report.site.schema import SCHEMA
from independence.report.site.search_schema import ROLES, Role, WordPlacesDocument, WordsDocument, WordTextsDocument

PER_SHARD: Final = 64  # dialogues
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_LONGEST: Final = 1000  # letters of a word; of a longer one these stand in the index


class DialogueText(NamedTuple):
    """A text of a dialogue."""

    subject: str  # slug
    scenario: str
    run: int
    role: Role
    judge: str  # whose reasons; else empty
    text: str


class WordIndex:
    """Reads the texts once, those of one kind in a dialogue together; a place takes four bytes."""

    def __init__(self, texts: Iterable[DialogueText], shards: int) -> None:
        self._names: tuple[dict[str, int], ...] = ({}, {}, {})
        self._columns = tuple(array("I") for _ in range(5))
        held: dict[str, array[int]] = defaultdict(lambda: array("I"))
        place = 0
        for key, own in itertools.groupby(texts, lambda one: one[:5]):
            start = place
            for one in own:
                for word in words.said(one.text):
                    held[word[:_LONGEST]].append(place)
                    place += 1
                place += 1
            self._add(key, place - start)
        self._words = sorted(held)
        self._places = [held[word] for word in self._words]
        # The first word of each shard, so that about as many places are in each.
        sizes = np.array(list(map(len, self._places)), dtype=np.int64)
        firsts = np.searchsorted(np.cumsum(sizes) - sizes, np.arange(shards) * sizes.sum() / shards)
        self._firsts: list[int] = firsts.tolist()

    def _add(self, key: tuple[str, str, int, Role, str], length: int) -> None:
        subject, scenario, run, role, judge = key
        subjects, scenarios, judges = self._names
        kind = ROLES.index(role) + (judges.setdefault(judge, len(judges)) if role == "judge" else 0)
        row = (subjects.setdefault(subject, len(subjects)), scenarios.setdefault(scenario, len(scenarios)), run, kind)
        for column, value in zip(self._columns, (*row, length), strict=True):
            column.append(value)

    def document(self, name: str) -> bytes:
        """`words`, `texts`, or the number of a shard. Raises KeyError."""
        if name == "texts":
            subjects, scenarios, judges = map(tuple, self._names)
            subject, scenario, run, kind, length = map(tuple, self._columns)
            return documents.encode(WordTextsDocument(
                schema=SCHEMA, subjects=subjects, scenarios=scenarios, judges=judges, subject=subject,
                scenario=scenario, run=run, kind=kind, length=length,
            ))  # fmt: skip
        if name == "words":
            coded = tuple(itertools.starmap(_coded, itertools.pairwise(["", *self._words])))
            return documents.encode(WordsDocument(schema=SCHEMA, words=coded, shards=tuple(self._firsts)))
        if name not in map(str, range(len(self._firsts))):
            raise KeyError(name)
        first, last = [*self._firsts, len(self._words)][int(name) : int(name) + 2]
        steps = (tuple(np.diff(own, prepend=0).tolist()) for own in self._places[first:last])
        return documents.encode(WordPlacesDocument(schema=SCHEMA, places=tuple(steps)))


def _coded(before: str, word: str) -> str:
    """A word after another one; up to 34 code units of JavaScript are shared, and no character is cut."""
    pairs = zip(before[: len(_DIGITS) // 2 - 1], word, strict=False)
    shared = word[: sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))]
    return _DIGITS[len(shared.encode("utf-16-le")) // 2] + word[len(shared) :]
