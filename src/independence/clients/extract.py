"""The answer in a message: through the tool or in plain content, with private content and reasoning kept apart."""

from __future__ import annotations

import json
from typing import Literal, NamedTuple

from independence.clients import flags
from independence.clients.arguments import Recovered, message_of
from independence.clients.clean import Cleaned, clean, safe, union
from independence.clients.thoughts import joined
from independence.clients.validity import readable
from independence.clients.wire import WireCall, WireMessage, text_of
from independence.types import FunctionCall, Tool, ToolCall

Channel = Literal["tool", "content"]


class Extracted(NamedTuple):
    """What a message holds, every string valid UTF-8. `text` is empty when there is no answer in it."""

    text: str
    channel: Channel = "content"
    raw: str = ""  # what the text came from, where cleaning changed it
    thinking: str = ""
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    flags: tuple[str, ...] = ()


class _Called(NamedTuple):
    said: Cleaned
    raw: str
    flags: tuple[str, ...]


def extract(message: WireMessage, tool: Tool | None) -> Extracted:
    """Find the answer. The first call of the offered tool with a readable message wins, then content. Never raises."""
    if tool is not None and not tool.parameter:
        tool = None  # it only hears; what is said is in the content
    calls = _calls(message)
    content, private = _content(message.content)
    native = _native_reasoning(message) or private
    called = _called(calls, tool) if tool and calls else None
    # Next to a real call, content is private whatever it looks like; alone, a call may have leaked into it.
    body = clean(content, None if called else tool)
    kept = tuple(_kept(call) for call in calls)
    if called is not None:
        return Extracted(
            text=called.said.text,
            channel="tool",
            raw=called.raw,
            thinking=joined([body.text, called.said.thinking]),
            reasoning=_reasons(native, body.reasoning, called.said.reasoning),
            tool_calls=kept,
            flags=union(called.flags, (flags.BAD_TEXT,)) if flags.BAD_TEXT in body.flags else called.flags,
        )
    if tool and (stub := _stub(calls, tool)):
        return Extracted(stub, "tool", thinking=body.text, reasoning=safe(native)[0], tool_calls=kept)
    if not body.text and (refusal := safe(text_of(message.refusal).strip())[0]):
        body = Cleaned(refusal, body.thinking, body.reasoning, union(body.flags, (flags.REFUSAL_FIELD,)))
    return Extracted(
        text=body.text,
        raw=safe(content)[0] if content.strip() not in (body.text, "") else "",
        thinking=body.thinking,
        reasoning=_reasons(native, body.reasoning),
        tool_calls=kept,
        flags=body.flags,
    )


def _reasons(native: str, *found: str) -> str:
    """Native reasoning, then what was found in the text, unless it only repeats it."""
    return safe(joined([native, *(r for r in found if r and r != native)]))[0]


def _calls(message: WireMessage) -> list[WireCall]:
    calls = [call for call in message.tool_calls or () if call.function is not None]
    if not calls and message.function_call is not None:
        calls = [WireCall(function=message.function_call)]
    return calls


def _called(calls: list[WireCall], tool: Tool) -> _Called | None:
    own = [c.function.arguments for c in calls if c.function and _is(c, tool)]
    foreign = [c.function.arguments for c in calls if c.function and not _is(c, tool)]
    found = _first(own, tool)
    if found is None:
        # A misspelt name still carries the message; a call of something else has no such parameter.
        found = _first([a for a in foreign if tool.parameter in (a if isinstance(a, dict | str) else ())], tool)
    if found is None:
        return None
    marks = list(found.flags)
    if foreign:
        marks.append(flags.FOREIGN_TOOL)
    if len(own) > 1 and sum(_message(a, tool) is not None for a in own) > 1:
        marks.append(flags.SEVERAL_CALLS)
    return found._replace(flags=tuple(marks))


def _is(call: WireCall, tool: Tool) -> bool:
    return call.function is not None and call.function.name == tool.name


def _first(candidates: list[object], tool: Tool) -> _Called | None:
    for arguments in candidates:
        found = _message(arguments, tool)
        if found is not None:
            return _cleaned(found, arguments, tool)
    return None


def _message(arguments: object, tool: Tool) -> Recovered | None:
    found = message_of(arguments, tool.parameter)
    return found if found is not None and readable(found.text) else None


def _stub(calls: list[WireCall], tool: Tool) -> str:
    """What was sent instead of a message: a brace, a colon."""
    stubs = (message_of(c.function.arguments, tool.parameter) for c in calls if _is(c, tool) and c.function)
    return next((safe(s.text)[0] for s in stubs if s is not None), "")


def _cleaned(found: Recovered, arguments: object, tool: Tool) -> _Called:
    said = clean(found.text, tool)
    marks = union(found.flags, said.flags)
    changed = bool(marks) or said.text != found.text
    return _Called(said, _argument_text(arguments) if changed else "", marks)


def _argument_text(arguments: object) -> str:
    if isinstance(arguments, str):
        return safe(arguments)[0]
    try:
        return safe(json.dumps(arguments, ensure_ascii=False))[0]
    except (ValueError, RecursionError):
        return ""


def _kept(call: WireCall) -> ToolCall:
    function = call.function
    name = text_of(function.name) if function else ""
    arguments = "" if function is None or function.arguments is None else _argument_text(function.arguments)
    return ToolCall(safe(text_of(call.id))[0], FunctionCall(safe(name)[0], arguments))


def _content(content: object) -> tuple[str, str]:
    """Content as text, and thoughts given as parts of it."""
    if content is None or isinstance(content, str):
        return content or "", ""
    parts = content if isinstance(content, list) else [content]
    said = [_part(p) for p in parts if not _is_thought(p)]
    thought = [_part(p) for p in parts if _is_thought(p)]
    return joined(said), joined(thought)


def _is_thought(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") in ("thinking", "reasoning")


def _part(part: object, depth: int = 4) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, list) and depth:
        return joined([_part(p, depth - 1) for p in part])
    if isinstance(part, dict) and depth:
        return next((t for name in ("text", "thinking", "summary") if (t := _part(part.get(name), depth - 1))), "")
    return ""


def _native_reasoning(message: WireMessage) -> str:
    for value in (message.reasoning, message.reasoning_content, message.thinking, message.reasoning_details):
        text = _part(value).strip()
        if text:
            return text
    return ""
