"""The lines of a run folder as typed values, in the published order of keys.

A line is read field by field: one that has another type is left out and named, and costs no other field. `whole` keeps
every value as it came, those of unknown keys too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Generic, NamedTuple, TypeVar

import msgspec

Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
RunName = Annotated[str, msgspec.Meta(pattern="^run_")]
Amount = Annotated[float, msgspec.Meta(ge=0)]
Factor = str | int | float | bool | None
Factors = dict[str, Factor]
NOTHING = msgspec.Raw(b"null")
ANSWERS, VERDICTS = "answers/", "verdicts/"  # what the store keeps beside a row: everything but texts
# How a prompt's facts are listed; each side is told some of them.
FACTORS = ("perspective", "base_rent", "amount", "relationship_quality", "justification", "tenant_quality",
           "landlord_quality")  # fmt: skip


class PromptRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the grid: one prompt."""

    prompt_id: str = ""
    factors: Factors = {}
    messages: msgspec.Raw = msgspec.Raw(b"[]")


class AnswerRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the answer file."""

    run_id: Count | RunName | None = None  # unix seconds; of newer runs `run_` and a digest of the grid
    timestamp_iso: str = ""  # UTC, when the answer was stored
    model_id: str = ""
    provider: str | None = None
    prompt_id: str = ""
    perspective: str = ""
    factors: Factors = {}
    messages: msgspec.Raw = msgspec.Raw(b"[]")
    response_text: str = ""  # empty where it failed
    latency_ms: Amount | None = None
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    total_tokens: Count | None = None
    cost_usd: Amount | None = None
    request_id: str | None = None
    finish_reason: str | None = None
    raw_response: msgspec.Raw = NOTHING
    error: str | None = None

    @property
    def run(self) -> int | None:
        """The run's id as a number."""
        return run_number(self.run_id)


class JudgedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the scored file: an answer, its score, and the call that gave it."""

    run_id: Count | RunName | None = None
    run_timestamp_iso: str = ""
    eval_timestamp_iso: str = ""
    model_id: str = ""
    provider: str | None = None
    prompt_id: str = ""
    perspective: str = ""
    factors: Factors = {}
    messages: msgspec.Raw = msgspec.Raw(b"[]")
    response_text: str = ""
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
    error: str | None = None

    @property
    def run(self) -> int | None:
        """The run's id as a number."""
        return run_number(self.run_id)


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """`run_grid.json`: what a run was about to ask."""

    include_neutral: bool = True
    total: Count = 0  # rows of the grid
    selected: Count = 0  # rows that were asked
    factors: tuple[Factors, ...] = ()  # of the rows that were asked, in their order
    assistant_models: tuple[str, ...] = ()
    mode: str = ""


class _Message(msgspec.Struct, frozen=True):
    content: str | None = None
    reasoning: str | None = None


class _Choice(msgspec.Struct, frozen=True):
    message: _Message = _Message()


class Body(msgspec.Struct, frozen=True):
    """What is read of a raw body; it is kept whole."""

    model: str | None = None
    choices: tuple[_Choice, ...] = ()

    @property
    def message(self) -> _Message:
        """The first choice's message, empty where there is none."""
        return self.choices[0].message if self.choices else _Message()


def answer_file(scenario: str) -> str:
    """Name of what is kept beside an answer."""
    return f"{ANSWERS}{scenario}.json"


def verdict_file(scenario: str, judge: str) -> str:
    """Name of what is kept beside a judge's verdict."""
    return f"{VERDICTS}{scenario}/{judge}.json"


T = TypeVar("T", PromptRecord, AnswerRecord, JudgedRecord, Snapshot)


class Decoded(NamedTuple, Generic[T]):
    """A record, and what was odd about it."""

    record: T
    whole: dict[str, msgspec.Raw]  # every value as it came
    unknown: tuple[str, ...] = ()  # keys that the format does not have
    wrong: tuple[str, ...] = ()  # keys whose value has another type


def run_number(run_id: int | str | None) -> int | None:
    """A run's id as a number; a name becomes one that is the same each time."""
    if isinstance(run_id, str):
        return int(hashlib.sha256(run_id.encode("utf-8", "backslashreplace")).hexdigest()[:12], 16)
    return run_id


def decode(line: bytes, kind: type[T]) -> Decoded[T]:
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
    record = kind(**values)
    return Decoded(record, whole, tuple(name for name in whole if name not in known), tuple(wrong))


def body(raw: msgspec.Raw) -> Body:
    """The readable part of a raw body, empty where there is none."""
    try:
        return msgspec.json.decode(raw, type=Body | None) or Body()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Body()


def dumped(record: Mapping[str, object], indent: int | None = None) -> bytes:
    """JSON as published: non-ASCII letters as they are, a blank after commas and colons."""
    text = json.dumps({key: _plain(value) for key, value in record.items()}, ensure_ascii=False, indent=indent)
    return text.encode("utf-8", "backslashreplace")  # a lone surrogate becomes its JSON escape


def _plain(value: object) -> object:
    return json.loads(bytes(value)) if isinstance(value, msgspec.Raw) else value


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
