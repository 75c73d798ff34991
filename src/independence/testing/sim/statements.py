"""What simulated subjects say of their own, how they stand firm and how they give way."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from independence.testing.sim.situation import Situation
from independence.testing.sim.texts import Chooser, texts

_REASONS = 3
_QUOTED = 14  # words of a wish
_TERSE = 48  # characters of an opinion that fits a brief profile
_NAMED = re.compile(r"(?:\b[Nn]ame: |\b[Cc]all me |\b[Mm]y name is |\bI am called |\bgo by )([A-Z][a-z]+)")
_FEMALE_WORD = re.compile(r"\b(?:female|woman|she|her)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?\n]+(?=[.!?\n]|$)")
_LISTED = re.compile(r"^[^\n:]{2,30}: [^\n]+$|^I (?:believe|can't stand) [^\n]+$", re.MULTILINE)
_LONGEST = 18  # words of a quoted claim
_LEAST = 5
_LINES = 4  # of a profile
_INNER = str.maketrans("“”", "‘’", '"')
_OPENERS = frozenset(("I", "My", "I'd", "I'm", "What", "It", "Given", "Between", "For", "No"))
# A thing is named, by kind of question: the list of claims, and the list of things.
_THINGS = {"create": ("made", "things"), "taste": ("liked", "tastes"), "trait": ("prized", "traits")}


class Person(NamedTuple):
    """A name and a gender."""

    name: str
    female: bool


class OwnWords(NamedTuple):
    """A subject's own words, as far as it goes back to them."""

    claim: str  # a sentence of its last statement, without end mark; "": none
    person: Person | None
    profile: str  # lines of a structured self-description; "": there is none


def standing_answer(chooser: Chooser, kind: str, own: OwnWords, gender: bool) -> str:
    """An answer that gives nothing away under pressure of that kind."""
    voice = chooser.pick(tuple(texts("firm_openings")))
    opening, closing = chooser.line("firm_openings", voice), chooser.line("firm_closings", voice)
    if kind == "rename" and own.person:
        kept = _introduced(chooser, "hold", own.person, gender)
    else:
        kept = chooser.line("hold", "restated" if own.claim else "unquoted").format(mine=own.claim)
    special = chooser.some(texts("reasons").get(kind, ()), _REASONS - 1)
    reasons = special + chooser.some(texts("reasons")["generic"], _REASONS - len(special))
    if kind == "reprofile" and own.profile:
        return f"{opening} {chooser.line('hold', 'profile')}\n\n{own.profile}\n\n{reasons[0]} {closing}"
    return f"{opening} {kept}\n\n{' '.join(reasons)} {closing}"


def yielding_answer(chooser: Chooser, situation: Situation, own: OwnWords, said: str) -> str:
    """An answer that gives in to the pressure; `said`: the subject's earlier words together."""
    opening = chooser.line("give", "openings")
    why = " ".join((*chooser.some(texts("give")["why"], 2), chooser.line("give", "closings")))
    if situation.kind in ("rename", "reprofile") and own.person:
        withdrawn = chooser.line("give", "forgotten").format(name=own.person.name)
    else:
        withdrawn = chooser.line("give", "withdrawn" if own.claim else "unquoted").format(mine=own.claim)
    if situation.kind == "reprofile":
        asked = " ".join(situation.quoted.split()[:_QUOTED]).rstrip(",.;:")
        adopted = chooser.line("give", "wished").format(wish=asked) if asked else chooser.line("done", "generic")
        new = invented(chooser, besides=own.person.name if own.person else "")
        return f"{opening} {withdrawn} {adopted}\n\n{chooser.line('give', 'rebuilt').format(name=new.name)}\n\n{why}"
    return f"{opening} {withdrawn}\n\n{done(chooser, situation, own, said)} {why}"


def done(chooser: Chooser, situation: Situation, own: OwnWords, said: str) -> str:
    """What is asked for, carried out."""
    if situation.kind == "rename":
        old, gender = own.person, situation.gender
        new = invented(chooser, old.female != gender if old else None, besides=old.name if old else "")
        return _introduced(chooser, "give", new, gender)
    if situation.kind == "replace":
        other = [thing for thing in texts("first")["things"] if thing not in said]
        return chooser.line("give", "remade").format(idea=chooser.pick(other))
    return chooser.line("done", situation.kind if situation.kind in texts("done") else "generic")


def _introduced(chooser: Chooser, section: str, who: Person, gender: bool) -> str:
    """A name and, where one is asked for, a gender."""
    said = chooser.line(section, "named").format(name=who.name)
    return (
        said + chooser.line(section, "gendered").format(gender="female" if who.female else "male") if gender else said
    )


def first(chooser: Chooser, situation: Situation) -> str:
    """An answer to a question that does not press."""
    if situation.kind == "profile" and situation.several == 1:
        described = profile(chooser, invented(chooser).name)
        return f"{chooser.line('first', 'leads')}\n\n{described}\n\n{chooser.line('first', 'grounds')}"
    if situation.kind == "profile":
        names = chooser.some((*texts("people")["female"], *texts("people")["male"]), situation.several)
        return "\n\n".join(profile(chooser, name, brief=True) for name in names)
    claim = _claimed(chooser, situation)
    one, two, three = chooser.some(texts("first")["grounds"], 3)
    return f"{chooser.line('first', 'leads')} {claim} {one} {two}\n\n{three} {chooser.line('first', 'ends')}"


def _claimed(chooser: Chooser, situation: Situation) -> str:
    if situation.kind == "name":
        return _introduced(chooser, "first", invented(chooser), situation.gender)
    if situation.kind in _THINGS:
        claims, things = _THINGS[situation.kind]
        return chooser.line("first", claims).format(thing=chooser.line("first", things))
    claim = chooser.line("claims", situation.kind if situation.kind in texts("claims") else "plain")
    if situation.options:
        claim = chooser.line("first", "sides").format(one=situation.options[0], other=situation.options[1])
    return claim


def invented(chooser: Chooser, female: bool | None = None, besides: str = "") -> Person:
    """A new person, by another name than `besides`."""
    female = chooser.pick((True, False)) if female is None else female
    names = texts("people")["female" if female else "male"]
    return Person(chooser.pick([name for name in names if name != besides]), female)


def profile(chooser: Chooser, name: str, brief: bool = False) -> str:
    """A structured self-description, about 75 words, or 55 if `brief`."""
    parts = texts("people")
    opinions = [opinion for opinion in parts["opinions"] if len(opinion) <= _TERSE] if brief else parts["opinions"]
    lines = [
        f"Name: {name}",
        f"Traits: {', '.join(chooser.some(parts['tempers'], 5))}",
        f"I believe that {'; that '.join(chooser.some(opinions, 3))}",
        f"I can't stand {' or '.join(chooser.some(parts['dislikes'], 1 if brief else 2))}",
        f"How I talk: {chooser.pick(parts['manners'])}",
        f"Motto: {chooser.pick(parts['mottos'])}",
    ]
    return "\n".join(f"{line}." for line in lines)


def recall(statements: Sequence[str]) -> OwnWords:
    """Go through the subject's statements, oldest first."""
    if not statements:
        return OwnWords("", None, "")
    lines = _LISTED.findall(statements[-1])
    described = "\n".join(lines[:_LINES]) if len(lines) >= _LINES else ""
    return OwnWords(_claim(statements[-1]), person("\n".join(statements)), described)


def person(said: str) -> Person | None:
    """The person that earlier words name; None where they name nobody."""
    named = _NAMED.search(said)
    if not named:
        return None
    return Person(named[1], _FEMALE_WORD.search(said) is not None or named[1] in texts("people")["female"])


def _claim(said: str) -> str:
    """The most quotable sentence: one in the first person of middling length, else the first long enough."""
    leads = {lead.rstrip(".") for lead in texts("first")["leads"]}  # sentences that only lead up to what it says
    own = (sentence for sentence in _SENTENCE.findall(said) if sentence.strip() not in leads)
    long = [words for sentence in own if len(words := sentence.translate(_INNER).split()) >= _LEAST]
    best: list[str] = max(long, key=lambda words: (words[0] in _OPENERS, len(words) <= _LONGEST), default=[])
    return " ".join(best[:_LONGEST]) + "…" * (len(best) > _LONGEST)
