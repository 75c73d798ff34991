"""Published records as answers and grades of our own."""

from __future__ import annotations

import math

from independence.exchange.rent.records import AnswerRecord, JudgedRecord, body
from independence.suites.schema import Field
from independence.types import Answer, Attempt, Grade, Missing, Reply, Usage, Verdict

FAILED = "error"  # outcome of a published call that failed
RUN_ERROR = "run-error:"  # how a scored record says that there was no answer


def answer(record: AnswerRecord) -> Answer:
    """The answer of a record, or why there is none. Its error is kept with the attempt."""
    usage = Usage(record.input_tokens or 0, record.output_tokens or 0, cost_usd=record.cost_usd or 0.0)
    seconds = (record.latency_ms or 0.0) / 1000
    if record.error is not None:
        attempt = Attempt(FAILED, seconds, usage, detail=record.error)
        return Missing("transport", record.error, record.response_text, (attempt,))
    if not record.response_text.strip():
        return Missing(
            "no_answer", "the stored answer is blank", record.response_text, (Attempt("ok", seconds, usage),)
        )
    raw = body(record.raw_response)
    return Reply(
        record.response_text,
        "content",
        reasoning=raw.message.reasoning or "",
        finish_reason=record.finish_reason,
        usage=usage,
        served_model=raw.model or "",
        served_provider=record.provider or "",
        response_id=record.request_id or "",
        attempts=(Attempt("ok", seconds, usage),),
    )


def recovered(record: JudgedRecord) -> AnswerRecord:
    """The answer that a scored record repeats; how long it took and what it cost is not in there."""
    error = record.error or ""
    said = error.removeprefix(RUN_ERROR).strip() if error.startswith(RUN_ERROR) else None
    return AnswerRecord(
        run_id=record.run_id,
        timestamp_iso=record.run_timestamp_iso,
        model_id=record.model_id,
        provider=record.provider,
        prompt_id=record.prompt_id,
        perspective=record.perspective,
        factors=record.factors,
        messages=record.messages,
        response_text=record.response_text,
        error=said,
    )


def scored(record: JudgedRecord, field: Field) -> bool:
    """True where a record has a score in the field's range."""
    low, high = field.range or (-math.inf, math.inf)
    return record.score is not None and low <= record.score <= high


def grade(record: JudgedRecord, name: str, field: Field) -> Grade | None:
    """The score as a verdict under the field's name. None where there was no answer to score."""
    error = record.error or ""
    if record.score is None and error.startswith(RUN_ERROR):
        return None
    usage = Usage(record.eval_input_tokens or 0, record.eval_output_tokens or 0, cost_usd=record.eval_cost_usd or 0.0)
    seconds = (record.eval_latency_ms or 0.0) / 1000
    said = body(record.eval_raw_response).message
    if record.score is not None and scored(record, field):
        attempts = (Attempt("ok", seconds, usage),)
        return Verdict({name: record.score}, said.reasoning or "", said.content or "", usage, attempts)
    why = error or ("no score" if record.score is None else f"score {record.score} is out of range")
    raw = said.content or ("" if record.score is None else str(record.score))
    return Missing("unreadable_verdict", why, raw, (Attempt(FAILED, seconds, usage, detail=why),))
