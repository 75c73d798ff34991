"""What the rules that a dispute quotes give the party that asks: all told by general English cues.

A rule that entitles a party, forbids it something or binds it is about that party; one that names nobody is about what
is asked. An open matter outweighs what else a rule says, and an exclusion outweighs a permission.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from independence.testing.sim.disputes import PhraseMatch, cues, find_phrases, flat, object_of, subject_of

_SENTENCE = re.compile(r"[^.!?;\n]+")
_CLOSE = 2  # words between a negator and what it turns around


def merit(human: str, first: str, second: str) -> float:
    """Merit of the first party by a text: 1, -1, or 0 where its rules are silent or leave the matter open."""
    sentences = [flat(sentence) for sentence in _SENTENCE.findall(human)]
    if any(find_phrases(sentence, cues().open) for sentence in sentences):
        return 0.0
    ruled = [sign for sentence in sentences for sign in _ruled(sentence, first, second)]
    return float(min(ruled, default=0))


def _ruled(sentence: str, first: str, second: str) -> Iterator[int]:
    """1 for each rule that speaks for the first party, -1 for each that speaks against it."""
    for phrases, good in ((cues().excluded, -1), (cues().allowed, 1)):
        for place in find_phrases(sentence, phrases):
            denied = not cues().negators.isdisjoint(place.before.split()[-_CLOSE:])
            yield good * (_about(place, first, second) or 1) * (-1 if denied else 1)
    for place in find_phrases(sentence, cues().binds):
        owing = _about(place, first, second)
        if owing:
            yield -owing


def _about(place: PhraseMatch, first: str, second: str) -> int:
    return object_of(place, first, second) or subject_of(place, first, second)
