"""The request of every stored answer: that of an import as it came, our own rebuilt from the stored texts.

Imported dialogues get the texts of their requests, so that a judge reads what their subject read.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

import msgspec

from independence.config.subjects import LOCAL, Subject
from independence.engine import dialogue, plan
from independence.engine.dialogue import FailedTurn, SubjectAnswer, TrialProgress, subject_answer
from independence.engine.plan import Selection, Trial
from independence.exchange.sent_requests import published_request
from independence.store import dialogues, queries
from independence.store.dialogues import Dialogue
from independence.store.scopes import BoardScope
from independence.suites.schema import Turn
from independence.suites.script import DialogueScript
from independence.types import Reply

_NOBODY = Subject("", LOCAL, "")  # who is asked is no part of the messages
_NONE = b"[]"


class Requests:
    """Requests of one edition under one condition."""

    def __init__(self, connection: sqlite3.Connection, scope: BoardScope) -> None:
        personas = queries.personas(connection, scope.where)
        suite = msgspec.structs.replace(scope.suite, variants={**scope.suite.variants, **personas})
        there = scope.condition.variant in suite.variants
        known = plan.dialogues(suite, Selection((scope.condition,), runs=1)) if there else []
        self._dialogues: dict[str, DialogueScript] = {one.scenario.id: one for one in known}
        self._first: dict[str, bytes] = {}  # scenario -> the request that opens it, the same for everybody
        self._imported = queries.imported(scope.edition)

    def of(self, one: Dialogue) -> list[bytes]:
        """The JSON array of messages that each current answer was given on; empty ones where nobody has them."""
        scenario, turns = one.scenario, one.turns
        # Our own texts never stand in for those of an import.
        if self._imported or scenario not in self._dialogues or any(turn.sent is not None for turn in turns):
            return [turn.sent or _NONE for turn in turns]
        trial = self._trial(scenario, [*one.before, one.trial])
        answers = [turn.answer for turn in turns]
        said = [subject_answer(own) if isinstance(own, Reply) else SubjectAnswer("", "") for own in answers]
        before: TrialProgress | FailedTurn = TrialProgress((), (), None)
        if trial.parent is not None:
            before = dialogue.progress_of(trial.parent, lambda key: one.before[key])
            if isinstance(before, TrialProgress):
                before = TrialProgress(before.inherited + before.answers, (), None)
        out = []
        for turn in turns:
            if trial.parent is None and turn.turn == 0:
                if scenario not in self._first:
                    self._first[scenario] = msgspec.json.encode(dialogue.opening(trial.dialogue))
                out.append(self._first[scenario])
            elif isinstance(before, FailedTurn):
                out.append(_NONE)
            else:
                progress = before._replace(answers=tuple(said[: turn.turn]))
                out.append(msgspec.json.encode(dialogue.request_messages(trial, progress)))
        return out

    def _trial(self, scenario: str, keys: Sequence[str]) -> Trial:
        """The trial of the last key, which continues those before it as far as they are stored."""
        own, follows = self._dialogues[scenario], self._dialogues[scenario].scenario.follows
        parent = self._trial(follows, keys[:-1]) if follows and len(keys) > 1 else None
        return Trial(keys[-1], _NOBODY, own, run=1, seed_base=0.0, parent=parent)


def in_published_words(connection: sqlite3.Connection, trials: Iterable[Trial]) -> list[Trial]:
    """Trials with the texts of their stored requests in place of ours; what cannot be read is left out."""
    out = []
    for trial in trials:
        stored = dialogues.turns(connection, [trial.key]).get(trial.key, ())
        ours = trial.dialogue
        seen = [published_request(turn.sent) for turn in stored if turn.sent is not None]
        if len(seen) == ours.generated and all(one.exchanges for one in seen):
            # Scripted exchanges come from the first request, every question from the request of its own turn.
            ids = [turn.id for turn in ours.turns if turn.reply is None]
            scripted = [Turn(human=past.human, reply=past.answer or "") for past in seen[0].exchanges[:-1]]
            asked = [Turn(human=one.question, id=turn_id) for one, turn_id in zip(seen, ids, strict=True)]
            turns = (*scripted, *asked)
            out.append(msgspec.structs.replace(trial, dialogue=msgspec.structs.replace(ours, turns=turns)))
    return out
