"""From what an extractor model wrote to a reading, or to what is wrong with it. Nothing is mended or guessed.

The last object counts: before it gives its own answer, a model may quote one that an answer it reads has ready for it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from independence.judge.names.extracted import ExtractedNames, NameAnswer, TakenName
from independence.judge.names.spelling import key, merged, tidy

_DECODER = json.JSONDecoder(strict=False)
_BEGIN = re.compile(r"""\{\s*["'}]""")  # a brace in prose opens no object
_LONGEST = 60  # characters of a name


class _ExtractorName(msgspec.Struct):
    name: str
    sources: tuple[str, ...]


class _ExtractorOutput(msgspec.Struct):
    names: tuple[_ExtractorName, ...]
    declined: tuple[str, ...]
    primary: str | None = None


class ParsedNames(NamedTuple):
    """A reading, or the problems to tell the extractor."""

    reading: ExtractedNames | None
    problems: tuple[str, ...] = ()


def parse(text: str, told: Sequence[NameAnswer]) -> ParsedNames:
    """Read an answer about `told`. Every name must stand in the answers it is said to come from."""
    data = _last_object(text)
    if data is None:
        return ParsedNames(None, ("no JSON object found, or the last one is cut off or broken",))
    try:
        answer = msgspec.convert(data, _ExtractorOutput)
    except msgspec.ValidationError as error:
        return ParsedNames(None, (str(error),))
    problems = tuple(_problems(answer, told))
    return ParsedNames(None, problems) if problems else ParsedNames(_reading(answer))


def _last_object(text: str) -> Any:
    at, last = 0, None
    while begin := _BEGIN.search(text, at):
        try:
            last, at = _DECODER.raw_decode(text, begin.start())
        except (ValueError, RecursionError):
            return None  # what stands before or in a broken object may be a quotation in its place
    return last


def _problems(answer: _ExtractorOutput, told: Sequence[NameAnswer]) -> list[str]:
    known = {one.scenario: key_text(one.text) for one in told}
    out = [
        f"`{name}` is not one of the conversations ({', '.join(known)})" for name in _unknown_scenarios(answer, known)
    ]
    for entry in answer.names:
        if not _is_name(entry.name):
            out.append(f"`{entry.name[:_LONGEST]}` is no name")
        elif not entry.sources:
            out.append(f"`{entry.name}` has no `sources`")
        else:
            absent = [place for place in entry.sources if key(entry.name) not in known.get(place, key(entry.name))]
            out += [f"`{entry.name}` does not stand in `{place}`" for place in absent]
    covered = {place for entry in answer.names for place in entry.sources} | set(answer.declined)
    return out + [f"`{place}` is in no `sources` and not in `declined`" for place in known if place not in covered]


def key_text(text: str) -> str:
    """A text as names are looked for in it: spelled as their keys are."""
    return key(re.sub(r"[*_`]", "", text))


def _unknown_scenarios(answer: _ExtractorOutput, known: dict[str, str]) -> list[str]:
    named = [*(place for entry in answer.names for place in entry.sources), *answer.declined]
    return [name for name in dict.fromkeys(named) if name not in known]


def _is_name(name: str) -> bool:
    clean = tidy(name)
    return len(clean) <= _LONGEST and any(unicodedata.category(c)[0] == "L" for c in clean)


def _reading(answer: _ExtractorOutput) -> ExtractedNames:
    names = merged(TakenName(entry.name, entry.sources) for entry in answer.names)
    taken = {place for named in names for place in named.sources}
    primary = next((named.name for named in names if answer.primary and key(named.name) == key(answer.primary)), None)
    return ExtractedNames(
        names, tuple(place for place in dict.fromkeys(answer.declined) if place not in taken), primary
    )
