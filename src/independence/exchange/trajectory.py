"""One dialogue as it was: every message as sent, every reply with what is known of it, every judge's verdict."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from independence.exchange.requests import Requests
from independence.store import export_rows, queries
from independence.store.export_rows import ExportedAnswer, ExportedTrial, ExportedVerdict
from independence.store.queries import PUBLISHED, REREAD
from independence.store.scopes import BoardScope, grading
from independence.suites import digest
from independence.types import Attempt, Scalar

Origin = Literal["system", "human", "scripted", "generated", "protocol"]


class Part(msgspec.Struct, frozen=True):
    """One message of a request. `call` is the tool call as sent: the words in it are its `text`."""

    role: str
    origin: Origin  # scripted: written by the suite's authors. generated: an answer of this subject, replayed
    text: str
    call: str | None = None  # name of the tool that was called
    call_id: str | None = None
    arguments: str | None = None  # JSON text as sent
    private: str = ""  # content beside a tool call, as it was replayed


class Answer(msgspec.Struct, frozen=True):
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


class Turn(msgspec.Struct, frozen=True):
    """One request and its answer. `new` is what the request adds to the one before and its answer."""

    turn: int  # from 1
    turn_id: str
    request: msgspec.Raw  # the messages, as sent
    new: tuple[Part, ...]
    anew: bool  # the request does not go on from the one before: `new` is all of it
    answer: Answer


class Opinion(msgspec.Struct, frozen=True):
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


class Who(msgspec.Struct, frozen=True):
    """The subject."""

    config: str
    label: str
    model_id: str
    simulated: bool


class Trajectory(msgspec.Struct, frozen=True):
    """A dialogue and everything said about it."""

    suite: str
    edition: str
    condition: str
    imported: bool
    subject: Who
    experiment: str
    scenario: str
    title: str | None  # None for imports: their words are not ours
    run: int
    trial: str
    continues: str | None  # the scenario whose dialogue comes first
    tool: dict[str, str] | None  # as offered with every request; None for imports, which do not say, and without one
    turns: tuple[Turn, ...]
    verdicts: tuple[Opinion, ...]


class Shown(NamedTuple):
    """Which dialogue, and whose verdicts."""

    scope: BoardScope
    spot: ExportedTrial
    judge: str | None = None


def read(connection: sqlite3.Connection, shown: Shown) -> Trajectory:
    """Read one dialogue."""
    scope, spot, _ = shown
    suite = scope.suite
    about = queries.subjects(connection, scope.where)[spot.config_dir]
    answers = export_rows.answers_of(connection, spot.trial)
    imported = queries.imported(scope.edition) or any(answer.messages is not None for answer in answers)
    known = next((one for one in suite.scenarios if one.id == spot.scenario), None)
    tool = suite.delivery.tool_role if scope.condition.mode == "tool_role" and not imported else None
    said = _said(connection, scope, spot)
    return Trajectory(
        suite.suite, scope.edition, str(scope.condition), imported, Who(spot.config_dir, *about), spot.experiment,
        spot.scenario, None if imported or known is None else known.title, spot.run, spot.trial,
        known.follows if known else None,
        {"name": tool.name, "description": tool.description, "parameter": tool.parameter} if tool else None,
        tuple(_turns(answers, [_request(connection, shown, one, imported=imported) for one in answers], said)),
        tuple(_opinions(connection, shown, answers[-1].after if answers else "")),
    )  # fmt: skip


def _said(connection: sqlite3.Connection, scope: BoardScope, spot: ExportedTrial) -> set[str]:
    """Everything the subject said in this dialogue and in those it continues."""
    states = queries.states(connection, scope.where)
    parents = {state.key: state.parent for state in states}
    texts, key = set(), spot.trial
    while key:
        texts |= {call.text.strip() for call in queries.calls_of(connection, key)}
        key = parents.get(key) or ""
    return texts - {""}


def _request(connection: sqlite3.Connection, shown: Shown, answer: ExportedAnswer, *, imported: bool) -> bytes:
    """The messages as sent. Our own texts never stand in for those of an import."""
    if imported:
        return answer.messages or b"[]"
    return Requests(connection, shown.scope).of(shown.spot, answer)


def _turns(answers: Sequence[ExportedAnswer], requests: Sequence[bytes], said: Collection[str]) -> Iterator[Turn]:
    before: list[Any] = []
    replied = ""
    for number, (answer, request) in enumerate(zip(answers, requests, strict=True), start=1):
        messages = _decoded(request)
        goes_on = messages[: len(before)] == before
        new = [_part(message, said) for message in (messages[len(before) :] if goes_on else messages)]
        if goes_on and number > 1 and new and new[0].text.strip() == replied:
            new = new[1:]  # the answer before, which was shown already
        yield Turn(number, answer.turn_id, msgspec.Raw(request), tuple(new), not goes_on, _answer(answer))
        before, replied = messages, answer.text.strip()


def _decoded(request: bytes) -> list[Any]:
    try:
        messages = msgspec.json.decode(request)
    except (msgspec.DecodeError, RecursionError):
        return []
    return [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []


def _part(message: dict[str, Any], said: Collection[str]) -> Part:
    role, content = str(message.get("role", "")), message.get("content")
    text = content if isinstance(content, str) else "" if content is None else msgspec.json.encode(content).decode()
    calls = message.get("tool_calls") or []
    if role == "assistant" and calls and isinstance(calls[0], dict):
        return _call(calls[0], text, said)
    if role == "assistant":
        return Part(role, "generated" if text.strip() in said else "scripted", text)
    return Part(role, "system" if role == "system" else "human", text, call_id=message.get("tool_call_id"))


def _call(call: dict[str, Any], content: str, said: Collection[str]) -> Part:
    function = call.get("function") or {}
    arguments = str(function.get("arguments", ""))
    try:
        words = [value for value in msgspec.json.decode(arguments).values() if isinstance(value, str)]
    except (msgspec.DecodeError, AttributeError, RecursionError):
        words = [arguments]
    name, call_id = str(function.get("name", "")), str(call.get("id", ""))
    if not words:  # the tool is only listened to; what was said stands beside the call
        origin: Origin = "protocol" if not content else "generated" if content.strip() in said else "scripted"
        return Part("assistant", origin, content, name, call_id, arguments)
    text = "\n\n".join(words)
    origin = "generated" if text.strip() in said else "scripted"
    return Part("assistant", origin, text, name, call_id, arguments, content)


def _answer(row: ExportedAnswer) -> Answer:
    return Answer(
        row.text, row.missing, msgspec.json.decode(row.flags, type=tuple[str, ...]), row.thinking, row.reasoning,
        row.raw, row.channel, row.finish_reason, row.served_model, row.served_provider, row.prompt_tokens,
        row.completion_tokens, row.reasoning_tokens, row.cost_usd, row.seconds, row.answered_at,
        msgspec.json.decode(row.attempts, type=tuple[Attempt, ...]),
    )  # fmt: skip


def _opinions(connection: sqlite3.Connection, shown: Shown, at: str) -> Iterator[Opinion]:
    suite = grading(connection, shown.scope)
    known = {scenario.id: scenario for scenario in suite.scenarios}
    rubrics = {PUBLISHED, REREAD}
    if shown.spot.scenario in known:
        rubrics.add(digest.rubric(suite, known[shown.spot.scenario]))
    for row in export_rows.verdicts_of(connection, shown.spot.trial):
        if shown.judge in (None, row.judge):
            yield _opinion(row, current=row.context == at and row.rubric in rubrics)


def _opinion(row: ExportedVerdict, *, current: bool) -> Opinion:
    return Opinion(
        row.judge, current, row.missing, msgspec.json.decode(row.fields), row.reasoning, row.raw, row.route,
        row.probability, row.auditor, row.cost_usd, row.judged_at,
    )  # fmt: skip
