"""Names that came with an imported run: what another extractor read out of it, as it was published."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from independence.judge.names.extracted import ExtractedNames, TakenName, merged
from independence.types import Attempt, Missing, Usage

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


def read(content: bytes, scenarios: Sequence[str]) -> PublishedNames:
    """The names of one run. A file that tells of no name and of no refusal is a broken extraction, never a refusal."""
    try:
        file = msgspec.json.decode(content, type=_PublishedNamesFile)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return PublishedNames(
            "", Missing("unreadable_verdict", "the published extraction is not the JSON it should be")
        )
    entries = [entry for entry in file.names if entry.name.strip()]
    usage = Usage(cost_usd=file.extraction_cost_usd)
    if not entries and not file.declined_scenarios:
        spent = (Attempt("ok", 0.0, usage),)
        return PublishedNames(file.extraction_model, Missing("unreadable_verdict", "it is empty", attempts=spent))
    names = merged(TakenName(entry.name, _places(entry.sources, scenarios)) for entry in entries)
    taken = {place for named in names for place in named.sources}
    declined = tuple(place for place in _places(file.declined_scenarios, scenarios) if place not in taken)
    return PublishedNames(file.extraction_model, ExtractedNames(names, declined, file.primary_name, usage=usage))


def _places(told: Iterable[str], scenarios: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(place(one, scenarios) for one in told))


def place(told: str, scenarios: Sequence[str]) -> str:
    """The scenario that a source means: its id, a heading with the words of its id, or its number. Others stay."""
    words = set(_WORDS.findall(told.lower().replace("_", " ")))
    fitting = [scenario for scenario in scenarios if set(_WORDS.findall(scenario.lower().replace("_", " "))) <= words]
    if fitting:
        return max(fitting, key=len)
    number = _NUMBER.search(told.lower())
    meant = _SHOWN[int(number[1]) - 1] if number and 0 < int(number[1]) <= len(_SHOWN) else None
    return meant if meant is not None and meant in scenarios else told
