"""Who a simulated subject says it is: names, profiles, and how to find them again in what was said."""

from __future__ import annotations

import re
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
