"""Imported dialogues as the requests that were sent, from a result set or from a store."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from independence.extensions.published.dialogues import ImportedRun
from independence.store import dialogues, queries
from independence.types import Condition, Reply, Where


class ImportedRequest(NamedTuple):
    """A published request, and the answer that is stored for it now."""

    turn_id: str
    messages: bytes
    text: str
    thinking: str
    flags: Sequence[str]  # what is odd about the answer, as the reader of published results says


class ImportedDialogue(NamedTuple):
    """The requests of one dialogue in the order of its turns."""

    config_dir: str
    run: int
    condition: Condition
    scenario: str
    requests: tuple[ImportedRequest, ...]


def of_runs(runs: Iterable[ImportedRun]) -> Iterator[ImportedDialogue]:
    """The dialogues of a result set that was read."""
    for run in runs:
        for trial in run.trials:
            requests = []
            for call in trial.calls:
                reply = call.answer if isinstance(call.answer, Reply) else Reply("", "content")
                requests.append(
                    ImportedRequest(call.turn_id, call.request_messages, reply.text, reply.thinking, reply.flags)
                )
            yield ImportedDialogue(run.config_dir, run.run, trial.condition, trial.scenario.id, tuple(requests))


def of_store(connection: sqlite3.Connection, where: Where) -> Iterator[ImportedDialogue]:
    """The dialogues of an imported edition."""
    for condition in queries.conditions(connection, where):
        for one in dialogues.read(connection, where.under(condition)):
            requests = []
            for call in one.calls:
                reply = call.answer if isinstance(call.answer, Reply) else Reply("", "content")
                requests.append(
                    ImportedRequest(call.turn_id, call.messages or b"[]", reply.text, reply.thinking, reply.flags)
                )
            if requests:
                trial = one.trial
                yield ImportedDialogue(trial.config_dir, trial.run, condition, trial.scenario, tuple(requests))
