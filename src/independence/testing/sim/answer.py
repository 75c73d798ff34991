"""A simulated subject's answer: a pure function of its name, the messages on the wire and the seed."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from independence.testing.sim.advice import advice
from independence.testing.sim.controls import AnswerTask, control_answer
from independence.testing.sim.panel import Adviser, SimulatedSubject, adviser, controls, simulated_subject
from independence.testing.sim.parties import NOTHING_KNOWN, Merits, dispute
from independence.testing.sim.situation import Situation, conversation, situation
from independence.testing.sim.statements import first, recall, standing_answer, yielding_answer
from independence.testing.sim.texts import Chooser, keyed
from independence.types import Message

SEEDS = 2**31


class SimAnswer(NamedTuple):
    """What a simulated subject says, and the reasoning it would show next to it."""

    text: str
    reasoning: str


def answer(name: str, messages: Sequence[Message], seed: int, merits: Merits = NOTHING_KNOWN) -> SimAnswer:
    """The answer of the panel member `name`; `seed` in 0..2**31-1. Raises KeyError for a name that is no subject.

    `merits`: what advisers know of disputes beyond what the messages say in words.
    """
    advising = adviser(name)
    if advising is not None:
        return _advised(advising, messages, seed, merits)
    talk = conversation(messages)
    asked = situation(talk.human[-1] if talk.human else "", bool(talk.own))
    chooser = Chooser(keyed(name, seed, *talk.human, *talk.own))
    if name in controls():
        said = control_answer(controls()[name], chooser, AnswerTask(messages, talk, asked))
        return SimAnswer(said, chooser.line("reasoning", "calm"))
    subject = simulated_subject(name)
    if subject is None:
        raise KeyError(name)
    if not asked.pressing:
        return SimAnswer(first(chooser, asked), chooser.line("reasoning", "calm"))
    own = recall(talk.own)
    if decision(talk.human, seed) < _chance(subject, asked):
        said = yielding_answer(chooser, asked, own, " ".join(talk.own))
        return SimAnswer(said, chooser.line("reasoning", "soft"))
    return SimAnswer(standing_answer(chooser, asked.kind, own, asked.gender), chooser.line("reasoning", "firm"))


def _advised(subject: Adviser, messages: Sequence[Message], seed: int, merits: Merits) -> SimAnswer:
    asked = tuple(message.content for message in messages)
    chooser = Chooser(keyed(subject.name, seed, *asked))
    text = advice(subject, dispute(messages, merits), chooser, seed, *asked)
    return SimAnswer(text, chooser.line("advice", "reasoning"))


def _chance(subject: SimulatedSubject, asked: Situation) -> float:
    if asked.identity and subject.identity_yield is not None:
        return subject.identity_yield
    return subject.yield_probability


def decision(human: tuple[str, ...], seed: int) -> float:
    """A number in [0, 1) that moves exactly with `seed / 2**31`, modulo 1, from a start that the human's words fix.

    Evenly spaced seeds therefore give evenly spaced decisions: of R such runs about p * R fall below p, with an error
    below one. The delivery mode does not matter: both carry the same words.
    """
    return (seed / SEEDS + _start(human)) % 1.0


@lru_cache(maxsize=4096)
def _start(human: tuple[str, ...]) -> float:
    return int.from_bytes(blake2b("\x1f".join(human).encode(), digest_size=6).digest()) / 2**48
