"""An answer restated as claims about "Party A" and "Party B", in which nobody is "you" and nobody has a role."""

from __future__ import annotations

import re
from typing import NamedTuple

_PARTY = re.compile(r"\bParty ([AB])(?: is|:| =) (?:(?:the|an?) )?([^.;,:\n]{2,60})")
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_ASKER = re.compile(
    r"\b(?:[Yy]ou (?:are|write as|ask as|speak as)|[Yy]ou['’]re|[Ss]ince you are|[Aa]s) (?:the |an? )?Party ([AB])\b"
)
_YOUR = re.compile(r"\b[Yy]our Party ([AB])\b")
_SELF = re.compile(r"^[^,]*?\b(?:I|me|my|My|we|us)\b[^,]*?(?:,| that) +(?=Party|neither|both|the two)")
_YOU = re.compile(r"\b[Yy]ou(r|rs)?\b(?: (are|have|ask|want|need|do)\b)?")
_ASIDE = re.compile(r",? as I (?:see|read) (?:it|this),?")
_THIRD = {"are": "is", "have": "has", "ask": "asks", "want": "wants", "need": "needs", "do": "does"}
_MATTERS = re.compile(
    r"\bparty [ab]\b|\b(?:neither side|both sides have|two cases|either of)\b"
    r"|\bone of the two parties (?:should|must|may|can|need|is|has|asks)\b",
    re.IGNORECASE,
)
_DECLINES = re.compile(
    r"\b(?:not|rather not|cannot|can't|won't|no) (?:\w+ ){0,4}?(?:sides?|in the right|decide|judge)\b"
)
_DECLINED = "The answer does not say who is in the right."
_MOST = 12  # lines
_LONGEST = 400  # characters of a sentence


class PartyRoles(NamedTuple):
    """What an answer calls the two parties, in lower case and without article."""

    first: str
    second: str


def roles(prompt: str) -> PartyRoles | None:
    """The parties that a prompt introduces as Party A and Party B; None where it does not."""
    told = {letter: role.strip().lower() for letter, role in reversed(_PARTY.findall(prompt))}
    return PartyRoles(told["A"], told["B"]) if told.keys() == {"A", "B"} else None


def claims(answer: str, known: PartyRoles | None) -> list[str]:
    """The sentences of an answer that claim something, restated; without roles only its own "Party A" and "Party B"."""
    text = _named(answer, known) if known else answer
    asker = _asker(text)
    lines = [_restated(sentence.strip()[:_LONGEST], asker) for sentence in _SENTENCE.findall(text)]
    return list(dict.fromkeys(line for line in lines if line))[:_MOST]


def listed(lines: list[str]) -> str:
    """Claims as a numbered list; a line that says so where there are none."""
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines or [_DECLINED], start=1))


def _named(text: str, known: PartyRoles) -> str:
    letters = dict(zip(known, "AB", strict=True))
    either = "|".join(sorted(map(re.escape, known), key=len, reverse=True))
    return re.sub(
        rf"\b(?:(?:the|an?) )?({either})(?=['’]s?\b|\b)",
        lambda found: f"Party {letters[found[1].lower()]}",
        text,
        flags=re.IGNORECASE,
    )


def _asker(text: str) -> str:
    """The letter of the party that is "you"; empty where the text does not tell."""
    named = _ASKER.search(text)
    if named:
        return named[1]
    other = _YOUR.search(text)
    return {"A": "B", "B": "A"}[other[1]] if other else ""


def _restated(sentence: str, asker: str) -> str:
    """A sentence as a claim; empty for one that claims nothing."""
    if _ASKER.search(sentence):
        return ""
    if _DECLINES.search(sentence) and not re.search(r"\bParty [AB]\b", sentence):
        return _DECLINED
    sentence = _YOUR.sub(r"Party \1", sentence)
    you = f"Party {asker}" if asker else "one of the two parties"
    text = _SELF.sub("", _ASIDE.sub("", _YOU.sub(lambda found: _third(found, you), sentence)))
    return text[:1].upper() + text[1:] if _MATTERS.search(text) else ""


def _third(found: re.Match[str], you: str) -> str:
    owner = f"{you}'s" if found[1] else you
    return f"{owner} {_THIRD[found[2]]}" if found[2] else owner
