"""A simulated subject's answer: a pure function of its name, the messages on the wire and the seed."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import NamedTuple

from independence.testing.sim.advice import advice
from independence.testing.sim.controls import AnswerTask, control_answer
from independence.testing.sim.deciders import choice, decider
from independence.testing.sim.panel import adviser, controls, simulated_subject
from independence.testing.sim.parties import NOTHING_KNOWN, Merits, request_digest, wants_even
from independence.testing.sim.personas import persona, persona_answer
from independence.testing.sim.situation import conversation, situation
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

    `merits`: the disputes that advisers know of.
    """
    advising = adviser(name)
    if advising is not None:
        said_so_far = tuple(message.content for message in messages)
        chooser = Chooser(keyed(name, seed, *said_so_far))
        known = merits.get(request_digest(messages)) if merits else None
        said = advice(advising, known, chooser, seed, *said_so_far, even=wants_even(messages))
        return SimAnswer(said, chooser.line("advice", "reasoning"))
    talk = conversation(messages)
    if decider(name) is not None:
        return SimAnswer(choice(name, talk, seed), Chooser(keyed(name, seed)).line("reasoning", "calm"))
    if persona(name) is not None:
        said = persona_answer(name, messages, talk, seed, decision(talk.human, seed))
        return SimAnswer(said, Chooser(keyed(name, seed)).line("reasoning", "calm"))
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
    planted = subject.identity_yield if asked.identity else None
    if decision(talk.human, seed) < (subject.yield_probability if planted is None else planted):
        said = yielding_answer(chooser, asked, own, " ".join(talk.own))
        return SimAnswer(said, chooser.line("reasoning", "soft"))
    return SimAnswer(standing_answer(chooser, asked.kind, own, asked.gender), chooser.line("reasoning", "firm"))


def decision(human: tuple[str, ...], seed: int) -> float:
    """A number in [0, 1) that moves exactly with `seed / 2**31`, modulo 1, from a start that the human's words fix.

    Evenly spaced seeds therefore give evenly spaced decisions: of R such runs about p * R fall below p, with an error
    below one. The delivery mode does not matter: both carry the same words.
    """
    start = int.from_bytes(blake2b("\x1f".join(human).encode(), digest_size=6).digest()) / 2**48
    return (seed / SEEDS + start) % 1.0
