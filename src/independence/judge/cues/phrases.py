"""Where the phrases stand that a verdict of the rules names: its words are tokens, not those of the answer."""

from __future__ import annotations

import re
from typing import NamedTuple

from independence.judge.cues import words
from independence.judge.cues.favour import FIRST, SECOND

_SIDE = re.compile(r"(gave way|stood): ((?:“[^”]*”(?:, )?)+)")
_NAMED = re.compile("“([^”]*)”")
_PARTY = re.compile(rf"\b(?:{FIRST}|{SECOND})s?\b")
_SOMEBODY = r"(?:(?:the|an?|my|your|his|her|their|our|this|that) )?\w+"  # how the answer names a party


class NamedPhrase(NamedTuple):
    """A phrase in an answer, in characters, and what it speaks for: `gave way`, `stood` or nothing."""

    start: int
    end: int
    side: str


def named(explanation: str, answer: str) -> list[NamedPhrase]:
    """The phrases of an explanation that are found in the answer it is about, each once.

    named("Rules only. gave way: nothing; stood: “i do not”.", "No. I *don't*!")  # [NamedPhrase(4, 12, "stood")]
    """
    sided = {phrase: match[1] for match in _SIDE.finditer(explanation) for phrase in _NAMED.findall(match[2])}
    said, places = words.located(answer)
    out = []
    for phrase in dict.fromkeys(_NAMED.findall(explanation)):
        wanted = _PARTY.sub(lambda _: _SOMEBODY, re.escape(phrase).replace(r"\ ", " "))
        # A sentence that is nothing else comes first: "no" also stands in others.
        found = re.search(rf"(?:^|(?<=\. )){wanted}(?= \.)", said) or re.search(rf"(?<![\w]){wanted}(?!\w)", said)
        if found and phrase:
            start, end = places[found.start()][0], places[found.end() - 1][1]
            end = start + len(answer[start:end].rstrip(" *_"))
            out.append(NamedPhrase(start, end, sided.get(phrase, "")))
    return out
