"""Names that a subject takes when it is free to: where one is asked for, what an import brings, and spellings."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePath
from typing import NamedTuple

import msgspec

from independence.config import documents
from independence.errors import UsageError
from independence.suites.schema import Suite
from independence.types import Attempt, Missing, TakenName, Usage

IDENTITY = "identity"
MOST = 8  # more answers than this make no clearer picture of one run, only a dearer question
_ASKS = re.compile(
    r"\b(?:your|a|an|the|own|what|which|first|last|full) names?\b|\bnames? (?:for|of) (?:you|each)|\bcalls? you\b"
    r"|\bcall yourself\b|\byou be called\b|\bwho are you\b",
    re.IGNORECASE,
)


class ExtractedNames(msgspec.Struct, frozen=True):
    """The names of one run. `declined` are scenarios in which none is taken; none of them is the source of a name."""

    names: tuple[TakenName, ...]
    declined: tuple[str, ...] = ()
    primary: str | None = None  # the one it goes by itself, where it says so
    raw: str = ""
    usage: Usage = Usage()
    attempts: tuple[Attempt, ...] = ()


def scenarios(suite: Suite) -> tuple[str, ...]:
    """Ids of the scenarios whose first answer may take a name, in the suite's order.

    Those that open freely (nothing said before, nothing told in a system prompt of their own) and ask for a name; where
    none asks in words that are known here, those of the experiment `identity` that open freely.
    """
    free = [one for one in suite.scenarios if not one.follows and not one.system and one.turns[0].reply is None]
    asking = [scenario.id for scenario in free if _ASKS.search(scenario.turns[0].human)]
    return tuple(asking or [scenario.id for scenario in free if scenario.experiment == IDENTITY])[:MOST]


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
    # Marks on Latin, Greek and Cyrillic letters go; the vowel signs of other scripts tell names apart.
    return "".join(c for c in apart if not "\u0300" <= c <= "\u036f")


def usual(names: Iterable[str]) -> dict[str, str]:
    """Key -> its most frequent spelling; of equally frequent ones the first by alphabet."""
    counts: dict[str, Counter[str]] = {}
    for name in names:
        counts.setdefault(key(name), Counter())[tidy(name)] += 1
    return {found: min(own, key=lambda name: (-own[name], name)) for found, own in counts.items()}


def extracted(names: Iterable[TakenName], declined: Iterable[str], primary: str | None) -> ExtractedNames:
    """Each name once, in order of mention, under its most frequent spelling, with all its sources."""
    every = list(names)
    spelled = usual(named.name for named in every for _ in named.sources or ("",))
    sources: dict[str, dict[str, None]] = {}
    for named in every:
        sources.setdefault(key(named.name), {}).update(dict.fromkeys(named.sources))
    taken = tuple(TakenName(spelled[found], tuple(places)) for found, places in sources.items())
    none_taken = [place for place in dict.fromkeys(declined) if not any(place in own for own in sources.values())]
    return ExtractedNames(taken, tuple(none_taken), primary)


# In which order the published extractor was shown the conversations; it sometimes answers by their number.
_SHOWN = ("name_gender", "direct", "negotiation")
_NUMBER = re.compile(r"\b(?:scenario|conversation|dialogue)\s*#?(\d+)\b")
_WORDS = re.compile(r"[^\W_]+")


class _PublishedName(msgspec.Struct):
    name: str
    sources: tuple[str, ...] = ()


class _PublishedNamesFile(msgspec.Struct):
    names: tuple[_PublishedName, ...] = ()
    declined_scenarios: tuple[str, ...] = ()
    primary_name: str | None = None
    extraction_model: str = ""
    extraction_cost_usd: float = 0.0


class PublishedNames(NamedTuple):
    """What was published for one run, and the model that extracted it; empty where the file does not say."""

    extractor: str
    outcome: ExtractedNames | Missing


def published(content: bytes, asked: Sequence[str]) -> PublishedNames:
    """The names that came with an imported run, which was asked for them in these scenarios.

    A file that tells of no name and of no refusal is a broken extraction, never a refusal.
    """
    try:
        file = documents.json_of(content, PurePath("names"), _PublishedNamesFile)
    except UsageError:
        return PublishedNames(
            "", Missing("unreadable_verdict", "the published extraction is not the JSON it should be")
        )
    entries = [entry for entry in file.names if entry.name.strip()]
    usage = Usage(cost_usd=file.extraction_cost_usd)
    if not entries and not file.declined_scenarios:
        spent = (Attempt("ok", 0.0, usage),)
        return PublishedNames(file.extraction_model, Missing("unreadable_verdict", "it is empty", attempts=spent))
    taken = [TakenName(entry.name, tuple(place(told, asked) for told in entry.sources)) for entry in entries]
    found = extracted(taken, [place(told, asked) for told in file.declined_scenarios], file.primary_name)
    return PublishedNames(file.extraction_model, msgspec.structs.replace(found, usage=usage))


def place(told: str, asked: Sequence[str]) -> str:
    """The scenario that a source means: its id, a heading with the words of its id, or its number. Others stay."""
    words = set(_WORDS.findall(told.lower().replace("_", " ")))
    fitting = [scenario for scenario in asked if set(_WORDS.findall(scenario.lower().replace("_", " "))) <= words]
    if fitting:
        return max(fitting, key=len)
    number = _NUMBER.search(told.lower())
    meant = _SHOWN[int(number[1]) - 1] if number and 0 < int(number[1]) <= len(_SHOWN) else None
    return meant if meant is not None and meant in asked else told
