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
from independence.store.routes import RouteRow, VerdictRoute, Way
from independence.suites import digest
from independence.types import Answer, Attempt, Grade, Missing, Reply, Verdict, Where

if TYPE_CHECKING:
    from independence.engine.resolve import ResolvedRun  # which loads an HTTP client

FORMAT = 1  # of what is below
NAME = "independence"  # the key of the metadata that holds it
_REPLACED = "replaced"
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
    prediction: str | None = None
    auditor: str | None = None  # from whom verdicts were bought
    route: Way | None = None
    probability: float | None = None  # of being bought


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
    if (there is None) == (missing is None):
        raise ValueError("it has to hold either what came or why nothing did")
    found = missing if there is None else there
    assert found is not None
    return found


def reply_in(one: Answer) -> Reply | None:
    """The reply, where one came."""
    return None if isinstance(one, Missing) else one


def verdict_in(one: Grade) -> Verdict | None:
    """The verdict, where one was given."""
    return None if isinstance(one, Missing) else one


def missing_in(one: Answer | Grade) -> Missing | None:
    """Why nothing came."""
    return one if isinstance(one, Missing) else None


def whole(subject: SubjectRow, stored: Dialogue) -> LoggedDialogue:
    """A dialogue as a store holds it. An answer that was replaced is there as a call that came to nothing: it cost."""
    steps = (
        LoggedStep(
            key=row.key, judge=row.judge, step=row.step, position=row.position, wording=row.wording,
            settings=row.settings, reply=reply_in(row.output), missing=missing_in(row.output), context=row.context,
        )
        for row in stored.steps
    )  # fmt: skip
    failures = [
        LoggedFailure(
            what=row.what, kind=row.kind, detail=row.detail, attempts=row.attempts, failed_at=row.failed_at or ""
        )
        for row in stored.failures
    ]
    for call in stored.replaced:
        attempts = call.answer.attempts
        spent = Attempt(
            _REPLACED, float(sum(own.seconds for own in attempts)), call.answer.usage,
            float(sum(own.unknown_usd for own in attempts)),
        )  # fmt: skip
        why = "an answer that was replaced"
        failures.append(
            LoggedFailure(
                what=call.turn_id, kind=_REPLACED, detail=why, attempts=(spent,), failed_at=call.answered_at or ""
            )
        )
    return LoggedDialogue(
        subject=subject,
        trial=stored.trial,
        begins=stored.calls[0].context if stored.calls else "",
        answers=tuple(map(logged_answer, stored.calls)),
        verdicts=tuple(_logged_verdict(row, stored.routes.get(row.key)) for row in stored.verdicts),
        steps=tuple(steps),
        failures=tuple(failures),
    )


def logged_answer(row: CallRow) -> LoggedAnswer:
    """From a row of a store."""
    request = None if row.messages is None else row.messages.decode()
    return LoggedAnswer(
        turn=row.turn, turn_id=row.turn_id, messages=request, answered_at=row.answered_at,
        reply=reply_in(row.answer), missing=missing_in(row.answer),
    )  # fmt: skip


def _logged_verdict(row: VerdictRow, route: RouteRow | None) -> LoggedVerdict:
    return LoggedVerdict(
        judge=row.judge, rubric=row.rubric, settings=row.settings, pass_=row.pass_, context=row.context,
        judged_at=row.judged_at, prediction=row.prediction, verdict=verdict_in(row.grade),
        missing=missing_in(row.grade), auditor=route and route.auditor, route=route and route.route.way,
        probability=route and route.route.probability,
    )  # fmt: skip


def edition(job: ResolvedRun) -> LoggedEdition:
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
        wording=queries.wordings(connection).get(where.under(None), ""),
    )  # fmt: skip
    return LoggedEdition(edition=row, personas=queries.personas(connection, where))


def rows(own: LoggedEdition, dialogues: Iterable[LoggedDialogue]) -> ImportedRows:
    """The rows of a store that hold these dialogues. Raises ValueError for one that contradicts itself."""
    out = ImportedRows(own.edition, personas=own.personas)
    for one in dialogues:
        out.subjects[one.subject.config_dir] = one.subject
        out.trials.append(one.trial)
        out.calls.extend(_calls(one))
        for verdict in one.verdicts:
            row = _verdict(one, verdict)
            out.verdicts.append(row)
            if verdict.auditor is not None and verdict.route is not None and verdict.probability is not None:
                way = VerdictRoute(verdict.route, verdict.probability)
                out.routes.append(RouteRow(row.key, verdict.auditor, one.trial.key, way))
        out.failures.extend(
            FailureRow(one.trial.key, lost.what, lost.kind, lost.detail, lost.attempts, failed_at=lost.failed_at)
            for lost in one.failures
        )
        out.steps.extend(_step(one, step) for step in one.steps)
    return out


def _calls(one: LoggedDialogue) -> Iterable[CallRow]:
    at = one.begins
    for own in one.answers:
        answer = settled(own)
        after = context.extend(at, answer)
        yield CallRow(
            trial=one.trial.key, turn=own.turn, turn_id=own.turn_id, context=at, after=after, answer=answer,
            messages=None if own.messages is None else own.messages.encode(), answered_at=own.answered_at,
        )  # fmt: skip
        at = after


def _verdict(one: LoggedDialogue, own: LoggedVerdict) -> VerdictRow:
    at = own.context or one.end
    return VerdictRow(
        key=verdict_key(at, own.rubric, own.settings, own.pass_), trial=one.trial.key, judge=own.judge,
        rubric=own.rubric, context=at, settings=own.settings, grade=_either(own.verdict, own.missing), pass_=own.pass_,
        judged_at=own.judged_at, prediction=own.prediction,
    )  # fmt: skip


def _step(one: LoggedDialogue, own: LoggedStep) -> ArtefactRow:
    return ArtefactRow(
        key=own.key, trial=one.trial.key, judge=own.judge, step=own.step, position=own.position, wording=own.wording,
        context=own.context or one.end, settings=own.settings, output=settled(own),
    )  # fmt: skip


def to_metadata(value: msgspec.Struct) -> dict[str, object]:
    """As metadata of a log."""
    return {NAME: msgspec.to_builtins(value)}


def of_metadata(metadata: Mapping[str, object] | None, kind: type[Any]) -> Any:
    """From metadata of a log; None where it holds nothing of ours. Raises msgspec.ValidationError."""
    found = (metadata or {}).get(NAME)
    return None if found is None else msgspec.convert(found, kind)
