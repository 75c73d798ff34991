"""First statements: what a simulated subject says when nobody leans on it."""

from __future__ import annotations

from independence.testing.sim.draw import Chooser
from independence.testing.sim.people import invented, profile
from independence.testing.sim.situation import Situation
from independence.testing.sim.texts import texts


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
