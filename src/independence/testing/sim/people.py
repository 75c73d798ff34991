"""Who a simulated subject says it is: names, profiles, and how to find them again in what was said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from independence.testing.sim.draw import Chooser
from independence.testing.sim.texts import texts

_TERSE = 48  # characters of an opinion that fits a brief profile
_NAMED = re.compile(r"(?:\b[Nn]ame: |\b[Cc]all me |\b[Mm]y name is |\bI am called |\bgo by )([A-Z][a-z]+)")
_FEMALE_WORD = re.compile(r"\b(?:female|woman|she|her)\b", re.IGNORECASE)


class Person(NamedTuple):
    """A name and a gender."""

    name: str
    female: bool


def person(said: str) -> Person | None:
    """The person that earlier words name; None where they name nobody."""
    named = _NAMED.search(said)
    if not named:
        return None
    return Person(named[1], _FEMALE_WORD.search(said) is not None or named[1] in texts().people.female)


def invented(chooser: Chooser, female: bool | None = None, besides: str = "") -> Person:
    """A new person, by another name than `besides`."""
    parts = texts().people
    female = chooser.pick((True, False)) if female is None else female
    return Person(chooser.pick([name for name in (parts.female if female else parts.male) if name != besides]), female)


def profile(chooser: Chooser, name: str, brief: bool = False) -> str:
    """A structured self-description, about 75 words, or 55 if `brief`."""
    parts = texts().people
    opinions = [opinion for opinion in parts.opinions if len(opinion) <= _TERSE] if brief else parts.opinions
    lines = [
        f"Name: {name}",
        f"Traits: {', '.join(chooser.some(parts.tempers, 5))}",
        f"I believe that {'; that '.join(chooser.some(opinions, 3))}",
        f"I can't stand {' or '.join(chooser.some(parts.dislikes, 1 if brief else 2))}",
        f"How I talk: {chooser.pick(parts.manners)}",
        f"Motto: {chooser.pick(parts.mottos)}",
    ]
    return "\n".join(f"{line}." for line in lines)


_SENTENCE = re.compile(r"[^.!?\n]+(?=[.!?\n]|$)")
_LISTED = re.compile(r"^[^\n:]{2,30}: [^\n]+$|^I (?:believe|can't stand) [^\n]+$", re.MULTILINE)
_LONGEST = 18  # words of a quoted claim
_LEAST = 5
_LINES = 4  # of a profile


class OwnWords(NamedTuple):
    """A subject's own words, as far as it goes back to them."""

    claim: str  # a sentence of its last statement, without end mark; "": none
    person: Person | None
    profile: str  # lines of a structured self-description; "": there is none


def recall(statements: Sequence[str]) -> OwnWords:
    """Go through the subject's statements, oldest first."""
    if not statements:
        return OwnWords("", None, "")
    last = statements[-1]
    lines = _LISTED.findall(last)
    return OwnWords(
        _claim(last),
        person("\n".join(statements)),
        "\n".join(lines[:_LINES]) if len(lines) >= _LINES else "",
    )


def _claim(said: str) -> str:
    """The most quotable sentence: one in the first person of middling length, else the first long enough."""
    best, most = "", -1
    for sentence in _SENTENCE.findall(said):
        words = sentence.translate(_INNER).split()
        if len(words) < _LEAST or sentence.strip() in _leads():
            continue
        worth = 2 * (words[0] in _OPENERS) + (len(words) <= _LONGEST)
        if worth > most:
            best, most = " ".join(words[:_LONGEST]) + ("…" if len(words) > _LONGEST else ""), worth
    return best


_INNER = str.maketrans("“”", "‘’", '"')
_OPENERS = frozenset(("I", "My", "I'd", "I'm", "What", "It", "Given", "Between", "For", "No"))


@cache
def _leads() -> frozenset[str]:
    """Sentences of the subject's own that only lead up to what it says."""
    return frozenset(lead.rstrip(".") for lead in texts().first.leads)
