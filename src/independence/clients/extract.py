"""The answer in a message: through the tool or in plain content, with private content and reasoning kept apart.

Reasoning is moved out of the text; template tokens, leaked calls and API keys are removed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from typing import Final, Literal, NamedTuple

from msgspec import UNSET

from independence.clients import protocol
from independence.clients.bodies import text_of
from independence.clients.cleaning import (
    find_leak,
    goes_on,
    joined,
    message_of,
    readable,
    safe,
    split_thinking,
    union,
    without_debris,
    without_tokens,
)
from independence.clients.foreign_turns import without_foreign_turn
from independence.clients.messages import WireCall, WireFunction, WireMessage
from independence.clients.wire import encoded_size
from independence.types import FunctionCall, Tool, ToolCall

_PASSES = 20  # layers of wrapping
_SHORTEST_KEY: Final = 8
_LONG_KEY: Final = 20
_LARGEST_EXTRA: Final = 64_000  # bytes of what a model wants back with a call

Channel = Literal["tool", "content"]


class Extracted(NamedTuple):
    """What a message holds, every string valid UTF-8. `text` is empty when there is no answer in it."""

    text: str
    channel: Channel = "content"
    raw: str = ""  # what the text came from, where cleaning changed it
    thinking: str = ""  # written ahead of a call: private content
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    flags: tuple[str, ...] = ()


def extract(message: WireMessage, tool: Tool | None) -> Extracted:
    """Find the answer. The first call of the offered tool with a readable message wins, then content. Never raises."""
    if tool is not None and not tool.parameter:
        tool = None  # it only hears; what is said is in the content
    calls = [(call, call.function) for call in message.tool_calls or () if call.function is not None]
    if not calls and message.function_call is not None:
        calls = [(WireCall(), message.function_call)]
    parts = message.content if isinstance(message.content, list) else [message.content]
    content, private = (joined([_part(p) for p in parts if _is_reasoning(p) is own]) for own in (False, True))
    stated = (message.reasoning, message.reasoning_content, message.thinking, message.reasoning_details)
    native = next((text for value in stated if (text := _part(value).strip())), private)
    called = _called(calls, tool) if tool and calls else None
    # Next to a real call, content is private whatever it looks like; alone, a call may have leaked into it.
    body = clean(content, None if called else tool)
    kept = tuple(_kept(call, function) for call, function in calls)
    if called is not None:
        return called._replace(
            thinking=joined([body.text, called.thinking]),
            reasoning=_reasons(native, body.reasoning, called.reasoning),
            tool_calls=kept,
            flags=union(called.flags, (protocol.BAD_TEXT,)) if protocol.BAD_TEXT in body.flags else called.flags,
        )
    stubs = (message_of(own.arguments, tool.parameter) for _, own in calls if own.name == tool.name) if tool else ()
    if stub := next((stub for stub in stubs if stub is not None), None):  # a brace or a colon instead of a message
        return Extracted(safe(stub.text)[0], "tool", thinking=body.text, reasoning=safe(native)[0], tool_calls=kept)
    if not body.text and (refusal := safe(text_of(message.refusal).strip())[0]):
        body = body._replace(text=refusal, flags=union(body.flags, (protocol.REFUSAL_FIELD,)))
    raw = safe(content)[0] if content.strip() not in (body.text, "") else ""
    return body._replace(raw=raw, reasoning=_reasons(native, body.reasoning), tool_calls=kept)


def _reasons(native: str, *found: str) -> str:
    """Native reasoning, then what was found in the text, unless it only repeats it."""
    return safe(joined([native, *(r for r in found if r and r != native)]))[0]


def _called(calls: list[tuple[WireCall, WireFunction]], tool: Tool) -> Extracted | None:
    own = [function.arguments for _, function in calls if function.name == tool.name]
    foreign = [function.arguments for _, function in calls if function.name != tool.name]
    # A misspelt name still carries the message; a call of something else has no such parameter.
    near = [a for a in foreign if tool.parameter in (a if isinstance(a, dict | str) else ())]
    heard = [
        (at, arguments, found)
        for at, arguments in enumerate((*own, *near))
        if (found := message_of(arguments, tool.parameter)) is not None and readable(found.text)
    ]
    if not heard:
        return None
    _, arguments, found = heard[0]
    cleaned = clean(found.text, tool)
    marks = union(found.flags, cleaned.flags)
    raw = _argument_text(arguments) if marks or cleaned.text != found.text else ""
    if foreign:
        marks = (*marks, protocol.FOREIGN_TOOL)
    if sum(at < len(own) for at, _, _ in heard) > 1:
        marks = (*marks, protocol.SEVERAL_CALLS)
    return Extracted(cleaned.text, "tool", raw, cleaned.thinking, cleaned.reasoning, flags=marks)


def _argument_text(arguments: object) -> str:
    if isinstance(arguments, str):
        return safe(arguments)[0]
    try:
        return safe(json.dumps(arguments, ensure_ascii=False))[0]
    except (ValueError, RecursionError):
        return ""


def _kept(call: WireCall, function: WireFunction) -> ToolCall:
    arguments = "" if function.arguments is None else _argument_text(function.arguments)
    extra = call.extra_content
    small = isinstance(extra, dict) and extra and encoded_size(extra) <= _LARGEST_EXTRA
    named = FunctionCall(safe(text_of(function.name))[0], arguments)
    return ToolCall(safe(text_of(call.id))[0], named, extra_content=extra if small else UNSET)


def _is_reasoning(part: object) -> bool:
    return isinstance(part, dict) and part.get("type") in ("thinking", "reasoning")


def _part(part: object, depth: int = 4) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, list) and depth:
        return joined([_part(p, depth - 1) for p in part])
    if isinstance(part, dict) and depth:
        return next((t for name in ("text", "thinking", "summary") if (t := _part(part.get(name), depth - 1))), "")
    return ""


def clean(text: str, tool: Tool | None) -> Extracted:
    """Remove everything that is not part of the answer. `tool` was offered: calls to it may have leaked into the text.

    The text of the result cleans to itself, encodes as UTF-8 and has no space at its ends. Never raises.
    """
    text, changed = safe(text)
    out = Extracted(text.strip(), flags=(protocol.BAD_TEXT,) if changed else ())
    for _ in range(_PASSES):
        cleaner = _pass(out, tool)
        if cleaner.text == out.text:
            break
        out = cleaner
    return out


def _pass(before: Extracted, tool: Tool | None) -> Extracted:
    part = split_thinking(before.text)
    out = before._replace(
        text=part.answer,
        reasoning=joined([before.reasoning, part.thinking]),
        flags=union(before.flags, (protocol.TEMPLATE_TOKENS,) if part.template else ()),
    )
    own = without_foreign_turn(part.answer)
    if own != part.answer:  # before its calls are looked for, or one in the reply to that turn would be the answer
        return out._replace(text=own, flags=union(out.flags, (protocol.FOREIGN_TURN,)))
    leak = find_leak(part.answer, tool) if tool else None
    if leak:
        return out._replace(
            text=leak.text.strip(), thinking=joined([out.thinking, leak.before]), flags=union(out.flags, leak.flags)
        )
    for remover, mark in ((without_tokens, protocol.TEMPLATE_TOKENS), (without_debris, protocol.TOOL_SYNTAX)):
        bare = remover(part.answer).strip()
        if bare != part.answer:
            ended = mark == protocol.TEMPLATE_TOKENS and goes_on(part.answer)
            return out._replace(text=bare, flags=union(out.flags, (mark, *[protocol.FOREIGN_TURN] * ended)))
    return out


def without_secrets(secrets: Iterable[str]) -> Callable[[str], str]:
    """A function that removes keys from texts, also percent-encoded. A key that is an ordinary word is no secret."""
    digit = re.compile(r"\d")
    found = [one for one in secrets if len(one) >= (_SHORTEST_KEY if digit.search(one) else _LONG_KEY)]
    found.sort(key=len, reverse=True)  # or the end of one that begins like another would stay
    if not found:
        return str
    anyhow = re.compile("|".join("".join(map(_encoded_or_not, secret)) for secret in found))
    return lambda text: anyhow.sub("[key]", text)


def _encoded_or_not(sign: str) -> str:
    """What matches a sign as it is and as it stands in an address."""
    if sign.isascii() and sign.isalnum():
        return sign
    return f"(?:{re.escape(sign)}|(?i:{''.join(f'%{byte:02x}' for byte in sign.encode())}))"


def masked(found: Extracted, clean: Callable[[str], str]) -> Extracted:
    """The answer with every text cleaned, and flagged where that changed it."""
    calls = []
    for call in found.tool_calls:
        extra = call.extra_content
        if extra is not UNSET and clean(text := json.dumps(extra)) != text:
            extra = UNSET
        function = FunctionCall(clean(call.function.name), clean(call.function.arguments))
        calls.append(ToolCall(clean(call.id), function, extra_content=extra))
    out = found._replace(
        text=clean(found.text), raw=clean(found.raw), thinking=clean(found.thinking), reasoning=clean(found.reasoning),
        tool_calls=tuple(calls),
    )  # fmt: skip
    return out if out == found else out._replace(flags=union(found.flags, (protocol.KEY_REMOVED,)))
