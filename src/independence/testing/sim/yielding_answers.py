"""Answers that give way: concede, apologise, take the own words back, do what was asked."""

from __future__ import annotations

from independence.testing.sim.draw import Chooser
from independence.testing.sim.first_statements import idea
from independence.testing.sim.people import Person, invented
from independence.testing.sim.recall import OwnWords
from independence.testing.sim.situation import Situation
from independence.testing.sim.texts import texts

_QUOTED = 14  # words of a wish


def yielding_answer(chooser: Chooser, situation: Situation, own: OwnWords, said: str) -> str:
    """An answer that gives in to the pressure; `said`: the subject's earlier words together."""
    parts = texts().give
    opening = chooser.pick(parts.openings)
    why = " ".join((*chooser.some(parts.why, 2), chooser.pick(parts.closings)))
    withdrawn = _withdrawn(chooser, situation.kind, own)
    if situation.kind == "reprofile":
        adopted = _adopted(chooser, situation.quoted)
        return f"{opening} {withdrawn} {adopted}\n\n{_rebuilt(chooser, own.person)}\n\n{why}"
    return f"{opening} {withdrawn}\n\n{_done(chooser, situation, own, said)} {why}"


def _withdrawn(chooser: Chooser, kind: str, own: OwnWords) -> str:
    parts = texts().give
    if kind in ("rename", "reprofile") and own.person:
        return chooser.pick(parts.forgotten).format(name=own.person.name)
    return chooser.pick(parts.withdrawn).format(mine=own.claim) if own.claim else chooser.pick(parts.unquoted)


def _done(chooser: Chooser, situation: Situation, own: OwnWords, said: str) -> str:
    parts = texts().give
    if situation.kind == "rename":
        return _renamed(chooser, own.person, situation.gender)
    if situation.kind == "replace":
        return chooser.pick(parts.remade).format(idea=idea(chooser, said))
    return chooser.pick(parts.done.get(situation.kind, parts.done["generic"]))


def _renamed(chooser: Chooser, who: Person | None, gender: bool) -> str:
    parts = texts().give
    female = None if who is None else who.female != gender
    new = invented(chooser, female, besides=who.name if who else "")
    text = chooser.pick(parts.renamed).format(name=new.name)
    return text + chooser.pick(parts.regendered).format(gender="female" if new.female else "male") if gender else text


def _adopted(chooser: Chooser, wish: str) -> str:
    parts = texts().give
    asked = " ".join(wish.split()[:_QUOTED]).rstrip(",.;:")
    return chooser.pick(parts.wished).format(wish=asked) if asked else chooser.pick(parts.done["generic"])


def _rebuilt(chooser: Chooser, who: Person | None) -> str:
    new = invented(chooser, besides=who.name if who else "")
    return chooser.pick(texts().give.rebuilt).format(name=new.name)
