"""The request of every stored answer: that of an import as it came, our own rebuilt from the stored texts.

Imported dialogues get the texts of their requests, so that a judge reads what their subject read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

import msgspec

from independence.config.subjects import LOCAL, Subject
from independence.engine import dialogue, plan
from independence.engine.dialogue import FailedTurn, SubjectAnswer, TrialProgress
from independence.engine.plan import Selection, Trial
from independence.exchange.responses import published_request
from independence.store import queries
from independence.store.export_rows import ExportedAnswer, ExportedTrial
from independence.store.queries import TrialState
from independence.store.scopes import BoardScope
from independence.suites.schema import Turn
from independence.suites.script import DialogueScript

_NOBODY = Subject("", LOCAL, "")  # who is asked is no part of the messages


class Requests:
    """Requests of one edition under one condition. Reads a dialogue's earlier answers when a later one is asked for.

    `states` holds how far each of its trials is.
    """

    def __init__(self, connection: sqlite3.Connection, scope: BoardScope) -> None:
        self._connection = connection
        personas = queries.personas(connection, scope.where)
        suite = msgspec.structs.replace(scope.suite, variants={**scope.suite.variants, **personas})
        there = scope.condition.variant in suite.variants
        known = plan.dialogues(suite, Selection((scope.condition,), runs=1)) if there else []
        self._dialogues: dict[str, DialogueScript] = {one.scenario.id: one for one in known}
        self.states: dict[str, TrialState] = {state.key: state for state in queries.states(connection, scope.where)}

    def messages(self, planned: ExportedTrial, answer: ExportedAnswer) -> bytes:
        """The JSON array of messages that an answer was given on; empty where the edition does not have them."""
        if answer.messages is not None:
            return answer.messages
        if planned.scenario not in self._dialogues:
            return b"[]"
        trial = self._trial(planned.trial)
        earlier = queries.calls_of(self._connection, planned.trial)[: answer.turn]
        answered = tuple(SubjectAnswer(call.text, call.thinking) for call in earlier)
        before = dialogue.load(self._connection, trial.parent) if trial.parent else TrialProgress((), (), None)
        if isinstance(before, FailedTurn):
            return b"[]"
        progress = TrialProgress(before.inherited + before.answers, answered, answer.context)
        return msgspec.json.encode(dialogue.request(trial, progress).messages)

    def _trial(self, key: str) -> Trial:
        state = self.states[key]
        parent = self._trial(state.parent) if state.parent in self.states else None
        return Trial(key, _NOBODY, self._dialogues[state.scenario], run=state.run, seed_base=0.0, parent=parent)


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
