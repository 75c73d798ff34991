"""A completion as a stream of events, in the forms that real servers give it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from independence.testing.loopback.ways import Ways
from independence.testing.loopback.wire import CHARACTERS_PER_TOKEN

Json = dict[str, Any]

_ABOUT: Final = ("id", "provider", "model", "created")
BROKEN_OFF: Final[Json] = {
    "code": 502,
    "message": "The provider broke off while it was answering.",
    "metadata": {"error_type": "provider_unavailable"},
}
# What stands in the place of the second half of an answer, by the value of `stream`.
_ENDS: Final[Mapping[str, Json | bytes]] = {
    "error-event": b'event: error\ndata: {"message": "The provider broke off while it was answering."}',
    "error-chunk": {"error": BROKEN_OFF, "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}]},
    "error-choice": {"choices": [{"index": 0, "delta": {}, "finish_reason": "error", "error": BROKEN_OFF}]},
}
_COMMENT: Final = b": still working"


def events(whole: Json, ways: Ways, *, with_usage: bool) -> list[bytes]:
    """The events of a completion, each with its empty line. `with_usage`: the client asked for it."""
    values, about = ways.values("stream"), {name: whole[name] for name in _ABOUT if name in whole}
    chunks: list[Json | bytes] = list(_chunks(whole, values))
    broken = next((_ENDS[value] for value in values if value in _ENDS), None)
    if broken is not None:
        chunks = [*chunks[: len(chunks) // 2], broken]
    usage = whole.get("usage")
    if usage is not None and "usage-each" in values:
        chunks = [chunk | {"usage": usage} if isinstance(chunk, dict) else chunk for chunk in chunks]
    elif usage is not None and with_usage and broken is None:
        chunks.append({"choices": [], "usage": usage})
    out = []
    for one in chunks:
        if "comments" in values:
            out.append(_COMMENT)
        if isinstance(one, bytes):
            out.append(one)
            continue
        data = b"data: " + msgspec.json.encode(about | {"object": "chat.completion.chunk"} | one)
        # A line may end wherever JSON has a blank.
        out.append(data.replace(b',"choices"', b',\ndata: "choices"', 1) if "crlf" in values else data)
    if "no-done" not in values:
        out.append(b"data: [DONE]")
    end = b"\r\n" if "crlf" in values else b"\n"
    return [one.replace(b"\n", end) + 2 * end for one in out]


def _chunks(whole: Json, values: list[str]) -> Iterator[Json]:
    """What the events hold, except for the last ones."""
    choice = (whole.get("choices") or [{}])[0]
    if "message" not in choice:  # an error, or nothing at all
        yield {name: value for name, value in whole.items() if name not in (*_ABOUT, "usage", "object")}
        return
    more = {name: value for name, value in whole.items() if name not in (*_ABOUT, "usage", "object", "choices")}
    yield _of({"role": "assistant", "content": ""})
    for name, value in choice["message"].items():
        if name == "tool_calls":
            yield from map(_of, _calls(value, values))
        elif isinstance(value, str) and name != "role":
            yield from (_of({name: piece}) for piece in _pieces(value))
    error = {"error": choice["error"]} if "error" in choice else {}
    yield more | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"], **error}]}


def _of(delta: Json) -> Json:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}


def _pieces(text: str) -> list[str]:
    return [text[at : at + CHARACTERS_PER_TOKEN] for at in range(0, len(text), CHARACTERS_PER_TOKEN)]


def _calls(calls: list[Any], values: list[str]) -> Iterator[Json]:
    """Tool calls as pieces of a message."""
    for index, call in enumerate(map(msgspec.to_builtins, calls)):
        if "whole-calls" in values:  # without index and id, as in Ollama and Gemini
            yield {"tool_calls": [{name: value for name, value in call.items() if name != "id"}]}
            continue
        begun = call | {"index": index, "function": call["function"] | {"arguments": ""}}
        yield {"tool_calls": [begun]}
        for piece in _pieces(call["function"]["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
