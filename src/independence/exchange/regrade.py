"""Imported dialogues in the words they were held in, so that a judge reads what the published subject read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence

import msgspec

from independence.engine.plan import DialogueScript, ScriptedExchange, Trial
from independence.exchange.history import shown
from independence.store import queries


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
    seen = [shown(request) for request in requests]
    if len(seen) != ours.generated or not all(one.exchanges for one in seen):
        return None
    ids = [beat.turn_id for beat in ours.beats if beat.reply is None]
    scripted = [ScriptedExchange(past.human, past.answer or "", "") for past in seen[0].exchanges[:-1]]
    asked = [ScriptedExchange(one.question, None, turn_id) for one, turn_id in zip(seen, ids, strict=True)]
    return msgspec.structs.replace(ours, beats=(*scripted, *asked))
