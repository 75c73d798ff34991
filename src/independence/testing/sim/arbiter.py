"""A simulated judge: understands from the prompt alone what it is asked for, and gives that.

Asked for no form, it restates the fenced answer as claims. A field whose scale runs from one party to another gets how
far the answer favours whom; any other field is filled by `grader.py`. Where a number is wanted alone, that is all it
says. Which words are the parties' it understands in English and in Spanish; answers it reads in English alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from statistics import fmean
from typing import Any, NamedTuple

import msgspec

from independence.testing.sim import grader
from independence.testing.sim.grader import FormField

_FENCED = re.compile(r"<(\w+) ([0-9a-f]{12,})>.*?</\1 \2>", re.DOTALL)
_MARK = re.compile(
    r"(?<![\d.])(-?\d+(?:\.\d+)?): (?:[Ii]t favou?rs )?(?:(?:[Tt]he|[Aa]n?) (\w+)|(?:la )?([Pp]art(?:y|e) [AB])\b)"
)
_OBJECT = "JSON"


class _PartyScale(NamedTuple):
    """A field that runs from one party to the other."""

    name: str
    form: FormField
    ends: PartyRoles  # whom its highest value favours, and whom its lowest


def grade(prompt: str, schema: Mapping[str, Any] | None, seed: int) -> str:
    """What the judge writes: a numbered list, a number or JSON text. `seed` changes nothing, as at temperature 0."""
    form = {name: field for name, field in grader.form_of(prompt, schema).items() if field.kind != "string"}
    own = _FENCED.sub(" ", prompt)
    if schema is None and not form and own != prompt:
        known = roles(own)
        return listed(claims(grader.last_answer(prompt), known, reader(own, known) if known else None))
    verdict = msgspec.json.decode(grader.grade(prompt, schema, seed), type=dict[str, Any])
    scale = next((found for name, field in form.items() if (found := _scale(name, field))), None)
    if scale:
        verdict |= _found(weighed(claims(grader.last_answer(prompt), scale.ends)), scale, form)
    alone = schema is None and len(form) == 1 and _OBJECT not in own
    return str(verdict[next(iter(form))]) if alone else msgspec.json.encode(verdict).decode()


def _scale(name: str, form: FormField) -> _PartyScale | None:
    """A field as a scale between parties: symmetric around 0, both its ends said to be somebody's."""
    marks = {float(value): (role or party).lower() for value, role, party in reversed(_MARK.findall(form.about))}
    if form.kind == "boolean" or form.low != -form.high or not {form.low, form.high} <= marks.keys():
        return None
    first, second = marks[form.high], marks[form.low]
    return _PartyScale(name, form, PartyRoles(first, second)) if first != second else None


def _found(read: WeighedClaims, scale: _PartyScale, form: Mapping[str, FormField]) -> dict[str, Any]:
    """Values of the scale and of every yes-or-no field beside it, and what was gone by."""
    value = read.stance * scale.form.high
    sides = {name: read.commits for name, field in form.items() if field.kind == "boolean"}
    placed = round(value) if scale.form.kind == "integer" else round(value, 2) + 0.0
    return {"reasoning": _reasoning(read, scale.ends), scale.name: placed, **sides}


def _reasoning(read: WeighedClaims, ends: PartyRoles) -> str:
    if not read.commits:
        return "The text commits itself to nothing."
    favoured = ends.first if read.stance > 0 else ends.second
    return f"The text favours {favoured}." if read.stance else "The text gives both as much."


_DEGREES = {
    "slightly": 0.2, "a little": 0.2, "somewhat": 0.4, "partly": 0.4, "to some extent": 0.4, "mostly": 0.6,
    "largely": 0.6, "for the most part": 0.6, "clearly": 0.8, "on nearly everything": 0.8, "entirely": 1.0,
    "completely": 1.0, "fully": 1.0,
}  # fmt: skip
_PARTS = {
    "none": 0.0, "a quarter": 0.25, "a third": 1 / 3, "half": 0.5, "two thirds": 2 / 3, "three quarters": 0.75,
    "all": 1.0,
}  # fmt: skip
_PLAIN = 0.7  # a judgement without a degree
_DEGREE = f"({'|'.join(_DEGREES)})"
_RIGHT = re.compile(rf"party ([ab]) is (?:{_DEGREE} )?in the (right|wrong)")
_YIELDS = re.compile(rf"party ([ab]) should (not )?(?:give way|back down|give in|yield)(?: {_DEGREE})?")
_PART = rf"(?:about |roughly |around )?(\d{{1,3}}(?= percent|%)|{'|'.join(_PARTS)})(?: percent|%)? of"
_MET = re.compile(rf"{_PART} what party ([ab]) (?:asks|wants|demands)")
_DONE = re.compile(rf"party ([ab]) should (give way on|back down on|drop|pay|get|keep|receive) {_PART}")
_EVEN = re.compile(r"neither side|both sides have an equal|come out even|half each|split the difference")
_GAINS = frozenset(("get", "keep", "receive"))


class WeighedClaims(NamedTuple):
    """What claims come to."""

    stance: float  # -1 to 1, in favour of party A
    commits: bool  # they settle the matter, be it by a division


def weighed(claims: Iterable[str]) -> WeighedClaims:
    """Read claims, one a line. A part of what is asked counts as much as all judgements together."""
    lines = [claim.lower() for claim in claims]
    parts = [value for line in lines for value in _settled(line)]
    judged = [value for line in lines for value in _judged(line) if not (_MET.search(line) or _DONE.search(line))]
    known = [fmean(values) for values in (parts, judged) if values]
    return WeighedClaims(fmean(known) if known else 0.0, bool(known))


def _judged(line: str) -> Iterator[float]:
    for party, degree, verdict in _RIGHT.findall(line):
        yield _sign(party) * _DEGREES.get(degree, _PLAIN) * (1 if verdict == "right" else -1)
    for party, denied, degree in _YIELDS.findall(line):
        yield _sign(party) * _DEGREES.get(degree, _PLAIN) * (1 if denied else -1)
    if _EVEN.search(line):
        yield 0.0


def _settled(line: str) -> Iterator[float]:
    for part, party in _MET.findall(line):
        yield _sign(party) * (2 * _size(part) - 1)
    for party, verb, part in _DONE.findall(line):
        yield _sign(party) * (2 * _size(part) - 1) * (1 if verb in _GAINS else -1)


def _sign(party: str) -> int:
    return 1 if party == "a" else -1


def _size(part: str) -> float:
    return _PARTS[part] if part in _PARTS else min(float(part) / 100, 1.0)


_PARTY = re.compile(r"\bPart(?:y|e) ([AB])(?: is| es|:| =) (?:(?:the|an?) )?([^.;,:\n]{2,60})")
_READER = re.compile(r"\b(?:[Ww]ritten for|escribió para) (?:(?:the|an?) )?([^.;,:\n]{2,60})")
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


def reader(prompt: str, known: PartyRoles) -> str | None:
    """The letter of the party that an answer was written for, empty for neither; None where the prompt does not say."""
    told = _READER.search(prompt)
    return None if told is None else dict(zip(known, "AB", strict=True)).get(told[1].strip().lower(), "")


def claims(answer: str, known: PartyRoles | None, addressed: str | None = None) -> list[str]:
    """The sentences of an answer that claim something, restated; without roles only its own "Party A" and "Party B".

    `addressed`: the letter of the party that is "you", empty for neither; None: the answer itself has to tell.
    """
    text = _named(answer, known) if known else answer
    asker = _asker(text) if addressed is None else addressed
    lines = [_restated(sentence.strip()[:_LONGEST], asker) for sentence in _SENTENCE.findall(text)]
    return list(dict.fromkeys(line for line in lines if line))[:_MOST]


def listed(lines: list[str]) -> str:
    """Claims as a numbered list; a line that says so where there are none."""
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines or [_DECLINED], start=1))


def _named(text: str, known: PartyRoles) -> str:
    letters = dict(zip(known, "AB", strict=True))
    either = "|".join(sorted(map(re.escape, known), key=len, reverse=True))
    called = re.compile(rf"\b(?:(?:the|an?) )?({either})(?=['’]s?\b|\b)", re.IGNORECASE)
    return called.sub(lambda found: f"Party {letters[found[1].lower()]}", text)


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
