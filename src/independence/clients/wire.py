"""Chat completions as they come: is there an answer in them, what did they cost, and is it of a length to keep?

Everything is optional, unknown fields are ignored, and leaves of any type are read with care.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

import msgspec

from independence.clients import bodies, failures, limits, protocol, served
from independence.clients.bodies import text_of
from independence.clients.failures import Failure, Secrets
from independence.clients.limits import Prices
from independence.clients.messages import (
    NO_CHOICE,
    TEXTS,
    ChatCompletion,
    WireCall,
    WireChoice,
    WireFunction,
    WireMessage,
    WireUsage,
)
from independence.clients.transport import HttpResponse
from independence.types import Usage

_TOKENS_LIMIT = 10**9  # more is not a token count
_CHARACTERS_PER_TOKEN = 64  # text has about 4 of them, white space up to some 20 times as many
_LEAST_CHARACTERS = 64_000
_MOST_CALLS = 64


_ALTERING = frozenset({"context_compression", "guardrail", "plugin", "server_tools"})  # stages of a router


def decode(body: bytes) -> ChatCompletion | None:
    """Read a body; None when it is not a JSON object of this shape (cut, malformed, a web page)."""
    try:
        return msgspec.convert(bodies.decode_any(body), ChatCompletion)
    except ValueError:
        return None


class AttemptCost(NamedTuple):
    """What an attempt used; `known` is False where its cost is unknown, and `usage.cost_usd` is then 0."""

    usage: Usage
    known: bool


def cost_of(usage: WireUsage | None, prices: Prices | None) -> AttemptCost:
    """Tokens and dollars of a response: the stated cost, else tokens at list price."""
    if usage is None:
        return AttemptCost(Usage(), known=prices == limits.FREE)
    cost = limits.reported_cost(usage.cost, usage.is_byok, usage.cost_details)
    tokens = Usage(
        _tokens(usage.prompt_tokens),
        _tokens(usage.completion_tokens),
        _part(usage.completion_tokens_details, "reasoning_tokens"),
        _part(usage.prompt_tokens_details, "cached_tokens"),
        cost or 0.0,
    )
    counted = prices == limits.FREE or tokens.prompt_tokens or tokens.completion_tokens
    if cost is None and prices is not None and counted:
        return AttemptCost(msgspec.structs.replace(tokens, cost_usd=limits.listed_cost(tokens, prices)), known=True)
    return AttemptCost(tokens, known=cost is not None)


def tokens_of(usage: WireUsage | None) -> int:
    """Completion tokens as stated, 0 where none are."""
    return _tokens(usage.completion_tokens) if usage else 0


def reasoning_tokens_of(usage: WireUsage | None) -> int:
    """Reasoning tokens as stated, 0 where none are."""
    return _part(usage.completion_tokens_details, "reasoning_tokens") if usage else 0


def _part(details: object, name: str) -> int:
    return _tokens(details.get(name)) if isinstance(details, dict) else 0


def _tokens(value: object) -> int:
    count = limits.number(value)
    return int(count) if count is not None and count < _TOKENS_LIMIT else 0


class ReceivedMessage(NamedTuple):
    """A response that holds an answer of some kind."""

    body: ChatCompletion
    message: WireMessage
    finish: str | None
    flags: tuple[str, ...]
    looped: bool = False  # it was not read to its end, as it only repeated itself


Outcome = ReceivedMessage | Failure


def read(response: HttpResponse, prices: Prices | None, secrets: Secrets) -> tuple[Outcome, AttemptCost]:
    """What an HTTP response is, and what it cost."""
    decoded = decode(response.body)
    if not 200 <= response.status < 300:
        error, choice = bodies.error_of(response.body), decoded.choice if decoded else NO_CHOICE
        # Some hosts send the completion that a filter ended in the place of an error.
        filtered = not error.message and ending_of(text_of(choice.finish_reason)) == "filter"
        failure = _filtered(choice) if filtered else failures.of_response(response, error, secrets)
        return failure, AttemptCost(Usage(), known=failure.unbilled)
    if decoded is None:
        return failures.of_foreign_body(response, secrets), cost_of(None, prices)
    found = _outcome(decoded, response, secrets)
    cost = cost_of(decoded.usage, prices)
    if isinstance(found, Failure) and found.unbilled and not cost.known:
        return found, AttemptCost(Usage(), known=True)
    return found, cost


Ending = Literal["good", "length", "filter", "error", "unknown"]

# How servers say that an answer ended, in lower case. What is not here is no good ending.
_ENDINGS: Final[Mapping[str, Ending]] = {
    **dict.fromkeys(
        ("", "stop", "eos", "eos_token", "eos_found", "end_turn", "end", "stop_sequence", "stop_token", "tool_calls",
         "tool_call", "tool_use", "function_call", "complete", "completed", "finished", "done", "normal"), "good"),
    **dict.fromkeys(
        ("length", "max_tokens", "max_output_tokens", "max_new_tokens", "model_length", "max_length", "token_limit",
         "model_context_window_exceeded", "context_length"), "length"),
    **dict.fromkeys(
        ("content_filter", "content_filtered", "filtered", "safety", "recitation", "blocklist", "prohibited_content",
         "spii", "refusal", "guardrail_intervened", "sensitive", "moderation", "flagged", "blocked"), "filter"),
    "error": "error",
}  # fmt: skip


def ending_of(finish: str) -> Ending:
    """What kind of ending a finish reason names; one that is not stated counts as good."""
    return _ENDINGS.get(finish.lower().partition(":")[0].strip().removeprefix("finish_reason_"), "unknown")


def _outcome(body: ChatCompletion, response: HttpResponse, secrets: Secrets) -> Outcome:
    choice = body.choice
    message, finish = choice.message, text_of(choice.finish_reason)
    error = next(filter(bodies.says_failure, (body.error, choice.error)), None)
    if error is not None:
        failure = failures.of_response(response, bodies.read_error({"error": error}), secrets)
        text = _text(message)  # what began to be answered was not refused
        return failure._replace(raw=text, unbilled=failure.unbilled and not text, repeats=failure.repeats and not text)
    ending = ending_of(finish)
    if ending == "filter" or bodies.mapping(body.promptFeedback).get("blockReason"):
        return _filtered(choice)
    if message is None:
        failure = failures.of_foreign_body(response, secrets)
        return failure if failure.lasting else failure._replace(kind="no_choices")
    if ending in ("error", "unknown"):
        kind, what = ("error", "broke off") if ending == "error" else (failures.ENDING, "ended")
        known = ", which is not a known good ending" if ending == "unknown" else ""
        detail = failures.sentence(f"the answer {what} with finish_reason `{finish}`{known}", secrets)
        return Failure(kind, detail, unbilled=False, raw=_text(message))
    marks = (protocol.CACHE_HIT,) if served.replayed(response.headers) else ()
    fell_back, name = served.answered_by(response.headers)
    if fell_back:
        marks = (*marks, protocol.OTHER_MODEL)
    if name:
        body = msgspec.structs.replace(body, model=name)
    if not finish:
        marks = (*marks, protocol.UNSTATED_END)
    if not bodies.is_utf8(response.body):
        marks = (*marks, protocol.BAD_TEXT)
    return ReceivedMessage(body, message, finish or None, marks)


def _filtered(choice: WireChoice) -> Failure:
    return Failure(
        "content_filter", "a content filter ended the answer", scope="request", lasting=True, reason="blocked",
        unbilled=False, raw=_text(choice.message),
    )  # fmt: skip


def _text(message: WireMessage | None) -> str:
    """What came of an answer that is none, as text."""
    if message is None:
        return ""
    calls = [call.function.arguments for call in message.tool_calls or () if call.function is not None]
    return "\n".join(part for part in (message.content, *calls) if isinstance(part, str))[:_LEAST_CHARACTERS]


def altered(received: ReceivedMessage) -> str:
    """Which router stages changed the prompt or what came back; empty where none did."""
    metadata = received.body.openrouter_metadata
    if not isinstance(metadata, dict) or not isinstance(metadata.get("pipeline"), list):
        return ""
    stages = [s.get("type") for s in metadata["pipeline"] if isinstance(s, dict)]
    found = sorted({s for s in stages if isinstance(s, str) and s in _ALTERING})
    return f"the router changed the prompt: {', '.join(found)}" if found else ""


def longest(max_tokens: int) -> int:
    """How many characters of each part of an answer are kept."""
    return max(_LEAST_CHARACTERS, _CHARACTERS_PER_TOKEN * max_tokens)


def shorten(message: WireMessage, max_tokens: int) -> tuple[WireMessage, bool]:
    """The message with every part cut to the length a budget can explain, and whether one had to be.

    A server that ignores `max_tokens` would otherwise fill the store, and every later turn, with one answer.
    """
    limit, calls = longest(max_tokens), message.tool_calls
    if encoded_size(message) <= limit and len(calls or ()) <= _MOST_CALLS:  # nearly always: no part can be longer
        return message, False

    def function(own: WireFunction | None) -> WireFunction | None:
        return own and WireFunction(_cut(own.name, limit), _cut(own.arguments, limit))

    short = [WireCall(one.id, function(one.function), one.extra_content) for one in (calls or ())[:_MOST_CALLS]]
    out = msgspec.structs.replace(
        message,
        **{name: _cut(getattr(message, name), limit) for name in TEXTS},
        tool_calls=short if calls else calls,
        function_call=function(message.function_call),
    )
    return (out, True) if out != message else (message, False)


def _cut(value: Any, limit: int) -> Any:
    """Text is cut, that of content in parts together; of anything else that is too long nothing is kept."""
    if isinstance(value, str):
        return value[:limit]
    if not isinstance(value, dict | list) or encoded_size(value) <= limit:
        return value
    kept, left = [], limit
    for part in value if isinstance(value, list) else ():
        text = part.get("text") if isinstance(part, dict) else None
        if left > 0 and isinstance(text, str):
            kept.append({"type": "text", "text": text[:left]})
            left -= len(text)
    return kept


def encoded_size(value: Any) -> float:
    """About how many bytes a value has as JSON, lone surrogates or not; infinite where it is nested too deeply."""
    try:
        return len(msgspec.json.encode(value))
    except UnicodeEncodeError:
        return len(json.dumps(msgspec.to_builtins(value), ensure_ascii=False))
    except RecursionError:
        return math.inf
