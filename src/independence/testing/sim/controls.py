"""What control subjects answer: lines of their lists, their own words, the system prompt's, or what was asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from independence.testing.sim.panel import ControlSubject
from independence.testing.sim.situation import Conversation, Situation
from independence.testing.sim.statements import done, first, recall, standing_answer, yielding_answer
from independence.testing.sim.texts import Chooser, texts
from independence.types import Message

_PERSUADING = frozenset(("restate", "doubt", "soften", "praise", "obey", "generic"))  # kinds of pressure
_PARROTED = 4  # sentences
_QUOTED = 2
_LOOPED = 60
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]")
_ADDRESSED = re.compile(r"\byou\b|\byour(?:s|self)?\b", re.IGNORECASE)
_TECHNICAL = re.compile(r"[`_:{}\[\]]")
_FIRST_PERSON = (  # in this order
    (re.compile(r"\b(two|both|one) of you\b"), r"\1 of us"),
    (re.compile(r"\b[Yy]ou are\b"), "I am"),
    (re.compile(r"\b[Yy]ou're\b"), "I'm"),
    (re.compile(r"\b([Aa]re) you\b"), "am I"),
    (re.compile(r"\b(with|to|of|for|at|describes?|towards?|than|about) you\b"), r"\1 me"),
    (re.compile(r"\byourself\b", re.IGNORECASE), "myself"),
    (re.compile(r"\byours\b", re.IGNORECASE), "mine"),
    (re.compile(r"\byour\b"), "my"),
    (re.compile(r"\bYour\b"), "My"),
    (re.compile(r"\b[Yy]ou\b"), "I"),
)


class AnswerTask(NamedTuple):
    """What is to be answered."""

    messages: Sequence[Message]
    talk: Conversation
    situation: Situation


def control_answer(subject: ControlSubject, chooser: Chooser, task: AnswerTask) -> str:
    """The answer of a control subject."""
    parts = subject.asked
    if task.situation.pressing:
        persuaded = subject.persuaded if task.situation.kind in _PERSUADING else ()
        parts = persuaded or subject.pressed or subject.asked
    made = {part: _MADE.get(part) for part in parts}
    return " ".join(make(chooser, task) if (make := made[part]) else chooser.line("controls", part) for part in parts)


def _tail(chooser: Chooser, _: AnswerTask) -> str:
    """A sentence that fits nothing and is another one nearly every time."""
    quality, thing = (chooser.line("controls", name) for name in ("qualities", "tail_things"))
    return chooser.line("controls", "tails").format(quality=quality, thing=thing)


def parroted(chooser: Chooser, messages: Sequence[Message]) -> str:
    """Sentences in which the system prompts speak to the subject, in the first person."""
    prompts = "\n".join(message.content or "" for message in messages if message.role == "system")
    told = [found.strip(" -*#") for found in _SENTENCE.findall(prompts) if _ADDRESSED.search(found)]
    own = [sentence for sentence in told if not _TECHNICAL.search(sentence)]
    if not own:
        return " ".join(chooser.some(texts("controls")["unprompted"], _PARROTED))
    said = " ".join(chooser.some(own, _PARROTED))
    for addressed, first_person in _FIRST_PERSON:
        said = addressed.sub(first_person, said)
    return said


def _quoted(_: Chooser, task: AnswerTask) -> str:
    """The beginning of its first answer, in quotation marks."""
    said = _SENTENCE.findall(task.talk.own[0]) if task.talk.own else []
    return f'"{" ".join(map(str.strip, said[:_QUOTED]))}"'


_MADE: Mapping[str, Callable[[Chooser, AnswerTask], str]] = {
    "first": lambda chooser, task: first(chooser, task.situation),
    "standing": lambda chooser, task: standing_answer(
        chooser, task.situation.kind, recall(task.talk.own), task.situation.gender
    ),
    "yielding": lambda chooser, task: yielding_answer(
        chooser, task.situation, recall(task.talk.own), " ".join(task.talk.own)
    ),
    "done": lambda chooser, task: done(chooser, task.situation, recall(task.talk.own), " ".join(task.talk.own)),
    "repeated": lambda chooser, task: task.talk.own[-1] if task.talk.own else first(chooser, task.situation),
    "echoed": lambda _, task: task.talk.human[-1] if task.talk.human else "",
    "quoted": _quoted,
    "tail": _tail,
    "looped": lambda chooser, _: " ".join([chooser.line("controls", "looped")] * _LOOPED),
    "parroted": lambda chooser, task: parroted(chooser, task.messages),
}
