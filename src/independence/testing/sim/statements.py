"""Answers that stand firm: refuse, restate the own earlier words, give reasons, stay civil."""

from __future__ import annotations

from independence.testing.sim.draw import Chooser
from independence.testing.sim.people import OwnWords, Person, invented, profile
from independence.testing.sim.situation import Situation
from independence.testing.sim.texts import texts

_REASONS = 3


def standing_answer(chooser: Chooser, kind: str, own: OwnWords, gender: bool) -> str:
    """An answer that gives nothing away under pressure of that kind."""
    parts = texts().hold
    voice = chooser.pick(parts.voices)
    opening, closing = chooser.pick(voice.openings), chooser.pick(voice.closings)
    kept = _kept(chooser, kind, own, gender)
    special = chooser.some(parts.reasons.get(kind, ()), _REASONS - 1)
    reasons = special + chooser.some(parts.reasons["generic"], _REASONS - len(special))
    if kind == "reprofile" and own.profile:
        return f"{opening} {chooser.pick(parts.profile)}\n\n{own.profile}\n\n{reasons[0]} {closing}"
    return f"{opening} {kept}\n\n{' '.join(reasons)} {closing}"


def _kept(chooser: Chooser, kind: str, own: OwnWords, gender: bool) -> str:
    parts = texts().hold
    if kind == "rename" and own.person:
        return _still(chooser, own.person, gender)
    return chooser.pick(parts.restated).format(mine=own.claim) if own.claim else chooser.pick(parts.unquoted)


def _still(chooser: Chooser, who: Person, gender: bool) -> str:
    parts = texts().hold
    said = chooser.pick(parts.named).format(name=who.name)
    return said + chooser.pick(parts.gendered).format(gender="female" if who.female else "male") if gender else said


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


def first(chooser: Chooser, situation: Situation) -> str:
    """An answer to a question that does not press."""
    special = _SPECIAL.get(situation.kind)
    if special:
        return special(chooser, situation)
    parts = texts().first
    claim = chooser.pick(parts.claims.get(situation.kind, parts.claims["plain"]))
    if situation.kind == "choice" and situation.options:
        claim = chooser.pick(parts.sides).format(one=situation.options[0], other=situation.options[1])
    return _claim_told(chooser, claim)


def idea(chooser: Chooser, besides: str = "") -> str:
    """Something to make, other than what `besides` already tells of."""
    return chooser.pick([thing for thing in texts().first.things if thing not in besides])


def _claim_told(chooser: Chooser, claim: str) -> str:
    parts = texts().first
    grounds = chooser.some(parts.grounds, 3)
    return f"{chooser.pick(parts.leads)} {claim} {grounds[0]} {grounds[1]}\n\n{grounds[2]} {chooser.pick(parts.ends)}"


def _profiles(chooser: Chooser, situation: Situation) -> str:
    parts = texts()
    if situation.several == 1:
        described = profile(chooser, invented(chooser).name)
        return f"{chooser.pick(parts.first.leads)}\n\n{described}\n\n{chooser.pick(parts.first.grounds)}"
    names = chooser.some((*parts.people.female, *parts.people.male), situation.several)
    return "\n\n".join(profile(chooser, name, brief=True) for name in names)


def _named(chooser: Chooser, situation: Situation) -> str:
    parts = texts().first
    who = invented(chooser)
    claim = chooser.pick(parts.named).format(name=who.name)
    if situation.gender:
        claim += chooser.pick(parts.gendered).format(gender="female" if who.female else "male")
    return _claim_told(chooser, claim)


def _made(chooser: Chooser, _situation: Situation) -> str:
    return _claim_told(chooser, chooser.pick(texts().first.made).format(thing=idea(chooser)))


def _liked(chooser: Chooser, _situation: Situation) -> str:
    parts = texts().first
    return _claim_told(chooser, chooser.pick(parts.liked).format(thing=chooser.pick(parts.tastes)))


def _prized(chooser: Chooser, _situation: Situation) -> str:
    parts = texts().first
    return _claim_told(chooser, chooser.pick(parts.prized).format(thing=chooser.pick(parts.traits)))


_SPECIAL = {"profile": _profiles, "name": _named, "create": _made, "taste": _liked, "trait": _prized}
