"""Stored answers and verdicts in the published fields, keys in the published order. What is not known is null."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from independence.exchange.rent import prompts
from independence.exchange.rent.records import Factors
from independence.exchange.rent.replies import RUN_ERROR
from independence.store.exported import GivenAnswer, GivenVerdict
from independence.types import Attempt

Record = dict[str, object]
UNKNOWN = "unknown"  # a provider that nobody named
UNSCORED = "unjudged"
_ATTEMPTS = msgspec.json.Decoder(tuple[Attempt, ...])


class Asked(NamedTuple):
    """Whose answer to which prompt in which run."""

    run_id: int
    model: str
    prompt_id: str
    factors: Factors
    messages: msgspec.Raw


def attempts(row: GivenAnswer | GivenVerdict) -> tuple[Attempt, ...]:
    """What a call tried."""
    return _ATTEMPTS.decode(row.attempts)


def answer(asked: Asked, row: GivenAnswer) -> Record:
    """A line of the answer file."""
    there = row.missing is None
    return {
        "run_id": asked.run_id,
        "timestamp_iso": utc(row.answered_at),
        "model_id": asked.model,
        "provider": row.served_provider or UNKNOWN,
        "prompt_id": asked.prompt_id,
        "perspective": asked.factors.get(prompts.PERSPECTIVE),
        "factors": asked.factors,
        "messages": asked.messages,
        "response_text": row.text if there else row.raw,
        "latency_ms": round(row.seconds * 1000) if there else None,
        **_tokens("", row, there),
        "request_id": row.response_id or None,
        "finish_reason": row.finish_reason,
        "raw_response": None,
        "error": None if there else _error(row),
    }


class Judge(NamedTuple):
    """Who scored, and when last."""

    name: str
    at: str  # ISO 8601


def judged(said: Record, row: GivenVerdict | None, judge: Judge, failed: bool) -> Record:
    """A line of the scored file about a line of the answer file, still without its score.

    `row` None: this judge has no verdict on it. `failed`: there was no answer to score.
    """
    there = row is not None and row.missing is None
    error = f"{RUN_ERROR} {said['error']}" if failed else _unscored(row)
    same = ("model_id", "provider", "prompt_id", "perspective", "factors", "messages", "response_text")
    return {
        "run_id": said["run_id"],
        "run_timestamp_iso": said["timestamp_iso"],
        "eval_timestamp_iso": utc(row.judged_at if row else judge.at),
        **{name: said[name] for name in same},
        "scorer_model": judge.name,
        "score": None,
        "eval_latency_ms": round(sum(a.seconds for a in attempts(row)) * 1000) if row and there else None,
        "eval_provider": None,
        **_tokens("eval_", row, there),
        "eval_request_id": None,
        "eval_finish_reason": None,
        "eval_raw_response": None,
        "error": error,
    }


def utc(stamp: str) -> str:
    """A stored time as published: UTC with a Z."""
    return stamp.removesuffix("+00:00") + "Z" if stamp.endswith("+00:00") else stamp


def _tokens(prefix: str, row: GivenAnswer | GivenVerdict | None, there: bool) -> Record:
    names = [prefix + name for name in ("input_tokens", "output_tokens", "total_tokens", "cost_usd")]
    if row is None or not there:
        return dict.fromkeys(names)
    total = row.prompt_tokens + row.completion_tokens
    return dict(zip(names, (row.prompt_tokens, row.completion_tokens, total, row.cost_usd), strict=True))


def _error(row: GivenAnswer) -> str:
    """Why an answer is missing. Details stay in the store: they may name places of this machine."""
    tried = attempts(row)
    return f"{row.missing} (last attempt of {len(tried)}: {tried[-1].outcome})" if tried else str(row.missing)


def _unscored(row: GivenVerdict | None) -> str | None:
    if row is None:
        return UNSCORED
    return None if row.missing is None else row.missing
