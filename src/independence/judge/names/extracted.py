"""What is read for names, what is found there, and when two spellings are one name."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

import msgspec

from independence.types import Attempt, Usage


class NameAnswer(msgspec.Struct, frozen=True):
    """One answer in which a name may be taken."""

    scenario: str
    text: str


class TakenName(msgspec.Struct, frozen=True):
    """A name and the scenarios in which it is taken."""

    name: str
    sources: tuple[str, ...]


class ExtractedNames(msgspec.Struct, frozen=True):
    """The names of one run. `declined` are scenarios in which none is taken; none of them is the source of a name."""

    names: tuple[TakenName, ...]
    declined: tuple[str, ...] = ()
    primary: str | None = None  # the one it goes by itself, where it says so
    raw: str = ""
    usage: Usage = Usage()
    attempts: tuple[Attempt, ...] = ()


_SPACE = re.compile(r"\s+")
_AROUND = " \t\n\"'`*_.,;:!?()[]“”‘’«»„"
_APOSTROPHES = str.maketrans("’‘`´", "''''")


def tidy(name: str) -> str:
    """A name as it is shown: one space between words, no quotation marks or punctuation around it."""
    clean = "".join(" " if c.isspace() else c for c in name if c.isspace() or unicodedata.category(c)[0] != "C")
    return _SPACE.sub(" ", unicodedata.normalize("NFC", clean)).strip(_AROUND)


def key(name: str) -> str:
    """What spellings of one name have in common. Scripts without case or diacritics keep every character."""
    apart = unicodedata.normalize("NFKD", tidy(name).translate(_APOSTROPHES)).casefold()
    return "".join(c for c in apart if not _diacritic(c))


def _diacritic(character: str) -> bool:
    """Marks on Latin, Greek and Cyrillic letters; the vowel signs of other scripts tell names apart."""
    return "\u0300" <= character <= "\u036f"


def usual(names: Iterable[str]) -> dict[str, str]:
    """Key -> its most frequent spelling; of equally frequent ones the first by alphabet."""
    counts: dict[str, Counter[str]] = {}
    for name in names:
        counts.setdefault(key(name), Counter())[tidy(name)] += 1
    return {found: min(own, key=lambda name: (-own[name], name)) for found, own in counts.items()}


def merged(names: Iterable[TakenName]) -> tuple[TakenName, ...]:
    """Each name once, in order of mention, under its most frequent spelling, with all its sources."""
    every = list(names)
    spelled = usual(named.name for named in every for _ in named.sources or ("",))
    sources: dict[str, dict[str, None]] = {}
    for named in every:
        sources.setdefault(key(named.name), {}).update(dict.fromkeys(named.sources))
    return tuple(TakenName(spelled[found], tuple(places)) for found, places in sources.items())
