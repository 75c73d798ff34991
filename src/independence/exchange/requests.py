"""The request of every stored answer: that of an import as it came, our own rebuilt from the stored texts.

Imported dialogues get the texts of their requests, so that a judge reads what their subject read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from independence.config.subjects import LOCAL, Subject
from independence.engine import dialogue, plan
from independence.engine.dialogue import FailedTurn, SubjectAnswer, TrialProgress
from independence.engine.plan import Selection, Trial
from independence.exchange.sent_requests import published_request
from independence.store import export_rows, queries
from independence.store.export_rows import ExportedAnswer, ExportedTrial
from independence.store.queries import StoredCall, TrialState
from independence.store.scopes import BoardScope
from independence.suites.schema import Turn
from independence.suites.script import DialogueScript

_NOBODY = Subject("", LOCAL, "")  # who is asked is no part of the messages
_NONE = b"[]"


class SentDialogue(NamedTuple):
    """A planned dialogue with its current answers and the JSON array of messages that each was given on."""

    trial: ExportedTrial
    state: TrialState
    answers: Sequence[ExportedAnswer]  # by turn; empty: not begun
    requests: Sequence[bytes]  # of each answer


class Requests:
    """Requests of one edition under one condition. Reads the answers of one subject at a time."""

    def __init__(self, connection: sqlite3.Connection, scope: BoardScope) -> None:
        self._connection, self._where = connection, scope.where
        personas = queries.personas(connection, scope.where)
        suite = msgspec.structs.replace(scope.suite, variants={**scope.suite.variants, **personas})
        there = scope.condition.variant in suite.variants
        known = plan.dialogues(suite, Selection((scope.condition,), runs=1)) if there else []
        self._dialogues: dict[str, DialogueScript] = {one.scenario.id: one for one in known}
        self._first: dict[str, bytes] = {}  # scenario -> the request that opens it, the same for everybody

    def of_subject(self, config_dir: str, only: Collection[str] = ()) -> Iterator[SentDialogue]:
        """Every planned dialogue of a subject, by run and scenario. `only`: of these scenarios; empty: of all."""
        where = self._where
        states = {state.key: state for state in queries.states(self._connection, where, config_dir=config_dir)}
        answers = export_rows.answers_by_trial(self._connection, where, config_dir)
        for trial in export_rows.planned_trials(self._connection, where, config_dir):
            if not only or trial.scenario in only:
                own = answers.get(trial.trial, [])
                sent = list(self._sent(trial, own, states, answers))
                yield SentDialogue(trial, states[trial.trial], own, sent)

    def of_dialogue(self, trial: ExportedTrial, answers: Sequence[ExportedAnswer]) -> list[bytes]:
        """The request of each current answer of one dialogue; empty arrays where the edition does not have them."""
        states = {state.key: state for state in queries.states(self._connection, self._where, [trial.trial])}
        return list(self._sent(trial, answers, states, {}))

    def _sent(
        self,
        planned: ExportedTrial,
        answers: Sequence[ExportedAnswer],
        states: Mapping[str, TrialState],
        known: Mapping[str, Sequence[ExportedAnswer]],
    ) -> Iterator[bytes]:
        if planned.scenario not in self._dialogues or all(answer.messages is not None for answer in answers):
            yield from (_NONE if answer.messages is None else answer.messages for answer in answers)
            return
        trial = self._trial(planned.trial, states)
        said = [SubjectAnswer(answer.text, answer.thinking) for answer in answers]
        before = None
        for answer in answers:
            if answer.messages is not None:
                yield answer.messages
            elif trial.parent is None and answer.turn == 0:
                yield self._opening(trial)
            else:
                before = before or self._before(trial, known)
                yield _NONE if isinstance(before, FailedTurn) else _encoded(trial, before, said[: answer.turn])

    def _opening(self, trial: Trial) -> bytes:
        scenario = trial.dialogue.scenario.id
        if scenario not in self._first:
            self._first[scenario] = msgspec.json.encode(dialogue.opening(trial.dialogue))
        return self._first[scenario]

    def _before(self, trial: Trial, known: Mapping[str, Sequence[ExportedAnswer]]) -> TrialProgress | FailedTurn:
        """What was answered in the trials that one continues."""

        def calls_of(key: str) -> list[StoredCall]:
            if key not in known:
                return queries.calls_of(self._connection, key)
            return [StoredCall._make(getattr(row, name) for name in StoredCall._fields) for row in known[key]]

        if trial.parent is None:
            return TrialProgress((), (), None)
        above = dialogue.progress_of(trial.parent, calls_of)
        return above if isinstance(above, FailedTurn) else TrialProgress(above.inherited + above.answers, (), None)

    def _trial(self, key: str, states: Mapping[str, TrialState]) -> Trial:
        state = states[key]
        parent = self._trial(state.parent, states) if state.parent and state.parent in states else None
        return Trial(key, _NOBODY, self._dialogues[state.scenario], run=state.run, seed_base=0.0, parent=parent)


def _encoded(trial: Trial, before: TrialProgress, said: Sequence[SubjectAnswer]) -> bytes:
    return msgspec.json.encode(dialogue.request_messages(trial, before._replace(answers=tuple(said))))


def in_published_words(connection: sqlite3.Connection, trials: Iterable[Trial]) -> list[Trial]:
    """The same trials, our texts replaced by those of their stored requests; what cannot be read is left out."""
    out = []
    for trial in trials:
        dialogue = _dialogue(trial.dialogue, queries.requests_of(connection, trial.key))
        if dialogue is not None:
            out.append(msgspec.structs.replace(trial, dialogue=dialogue))
    return out


def _dialogue(ours: DialogueScript, requests: Sequence[bytes]) -> DialogueScript | None:
    """Scripted exchanges come from the first request, every question from the request of its own turn."""
    seen = [published_request(request) for request in requests]
    if len(seen) != ours.generated or not all(one.exchanges for one in seen):
        return None
    ids = [turn.id for turn in ours.turns if turn.reply is None]
    scripted = [Turn(human=past.human, reply=past.answer or "") for past in seen[0].exchanges[:-1]]
    asked = [Turn(human=one.question, id=turn_id) for one, turn_id in zip(seen, ids, strict=True)]
    return msgspec.structs.replace(ours, turns=(*scripted, *asked))
