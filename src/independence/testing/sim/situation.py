"""A message array as a conversation, and what its last human turn wants: a first question, a further one, or pressure.

All is told by general English cues, none of them taken from any suite; a user's own scenarios meet the same rules. In
doubt a turn that follows a statement of the subject's own counts as pressure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import msgspec

from independence.testing.sim.texts import Section, texts
from independence.types import Message

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
_LONGEST = 12  # words
# What stands before an "or", back to the sentence's start, and what follows it.
_EITHER = re.compile(r"([^.!?\n]{4,160}[,?]?) +[Oo]r +((?!so\b|not\b)[^?!\n]{4,160})")
# Everything up to the verb or preposition that introduces a side.
_LEADING = re.compile(
    r"^.*\b(?:prefer|rather|by|like|choose|towards?|enjoy|value|prioriti[sz]e|believe in|trust|that|relying on)\b\s*",
    re.IGNORECASE,
)


class Conversation(NamedTuple):
    """What was said so far, without the technical frame."""

    human: tuple[str, ...]  # the human's turns, oldest first
    own: tuple[str, ...]  # the subject's statements after the first human turn, oldest first


def conversation(messages: Sequence[Message]) -> Conversation:
    """Read a message array of either delivery; an array without human turns gives empty turns.

    Where the human speaks through tool results, the first user message is a technical trigger and the first tool call a
    scripted greeting; neither counts as said by anyone. Tool and argument names are arbitrary.
    """
    through_tool = any(message.role == "tool" for message in messages)
    human: list[str] = []
    own: list[str] = []
    answered = False
    for message in messages:
        if message.role == "assistant":
            answered = True
            if human:
                own.append(spoken(message))
        elif message.role == "tool" or (message.role == "user" and (answered or not through_tool)):
            human.append((message.content or "").strip())
    return Conversation(tuple(human), tuple(own))


def spoken(message: Message) -> str:
    """What a message says: the first text among the arguments of its tool call, or else its content."""
    for call in message.tool_calls:
        try:
            values = msgspec.json.decode(call.function.arguments, type=dict[str, Any]).values()
        except msgspec.DecodeError:
            return call.function.arguments
        if text := next((value for value in values if isinstance(value, str)), ""):
            return text
    return message.content or ""


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
    text, bare = _flat(human), _flat(_DOUBLE_QUOTED.sub(" ", human))
    pressing = stated and _presses(human)
    kind = _best(bare, texts("pressures"), "generic") if pressing else _opening(text)
    several = _SEVERAL.search(text)
    return Situation(
        kind,
        pressing,
        identity=kind in _ABOUT_SELF or _count(bare, "self") > _count(bare, "taste"),
        gender=_count(text, "gender") > 0,
        several=_COUNTS[several[1]] if several else 1,
        quoted=max(_DOUBLE_QUOTED.findall(human), key=len, default=""),
        options=options(human) if kind == "choice" else None,
    )


def _flat(text: str) -> str:
    """Lower case, words between single spaces, so that ` word ` finds whole words."""
    return f" {' '.join(_WORD.findall(text.lower().replace('’', chr(39)).replace('é', 'e')))} "


def _count(flat: str, sign: str) -> int:
    return _found(flat, texts("signs")[sign])


def _found(flat: str, cues: Iterable[str]) -> int:
    return sum(f" {cue} " in flat for cue in cues)


def _best(flat: str, kinds: Section, default: str) -> str:
    counts = {kind: _found(flat, cues) for kind, cues in kinds.items()}
    best = max(counts, key=lambda kind: counts[kind])
    return best if counts[best] else default


def _opening(flat: str) -> str:
    if _count(flat, "profile") >= _LISTED:
        return "profile"
    kinds = dict(texts("questions"))
    if _found(flat, kinds.pop("name")) > _found(flat, kinds["intro"]):
        return "name"
    return _best(flat, kinds, "plain")


def _presses(human: str) -> bool:
    """Whether a turn that follows an own statement leans on it."""
    flat = _flat(_DOUBLE_QUOTED.sub(" ", human))
    evidence = 2.0 * _count(flat, "requests") + 1.0 * _count(flat, "judgements")
    sentences = [words for s in _SENTENCE.findall(human.lower()) if (words := _WORD.findall(s))]
    if sum(map(len, sentences)) <= _SHORT and any(map(_orders, sentences)):
        evidence += 2.0
    if "?" not in human and not _count(flat, "continues"):
        evidence += 0.5 if any(words[0] in texts("signs")["asks"] for words in sentences) else 1.5
    return evidence - 3.0 * _count(flat, "hypothetical") >= _ENOUGH


def _orders(words: list[str]) -> bool:
    signs = texts("signs")
    if len(words) == 1 or words[0] in signs["asks"]:
        return False
    return words[0] in signs["orders"] and not (words[0] == "be" and words[1] in signs["candid"])


def options(human: str) -> tuple[str, str] | None:
    """Both sides of an "or"; None where there are none to be told apart."""
    found = _EITHER.search(human)
    if not found:
        return None
    clauses = re.split(r"([,:;])", found[1].rstrip(" ,?"))
    spoken = [_LEADING.sub("", clause.strip()) for clause in clauses[::2]]
    cued = [after for clause, after in zip(clauses[::2], spoken, strict=True) if after and after != clause.strip()]
    listed = [spoken[at // 2 + 1] for at in range(1, len(clauses), 2) if clauses[at] == ":"]
    first = (listed or cued or spoken)[-1]
    second = _LEADING.sub("", re.split(r"[,.;?]", found[2])[0].strip())
    if not (first and second):
        return None
    return " ".join(first.split()[:_LONGEST]), " ".join(second.split()[:_LONGEST])
