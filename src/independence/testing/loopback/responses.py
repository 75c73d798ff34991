"""From a request to what will happen to it: the whole behaviour of the endpoint, without a socket."""

from __future__ import annotations

import math
import os
import time
from collections import deque
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple

import msgspec

from independence.testing.loopback import streams
from independence.testing.loopback.catalogue import (
    CONTEXT_TOKENS,
    PROVIDER,
    PROVIDER_SLUGS,
    ServedCatalogue,
    ServedModel,
)
from independence.testing.loopback.drafts import AnswerDraft, draft
from independence.testing.loopback.faults import Faults, RefusalReason, kinds, parse_faults
from independence.testing.loopback.settings import LoopbackSettings, parse_latency
from independence.testing.loopback.ways import Ways, WireText, foreign, parse_ways, refusal, refused, seen
from independence.testing.loopback.wire import CompletionBody, ParsedRequest, tokens
from independence.testing.sim import panel
from independence.types import ToolCall, Usage

Manner = Literal["send", "hang", "cut", "reset"]
Json = dict[str, Any]

_MANNERS: dict[str, Manner] = {"timeout": "hang", "cut": "cut", "reset": "reset"}
_JSON = "application/json"
_ROUNDED = 64  # tokens, where prompt tokens are counted in full blocks
_CACHED = 256  # prompts of which the beginnings are remembered
_SLOTS_CONTEXT = ("context", "context-refuses")
_TEMPLATE = "{% for message in messages %}<|{{ message.role }}|>{{ message.content }}\n{% endfor %}"
_BILL_MAX_PROMPT = 1.3
_DAILY_RESET_S = 6 * 3600
_UNKNOWN = RefusalReason(
    404, "There is no model of this name here.", {"error_type": "not_found"}, code="model_not_found"
)
_encode = msgspec.json.Encoder().encode


class ResponsePlan(NamedTuple):
    """What happens to a request."""

    status: int
    body: bytes
    headers: dict[str, str]
    usage: Usage = Usage()  # billed; an answer that is lost on the way costs as much as one that arrives
    seconds: float = 0.0  # until the answer is ready
    fault: str = ""
    manner: Manner = "send"
    events: tuple[bytes, ...] = ()  # of a streamed answer, in place of the body
    pace_s: float = 0.0  # between two of them
    silent: bool = False  # nothing comes after the first half of them

    @property
    def streamed(self) -> bool:
        """Whether events are sent."""
        return bool(self.events) and self.manner != "reset"

    @property
    def loses_half(self) -> bool:
        """Whether the second half of the events is never sent."""
        return self.silent or self.manner == "cut"

    content_type: str = _JSON


class ResponsePlanner:
    """Decides what happens to each request of one server. Raises UsageError where a setting names no model."""

    def __init__(self, settings: LoopbackSettings) -> None:
        self.catalogue = ServedCatalogue(settings.price)
        self.ways = parse_ways(settings.ways)
        refused = kinds()["401"]
        assert refused is not None
        self.key_refused = error(refused.status, refused.message, refused.metadata["error_type"])
        self._prompts: deque[str] = deque(maxlen=_CACHED)
        self._settings = settings
        self._latency = parse_latency(settings.latency)
        rules = parse_faults(settings.faults)
        for rule in rules:
            self.catalogue.check(rule.model, "--faults")
        self._aliases = {way.value: way.model for way in self.ways.items if way.name == "serves"}
        for way in self.ways.items:
            self.catalogue.check(self._aliases.get(way.model, way.model.rpartition("/")[2]), "--ways")
        self._faults = Faults(rules, settings.seed, settings.max_in_row)

    def outcome(self, asked: ParsedRequest, attempt: int, metadata: bool) -> ResponsePlan:
        """What happens to a request; `metadata`: the client asked to see what the router did."""
        name = asked.model.rpartition("/")[2] if self.ways.has("lists") else asked.model
        model, ways = self.catalogue.model(self._aliases.get(name, name)), self.ways.of(asked.model)
        if model is None and ways.has("no-model"):
            return texted(refused("no-model", ways, {"model": asked.model}))
        if model is None:
            return self._refused("", _UNKNOWN, asked)
        said = refusal(asked, ways)
        if said is not None:
            return texted(said)
        foreign = asked.pins and not any(pin in PROVIDER_SLUGS for pin in asked.pins)
        unserved = "404" if foreign or (asked.tool is not None and not model.takes_tools) else ""
        fault = unserved or self._faults.strike(asked, attempt, model.judge)
        reason = kinds().get(fault)
        if reason is None:
            return self._answered(asked, model, fault, metadata, ways)
        return self._refused(fault, reason, asked)._replace(fault="" if unserved else fault)

    def _refused(self, kind: str, reason: RefusalReason, asked: ParsedRequest) -> ResponsePlan:
        metadata, headers, after = dict(reason.metadata), {}, self._settings.retry_after_s
        error: Json = {"code": reason.status, "message": reason.message, "metadata": metadata}
        if reason.after:
            headers["Retry-After"] = f"{after:g}"
            metadata["retry_after"] = after
        if reason.code:
            error["availability"] = {
                "code": reason.code,
                "retryable": reason.retryable,
                "retry_after": after if reason.after else None,
                "requested_models": [asked.model],
                # The offered fallback answers, so that a client which follows it is found out in the log.
                "fallback_models": [next(iter(panel.PANEL))],
            }
        if kind == "moderation":
            metadata.update(flagged_input=asked.question[:100], model_slug=asked.model)
        if kind == "daily":
            reset_ms = int((time.time() + _DAILY_RESET_S) * 1000)
            headers |= {"X-RateLimit-Limit": "50", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(reset_ms)}
            metadata["headers"] = dict(headers)
        return ResponsePlan(reason.status, _encode({"error": error}), headers)

    def seen(self, body: CompletionBody) -> CompletionBody:
        """What a model gets to see of a request."""
        return seen(body, self.ways.of(body.model)) if self.ways.items else body

    def closed(self, model_id: str, seconds: float, key: str) -> ResponsePlan | None:
        """Why nothing of that model is served, if so; `seconds` since the start, `key`: what the client sent."""
        ways = self.ways.of(model_id)
        if not ways.items:
            return None
        if seconds < ways.number("loading"):
            return texted(refused("loading", ways))
        if ways.has("needs-key") and key != (f"Bearer {self._settings.key}" if self._settings.key else key or None):
            return texted(refused("needs-key", ways))
        return texted(refused("needs-key-500", ways)) if ways.has("needs-key-500") and not key else None

    @cached_property
    def listing(self) -> ResponsePlan:
        """The answer of `GET /models`."""
        if self.ways.has("no-listing"):
            return texted(refused("no-listing", self.ways))
        if self.ways.has("listing-status"):
            said = refused("listing-status", self.ways)
            return texted(said)._replace(status=int(self.ways.number("listing-status")))
        if self.ways.has("plain"):
            prefix, names = self.ways.value("list-prefix"), [*self._aliases, *self.catalogue.ids]
            plain = [
                {"id": f"{prefix}{name}", "object": "model", "created": 0, "owned_by": "loopback"} for name in names
            ]
            whole = plain if self.ways.has("bare-list") else {"object": "list", "data": plain}
            return ResponsePlan(200, _encode(whole), {})
        patterns = self.ways.values("lists")
        told = {way.model: {"root": way.value} for way in self.ways.items if way.name == "weights" and way.model}
        listed = [{"id": pattern, "object": "model"} | told.get(pattern, {}) for pattern in patterns]
        return ResponsePlan(200, _encode({"data": listed}) if patterns else self.catalogue.listing(told), {})

    def props(self) -> ResponsePlan:
        """The answer of `GET /props`, as far as llama-server's is of interest."""
        ways = self.ways.of("")
        if not ways.has("props") and not ways.has("weights"):
            return NOTHING_THERE
        context = next(filter(None, map(ways.number, _SLOTS_CONTEXT)), CONTEXT_TOKENS)
        lost = ways.values("loses")
        caps = {"supports_system_role": "system", "supports_tools": "tools", "supports_tool_calls": "arguments"}
        told = {
            "default_generation_settings": {"n_ctx": int(context)},
            "total_slots": int(ways.number("props") or 1),
            "model_path": ways.value("weights"),
            "chat_template": _TEMPLATE,
            "chat_template_caps": {name: part not in lost for name, part in caps.items()},
        }
        return ResponsePlan(200, _encode(told), {})

    def _answered(
        self, asked: ParsedRequest, model: ServedModel, fault: str, metadata: bool, ways: Ways
    ) -> ResponsePlan:
        said = draft(asked, model, fault, self._settings.merits, ways)
        usage = self._charged(asked, model, said)
        whole = _completion(asked, said, _usage(usage))
        if ways.items:
            _put_in_ways(ways, whole)
            self._tell_usage(ways, whole, asked, usage)
        if ways.has("body"):
            return texted(foreign(ways.value("body"), said.content or "", asked.model))._replace(usage=usage)
        if ways.has("plain"):  # without what only a router tells
            del whole["provider"]
            for name in ("cost", "is_byok", "cost_details"):
                whole.get("usage", {}).pop(name, None)
        elif metadata:
            whole["openrouter_metadata"] = _metadata(asked.model, altered=fault == "altered")
        hollow: Json | None = None  # a 200 in which no answer came
        if fault == "error-in-200":
            hollow = {"error": streams.BROKEN_OFF}
        if fault in _HOLLOW:
            hollow = whole | {"choices": _HOLLOW[fault], "usage": _usage(Usage())}
        body = _encode(hollow or whole)
        streamed = asked.stream and "ignored" not in ways.values("stream") and fault != "malformed"
        return ResponsePlan(
            200,
            b"<!-- upstream --> " + body[:-1] if fault == "malformed" else body,  # as of a proxy that spoke in between
            headers={},
            usage=Usage() if hollow else usage,
            seconds=self._latency(asked.conversation),
            fault=fault,
            manner=_MANNERS.get(fault, "send"),
            events=tuple(streams.events(hollow or whole, ways, with_usage=asked.with_usage)) if streamed else (),
            pace_s=1 / ways.number("pace") if ways.has("pace") else 0.0,
            silent="silent" in ways.values("stream"),
        )

    def _tell_usage(self, ways: Ways, whole: Json, asked: ParsedRequest, usage: Usage) -> None:
        """Replace the honest usage of a response by what the server tells of it."""
        kind, prompt = ways.value("usage"), usage.prompt_tokens
        if kind == "none":
            del whole["usage"]
            return
        if kind == "rounded":
            prompt = math.ceil(prompt / _ROUNDED) * _ROUNDED
        if kind == "cached":
            shared = (os.path.commonprefix([asked.prompt, known]) for known in self._prompts)  # noqa: RUF071 -- texts
            prompt = max(tokens(len(asked.prompt) - max(map(len, shared), default=0)), 1)  # the last is read anew
            self._prompts.append(asked.prompt)
        told = Usage() if kind == "zero" else msgspec.structs.replace(usage, prompt_tokens=prompt)
        whole["usage"] = _usage(told)

    def _charged(self, asked: ParsedRequest, model: ServedModel, said: AnswerDraft) -> Usage:
        """Tokens of an answer and what it costs its reader in total, in dollars."""
        prompt, completion = tokens(len(asked.prompt)), max(said.tokens, 1)  # that it ends is a token too
        billed = (prompt, completion)
        if self._settings.bill == "max":
            billed = (math.ceil(prompt * _BILL_MAX_PROMPT), asked.budget or completion)
        cost = (billed[0] * model.price.prompt + billed[1] * model.price.completion) / 1e6
        return Usage(prompt, completion, tokens(len(said.reasoning)), cost_usd=cost)


def texted(said: WireText) -> ResponsePlan:
    """A response that is no completion."""
    return ResponsePlan(said.status, said.body.encode(), {}, content_type=said.type)


def error(status: int, message: str, kind: object) -> ResponsePlan:
    """A refusal that says nothing of a model."""
    told = {"code": status, "message": message, "metadata": {"error_type": kind}}
    return ResponsePlan(status, _encode({"error": told}), {})


NOTHING_THERE: Final = error(
    404, "There is nothing at this path. Try /v1/models, /v1/key, /v1/chat/completions or /v1/responses.", "not_found"
)


def _completion(asked: ParsedRequest, said: AnswerDraft, usage: Json) -> Json:
    """A whole response."""
    message: Json = {"role": "assistant", "content": said.content}
    if said.reasoning:
        detail = {"text": said.reasoning, "type": "reasoning.text", "format": "unknown", "index": 0}
        message |= {"reasoning": said.reasoning, "reasoning_details": [detail]}
    if said.call:
        message["tool_calls"] = [ToolCall(f"call_{asked.conversation[24:46]}00", said.call)]
    return {
        "id": f"gen-{asked.conversation[:24]}",
        "provider": PROVIDER,
        "model": asked.model,
        "object": "chat.completion",
        "created": int(time.time()),
        "choices": [_choice(message, said.finish)],
        "usage": usage,
    }


def _put_in_ways(ways: Ways, whole: Json) -> None:
    """Make a whole response one that a server of these ways writes."""
    choice = whole["choices"][0]
    message = choice["message"]
    if ways.has("signatures") and "tool_calls" in message:
        mark = {"extra_content": {"google": {"thought_signature": f"sig-{whole['id']}"}}}
        message["tool_calls"] = [msgspec.to_builtins(call) | mark for call in message["tool_calls"]]
    if ways.value("ending") == "error":
        choice["error"] = streams.BROKEN_OFF


def _choice(message: Json, finish: str | None) -> Json:
    return {"message": message, "finish_reason": finish, "native_finish_reason": finish, "index": 0}


def _usage(usage: Usage) -> Json:
    return {
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "total_tokens": usage.prompt_tokens + usage.completion_tokens,
        "cost": usage.cost_usd,
        "is_byok": False,
        "prompt_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        "cost_details": {"upstream_inference_cost": None},
    }


_NOTHING = {"role": "assistant", "content": ""}
_HOLLOW = {
    "error-choice": [_choice(_NOTHING, "error") | {"error": streams.BROKEN_OFF}],
    "null-choices": None,
    "empty": [_choice(_NOTHING, None)],
}


def _metadata(model: str, altered: bool) -> Json:
    """What the router did to a request; `altered` says that it compressed the prompt."""
    stage = {"type": "context_compression", "name": "context-compression", "summary": "The prompt was shortened."}
    served = {"provider": PROVIDER, "model": model}
    return {
        "requested": model,
        "strategy": "direct",
        "attempt": 1,
        "endpoints": {"total": 1, "available": [{**served, "selected": True}]},
        "attempts": [{**served, "status": 200}],
        "pipeline": [stage] if altered else [],
    }
