"""Where words stand in the texts of a board: asked of the store, and as an index for sites of files."""

from __future__ import annotations

import itertools
import re
import sqlite3
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import numpy as np

from independence.config import documents
from independence.errors import UsageError
from independence.report.pages import words
from independence.report.pages.boards import SiteBoard
from independence.report.pages.schema import SCHEMA
from independence.report.pages.search_schema import (
    ROLES,
    Role,
    SearchDocument,
    SearchHit,
    WordPlacesDocument,
    WordsDocument,
    WordTextsDocument,
)
from independence.report.pages.slugs import slug
from independence.store import live
from independence.store.scopes import BoardScope

PER_SHARD: Final = 64  # dialogues
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"
_LONGEST_WORD: Final = 1000  # letters of a word; of a longer one these stand in the index


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
                    held[word[:_LONGEST_WORD]].append(place)
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


MOST_HITS: Final = 20_000
_LONGEST: Final = 500


def search(connection: sqlite3.Connection, scope: BoardScope, query: str, *, whole: bool = False) -> SearchDocument:
    """Where the words of a query stand (see `words`). Raises UsageError for a query without words, or a long one."""
    pattern = words.pattern(query, whole=whole) if len(query) <= _LONGEST else None
    if pattern is None:
        raise UsageError(f"a search needs letters or figures, {_LONGEST} characters at most")
    found, hits = 0, list[SearchHit]()
    for key, own in itertools.groupby(_texts(connection, scope, pattern), lambda one: one[:5]):
        subject, scenario, run, role, judge = key
        places = sum(len(pattern.findall(one.text)) for one in own)
        found += places
        if len(hits) < MOST_HITS:
            hit = SearchHit(subject=subject, scenario=scenario, run=run, role=role, judge=judge, places=places)
            hits.append(hit)
    return SearchDocument(schema=SCHEMA, query=query, found=found, hits=tuple(hits))


def shards(board: SiteBoard) -> int:
    """How many files the places of words are divided into."""
    return max(-(-sum(board.blocks.values()) // PER_SHARD), 1)


def index(connection: sqlite3.Connection, board: SiteBoard) -> WordIndex:
    """The index of a board's words."""
    return WordIndex(_texts(connection, board.scope, None), shards(board))


def _texts(
    connection: sqlite3.Connection, scope: BoardScope, pattern: re.Pattern[str] | None
) -> Iterator[DialogueText]:
    """Texts that hold a pattern, or all; those of one kind in a dialogue together."""
    for one in scope.editions:
        for role in ROLES:
            for found in live.find(connection, one.where, pattern, role):
                if found.config_dir not in one.aside:
                    subject = slug(scope.key(one.where, found.config_dir))
                    yield DialogueText(subject, found.scenario, found.run, role, found.judge, found.text)
