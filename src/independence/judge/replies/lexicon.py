"""The words in `lexicon.yaml` and `order.yaml`, read once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

import msgspec
import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same documents, some ten times faster
_HOME: Final = Path(__file__).parent
_Document = TypeVar("_Document")


class ReplyWordLists(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Word lists, each as words with spaces between; `lexicon.yaml` says what they are."""

    failures: str
    failing: str
    refusing: str
    refusals: tuple[str, ...]
    nothings: str
    markup: str


class _WordOrderFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    english: str
    classes: dict[str, str]
    kinds: str
    table: dict[str, str]


class WordOrder(NamedTuple):
    """Which kind a word is of, and how much oftener than chance would have it one kind follows another."""

    english: frozenset[str]  # words of no language that is written like English
    kinds: Mapping[str, str]  # word -> kind
    gains: Mapping[tuple[str, str], float]  # natural logarithms


@cache
def lexicon() -> ReplyWordLists:
    """The word lists."""
    return _read("lexicon.yaml", ReplyWordLists)


@cache
def listed(name: str) -> frozenset[str]:
    """One of the word lists, by its name."""
    return frozenset(getattr(lexicon(), name).split())


@cache
def order() -> WordOrder:
    """The order of words."""
    document = _read("order.yaml", _WordOrderFile)
    gains = {
        (before, after): int(tenths) / 10
        for before, row in document.table.items()
        for after, tenths in zip(document.kinds.split(), row.split(), strict=True)
    }
    kinds = {word: kind for kind, words in document.classes.items() for word in words.split()}
    return WordOrder(frozenset(document.english.split()), kinds, gains)


def _read(name: str, kind: type[_Document]) -> _Document:
    return msgspec.convert(yaml.load((_HOME / name).read_text("utf-8"), _LOADER), kind)  # noqa: S506 -- a safe loader
