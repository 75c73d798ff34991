"""One dialogue: which exchanges lie behind it, and the request for its next answer."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

from independence.config.subjects import LOCAL, Subject
from independence.engine.plan import Beat, Dialogue, Trial
from independence.judge.replies.answering import Given
from independence.store import context, queries
from independence.suites.delivery import Exchange, Setting, messages, offered
from independence.suites.transcript import Line
from independence.types import ChatRequest, Message, Reply


class Said(NamedTuple):
    """A stored or fresh answer as later turns and judges need it."""

    text: str
    thinking: str


class Progress(NamedTuple):
    """How far a trial is: everything before its next turn."""

    before: tuple[Said, ...]  # answers of the trials it continues, in order
    said: tuple[Said, ...]  # its own answers, given on this very history
    at: str | None  # context of the next answer; None while the trial it continues is unfinished

    def extended(self, answer: Reply) -> Progress:
        """The progress after one more answer."""
        assert self.at is not None
        return Progress(self.before, (*self.said, Said(answer.text, answer.thinking)), context.extend(self.at, answer))


class Settled(NamedTuple):
    """A turn that came to nothing; the trial ends here."""

    reason: str


def load(connection: sqlite3.Connection, trial: Trial) -> Progress | Settled:
    """Read a trial's answers, its ancestors' included. A stale answer and all after it count as not there."""
    before: tuple[Said, ...] = ()
    parent_end: str | None = None
    if trial.parent is not None:
        above = load(connection, trial.parent)
        if isinstance(above, Settled):
            return Settled("parent_missing")
        if len(above.said) < trial.parent.dialogue.generated:
            return Progress((), (), None)
        before, parent_end = above.before + above.said, above.at
    at = context.begin(trial.key, parent_end)
    said: list[Said] = []
    for call in queries.calls_of(connection, trial.key):
        if call.context != at:
            break
        if call.missing is not None:
            return Settled(call.missing)
        said.append(Said(call.text, call.thinking))
        at = call.after
    return Progress(before, tuple(said), at)


def request(trial: Trial, progress: Progress) -> ChatRequest:
    """The request for the next answer of a trial."""
    subject, dialogue = trial.subject, trial.dialogue
    turn = len(progress.said)
    return ChatRequest(
        subject.model,
        messages(Setting(dialogue.system, dialogue.context, dialogue.tool), _exchanges(trial, progress)),
        dialogue.max_tokens,
        subject.sent,
        tool=offered(dialogue.tool) if dialogue.tool else None,
        seed=trial.turn_seed(turn),
    )


def opening(dialogue: Dialogue) -> tuple[Message, ...]:
    """The messages of a dialogue's first request, where it continues no other one."""
    trial = Trial("", Subject("", LOCAL, ""), dialogue, 1, 0.0)  # who is asked is no part of them
    return messages(Setting(dialogue.system, dialogue.context, dialogue.tool), _exchanges(trial, Progress((), (), "")))


def turn_id(trial: Trial, turn: int) -> str:
    """Id of a generated turn, counted from 0."""
    return [beat.turn_id for beat in trial.dialogue.beats if beat.reply is None][turn]


def _exchanges(trial: Trial, progress: Progress) -> list[Exchange]:
    """All exchanges up to and with the one to answer now."""
    answers = iter((*progress.before, *progress.said))
    out: list[Exchange] = []
    for beat in _beats(trial):
        if beat.reply is not None:
            out.append(Exchange(beat.human, beat.reply))
            continue
        said = next(answers, None)
        if said is None:
            out.append(Exchange(beat.human))
            break
        out.append(Exchange(beat.human, said.text, said.thinking))
    return out


def _beats(trial: Trial) -> Iterator[Beat]:
    if trial.parent is not None:
        yield from _beats(trial.parent)
    yield from trial.dialogue.beats


def lines(trial: Trial, progress: Progress) -> list[Line]:
    """A dialogue as judges see it, as far as it has been answered."""
    answers = iter((*progress.before, *progress.said))
    out = []
    for beat in _beats(trial):
        own = next(answers, None) if beat.reply is None else None
        if beat.reply is None and own is None:
            break
        text = own.text if own is not None else beat.reply or ""
        out.append(Line(beat.human, text, own is None, beat.turn_id))
    return out


def given(trial: Trial, language: str) -> Given:
    """What a subject was given beside the human's turns, for telling whether a reply is an answer."""
    own = trial.dialogue
    return Given(tuple(prompt for prompt in (own.system, own.context) if prompt), language == "en")


def before(trial: Trial) -> int:
    """How many answers the trials it continues hold."""
    return trial.parent.dialogue.generated + before(trial.parent) if trial.parent else 0


def blank(trial: Trial, turn: int) -> Progress:
    """A dialogue before a turn, every answer empty."""
    return Progress((Said("", ""),) * before(trial), (Said("", ""),) * turn, None)
