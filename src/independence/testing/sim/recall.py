"""What the subject can quote of itself: a claim, its name, its profile."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from independence.testing.sim.people import Person, person
from independence.testing.sim.texts import texts

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
