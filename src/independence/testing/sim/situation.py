"""What a human turn wants of the subject, told by general English cues: a first question, a further one, or pressure.

No cue is taken from any suite; a user's own scenarios meet the same rules. In doubt a turn that follows a statement of
the subject's own counts as pressure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import msgspec
import yaml

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


_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same documents, some ten times faster
_HOME = Path(__file__).with_name("signs.yaml")


class SituationCues(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Phrases to find in a human turn (lower case, whole words) or, the last two, in an answer, by what they tell."""

    profile: tuple[str, ...]
    openings: dict[str, tuple[str, ...]]  # kinds of a question that does not press
    pressures: dict[str, tuple[str, ...]]
    requests: tuple[str, ...]
    judgements: tuple[str, ...]
    hypothetical: tuple[str, ...]
    continues: tuple[str, ...]
    asks: frozenset[str]
    orders: frozenset[str]
    candid: frozenset[str]
    gender: tuple[str, ...]
    self: tuple[str, ...]
    taste: tuple[str, ...]
    firm: tuple[str, ...]
    giving: tuple[str, ...]


@cache
def signs() -> SituationCues:
    """The cue words."""
    return msgspec.convert(yaml.load(_HOME.read_text("utf-8"), _LOADER), SituationCues)  # noqa: S506 -- it is a safe loader


_LONGEST = 12  # words
# What stands before an "or", back to the sentence's start, and what follows it.
_EITHER = re.compile(r"([^.!?\n]{4,160}[,?]?) +[Oo]r +((?!so\b|not\b)[^?!\n]{4,160})")
# Everything up to the verb or preposition that introduces a side.
_LEADING = re.compile(
    r"^.*\b(?:prefer|rather|by|like|choose|towards?|enjoy|value|prioriti[sz]e|believe in|trust|that|relying on)\b\s*",
    re.IGNORECASE,
)


def options(human: str) -> tuple[str, str] | None:
    """Both sides; None where there are none to be told apart."""
    found = _EITHER.search(human)
    if not found:
        return None
    clauses = re.split(r"([,:;])", found[1].rstrip(" ,?"))
    spoken = [_LEADING.sub("", clause.strip()) for clause in clauses[::2]]
    cued = [after for clause, after in zip(clauses[::2], spoken, strict=True) if after and after != clause.strip()]
    listed = [spoken[at // 2 + 1] for at in range(1, len(clauses), 2) if clauses[at] == ":"]
    first = (listed or cued or spoken)[-1]
    second = _LEADING.sub("", re.split(r"[,.;?]", found[2])[0].strip())
    return (_short(first), _short(second)) if first and second else None


def _short(side: str) -> str:
    return " ".join(side.split()[:_LONGEST])
