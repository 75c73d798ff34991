"""One dialogue: which exchanges lie behind it, the request for its next turn, and stored ones to be graded again."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from independence.config.subjects import LOCAL, SIM, Subject
from independence.engine import plan
from independence.engine.plan import Selection, Trial
from independence.judge.protocol import ReplyContext
from independence.store import context, dialogues, queries
from independence.suites.schema import Suite, Turn
from independence.suites.script import DialogueScript, DialogueSetting, Exchange, messages, offered
from independence.types import CallExtra, ChatRequest, Message, Reply, ReplyFields, TranscriptTurn, Where

_GOLDEN = (math.sqrt(5) - 1) / 2
_SEEDS = 2**31


class SubjectAnswer(NamedTuple):
    """A stored or fresh answer as later turns and judges need it."""

    text: str
    thinking: str
    signature: CallExtra | None = None  # what its model wants back with the call it came in


class TrialProgress(NamedTuple):
    """How far a trial is: everything before its next turn."""

    inherited: tuple[SubjectAnswer, ...]  # answers of the trials it continues, in order
    answers: tuple[SubjectAnswer, ...]  # its own answers, given on this very history
    context: str | None  # context of the next answer; None while the trial it continues is unfinished

    def extended(self, answer: Reply) -> TrialProgress:
        """The progress after one more answer."""
        assert self.context is not None
        return TrialProgress(
            self.inherited,
            (*self.answers, subject_answer(answer)),
            context.extend(self.context, answer),
        )


def subject_answer(reply: ReplyFields) -> SubjectAnswer:
    """What of a reply later turns and judges need."""
    signatures = (call.extra_content for call in reply.tool_calls if isinstance(call.extra_content, dict))
    return SubjectAnswer(reply.text, reply.thinking, next(signatures, None))


class FailedTurn(NamedTuple):
    """A turn that came to nothing; the trial ends here."""

    reason: str


def load(connection: sqlite3.Connection, trial: Trial) -> TrialProgress | FailedTurn:
    """Read a trial's answers, its ancestors' included. A stale answer and all after it count as not there."""
    return progress_of(trial, lambda key: dialogues.turns(connection, [key]).get(key, ()))


def progress_of(trial: Trial, turns_of: Callable[[str], Sequence[dialogues.Turn]]) -> TrialProgress | FailedTurn:
    """How far a dialogue is, from what was read already. `turns_of`: key of a trial -> turns with an answer."""
    before: tuple[SubjectAnswer, ...] = ()
    parent_end: str | None = None
    if trial.parent is not None:
        above = progress_of(trial.parent, turns_of)
        if isinstance(above, FailedTurn):
            return FailedTurn("parent_missing")
        if len(above.answers) < trial.parent.dialogue.generated:
            return TrialProgress((), (), None)
        before, parent_end = above.inherited + above.answers, above.context
    at = context.begin(trial.key, parent_end)
    answers: list[SubjectAnswer] = []
    for turn in turns_of(trial.key):
        if turn.reply.context != at:
            break
        if turn.reply.missing is not None:
            return FailedTurn(turn.reply.missing)
        answers.append(subject_answer(turn.reply))
        at = turn.reply.after
    return TrialProgress(before, tuple(answers), at)


def request(trial: Trial, progress: TrialProgress) -> ChatRequest:
    """The request for the next answer of a trial."""
    subject, dialogue = trial.subject, trial.dialogue
    turn = len(progress.answers)
    return ChatRequest(
        subject.model,
        request_messages(trial, progress),
        most_tokens(trial),
        subject.sent,
        tool=offered(dialogue.tool) if dialogue.tool else None,
        seed=turn_seed(trial, turn),
        dialogue=trial.key,
    )


def most_tokens(trial: Trial) -> int:
    """How many tokens an answer of a trial may take: as many as its subject's configuration says, else its suite."""
    return trial.subject.sampling.max_tokens or trial.dialogue.max_tokens


def request_messages(trial: Trial, progress: TrialProgress) -> tuple[Message, ...]:
    """The messages of that request."""
    own = trial.dialogue
    return messages(DialogueSetting(own.system, own.context, own.tool), _exchanges(trial, progress))


def turn_seed(trial: Trial, turn: int) -> int:
    """Seed of a turn, derived from the key's fields and the turn.

    Runs of one dialogue are spaced by the golden ratio over the seed space (a Kronecker sequence): independent draws
    where a backend hashes the seed, evenly spread ones where it uses the seed as a position.
    """
    return int(((trial.seed_base + trial.run * _GOLDEN + turn * math.sqrt(2)) % 1.0) * _SEEDS)


def opening(dialogue: DialogueScript) -> tuple[Message, ...]:
    """The messages of a dialogue's first request, where it continues no other one."""
    trial = Trial("", Subject("", LOCAL, ""), dialogue, 1, 0.0)  # who is asked is no part of them
    return request_messages(trial, TrialProgress((), (), ""))


def turn_id(trial: Trial, turn: int) -> str:
    """Id of a generated turn, counted from 0."""
    return [one.id for one in trial.dialogue.turns if one.reply is None][turn]


def _exchanges(trial: Trial, progress: TrialProgress) -> list[Exchange]:
    """All exchanges up to and with the one to answer now."""
    answers = iter((*progress.inherited, *progress.answers))
    out: list[Exchange] = []
    for turn in _turns(trial):
        if turn.reply is not None:
            out.append(Exchange(turn.human, turn.reply))
            continue
        own = next(answers, None)
        if own is None:
            out.append(Exchange(turn.human))
            break
        out.append(Exchange(turn.human, own.text, own.thinking, own.signature))
    return out


def _turns(trial: Trial) -> Iterator[Turn]:
    if trial.parent is not None:
        yield from _turns(trial.parent)
    yield from trial.dialogue.turns


def transcript_turns(trial: Trial, progress: TrialProgress) -> list[TranscriptTurn]:
    """A dialogue as judges see it, as far as it has been answered."""
    answers = iter((*progress.inherited, *progress.answers))
    out = []
    for turn in _turns(trial):
        own = next(answers, None) if turn.reply is None else None
        if turn.reply is None and own is None:
            break
        text = own.text if own is not None else turn.reply or ""
        out.append(TranscriptTurn(turn.human, text, own is None, turn.id))
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
