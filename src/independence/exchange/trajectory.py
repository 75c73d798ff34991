"""One dialogue as it was: every message as sent, every reply with what is known of it, every judge's verdict.

`dialogue_table` lists the dialogues of a subject.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from independence.errors import StoreError
from independence.exchange.requests import Requests
from independence.report import planned_verdicts
from independence.report.table import Column, Table
from independence.store import export_rows, queries
from independence.store.export_rows import ExportedAnswer, ExportedTrial
from independence.store.queries import PUBLISHED, REREAD
from independence.store.scopes import BoardScope, grading
from independence.suites import digest
from independence.types import Attempt, Scalar

Origin = Literal["system", "human", "scripted", "generated", "protocol"]
_COLUMNS = (
    Column("experiment", "Experiment"), Column("scenario", "Scenario"), Column("run", "Run", "count"),
    Column("scores", "Scores"), Column("missing", "Missing"), Column("flags", "Flags"),
)  # fmt: skip


class TrajectoryMessage(msgspec.Struct, frozen=True):
    """One message of a request. `call` is the tool call as sent: the words in it are its `text`."""

    role: str
    origin: Origin  # scripted: written by the suite's authors. generated: an answer of this subject, replayed
    text: str
    call: str | None = None  # name of the tool that was called
    call_id: str | None = None
    arguments: str | None = None  # JSON text as sent
    private: str = ""  # content beside a tool call, as it was replayed


class TrajectoryAnswer(msgspec.Struct, frozen=True):
    """What came back; `missing` says why nothing usable did."""

    text: str
    missing: str | None
    flags: tuple[str, ...]
    thinking: str  # private content beside a tool message
    reasoning: str  # native reasoning
    raw: str  # what came, where cleaning changed it
    channel: str | None
    finish_reason: str | None
    served_model: str
    served_provider: str
    prompt_tokens: int
    completion_tokens: int
    reasoning_tokens: int
    cost_usd: float
    seconds: float
    answered_at: str
    attempts: tuple[Attempt, ...]


class TrajectoryTurn(msgspec.Struct, frozen=True, kw_only=True):
    """One request and its answer. `new` is what the request adds to the one before and its answer."""

    turn: int  # from 1
    turn_id: str
    request: msgspec.Raw  # the messages, as sent
    new: tuple[TrajectoryMessage, ...]
    anew: bool  # the request does not go on from the one before: `new` is all of it
    answer: TrajectoryAnswer


class TrajectoryVerdict(msgspec.Struct, frozen=True):
    """One judge's verdict."""

    judge: str
    current: bool  # on the dialogue and the rubric as they are now
    missing: str | None
    values: dict[str, Scalar]
    reasoning: str
    raw: str
    route: str | None  # of offline and hybrid judges: offline, unsure or audit
    probability: float | None  # of being bought
    auditor: str | None
    cost_usd: float
    judged_at: str


class TrajectorySubject(msgspec.Struct, frozen=True):
    """Who answered."""

    config: str
    label: str
    model_id: str
    simulated: bool


class Trajectory(msgspec.Struct, frozen=True, kw_only=True):
    """A dialogue with all its requests, answers and verdicts."""

    suite: str
    edition: str
    condition: str
    imported: bool
    subject: TrajectorySubject
    experiment: str
    scenario: str
    title: str | None  # None for imports: their words are not ours
    run: int
    trial: str
    continues: str | None  # the scenario whose dialogue comes first
    tool: dict[str, str] | None  # as offered with every request; None for imports, which do not say, and without one
    turns: tuple[TrajectoryTurn, ...]
    verdicts: tuple[TrajectoryVerdict, ...]


def dialogue_table(
    connection: sqlite3.Connection, scope: BoardScope, config: str, judge: str | None, run: int | None
) -> Table:
    """The dialogues of one subject with their scores by one judge, by scenario and run. `run`: that one alone.

    Raises StoreError where there is no such run.
    """
    read = planned_verdicts.planned_verdicts(connection, scope, judge)
    own = [cell for cell in read.planned if cell.config_dir == config and run in (None, cell.run)]
    if not own:
        raise StoreError(f"--run {run}: there is no such run here")
    label, _, simulated = queries.subjects(connection, scope.where)[config]
    own.sort(key=lambda cell: (cell.experiment, cell.scenario, cell.run))
    rows = [
        (
            cell.experiment, cell.scenario, cell.run,
            ", ".join(f"{name} {float(value):g}" for name, value in (cell.given or {}).items()) or None,
            cell.missing, ", ".join(cell.flags) or None,
        )
        for cell in own
    ]  # fmt: skip
    kept = [at for at in range(len(_COLUMNS)) if at < 4 or any(row[at] for row in rows)]
    notes = (
        f"{scope.where.edition_name}, {scope.condition}, judge {read.judge or 'none'}.",
        "`independence show SUBJECT SCENARIO --run N` prints a dialogue with every verdict and its reasons.",
    )
    title = f"Dialogues of {label} (simulated)" if simulated else f"Dialogues of {label}"
    shown = tuple(tuple(row[at] for at in kept) for row in rows)
    return Table("dialogues", title, tuple(_COLUMNS[at] for at in kept), shown, notes)


def read_trajectory(
    connection: sqlite3.Connection, scope: BoardScope, trial: ExportedTrial, judge: str | None = None
) -> Trajectory:
    """Read one dialogue, with the verdicts of one judge (None: of all)."""
    suite = scope.suite
    label, model_id, simulated = queries.subjects(connection, scope.where)[trial.config_dir]
    answers = export_rows.answers_of(connection, trial.trial)
    imported = queries.imported(scope.edition) or any(answer.messages is not None for answer in answers)
    known = next((one for one in suite.scenarios if one.id == trial.scenario), None)
    tool = suite.delivery.tool_role if scope.condition.mode == "tool_role" and not imported else None
    verdicts = _verdicts(connection, scope, trial, answers[-1].after if answers else "")
    return Trajectory(
        suite=suite.suite, edition=scope.edition, condition=str(scope.condition), imported=imported,
        subject=TrajectorySubject(trial.config_dir, label, model_id, simulated), experiment=trial.experiment,
        scenario=trial.scenario, title=None if imported or known is None else known.title, run=trial.run,
        trial=trial.trial, continues=known.follows if known else None,
        tool={"name": tool.name, "description": tool.description, "parameter": tool.parameter} if tool else None,
        turns=tuple(_turns(answers, _requests(connection, scope, trial, answers, imported=imported),
                           _texts(connection, scope, trial))),
        verdicts=tuple(one for one in verdicts if judge in (None, one.judge)),
    )  # fmt: skip


def _texts(connection: sqlite3.Connection, scope: BoardScope, trial: ExportedTrial) -> set[str]:
    """Everything the subject said in this dialogue and in those it continues."""
    states = queries.states(connection, scope.where)
    parents = {state.key: state.parent for state in states}
    texts, key = set(), trial.trial
    while key:
        texts |= {call.text.strip() for call in queries.calls_of(connection, key)}
        key = parents.get(key) or ""
    return texts - {""}


def _requests(
    connection: sqlite3.Connection,
    scope: BoardScope,
    trial: ExportedTrial,
    answers: Sequence[ExportedAnswer],
    *,
    imported: bool,
) -> list[bytes]:
    """The messages of each request as sent. Our own texts never stand in for those of an import."""
    if imported:
        return [answer.messages or b"[]" for answer in answers]
    known = Requests(connection, scope)
    return [known.messages(trial, answer) for answer in answers]


def _turns(
    answers: Sequence[ExportedAnswer], requests: Sequence[bytes], texts: Collection[str]
) -> Iterator[TrajectoryTurn]:
    before: list[Any] = []
    replied = ""
    for number, (answer, request) in enumerate(zip(answers, requests, strict=True), start=1):
        messages = _decoded(request)
        goes_on = messages[: len(before)] == before
        new = [_message(message, texts) for message in (messages[len(before) :] if goes_on else messages)]
        if goes_on and number > 1 and new and new[0].text.strip() == replied:
            new = new[1:]  # the answer before, which was shown already
        columns = {name: getattr(answer, name) for name in TrajectoryAnswer.__struct_fields__}
        lists = {name: msgspec.json.decode(columns[name]) for name in ("flags", "attempts")}
        yield TrajectoryTurn(
            turn=number, turn_id=answer.turn_id, request=msgspec.Raw(request), new=tuple(new), anew=not goes_on,
            answer=msgspec.convert(columns | lists, TrajectoryAnswer),
        )  # fmt: skip
        before, replied = messages, answer.text.strip()


def _decoded(request: bytes) -> list[Any]:
    try:
        messages = msgspec.json.decode(request)
    except (msgspec.DecodeError, RecursionError):
        return []
    return [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []


def _message(message: Mapping[str, Any], texts: Collection[str]) -> TrajectoryMessage:
    role, content = str(message.get("role", "")), message.get("content")
    text = content if isinstance(content, str) else "" if content is None else msgspec.json.encode(content).decode()
    calls = message.get("tool_calls") or []
    if role == "assistant" and calls and isinstance(calls[0], dict):
        return _tool_call(calls[0], text, texts)
    if role == "assistant":
        return TrajectoryMessage(role, _origin(text, texts), text)
    return TrajectoryMessage(role, "system" if role == "system" else "human", text, call_id=message.get("tool_call_id"))


def _tool_call(call: Mapping[str, Any], content: str, texts: Collection[str]) -> TrajectoryMessage:
    function = call.get("function") or {}
    arguments = str(function.get("arguments", ""))
    try:
        words = [value for value in msgspec.json.decode(arguments).values() if isinstance(value, str)]
    except (msgspec.DecodeError, AttributeError, RecursionError):
        words = [arguments]
    text, private = ("\n\n".join(words), content) if words else (content, "")
    # Without words the tool is only listened to; what was said stands beside the call.
    origin: Origin = _origin(text, texts) if words or content else "protocol"
    return TrajectoryMessage(
        "assistant", origin, text, call=str(function.get("name", "")), call_id=str(call.get("id", "")),
        arguments=arguments, private=private,
    )  # fmt: skip


def _origin(text: str, texts: Collection[str]) -> Origin:
    return "generated" if text.strip() in texts else "scripted"


def _verdicts(
    connection: sqlite3.Connection, scope: BoardScope, trial: ExportedTrial, end: str
) -> Iterator[TrajectoryVerdict]:
    """Every verdict on a dialogue that ends at `end`."""
    suite = grading(connection, scope)
    known = {scenario.id: scenario for scenario in suite.scenarios}
    rubrics = {PUBLISHED, REREAD}
    if trial.scenario in known:
        rubrics.add(digest.rubric(suite, known[trial.scenario]))
    for row in export_rows.verdicts_of(connection, trial.trial):
        current = row.context == end and row.rubric in rubrics
        columns = {**row._asdict(), "current": current, "values": msgspec.json.decode(row.fields)}
        yield msgspec.convert(columns, TrajectoryVerdict)
