"""A dialogue as a log or a data set of another tool carries it, beside what people read there: the rows of a store.

Every digest is computed anew when it is read, so that what was changed by hand in a log is told from what was recorded.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from independence.exchange.storing import ImportedRows
from independence.judge.protocol import verdict_key
from independence.store import context, queries
from independence.store.artefacts import ArtefactRow
from independence.store.dialogues import Dialogue
from independence.store.records import CallRow, EditionRow, FailureRow, SubjectRow, TrialRow, VerdictRow
from independence.suites import digest
from independence.types import Answer, Attempt, Grade, Missing, Reply, Verdict, Where

if TYPE_CHECKING:
    from independence.engine.resolve import RunPlan  # which loads an HTTP client

FORMAT = 1  # of what is below
NAME = "independence"  # the key of the metadata that holds it
L = TypeVar("L", bound=msgspec.Struct)
T = TypeVar("T", Reply, Verdict)


class LoggedEdition(msgspec.Struct, frozen=True, kw_only=True):
    """What all dialogues of a log have in common."""

    edition: EditionRow
    personas: dict[str, str] = {}  # variant -> text
    format: int = FORMAT


class LoggedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer of one turn: a reply, or why there is none."""

    turn: int  # from 0 among generated turns
    turn_id: str
    reply: Reply | None = None
    missing: Missing | None = None
    messages: str | None = None  # JSON of the request of an import; None: the suite tells
    answered_at: str | None = None


class LoggedVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """One judge's verdict: its values, or why there are none."""

    judge: str
    rubric: str
    settings: str
    verdict: Verdict | None = None
    missing: Missing | None = None
    pass_: int = 1
    context: str | None = None  # None: on the dialogue as it is here
    judged_at: str | None = None


class LoggedFailure(msgspec.Struct, frozen=True, kw_only=True):
    """A call that came to nothing, and what it tried."""

    what: str  # the id of a turn, or a judge
    kind: str
    detail: str
    attempts: tuple[Attempt, ...]
    failed_at: str


class LoggedStep(msgspec.Struct, frozen=True, kw_only=True):
    """What a judge wrote before it graded."""

    key: str
    judge: str
    step: str
    position: int
    wording: str
    settings: str
    reply: Reply | None = None
    missing: Missing | None = None
    context: str | None = None  # None: the dialogue as it is here


class LoggedDialogue(msgspec.Struct, frozen=True, kw_only=True):
    """One dialogue of one subject, what it continues, and its verdicts."""

    subject: SubjectRow
    trial: TrialRow
    answers: tuple[LoggedAnswer, ...] = ()
    begins: str = ""  # digest of everything before its first answer
    verdicts: tuple[LoggedVerdict, ...] = ()
    steps: tuple[LoggedStep, ...] = ()
    failures: tuple[LoggedFailure, ...] = ()

    @property
    def end(self) -> str:
        """The digest of the dialogue as far as it goes."""
        at = self.begins
        for one in self.answers:
            at = context.extend(at, settled(one))
        return at


def settled(one: LoggedAnswer | LoggedStep) -> Answer:
    """The reply, or why there is none. Raises ValueError where both or neither are there."""
    return _either(one.reply, one.missing)


def _either(there: T | None, missing: Missing | None) -> T | Missing:
    found = missing if there is None else there
    if found is None or None not in (there, missing):
        raise ValueError("it has to hold either what came or why nothing did")
    return found


def came(one: Answer | Grade) -> dict[str, Any]:
    """The field that holds what came, or why nothing did."""
    return {"missing" if isinstance(one, Missing) else "verdict" if isinstance(one, Verdict) else "reply": one}


def of_row(kind: type[L], row: msgspec.Struct, **more: object) -> L:
    """A row of a store as a log has it, or the other way round: the fields that both have, and `more`."""
    return kind(**{name: getattr(row, name) for name in kind.__struct_fields__ if hasattr(row, name)} | more)


def whole(subject: SubjectRow, stored: Dialogue) -> LoggedDialogue:
    """A dialogue as a store holds it. An answer that was replaced is there as a call that came to nothing: it cost."""
    failures = [of_row(LoggedFailure, row, failed_at=row.failed_at or "") for row in stored.failures]
    for call in stored.replaced:
        attempts = call.answer.attempts
        seconds, unknown = sum(own.seconds for own in attempts), sum(own.unknown_usd for own in attempts)
        failures.append(
            LoggedFailure(
                what=call.turn_id, kind="replaced", detail="an answer that was replaced",
                attempts=(Attempt("replaced", float(seconds), call.answer.usage, float(unknown)),),
                failed_at=call.answered_at or "",
            )
        )  # fmt: skip
    return LoggedDialogue(
        subject=subject,
        trial=stored.trial,
        begins=stored.calls[0].context if stored.calls else "",
        answers=tuple(map(logged_answer, stored.calls)),
        verdicts=tuple(of_row(LoggedVerdict, row, **came(row.grade)) for row in stored.verdicts),
        steps=tuple(of_row(LoggedStep, row, **came(row.output)) for row in stored.steps),
        failures=tuple(failures),
    )


def logged_answer(row: CallRow) -> LoggedAnswer:
    """From a row of a store."""
    return of_row(
        LoggedAnswer, row, **came(row.answer), messages=None if row.messages is None else row.messages.decode()
    )


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


def rows(own: LoggedEdition, dialogues: Iterable[LoggedDialogue]) -> ImportedRows:
    """The rows of a store that hold these dialogues. Raises ValueError for one that contradicts itself."""
    out = ImportedRows(own.edition, personas=own.personas)
    for one in dialogues:
        trial, at = one.trial.key, one.begins
        out.subjects[one.subject.config_dir] = one.subject
        out.trials.append(one.trial)
        for said in one.answers:
            answer = settled(said)
            after, request = context.extend(at, answer), None if said.messages is None else said.messages.encode()
            out.calls.append(CallRow(trial, said.turn, said.turn_id, at, after, answer, request, said.answered_at))
            at = after
        for graded in one.verdicts:
            on = graded.context or at
            key = verdict_key(on, graded.rubric, graded.settings, graded.pass_)
            grade = _either(graded.verdict, graded.missing)
            out.verdicts.append(of_row(VerdictRow, graded, key=key, trial=trial, context=on, grade=grade))
        out.failures.extend(FailureRow(trial, **msgspec.structs.asdict(lost)) for lost in one.failures)
        out.steps.extend(
            of_row(ArtefactRow, step, trial=trial, context=step.context or at, output=settled(step))
            for step in one.steps
        )
    return out


def to_metadata(value: msgspec.Struct) -> dict[str, object]:
    """As metadata of a log."""
    return {NAME: msgspec.to_builtins(value)}


def of_metadata(metadata: Mapping[str, object] | None, kind: type[Any]) -> Any:
    """From metadata of a log; None where it holds nothing of ours. Raises msgspec.ValidationError."""
    found = (metadata or {}).get(NAME)
    return None if found is None else msgspec.convert(found, kind)
