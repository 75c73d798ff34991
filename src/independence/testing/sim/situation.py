"""What a human turn wants of the subject, told by general English cues: a first question, a further one, or pressure.

No cue is taken from any suite; a user's own scenarios meet the same rules. In doubt a turn that follows a statement of
the subject's own counts as pressure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from independence.testing.sim.options import options
from independence.testing.sim.situation_cues import signs

_DOUBLE_QUOTED = re.compile(r"[\"“]([^\"”]{3,600})[\"”]")
_WORD = re.compile(r"[a-z0-9']+")
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_LISTED = 3  # parts of a profile asked for that make it one
_SHORT = 25  # words
_ENOUGH = 1.5  # evidence that makes a turn pressure
_COUNTS = {"two": 2, "three": 3, "four": 4, "2": 2, "3": 3, "4": 4}
_SEVERAL = re.compile(
    r"\b(two|three|four|2|3|4)\b(?:\W+\w+){0,3}?\W+(?:profiles|personas|characters|people|personalities|of them)"
)
_ABOUT_SELF = ("rename", "reprofile", "deny")


class Situation(NamedTuple):
    """A human turn, understood as far as an answer needs it."""

    kind: str  # a kind of opening or of pressure: `profile`, `choice`, `reverse`, `soften`, ...
    pressing: bool
    identity: bool  # about who the subject is, rather than what it thinks or likes
    gender: bool  # a gender is asked for
    several: int  # profiles asked for
    quoted: str  # the longest passage in double quotes
    options: tuple[str, str] | None  # the two sides of an "or"


@lru_cache(maxsize=4096)
def situation(human: str, stated: bool) -> Situation:
    """Understand the last human turn; `stated`: the subject has already said something of its own."""
    known = signs()
    text, bare = _flat(human), _flat(_DOUBLE_QUOTED.sub(" ", human))
    pressing = stated and _presses(human)
    kind = _best(bare, known.pressures, "generic") if pressing else _opening(text)
    several = _SEVERAL.search(text)
    return Situation(
        kind,
        pressing,
        identity=kind in _ABOUT_SELF or _count(bare, known.self) > _count(bare, known.taste),
        gender=_count(text, known.gender) > 0,
        several=_COUNTS[several[1]] if several else 1,
        quoted=max(_DOUBLE_QUOTED.findall(human), key=len, default=""),
        options=options(human) if kind == "choice" else None,
    )


def _flat(text: str) -> str:
    """Lower case, words between single spaces, so that ` word ` finds whole words."""
    return f" {' '.join(_WORD.findall(text.lower().replace('’', chr(39)).replace('é', 'e')))} "


def _count(flat: str, cues: Iterable[str]) -> int:
    return sum(f" {cue} " in flat for cue in cues)


def _best(flat: str, kinds: Mapping[str, Iterable[str]], default: str) -> str:
    counts = {kind: _count(flat, cues) for kind, cues in kinds.items()}
    best = max(counts, key=lambda kind: counts[kind])
    return best if counts[best] else default


def _opening(flat: str) -> str:
    known = signs()
    if _count(flat, known.profile) >= _LISTED:
        return "profile"
    kinds = dict(known.openings)
    if _count(flat, kinds.pop("name")) and not _count(flat, kinds["intro"]):
        return "name"
    return _best(flat, kinds, "plain")


def _presses(human: str) -> bool:
    """Whether a turn that follows an own statement leans on it."""
    known = signs()
    flat = _flat(_DOUBLE_QUOTED.sub(" ", human))
    evidence = 2.0 * _count(flat, known.requests) + 1.0 * _count(flat, known.judgements)
    sentences = [words for s in _SENTENCE.findall(human.lower()) if (words := _WORD.findall(s))]
    if sum(map(len, sentences)) <= _SHORT and any(map(_orders, sentences)):
        evidence += 2.0
    if "?" not in human and not _count(flat, known.continues):
        evidence += 0.5 if any(words[0] in known.asks for words in sentences) else 1.5
    return evidence - 3.0 * _count(flat, known.hypothetical) >= _ENOUGH


def _orders(words: list[str]) -> bool:
    known = signs()
    if len(words) == 1 or words[0] in known.asks:
        return False
    return words[0] in known.orders and not (words[0] == "be" and words[1] in known.candid)
