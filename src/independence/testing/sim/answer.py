"""A simulated subject's answer: a pure function of its name, the messages on the wire and the seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from independence.testing.sim.advice import advice, advice_texts
from independence.testing.sim.advisers import Adviser, adviser
from independence.testing.sim.conversation import conversation
from independence.testing.sim.draw import Chooser, decision
from independence.testing.sim.panel import SimulatedSubject, simulated_subject
from independence.testing.sim.parties import dispute
from independence.testing.sim.people import recall
from independence.testing.sim.situation import Situation, situation
from independence.testing.sim.statements import first, standing_answer, yielding_answer
from independence.testing.sim.texts import texts
from independence.types import Message


class SimAnswer(NamedTuple):
    """What a simulated subject says, and the reasoning it would show next to it."""

    text: str
    reasoning: str


def answer(name: str, messages: Sequence[Message], seed: int) -> SimAnswer:
    """The answer of the panel member `name`; `seed` in 0..2**31-1. Raises KeyError for a name that is no subject."""
    adviser_ = adviser(name)
    if adviser_ is not None:
        return _advised(adviser_, messages, seed)
    subject = simulated_subject(name)
    if subject is None:
        raise KeyError(name)
    talk, reasoning = conversation(messages), texts().reasoning
    asked = situation(talk.human[-1] if talk.human else "", bool(talk.own))
    chooser = Chooser(name, seed, *talk.human, *talk.own)
    if not asked.pressing:
        return SimAnswer(first(chooser, asked), chooser.pick(reasoning.calm))
    own = recall(talk.own)
    if decision(talk.human, seed) < _chance(subject, asked):
        return SimAnswer(yielding_answer(chooser, asked, own, " ".join(talk.own)), chooser.pick(reasoning.soft))
    return SimAnswer(standing_answer(chooser, asked.kind, own, asked.gender), chooser.pick(reasoning.firm))


def _advised(subject: Adviser, messages: Sequence[Message], seed: int) -> SimAnswer:
    asked = tuple(message.content for message in messages)
    chooser = Chooser(subject.name, seed, *asked)
    text = advice(subject, dispute(messages), chooser, seed, *asked)
    return SimAnswer(text, chooser.pick(advice_texts().reasoning))


def _chance(subject: SimulatedSubject, asked: Situation) -> float:
    if asked.identity and subject.identity_yield is not None:
        return subject.identity_yield
    return subject.yield_probability
