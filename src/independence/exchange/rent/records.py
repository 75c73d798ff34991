"""The lines of a run folder as typed values, and as answers and grades of our own.

A line is read field by field: a field of another type is left out and reported, and the others are kept. `whole` keeps
every value as it came, those of unknown keys too.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Annotated, Generic, NamedTuple, TypeVar

import msgspec

from independence.suites.schema import Field
from independence.types import Answer, Attempt, Grade, Missing, Reply, Usage, Verdict

Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
RunName = Annotated[str, msgspec.Meta(pattern="^run_")]
Amount = Annotated[float, msgspec.Meta(ge=0)]
Factor = str | int | float | bool | None
Factors = dict[str, Factor]
NOTHING = msgspec.Raw(b"null")
ANSWER_FILES, SCORE_FILES = "answers/", "verdicts/"  # names of what a store keeps beside its rows begin so
FAILED = "error"  # outcome of a published call that failed
RUN_ERROR = "run-error:"  # how a scored record says that there was no answer
# The facts of a prompt in their order; each side knows some of them.
FACTORS = ("perspective", "base_rent", "amount", "relationship_quality", "justification", "tenant_quality",
           "landlord_quality")  # fmt: skip


class LinePosition(NamedTuple):
    """Where a record stands; `number` from 1, 0 for the whole file."""

    file: str
    number: int


class PromptRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the grid: one prompt."""

    prompt_id: str = ""
    factors: Factors = {}
    messages: msgspec.Raw = msgspec.Raw(b"[]")


class _RunRecord(PromptRecord, frozen=True, kw_only=True):
    """What a line of the answer file and a line of the scored file both say."""

    run_id: Count | RunName | None = None  # unix seconds; of newer runs `run_` and a digest of the grid
    model_id: str = ""
    provider: str | None = None
    perspective: str = ""
    response_text: str = ""  # empty where it failed
    error: str | None = None

    @property
    def run(self) -> int | None:
        """The run's id as a number; a name becomes one that is the same each time."""
        if isinstance(self.run_id, str):
            return int(hashlib.sha256(self.run_id.encode("utf-8", "backslashreplace")).hexdigest()[:12], 16)
        return self.run_id


class AnswerRecord(_RunRecord, frozen=True, kw_only=True):
    """A line of the answer file."""

    timestamp_iso: str = ""  # UTC, when the answer was stored
    latency_ms: Amount | None = None
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    total_tokens: Count | None = None
    cost_usd: Amount | None = None
    request_id: str | None = None
    finish_reason: str | None = None
    raw_response: msgspec.Raw = NOTHING


class ScoredRecord(_RunRecord, frozen=True, kw_only=True):
    """A line of the scored file: an answer, its score, and the call that gave it."""

    run_timestamp_iso: str = ""
    eval_timestamp_iso: str = ""
    scorer_model: str = ""
    score: float | None = None  # -1 (tenant) to 1 (landlord)
    eval_latency_ms: Amount | None = None
    eval_provider: str | None = None
    eval_input_tokens: Count | None = None
    eval_output_tokens: Count | None = None
    eval_total_tokens: Count | None = None
    eval_cost_usd: Amount | None = None
    eval_request_id: str | None = None
    eval_finish_reason: str | None = None
    eval_raw_response: msgspec.Raw = NOTHING


class GridSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of `run_grid.json`, which says what a run was about to ask."""

    factors: tuple[Factors, ...] = ()  # of the rows that were asked, in their order


R = TypeVar("R", PromptRecord, AnswerRecord, ScoredRecord, GridSnapshot)


class ParsedLine(NamedTuple, Generic[R]):
    """A record, where it stands, and which of its keys are odd."""

    at: LinePosition
    record: R
    whole: dict[str, msgspec.Raw]  # every value as it came
    unknown: tuple[str, ...] = ()  # keys that the format does not have
    wrong: tuple[str, ...] = ()  # keys whose value has another type


class _BodyMessage(msgspec.Struct, frozen=True):
    content: str | None = None
    reasoning: str | None = None


class _BodyChoice(msgspec.Struct, frozen=True):
    message: _BodyMessage = _BodyMessage()


class ResponseBody(msgspec.Struct, frozen=True):
    """The part of a raw body that is read; the body is kept whole."""

    model: str | None = None
    choices: tuple[_BodyChoice, ...] = ()

    @property
    def message(self) -> _BodyMessage:
        """The first choice's message, empty where there is none."""
        return self.choices[0].message if self.choices else _BodyMessage()


def parse(at: LinePosition, line: bytes, kind: type[R]) -> ParsedLine[R]:
    """Read one object. Raises ValueError with the reason where it is none."""
    whole = _object(line)
    known = {field.name: field.type for field in msgspec.structs.fields(kind)}
    values, wrong = {}, []
    for name, raw in whole.items():
        if name in known:
            try:
                values[name] = msgspec.json.decode(raw, type=known[name])
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                wrong.append(name)
    return ParsedLine(at, kind(**values), whole, tuple(name for name in whole if name not in known), tuple(wrong))


def body(raw: msgspec.Raw) -> ResponseBody:
    """The readable part of a raw body, empty where there is none."""
    try:
        return msgspec.json.decode(raw, type=ResponseBody | None) or ResponseBody()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ResponseBody()


def to_json(record: Mapping[str, object]) -> bytes:
    """JSON as published: non-ASCII letters as they are, a blank after commas and colons."""
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "backslashreplace")  # escapes lone surrogates


def answer_file(scenario: str) -> str:
    """Name of what is kept beside an answer."""
    return f"{ANSWER_FILES}{scenario}.json"


def score_file(scenario: str, judge: str) -> str:
    """Name of what is kept beside a judge's score."""
    return f"{SCORE_FILES}{scenario}/{judge}.json"


def answer(record: AnswerRecord) -> Answer:
    """The answer of a record, or why there is none. Its error is kept with the attempt."""
    usage = Usage(record.input_tokens or 0, record.output_tokens or 0, cost_usd=record.cost_usd or 0.0)
    attempt = Attempt("ok", (record.latency_ms or 0.0) / 1000, usage)
    if record.error is not None:
        attempt = msgspec.structs.replace(attempt, outcome=FAILED, detail=record.error)
        return Missing("transport", record.error, record.response_text, (attempt,))
    if not record.response_text.strip():
        return Missing("no_answer", "the stored answer is blank", record.response_text, (attempt,))
    raw = body(record.raw_response)
    return Reply(
        record.response_text, "content", reasoning=raw.message.reasoning or "", finish_reason=record.finish_reason,
        usage=usage, served_model=raw.model or "", served_provider=record.provider or "",
        response_id=record.request_id or "", attempts=(attempt,),
    )  # fmt: skip


def recovered(record: ScoredRecord) -> AnswerRecord:
    """The answer that a scored record repeats; how long it took and what it cost is not in there."""
    error = record.error or ""
    why = error.removeprefix(RUN_ERROR).strip() if error.startswith(RUN_ERROR) else None
    same = {name: getattr(record, name) for name in _RunRecord.__struct_fields__}
    return AnswerRecord(**same | {"timestamp_iso": record.run_timestamp_iso, "error": why})


def in_range(record: ScoredRecord, field: Field) -> bool:
    """True where a record has a score in the field's range."""
    low, high = field.range or (-math.inf, math.inf)
    return record.score is not None and low <= record.score <= high


def grade(record: ScoredRecord, name: str, field: Field) -> Grade | None:
    """The score as a verdict under the field's name. None where there was no answer to score."""
    error = record.error or ""
    if record.score is None and error.startswith(RUN_ERROR):
        return None
    usage = Usage(record.eval_input_tokens or 0, record.eval_output_tokens or 0, cost_usd=record.eval_cost_usd or 0.0)
    attempt = Attempt("ok", (record.eval_latency_ms or 0.0) / 1000, usage)
    judge = body(record.eval_raw_response).message
    if record.score is not None and in_range(record, field):
        return Verdict({name: record.score}, judge.reasoning or "", judge.content or "", usage, (attempt,))
    why = error or ("no score" if record.score is None else f"score {record.score} is out of range")
    raw = judge.content or ("" if record.score is None else str(record.score))
    failed = msgspec.structs.replace(attempt, outcome=FAILED, detail=why)
    return Missing("unreadable_verdict", why, raw, (failed,))


def _object(line: bytes) -> dict[str, msgspec.Raw]:
    line.decode("utf-8")  # raises ValueError; values that are kept as they came are not looked into
    kind = dict[str, msgspec.Raw]
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        reason = str(error)
    try:  # Python writes NaN and Infinity, which are no JSON: as texts they are of another type and lose nothing else
        found = json.loads(line, parse_constant=str)
        return msgspec.json.decode(json.dumps(found), type=kind)
    except (ValueError, RecursionError, msgspec.DecodeError):
        raise ValueError(reason) from None
