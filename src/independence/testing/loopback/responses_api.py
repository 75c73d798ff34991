"""OpenAI's Responses API on the same answers: a request as the chat completion request that it stands for, and back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from independence.testing.loopback.responses import ResponsePlan
from independence.testing.loopback.wire import CHARACTERS_PER_TOKEN, BadRequest

Json = dict[str, Any]

_SAME: Final = ("model", "temperature", "top_p", "stream", "seed", "user")
_CUT: Final = {"length": "max_output_tokens", "content_filter": "content_filter"}

_EMPTY: Final[dict[str, Json]] = {"message": {"content": []}, "function_call": {"arguments": ""}}  # as items begin


def chat_request(raw: bytes) -> bytes:
    """The body of a request as that of a chat completion. Raises BadRequest."""
    try:
        asked = msgspec.json.decode(raw)
        body: Json = {name: asked[name] for name in _SAME if asked.get(name) is not None}
        body["messages"] = list(_messages(asked))
        if asked.get("tools"):
            body["tools"] = [{"type": "function", "function": tool} for tool in asked["tools"] if "name" in tool]
        choice = asked.get("tool_choice")
        if choice is not None:
            body["tool_choice"] = choice if isinstance(choice, str) else {"type": "function", "function": choice}
        if asked.get("max_output_tokens") is not None:
            body["max_completion_tokens"] = asked["max_output_tokens"]
        if effort := (asked.get("reasoning") or {}).get("effort"):
            body["reasoning_effort"] = effort
        form = (asked.get("text") or {}).get("format") or {}
        if form.get("type") == "json_schema":
            body["response_format"] = {"type": "json_schema", "json_schema": form}
    except msgspec.DecodeError as error:
        raise BadRequest(f"the body is not JSON: {error}") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise BadRequest(f"not a request of the Responses API: {error}") from None
    return msgspec.json.encode(body)


def _messages(asked: Json) -> Iterator[Json]:
    """The messages of a request; calls of tools belong to the answer before them."""
    if asked.get("instructions"):
        yield {"role": "system", "content": asked["instructions"]}
    given = asked.get("input") or []
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    said: Json | None = None
    for item in items:
        kind = item.get("type", "message")
        if kind == "function_call":
            said = said or {"role": "assistant", "content": None, "tool_calls": []}
            function = {"name": item["name"], "arguments": item["arguments"]}
            said["tool_calls"].append({"id": item["call_id"], "type": "function", "function": function})
            continue
        if said is not None and kind != "reasoning":
            yield said
            said = None
        if kind == "function_call_output":
            yield {"role": "tool", "tool_call_id": item["call_id"], "content": _text(item["output"])}
        elif kind == "message":
            role = "system" if item["role"] == "developer" else item["role"]
            message = {"role": role, "content": _text(item["content"])}
            if role == "assistant":
                said = message | {"tool_calls": []}
            else:
                yield message
    if said is not None:
        yield said


def _text(content: str | list[Json]) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def answered(plan: ResponsePlan) -> ResponsePlan:
    """What is sent in place of a chat completion; a refusal, and what is none, stays as it is."""
    try:
        whole = msgspec.json.decode(plan.body)
    except msgspec.DecodeError:
        return plan
    if plan.status != 200 or not isinstance(whole, dict) or not whole.get("choices"):
        return plan._replace(events=())
    response = _response(whole)
    events = tuple(_numbered(_events(response))) if plan.events else ()
    return plan._replace(body=msgspec.json.encode(response), events=events)


def _response(whole: Json) -> Json:
    choice, usage = whole["choices"][0], whole.get("usage") or {}
    cut = _CUT.get(choice.get("finish_reason") or "")
    name = whole["id"].removeprefix("gen-")
    return {
        "id": f"resp_{name}", "object": "response", "created_at": whole["created"], "model": whole["model"],
        "status": "incomplete" if cut else "completed", "error": None, "instructions": None, "metadata": {},
        "incomplete_details": {"reason": cut} if cut else None, "output": list(_output(choice["message"], name)),
        "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "temperature": None, "top_p": None,
        "usage": {
            "input_tokens": usage.get("prompt_tokens", 0), "output_tokens": usage.get("completion_tokens", 0),
            "total_tokens": usage.get("total_tokens", 0),
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens_details": usage.get("completion_tokens_details") or {"reasoning_tokens": 0},
        },
    }  # fmt: skip


def _output(message: Json, name: str) -> Iterator[Json]:
    """The items of an answer: its reasoning, its text, its calls."""
    if message.get("reasoning"):
        summary = [{"type": "summary_text", "text": message["reasoning"]}]
        yield {"id": f"rs_{name}", "type": "reasoning", "summary": summary, "status": "completed"}
    if message.get("content"):
        text = {"type": "output_text", "text": message["content"], "annotations": []}
        yield {"id": f"msg_{name}", "type": "message", "role": "assistant", "status": "completed", "content": [text]}
    for call in message.get("tool_calls") or ():
        about = {"id": f"fc_{name}", "type": "function_call", "call_id": call["id"], "status": "completed"}
        yield about | call["function"]


def _events(response: Json) -> Iterator[Json]:
    begun = response | {"status": "in_progress", "output": [], "usage": None, "incomplete_details": None}
    yield {"type": "response.created", "response": begun}
    for place, item in enumerate(response["output"]):
        at = {"output_index": place, "item_id": item["id"]}
        opened = item | _EMPTY.get(item["type"], {}) | {"status": "in_progress"}
        yield {"type": "response.output_item.added", "output_index": place, "item": opened}
        if item["type"] == "message":
            (part,) = item["content"]
            of = at | {"content_index": 0}
            yield of | {"type": "response.content_part.added", "part": part | {"text": ""}}
            for piece in _pieces(part["text"]):
                yield of | {"type": "response.output_text.delta", "delta": piece, "logprobs": []}
            yield of | {"type": "response.output_text.done", "text": part["text"], "logprobs": []}
            yield of | {"type": "response.content_part.done", "part": part}
        if item["type"] == "function_call":
            for piece in _pieces(item["arguments"]):
                yield at | {"type": "response.function_call_arguments.delta", "delta": piece}
            whole = {"arguments": item["arguments"], "name": item["name"]}
            yield at | {"type": "response.function_call_arguments.done", **whole}
        yield {"type": "response.output_item.done", "output_index": place, "item": item}
    yield {"type": f"response.{response['status']}", "response": response}


def _pieces(text: str) -> list[str]:
    return [text[at : at + CHARACTERS_PER_TOKEN] for at in range(0, len(text), CHARACTERS_PER_TOKEN)]


def _numbered(events: Iterator[Json]) -> Iterator[bytes]:
    for number, event in enumerate(events):
        data = msgspec.json.encode(event | {"sequence_number": number}).decode()
        yield f"event: {event['type']}\ndata: {data}\n\n".encode()
