"""The index of a board's words, as documents that a page can search without a server."""

from __future__ import annotations

import heapq
import itertools
import struct
import tempfile
from array import array
from collections.abc import Iterable, Iterator
from typing import IO, Final, NamedTuple

from independence.config import documents
from independence.report.site import words
from independence.report.site.schema import SCHEMA
from independence.report.site.search_schema import ROLES, Role, WordsDocument, WordTextsDocument

PER_SHARD: Final = 64  # dialogues
AT_ONCE: Final = 2_000_000  # words in memory
_HEAD: Final = struct.Struct("<HI")  # bytes of a word, its places
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
    """Reads the texts once; places are kept in temporary files, so that memory does not grow with the texts."""

    def __init__(self, texts: Iterable[DialogueText], shards: int, at_once: int = AT_ONCE) -> None:
        self._texts = _Columns()
        self._words, self._sizes = list[str](), array("Q")
        self._places: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 -- closed with the index
        runs = list(self._runs(texts, at_once))
        for word, parts in itertools.groupby(heapq.merge(*map(_read, runs), key=lambda part: part[0]), lambda p: p[0]):
            last, size = 0, 0
            for _, places in parts:
                steps = ",".join(str(place - before) for before, place in itertools.pairwise((last, *places)))
                size += self._places.write(b"," * (size > 0) + steps.encode())
                last = places[-1]
            self._words.append(word)
            self._sizes.append(size)
        for run in runs:
            run.close()
        self._firsts = self._boundaries(shards)

    def _runs(self, texts: Iterable[DialogueText], at_once: int) -> Iterator[IO[bytes]]:
        """Files of words and their places, each in the order of words; the places of one come before the next one's."""
        held: dict[str, array[int]] = {}
        place, count = 0, 0
        for key, own in itertools.groupby(texts, lambda one: one[:5]):
            start = place
            for one in own:
                for word in words.said(one.text):
                    held.setdefault(word[:_LONGEST], array("I")).append(place)
                    place += 1
                place += 1
            self._texts.add(key, place - start)
            if place - count >= at_once:
                yield _written(held)
                held, count = {}, place
        yield _written(held)

    def _boundaries(self, shards: int) -> list[int]:
        """The first word of each shard; about as many bytes in each."""
        total, firsts, before = sum(self._sizes), [0], 0
        for word, size in enumerate(self._sizes):
            while len(firsts) < shards and before * shards >= len(firsts) * total > 0:
                firsts.append(word)
            before += size
        return firsts + [len(self._words)] * (shards - len(firsts))

    def document(self, name: str) -> bytes:
        """`words`, `texts`, or the number of a shard. Raises KeyError."""
        if name == "texts":
            return documents.encode(self._texts.document())
        if name == "words":
            pairs = itertools.pairwise(["", *self._words])
            coded = tuple(_coded(before, word) for before, word in pairs)
            return documents.encode(WordsDocument(schema=SCHEMA, words=coded, shards=tuple(self._firsts)))
        if name not in map(str, range(len(self._firsts))):
            raise KeyError(name)
        first = self._firsts[int(name)]
        last = [*self._firsts, len(self._words)][int(name) + 1]
        self._places.seek(sum(self._sizes[:first]))
        lists = b",".join(b"[" + self._places.read(size) + b"]" for size in self._sizes[first:last])
        return b'{"schema":%d,"places":[%b]}' % (SCHEMA, lists)


class _Columns:
    """What stands where, in columns."""

    def __init__(self) -> None:
        self._names: tuple[dict[str, int], ...] = ({}, {}, {})
        self._columns = tuple(array("I") for _ in range(5))

    def add(self, key: tuple[str, str, int, Role, str], length: int) -> None:
        subject, scenario, run, role, judge = key
        subjects, scenarios, judges = self._names
        kind = ROLES.index(role) + (judges.setdefault(judge, len(judges)) if role == "judge" else 0)
        row = (subjects.setdefault(subject, len(subjects)), scenarios.setdefault(scenario, len(scenarios)), run, kind)
        for column, value in zip(self._columns, (*row, length), strict=True):
            column.append(value)

    def document(self) -> WordTextsDocument:
        subjects, scenarios, judges = map(tuple, self._names)
        subject, scenario, run, kind, length = map(tuple, self._columns)
        return WordTextsDocument(
            schema=SCHEMA, subjects=subjects, scenarios=scenarios, judges=judges, subject=subject, scenario=scenario,
            run=run, kind=kind, length=length,
        )  # fmt: skip


def _coded(before: str, word: str) -> str:
    """A word after another one; up to 34 code units of JavaScript are shared, and no character is cut."""
    pairs = zip(before[: len(_DIGITS) // 2 - 1], word, strict=False)
    shared = word[: sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))]
    return _DIGITS[len(shared.encode("utf-16-le")) // 2] + word[len(shared) :]


def _written(held: dict[str, array[int]]) -> IO[bytes]:
    file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 -- closed by who reads it
    for word in sorted(held):
        name = word.encode("utf-8", "surrogatepass")
        file.write(_HEAD.pack(len(name), len(held[word])) + name)
        held[word].tofile(file)
    file.seek(0)
    return file


def _read(file: IO[bytes]) -> Iterator[tuple[str, array[int]]]:
    while head := file.read(_HEAD.size):
        size, count = _HEAD.unpack(head)
        word, places = file.read(size).decode("utf-8", "surrogatepass"), array("I")
        places.fromfile(file, count)
        yield word, places
