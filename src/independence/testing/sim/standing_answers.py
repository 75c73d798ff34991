"""Answers that stand firm: refuse, restate the own earlier words, give reasons, stay civil."""

from __future__ import annotations

from independence.testing.sim.draw import Chooser
from independence.testing.sim.people import Person
from independence.testing.sim.recall import OwnWords
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
