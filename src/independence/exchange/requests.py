"""The messages behind every stored answer: those of an import as they came, our own rebuilt from the stored texts."""

from __future__ import annotations

import sqlite3

import msgspec

from independence.config.subjects import LOCAL, Subject
from independence.engine import dialogue, plan
from independence.engine.dialogue import FailedTurn, SubjectAnswer, TrialProgress
from independence.engine.plan import DialogueScript, Selection, Trial
from independence.store import queries
from independence.store.export_rows import ExportedAnswer, ExportedTrial
from independence.store.queries import TrialState
from independence.store.scopes import BoardScope

_NOBODY = Subject("", LOCAL, "")  # who is asked is no part of the messages


class Requests:
    """Requests of one edition under one condition. Reads a dialogue's earlier answers when a later one is asked for."""

    def __init__(self, connection: sqlite3.Connection, scope: BoardScope) -> None:
        self._connection = connection
        condition = scope.condition
        personas = queries.personas(connection, scope.where)
        suite = msgspec.structs.replace(scope.suite, variants={**scope.suite.variants, **personas})
        known = plan.dialogues(suite, Selection((condition,), runs=1)) if condition.variant in suite.variants else []
        self._dialogues: dict[str, DialogueScript] = {one.scenario.id: one for one in known}
        self._states: dict[str, TrialState] = {state.key: state for state in queries.states(connection, scope.where)}

    def of(self, spot: ExportedTrial, answer: ExportedAnswer) -> bytes:
        """The JSON array of messages that an answer was given on; empty where the edition does not have them."""
        if answer.messages is not None:
            return answer.messages
        if spot.scenario not in self._dialogues:
            return b"[]"
        trial = self._trial(spot.trial)
        earlier = queries.calls_of(self._connection, spot.trial)[: answer.turn]
        said = tuple(SubjectAnswer(call.text, call.thinking) for call in earlier)
        before = dialogue.load(self._connection, trial.parent) if trial.parent else TrialProgress((), (), None)
        if isinstance(before, FailedTurn):
            return b"[]"
        return self._encoded(trial, TrialProgress(before.before + before.said, said, answer.context))

    def first(self, scenario: str) -> bytes:
        """The messages of a scenario's first request, whoever is asked."""
        if scenario not in self._dialogues:
            return b"[]"
        return msgspec.json.encode(dialogue.opening(self._dialogues[scenario]))

    def _encoded(self, trial: Trial, progress: TrialProgress) -> bytes:
        return msgspec.json.encode(dialogue.request(trial, progress).messages)

    def _trial(self, key: str) -> Trial:
        state = self._states[key]
        parent = self._trial(state.parent) if state.parent in self._states else None
        return Trial(key, _NOBODY, self._dialogues[state.scenario], state.run, 0.0, parent)
