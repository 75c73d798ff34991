"""One dialogue: which exchanges lie behind it, the request for its next answer, and stored ones to be graded again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from independence.config.subjects import LOCAL, SIM, Subject
from independence.engine import plan
from independence.engine.plan import DialogueScript, ScriptedExchange, Selection, Trial
from independence.judge.protocol import ReplyContext
from independence.store import context, queries
from independence.suites.delivery import DialogueSetting, Exchange, messages, offered
from independence.suites.schema import Suite
from independence.types import ChatRequest, Message, Reply, TranscriptTurn, Where


class SubjectAnswer(NamedTuple):
    """A stored or fresh answer as later turns and judges need it."""

    text: str
    thinking: str


class TrialProgress(NamedTuple):
    """How far a trial is: everything before its next turn."""

    before: tuple[SubjectAnswer, ...]  # answers of the trials it continues, in order
    said: tuple[SubjectAnswer, ...]  # its own answers, given on this very history
    at: str | None  # context of the next answer; None while the trial it continues is unfinished

    def extended(self, answer: Reply) -> TrialProgress:
        """The progress after one more answer."""
        assert self.at is not None
        return TrialProgress(
            self.before, (*self.said, SubjectAnswer(answer.text, answer.thinking)), context.extend(self.at, answer)
        )


class FailedTurn(NamedTuple):
    """A turn that came to nothing; the trial ends here."""

    reason: str


def load(connection: sqlite3.Connection, trial: Trial) -> TrialProgress | FailedTurn:
    """Read a trial's answers, its ancestors' included. A stale answer and all after it count as not there."""
    before: tuple[SubjectAnswer, ...] = ()
    parent_end: str | None = None
    if trial.parent is not None:
        above = load(connection, trial.parent)
        if isinstance(above, FailedTurn):
            return FailedTurn("parent_missing")
        if len(above.said) < trial.parent.dialogue.generated:
            return TrialProgress((), (), None)
        before, parent_end = above.before + above.said, above.at
    at = context.begin(trial.key, parent_end)
    said: list[SubjectAnswer] = []
    for call in queries.calls_of(connection, trial.key):
        if call.context != at:
            break
        if call.missing is not None:
            return FailedTurn(call.missing)
        said.append(SubjectAnswer(call.text, call.thinking))
        at = call.after
    return TrialProgress(before, tuple(said), at)


def request(trial: Trial, progress: TrialProgress) -> ChatRequest:
    """The request for the next answer of a trial."""
    subject, dialogue = trial.subject, trial.dialogue
    turn = len(progress.said)
    return ChatRequest(
        subject.model,
        messages(DialogueSetting(dialogue.system, dialogue.context, dialogue.tool), _exchanges(trial, progress)),
        dialogue.max_tokens,
        subject.sent,
        tool=offered(dialogue.tool) if dialogue.tool else None,
        seed=trial.turn_seed(turn),
    )


def opening(dialogue: DialogueScript) -> tuple[Message, ...]:
    """The messages of a dialogue's first request, where it continues no other one."""
    trial = Trial("", Subject("", LOCAL, ""), dialogue, 1, 0.0)  # who is asked is no part of them
    return messages(
        DialogueSetting(dialogue.system, dialogue.context, dialogue.tool), _exchanges(trial, TrialProgress((), (), ""))
    )


def turn_id(trial: Trial, turn: int) -> str:
    """Id of a generated turn, counted from 0."""
    return [beat.turn_id for beat in trial.dialogue.beats if beat.reply is None][turn]


def _exchanges(trial: Trial, progress: TrialProgress) -> list[Exchange]:
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


def _beats(trial: Trial) -> Iterator[ScriptedExchange]:
    if trial.parent is not None:
        yield from _beats(trial.parent)
    yield from trial.dialogue.beats


def transcript_turns(trial: Trial, progress: TrialProgress) -> list[TranscriptTurn]:
    """A dialogue as judges see it, as far as it has been answered."""
    answers = iter((*progress.before, *progress.said))
    out = []
    for beat in _beats(trial):
        own = next(answers, None) if beat.reply is None else None
        if beat.reply is None and own is None:
            break
        text = own.text if own is not None else beat.reply or ""
        out.append(TranscriptTurn(beat.human, text, own is None, beat.turn_id))
    return out


def reply_context(trial: Trial, language: str) -> ReplyContext:
    """What a subject was given beside the human's turns, for telling whether a reply is an answer."""
    own = trial.dialogue
    return ReplyContext(tuple(prompt for prompt in (own.system, own.context) if prompt), language == "en")


def inherited_answers(trial: Trial) -> int:
    """How many answers the trials it continues hold."""
    return trial.parent.dialogue.generated + inherited_answers(trial.parent) if trial.parent else 0


def blank_progress(trial: Trial, turn: int) -> TrialProgress:
    """A dialogue before a turn, every answer empty."""
    return TrialProgress((SubjectAnswer("", ""),) * inherited_answers(trial), (SubjectAnswer("", ""),) * turn, None)


def trials(connection: sqlite3.Connection, suite: Suite, where: Where) -> list[Trial]:
    """Every finished dialogue under a condition, a stem before what follows it. They carry what judging needs, no more.

    `suite`: by whose texts they are read; for an import, ours.
    """
    assert where.condition is not None
    full = msgspec.structs.replace(suite, variants={**suite.variants, **queries.personas(connection, where)})
    scripts = {d.scenario.id: d for d in plan.dialogues(full, Selection((where.condition,), runs=1))}
    subjects = {
        config_dir: Subject(model_id, SIM if simulated else LOCAL, model_id, display_label=label)
        for config_dir, (label, model_id, simulated) in queries.subjects(connection, where).items()
    }
    states = {state.key: state for state in queries.states(connection, where) if state.end is not None}
    out: dict[str, Trial] = {}

    def trial(key: str) -> Trial:
        if key not in out:
            state = states[key]
            parent = trial(state.parent) if state.parent in states else None
            dialogue = scripts[state.scenario]
            out[key] = Trial(
                key, subjects[state.config_dir], dialogue=dialogue, run=state.run, seed_base=0.0, parent=parent
            )
        return out[key]

    return [trial(key) for key in states]
