"""A model of Inspect AI as the clients of this package ask one: a request goes out as its messages, a reply comes back.

Inspect sends, retries what is transport, and counts. What is an answer, what is asked again, and what is taken off a
text is decided as everywhere in this package: what Inspect returns is read as the chat completion that it stands for.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    ResponseSchema,
)
from inspect_ai.tool import ToolCall as InspectCall
from inspect_ai.tool import ToolInfo, ToolParams
from inspect_ai.util import JSONSchema

from independence.clients import bodies, failures, features, limits, wire
from independence.clients.catalogue import resolve_effort
from independence.clients.client import OpenAIClient
from independence.clients.connection import AttemptLog
from independence.clients.failures import Failure
from independence.clients.limits import FREE, PacedCall
from independence.clients.protocol import Told
from independence.clients.transport import HttpResponse
from independence.clients.wire import Outcome
from independence.config.endpoints import Endpoint
from independence.config.subjects import OPENROUTER
from independence.types import Attempt, ChatRequest, Message, Tool

_COMPATIBLE = "openai-api"  # Inspect's name for any OpenAI-compatible service, which stands next in the name
# Of more than 16 KB it leaves out the middle: these count as no answer.
_UNPARSED = re.compile(
    r"Error parsing the following tool call arguments:\n\n((?:(?!\n\n\(arguments middle-truncated from ).)*)"
    r"\n\nError details: .*",
    re.DOTALL,
)
_FINISHES = {"max_tokens": "length", "model_length": "length", "unknown": None}


class ModelIdentity(NamedTuple):
    """A model of Inspect as subjects and judges of this package are called."""

    model_id: str
    endpoint: str
    model: str  # as the endpoint knows it


def identity(name: str) -> ModelIdentity:
    """From Inspect's name: `openrouter/V/M` is V/M, `openai-api/SERVICE/M` is SERVICE/M, else the provider stays."""
    provider, _, rest = name.partition("/")
    if provider == OPENROUTER:
        return ModelIdentity(rest, OPENROUTER, rest)
    if provider == _COMPATIBLE:
        service, _, model = rest.partition("/")
        return ModelIdentity(rest, service, model)
    return ModelIdentity(name, provider, rest)


class InspectClient(OpenAIClient):
    """A client that asks a model of Inspect. What Inspect raises is raised."""

    def __init__(self, model: Any) -> None:
        self.sending = InspectConnection(model)
        super().__init__(self.sending)


class InspectConnection:
    """One model of Inspect. Remembers which parameters its server rejects, and whether Inspect left one out."""

    def __init__(self, model: Any) -> None:
        self.endpoint = Endpoint(identity(str(model)).endpoint, "", "local")
        self.buckets = limits.Buckets(self.endpoint)
        self._model = model
        self._choices: dict[str, str] = {}
        self.sends_temperature = True  # as far as is known

    def notify(self, what: Told, /) -> None:
        """Inspect shows its own waits."""

    def paced(self, request: ChatRequest) -> PacedCall | None:
        """Inspect has its own rate limits."""
        return None

    def loops(self, text: str, /) -> bool:
        """Nothing is read before it is whole."""
        return False

    async def attempt(
        self, request: ChatRequest, log: AttemptLog, paced: PacedCall | None = None, *, whole: bool = False
    ) -> Outcome:
        """Ask once. Raises what Inspect raises, except for the rejection of a parameter that can be left out."""
        started, log.forms = time.perf_counter(), tuple(self._choices.values())
        tools = [_tool_info(request.tool)] if request.tool else []
        try:
            output = await self._model.generate(chat_messages(request.messages), tools, config=self._config(request))
        except Exception as error:  # noqa: BLE001 - each provider of Inspect has its own; what is not understood is raised
            self._leave_out(request, error)
            log.add(Attempt("400", time.perf_counter() - started, detail=str(error)[:200]))
            return Failure("400", again=True)
        self._watch(request)
        came, cost = wire.read(HttpResponse(200, {}, completion(output)), FREE, "")
        kind = came.kind if isinstance(came, Failure) else "ok"
        log.add(Attempt(kind, time.perf_counter() - started, cost.usage))
        return came

    def _watch(self, request: ChatRequest) -> None:
        """See by Inspect's record of a call whether it sent a temperature: to models that reason it may send none."""
        events = (event for event in reversed(transcript().events) if event.event == "model")
        call = getattr(next(events, None), "call", None)
        if request.sampling.temperature is not None and call is not None and call.request:
            self.sends_temperature = _states(call.request, "temperature")

    def _config(self, request: ChatRequest) -> Any:
        """What a request states. The rest is as Inspect was told on its command line."""
        schema = request.schema if "response_format" not in self._choices else None
        effort = None if "effort" in self._choices else resolve_effort(request.sampling.effort, None)
        return GenerateConfig(
            max_tokens=request.max_tokens,
            temperature=request.sampling.temperature,
            seed=request.seed,
            reasoning_effort=effort,
            response_schema=schema
            and ResponseSchema(name="reply", json_schema=JSONSchema.model_validate(schema), strict=True),
        )

    def _leave_out(self, request: ChatRequest, error: Exception) -> None:
        """Leave out what was refused from now on. Raises the error where it is about nothing of the kind."""
        status = getattr(error, "status_code", None)
        said = bodies.read_error({"message": str(error)})
        failure = failures.of_response(HttpResponse(status if isinstance(status, int) else 0, {}, b""), said, "")
        sent: dict[str, Any] = {"messages": request.messages}
        sent |= {"response_format": {}} if request.schema is not None else {}
        sent |= {"reasoning_effort": ""} if request.sampling.effort is not None else {}
        for feature in features.named(failure, sent):
            if feature.name in ("response_format", "effort") and feature.name not in self._choices:
                self._choices[feature.name] = feature.forms[-1].name
                return
        raise error


def _states(request: object, name: str) -> bool:
    """Whether a request has a parameter, at the top or in a part of it, as some providers have them."""
    return isinstance(request, dict) and (name in request or any(_states(part, name) for part in request.values()))


def chat_messages(messages: Sequence[Message]) -> list[Any]:
    """Messages of a request as Inspect has them."""
    names = {call.id: call.function.name for message in messages for call in message.tool_calls}
    return [_chat_message(message, names) for message in messages]


def _chat_message(message: Message, names: dict[str, str]) -> Any:
    text = message.content or ""
    if message.role == "system":
        return ChatMessageSystem(content=text)
    if message.role == "user":
        return ChatMessageUser(content=text)
    if message.role == "tool":
        called = message.tool_call_id or ""
        return ChatMessageTool(content=text, tool_call_id=called, function=names.get(called))
    calls = [
        InspectCall(id=call.id, function=call.function.name, arguments=_arguments(call.function.arguments))
        for call in message.tool_calls
    ]
    return ChatMessageAssistant(content=text, tool_calls=calls or None)


def _arguments(text: str) -> dict[str, object]:
    """As an object; what is none, as in requests of an import, under a key of its own."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"arguments": text}


def _tool_info(tool: Tool) -> Any:
    said = {tool.parameter: JSONSchema(type="string", description=tool.parameter_description)} if tool.parameter else {}
    return ToolInfo(
        name=tool.name, description=tool.description, parameters=ToolParams(properties=said, required=list(said))
    )


def completion(output: Any) -> bytes:
    """What a model of Inspect returned, as the chat completion that it stands for; without usage: zeros."""

    def spent(name: str) -> Any:
        return getattr(output.usage, name, None) or 0

    cached, finish = spent("input_tokens_cache_read"), _FINISHES.get(output.stop_reason, output.stop_reason)
    usage = {  # what came from a cache is part of a prompt, as everywhere but in Inspect
        "prompt_tokens": spent("input_tokens") + cached + spent("input_tokens_cache_write"),
        "completion_tokens": spent("output_tokens"),
        "completion_tokens_details": {"reasoning_tokens": spent("reasoning_tokens")},
        "prompt_tokens_details": {"cached_tokens": cached}, "cost": spent("total_cost"),
    }  # fmt: skip
    choices = [] if output.empty else [{"message": _message(output.message), "finish_reason": finish}]
    named = getattr(output, "response_id", None)  # Inspect keeps it since 0.3.280
    return msgspec.json.encode({"id": named, "model": output.model, "choices": choices, "usage": usage})


def _message(message: Any) -> dict[str, Any]:
    parts = [message.content] if isinstance(message.content, str) else message.content
    texts = [
        part if isinstance(part, str) else part.text for part in parts if isinstance(part, str) or part.type == "text"
    ]
    thoughts = [part.reasoning for part in parts if not isinstance(part, str) and part.type == "reasoning"]
    calls = [
        {"id": call.id, "function": {"name": call.function, "arguments": _sent_arguments(call)}}
        for call in message.tool_calls or ()
    ]
    return {"content": "\n".join(texts) or None, "reasoning": "\n".join(thoughts) or None, "tool_calls": calls or None}


def _sent_arguments(call: Any) -> str:
    """The arguments of a call as the model wrote them; of what Inspect could not parse it keeps them in its error."""
    unparsed = _UNPARSED.fullmatch(call.parse_error or "")
    return unparsed[1] if unparsed else json.dumps(call.arguments)
