"""Response bodies of status 200: whole, hollow, or broken on the way."""

from __future__ import annotations

import math
import time

import msgspec

from independence.testing.loopback.catalogue import PROVIDER, ServedModel
from independence.testing.loopback.drafts import AnswerDraft, tokens
from independence.testing.loopback.settings import Bill
from independence.testing.loopback.wire import ParsedRequest
from independence.types import FunctionCall, ToolCall, Usage

_BYOK_FEE = 0.05  # of what the provider charges
_BILL_MAX_PROMPT = 1.3


class _ReasoningDetail(msgspec.Struct, frozen=True):
    text: str
    type: str = "reasoning.text"
    format: str = "unknown"
    index: int = 0


class _ResponseMessage(msgspec.Struct, frozen=True, omit_defaults=True):
    role: str
    content: str | None
    reasoning: str = ""
    reasoning_details: tuple[_ReasoningDetail, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()


class _Problem(msgspec.Struct, frozen=True):
    code: int
    message: str
    metadata: dict[str, str]


class _ResponseChoice(msgspec.Struct, frozen=True):
    message: _ResponseMessage
    finish_reason: str | None
    native_finish_reason: str | None
    index: int = 0


class _FailedChoice(_ResponseChoice, frozen=True):
    error: _Problem | None = None


class _PromptDetails(msgspec.Struct, frozen=True):
    cached_tokens: int = 0
    cache_write_tokens: int = 0


class _CompletionDetails(msgspec.Struct, frozen=True):
    reasoning_tokens: int


class _CostDetails(msgspec.Struct, frozen=True):
    upstream_inference_cost: float | None


class _ResponseUsage(msgspec.Struct, frozen=True):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    cost: float
    is_byok: bool
    prompt_tokens_details: _PromptDetails
    completion_tokens_details: _CompletionDetails
    cost_details: _CostDetails


class _Completion(msgspec.Struct, frozen=True):
    id: str
    provider: str
    model: str
    object: str
    created: int
    choices: tuple[_ResponseChoice, ...] | None
    usage: _ResponseUsage
    openrouter_metadata: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


class _ErrorBody(msgspec.Struct, frozen=True):
    error: _Problem


_encoder = msgspec.json.Encoder()
_UPSTREAM = _Problem(502, "The provider broke off while it was answering.", {"error_type": "provider_unavailable"})
_NO_PROMPT_DETAILS = _PromptDetails()


class Tariff(msgspec.Struct, frozen=True):
    """How a server charges."""

    bill: Bill
    byok: bool


def charged(asked: ParsedRequest, model: ServedModel, said: AnswerDraft, tariff: Tariff) -> Usage:
    """Tokens of an answer and what it costs its reader in total, in dollars."""
    prompt, completion = tokens(asked.characters), said.tokens
    billed = (prompt, completion)
    if tariff.bill == "max":
        billed = (math.ceil(prompt * _BILL_MAX_PROMPT), asked.budget or completion)
    cost = (billed[0] * model.price.prompt + billed[1] * model.price.completion) / 1e6
    if tariff.byok:
        cost *= 1 + _BYOK_FEE
    return Usage(prompt, completion, tokens(len(said.reasoning)), 0, cost)


def complete(asked: ParsedRequest, model: ServedModel, said: AnswerDraft, usage: Usage, tariff: Tariff) -> _Completion:
    """A whole response."""
    return _Completion(
        id=f"gen-{asked.conversation[:24]}",
        provider=PROVIDER,
        model=model.id,
        object="chat.completion",
        created=int(time.time()),
        choices=(_ResponseChoice(_message(asked, said), said.finish, said.finish),),
        usage=_usage(usage, tariff),
    )


def _message(asked: ParsedRequest, said: AnswerDraft) -> _ResponseMessage:
    details = (_ReasoningDetail(said.reasoning),) if said.reasoning else ()
    calls = tuple(
        ToolCall(f"call_{asked.conversation[24:46]}{number:02d}", FunctionCall(call.name, call.arguments))
        for number, call in enumerate(said.calls)
    )
    return _ResponseMessage("assistant", said.content, said.reasoning, details, calls)


def _usage(usage: Usage, tariff: Tariff) -> _ResponseUsage:
    upstream = usage.cost_usd / (1 + _BYOK_FEE) if tariff.byok else None
    return _ResponseUsage(
        usage.prompt_tokens,
        usage.completion_tokens,
        total_tokens=usage.prompt_tokens + usage.completion_tokens,
        cost=usage.cost_usd - upstream if upstream is not None else usage.cost_usd,
        is_byok=tariff.byok,
        prompt_tokens_details=_NO_PROMPT_DETAILS,
        completion_tokens_details=_CompletionDetails(usage.reasoning_tokens),
        cost_details=_CostDetails(upstream),
    )


def encode(whole: _Completion) -> bytes:
    """JSON bytes of a whole response."""
    return _encoder.encode(whole)


def broken(whole: _Completion) -> bytes:
    """Invalid JSON, as of a proxy that spoke in between."""
    return b"<!-- upstream --> " + encode(whole)[:-1]


def hollow(kind: str, whole: _Completion) -> bytes:
    """A 200 in which no answer came: `error-in-200`, `error-choice`, `null-choices` or `empty`."""
    if kind == "error-in-200":
        return _encoder.encode(_ErrorBody(_UPSTREAM))
    nothing = _ResponseMessage("assistant", "")
    choices: tuple[_ResponseChoice, ...] | None = (_ResponseChoice(nothing, None, None),)
    if kind == "error-choice":
        choices = (_FailedChoice(nothing, "error", "error", error=_UPSTREAM),)
    elif kind == "null-choices":
        choices = None
    return encode(msgspec.structs.replace(whole, choices=choices, usage=_usage(Usage(), Tariff("usage", byok=False))))


def with_metadata(whole: _Completion, altered: bool) -> _Completion:
    """The same, with what the router did to it; `altered` says that it compressed the prompt."""
    stage = {"type": "context_compression", "name": "context-compression", "summary": "The prompt was shortened."}
    served = {"provider": whole.provider, "model": whole.model}
    metadata = {
        "requested": whole.model,
        "strategy": "direct",
        "attempt": 1,
        "endpoints": {"total": 1, "available": [{**served, "selected": True}]},
        "attempts": [{**served, "status": 200}],
        "pipeline": [stage] if altered else [],
    }
    return msgspec.structs.replace(whole, openrouter_metadata=msgspec.Raw(_encoder.encode(metadata)))
