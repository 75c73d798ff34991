"""Dialogues in data sets and logs of other tools: what an import takes back, as rows of a store, and under older names.

Digests of words are computed again when they are read, so what somebody changed by hand differs from what was recorded.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from independence.exchange.storing import ImportedRows
from independence.judge.protocol import verdict_key
from independence.store import context, queries
from independence.store.artefacts import ArtefactRow
from independence.store.dialogues import NAMES, Dialogue, StoredReply, Turn, came
from independence.store.records import CallRow, EditionRow, SubjectRow, TrialRow, VerdictRow
from independence.suites import digest
from independence.types import Where

if TYPE_CHECKING:
    from independence.engine.resolve import RunPlan  # which loads an HTTP client

FORMAT: Final = 2  # of what is below
READ: Final = (1, FORMAT)  # formats that are read
NAME: Final = "independence"  # the key of the metadata that holds it
S = TypeVar("S", bound=msgspec.Struct)
_decoder = msgspec.json.Decoder(Dialogue)


class LoggedEdition(msgspec.Struct, frozen=True, kw_only=True):
    """What all dialogues of a log have in common."""

    edition: EditionRow
    personas: dict[str, str] = {}  # variant -> text
    format: int = FORMAT


def of_rows(subject: SubjectRow, trial: TrialRow, calls: Iterable[CallRow] = ()) -> Dialogue:
    """A dialogue that is in no store, without verdicts."""
    place = {NAMES.get(name, name): getattr(row, name) for row in (subject, trial) for name in row.__struct_fields__}
    return Dialogue(
        **place,
        turns=tuple(
            Turn(turn=row.turn, turn_id=row.turn_id, replies=(
                StoredReply(
                    **came(row.answer), context=row.context, after=row.after, answered_at=row.answered_at or "",
                    seconds=sum(attempt.seconds for attempt in row.answer.attempts),
                ),
            ))
            for row in calls
        ),
    )  # fmt: skip


def edition(job: RunPlan) -> LoggedEdition:
    """What is asked in a run."""
    document = msgspec.json.encode(job.suite).decode()
    shipped = {name: text for name, text in job.suite.variants.items() if name not in job.personas}
    wording = digest.wording(msgspec.structs.replace(job.suite, variants=shipped))
    row = EditionRow(job.where.suite, job.where.edition, document, wording=wording)
    return LoggedEdition(edition=row, personas=dict(job.personas))


def stored_edition(connection: sqlite3.Connection, where: Where) -> LoggedEdition:
    """An edition as a store holds it."""
    row = EditionRow(
        where.suite, where.edition, queries.document(connection, where) or "",
        read_as=queries.read_as(connection, where) or "",
        # Which configurations of an import have its wording is not in a log.
        wording="" if queries.imported(where.edition) else queries.wordings(connection).get(where.under(None), ""),
    )  # fmt: skip
    return LoggedEdition(edition=row, personas=queries.personas(connection, where))


def rows(own: LoggedEdition, dialogues: Iterable[Dialogue]) -> ImportedRows:
    """The rows of a store that hold these dialogues."""
    out = ImportedRows(own.edition, personas=own.personas)
    for one in dialogues:
        out.subjects[one.config] = one.row(SubjectRow)
        out.trials.append(one.row(TrialRow))
        for turn in one.turns:
            for version, reply in enumerate((turn.reply, *turn.replies[:-1])):
                after = context.extend(reply.context, reply.answer)
                out.calls.append(
                    CallRow(one.trial, turn.turn, turn.turn_id, reply.context, after, reply.answer, turn.sent,
                            reply.answered_at, version)
                )  # fmt: skip
        for given in one.verdicts:
            key = verdict_key(given.context, given.rubric, given.settings, given.pass_)
            row = VerdictRow(key, one.trial, given.judge, given.rubric, given.context, given.settings, given.grade,
                             given.pass_, given.judged_at or None)  # fmt: skip
            out.verdicts.append(row)
        out.failures.extend(msgspec.structs.replace(lost, trial=one.trial) for lost in one.failures)
        out.steps.extend(
            ArtefactRow(step.key, one.trial, step.judge, step.step, step.position, step.wording, step.context,
                        step.settings, step.answer)
            for step in one.steps
        )  # fmt: skip
    return out


def to_json(one: Dialogue) -> bytes:
    """A dialogue alone, without those that it continues, which have records of their own."""
    return msgspec.json.encode(msgspec.structs.replace(one, before={}))


def of_json(text: bytes | str) -> Dialogue:
    """A dialogue out of its JSON, of this format or of format 1. Raises msgspec.MsgspecError."""
    try:
        return _decoder.decode(text)
    except msgspec.ValidationError:
        held = msgspec.json.decode(text)
        if not (isinstance(held, dict) and "answers" in held):
            raise
        try:
            return _decoder.decode(msgspec.json.encode(_of_format_1(held)))
        except (KeyError, TypeError, AttributeError) as error:
            raise msgspec.ValidationError(f"a dialogue of format 1 lacks a part ({error})") from error


def _of_format_1(held: dict[str, Any]) -> dict[str, Any]:
    """Format 1 had two rows of the store, answers with `reply` or `missing`, and verdicts likewise."""
    subject, trial = held["subject"], held["trial"]
    at, turns = held.get("begins", ""), []
    for answer in held["answers"]:
        reply = _flat(answer, "reply") | {"context": at}
        at = context.extend(at, msgspec.convert(reply, StoredReply).answer)
        turns.append({
            "turn": answer["turn"], "turn_id": answer["turn_id"], "replies": [reply | {"after": at}],
            "messages": msgspec.Raw((answer.get("messages") or "null").encode()),
        })  # fmt: skip
    graded = [_flat(one, "verdict") | {"pass": one.get("pass_", 1)} for one in held.get("verdicts", ())]
    steps = [_flat(one, "reply") for one in held.get("steps", ())]
    for one in (*graded, *steps):
        one.setdefault("context", at)  # without one it is on the dialogue as it is there
    failures = [lost | {"trial": trial["key"]} for lost in held.get("failures", ())]
    parts = {"turns": turns, "verdicts": graded, "steps": steps, "failures": failures}
    return {NAMES.get(name, name): value for name, value in (subject | trial).items()} | parts


def _flat(one: Mapping[str, Any], inner: str) -> dict[str, Any]:
    """An answer or a verdict with the fields of what came beside its own; what is null is left out."""
    missing = one.get("missing") or {}
    whole = {**one, **(one.get(inner) or {}), **missing, "missing": missing.get("reason")}
    return {name: value for name, value in whole.items() if value is not None and name != "messages"}


def to_metadata(value: msgspec.Struct) -> dict[str, object]:
    """As metadata of a log."""
    return {NAME: msgspec.to_builtins(value, enc_hook=msgspec.json.decode)}


def of_metadata(metadata: Mapping[str, object] | None, read: Callable[[bytes], S]) -> S | None:
    """What metadata of a log hold; None where nothing is ours. Raises as `read`."""
    found = (metadata or {}).get(NAME)
    return None if found is None else read(msgspec.json.encode(found))


def edition_of_json(text: bytes) -> LoggedEdition:
    """What dialogues have in common. Raises msgspec.MsgspecError."""
    return msgspec.json.decode(text, type=LoggedEdition)
