"""A run folder of the rent benchmark on disk: its files, their lines as typed values, as answers and grades of ours."""

from __future__ import annotations

import hashlib
import math
from contextlib import suppress
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec

from independence.errors import UsageError
from independence.exchange import streamed_files
from independence.exchange.grid_rows import Factors, PromptRecord, parse
from independence.extensions.published.dialogues import configured_model
from independence.suites.schema import Field
from independence.types import Answer, Attempt, Grade, Missing, Reply, Usage, Verdict

Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
Amount = Annotated[float, msgspec.Meta(ge=0)]
NOTHING = msgspec.Raw(b"null")
_PACKED = ("", ".xz", ".gz")
_LOOKED_AT = 50  # lines of a file until it is no record of this format
FAILED = "error"  # outcome of a published call that failed
RUN_ERROR = "run-error:"  # how a scored record says that there was no answer
UNKNOWN = "unknown"  # a provider that nobody named


class _RunRecord(PromptRecord, frozen=True, kw_only=True):
    """What a line of the answer file and a line of the scored file both say."""

    run_id: Count | str | None = None  # unix seconds; of newer runs `run_` and a digest of the grid
    model_id: str = ""
    provider: str | None = None
    perspective: str = ""
    response_text: str = ""  # empty where it failed
    error: str | None = None

    @property
    def run(self) -> int:
        """The run's id as a number; a name becomes one that is the same each time."""
        if isinstance(self.run_id, str):
            return int(hashlib.sha256(self.run_id.encode("utf-8", "backslashreplace")).hexdigest()[:12], 16)
        return self.run_id or 0

    @property
    def name(self) -> str:
        """What to call it in a sentence."""
        return f"prompt {self.prompt_id} of {self.model_id}"


class AnswerRecord(_RunRecord, frozen=True, kw_only=True):
    """A line of the answer file."""

    timestamp_iso: str = ""  # UTC, when the answer was stored
    latency_ms: Amount | None = None
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cost_usd: Amount | None = None
    request_id: str | None = None
    finish_reason: str | None = None
    raw_response: msgspec.Raw = NOTHING


class ScoredRecord(_RunRecord, frozen=True, kw_only=True):
    """A line of the scored file: an answer, its score, and the call that gave it."""

    run_timestamp_iso: str = ""
    eval_timestamp_iso: str = ""
    scorer_model: str = ""
    score: float | str | None = None  # -1 (tenant) to 1 (landlord); a text is no score
    eval_latency_ms: Amount | None = None
    eval_input_tokens: Count | None = None
    eval_output_tokens: Count | None = None
    eval_cost_usd: Amount | None = None
    eval_raw_response: msgspec.Raw = NOTHING


class GridSnapshot(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of `run_grid.json`, which says what a run was about to ask."""

    factors: tuple[Factors, ...] = ()  # of the rows that were asked, in their order


class _BodyMessage(msgspec.Struct, frozen=True):
    content: str | None = None
    reasoning: str | None = None


class _BodyChoice(msgspec.Struct, frozen=True):
    message: _BodyMessage = _BodyMessage()


class ResponseBody(msgspec.Struct, frozen=True):
    """The part of a raw body that is read."""

    model: str | None = None
    choices: tuple[_BodyChoice, ...] = ()

    @property
    def message(self) -> _BodyMessage:
        """The first choice's message, empty where there is none."""
        return self.choices[0].message if self.choices else _BodyMessage()


def body(raw: msgspec.Raw) -> ResponseBody:
    """The readable part of a raw body, empty where there is none."""
    try:
        return msgspec.json.decode(raw, type=ResponseBody | None) or ResponseBody()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ResponseBody()


def answer(record: AnswerRecord) -> Answer:
    """The answer of a record, or why there is none. Its error is kept with the attempt."""
    usage = Usage(record.input_tokens or 0, record.output_tokens or 0, cost_usd=record.cost_usd or 0.0)
    attempt = Attempt("ok", (record.latency_ms or 0.0) / 1000, usage)
    if record.error is not None:
        attempt = msgspec.structs.replace(attempt, outcome=FAILED, detail=record.error)
        return Missing("transport", record.error, record.response_text, (attempt,))
    if not record.response_text.strip():
        return Missing("no_answer", "the stored answer is blank", record.response_text, (attempt,))
    raw, provider = body(record.raw_response), record.provider or ""
    return Reply(
        record.response_text, "content", reasoning=raw.message.reasoning or "", finish_reason=record.finish_reason,
        usage=usage, served_model=raw.model or "", served_provider="" if provider == UNKNOWN else provider,
        response_id=record.request_id or "", attempts=(attempt,),
    )  # fmt: skip


def recovered(record: ScoredRecord) -> AnswerRecord:
    """The answer that a scored record repeats; how long it took and what it cost is not in there."""
    error = record.error or ""
    why = error.removeprefix(RUN_ERROR).strip() if error.startswith(RUN_ERROR) else None
    same = {name: getattr(record, name) for name in _RunRecord.__struct_fields__}
    return AnswerRecord(**same | {"timestamp_iso": record.run_timestamp_iso, "error": why})


def score(record: ScoredRecord, field: Field) -> float | None:
    """The score, if it is a number in the field's range."""
    low, high = field.range or (-math.inf, math.inf)
    return record.score if isinstance(record.score, float) and low <= record.score <= high else None


def grade(record: ScoredRecord, name: str, field: Field) -> Grade | None:
    """The score as a verdict under the field's name. None where there was no answer to score."""
    error = record.error or ""
    if record.score is None and error.startswith(RUN_ERROR):
        return None
    usage = Usage(record.eval_input_tokens or 0, record.eval_output_tokens or 0, cost_usd=record.eval_cost_usd or 0.0)
    attempt = Attempt("ok", (record.eval_latency_ms or 0.0) / 1000, usage)
    judge, value = body(record.eval_raw_response).message, score(record, field)
    if value is not None:
        return Verdict({name: value}, judge.reasoning or "", judge.content or "", usage, (attempt,))
    why = error or ("no score" if record.score is None else f"score {record.score} is out of range")
    raw = judge.content or ("" if record.score is None else str(record.score))
    failed = msgspec.structs.replace(attempt, outcome=FAILED, detail=why)
    return Missing("unreadable_verdict", why, raw, (failed,))


class RentFolder(NamedTuple):
    """The files of a run, as far as they are there."""

    path: Path
    answers: Path | None
    scored: Path | None
    prompts: Path | None  # one prompt a line
    snapshot: Path | None  # JSON: what was about to be asked


def find(path: Path) -> RentFolder | None:
    """The run in a folder, or the run an answer file belongs to. None where there is no record of this format.

    Raises UsageError where a file or folder cannot be read.
    """
    if path.is_file():
        name = path.name
        for end in (*_PACKED, ".jsonl", "_scored"):
            name = name.removesuffix(end)
        found = _files(path.parent, name)
    elif path.is_dir():
        found = _files(path, "run")
    else:
        return None
    return found if any(_holds_records(file) for file in (found.answers, found.scored) if file) else None


def below(path: Path) -> tuple[str, ...]:
    """Names of the run folders in a folder; none where it is a result set of the bench."""
    inside = sorted(path.iterdir()) if path.is_dir() else []
    if any(child.name == "cache" or configured_model(child.name) for child in inside):
        return ()
    return tuple(child.name for child in inside if child.is_dir() and find(child))


def _files(folder: Path, stem: str) -> RentFolder:
    def first(name: str) -> Path | None:
        return next((file for end in _PACKED if (file := folder / (name + end)).is_file()), None)

    return RentFolder(
        path=folder, answers=first(f"{stem}.jsonl"), scored=first(f"{stem}_scored.jsonl"), prompts=first("grid.jsonl"),
        snapshot=first(f"{stem}_grid.json"),
    )  # fmt: skip


def _holds_records(file: Path) -> bool:
    """True where one of the first lines is a record of this format: some lines may be broken."""
    for number, line in streamed_files.lines(file):
        if number > _LOOKED_AT:
            break
        with suppress(UsageError):
            record = parse(file, number, line, AnswerRecord).record
            if record.prompt_id and record.model_id:
                return True
    return False
