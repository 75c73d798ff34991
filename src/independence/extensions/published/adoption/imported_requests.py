"""Imported dialogues as the requests that were sent, from a result set or from a store."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from independence.extensions.published.dialogues import ImportedRun
from independence.store import export_rows
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
    for place, own in itertools.groupby(export_rows.answers(connection, where), lambda pair: pair[0]):
        requests = tuple(
            ImportedRequest(
                answer.turn_id, answer.messages or b"[]", answer.text, answer.thinking,
                msgspec.json.decode(answer.flags, type=list[str]),
            )
            for _, answer in own
        )  # fmt: skip
        yield ImportedDialogue(
            place.config_dir, place.run, Condition(place.variant, place.mode), place.scenario, requests
        )
