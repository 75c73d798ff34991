"""Plain answers: readable text in the content, or in one call of the offered tool, and at most reasoning beside it.

Nearly every response is one. A few exact looks tell, and what the general way makes of it (`wire.shorten`, then
`extract.extract` and `extract.masked`) is written down at once. Whatever else a message holds goes the general way.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from independence.clients.cleaning import readable, safe
from independence.clients.extract import Extracted, suspicious
from independence.clients.wire import WireCall, WireMessage, encoded_size
from independence.types import FunctionCall, Tool, ToolCall

_DECODER = msgspec.json.Decoder()


def plain(message: WireMessage, tool: Tool | None, limit: int, secret: str) -> Extracted | None:
    """The answer, if it is plain, no part is longer than `limit` and none holds the secret; else None."""
    if message.refusal or message.function_call is not None:
        return None
    reasoning = _thought(message, limit)
    if reasoning is None or (secret and secret in reasoning):
        return None
    calls = message.tool_calls
    if calls:
        own = tool is not None and tool.parameter and len(calls) == 1
        found = _called(calls[0], message.content, tool, limit) if tool is not None and own else None
    else:
        text = _bare(message.content, tool if tool is not None and tool.parameter else None, limit)
        found = Spoken(text) if text else None
    if found is None or (secret and any(secret in part for part in found)):
        return None
    made = (ToolCall(found.call_id, FunctionCall(found.name, found.arguments)),) if calls else ()
    return Extracted(
        found.text, "tool" if calls else "content", thinking=found.thinking, reasoning=reasoning, tool_calls=made
    )


def _thought(message: WireMessage, limit: int) -> str | None:
    """Reasoning that came apart from the answer, as one text; None where it came in any other way, or too long."""
    first, second, details = message.reasoning, message.reasoning_content, message.reasoning_details
    text = first or second
    if not text:
        return None if details or message.thinking else ""
    if type(text) is not str or len(text) > limit or message.thinking:
        return None
    if second and (type(second) is not str or len(second) > limit):
        return None
    if details and (type(details) is not list or encoded_size(details) > limit):  # they say the same
        return None
    return safe(text.strip())[0] or None


class Spoken(NamedTuple):
    """What was said, and the call that it was said with."""

    text: str
    thinking: str = ""
    call_id: str = ""
    name: str = ""
    arguments: str = ""


def _called(call: WireCall, content: object, tool: Tool, limit: int) -> Spoken | None:
    """What was said through the tool. Content next to a call is private."""
    function = call.function
    if function is None or function.name != tool.name or type(function.arguments) is not str:
        return None
    thinking = "" if content is None else _bare(content, None, limit)
    text = _said(function.arguments, tool, limit - len(tool.name))
    if thinking is None or text is None:
        return None
    call_id = safe(call.id)[0] if isinstance(call.id, str) else ""
    return Spoken(text, thinking, call_id, safe(tool.name)[0], function.arguments)


def _said(arguments: str, tool: Tool, limit: int) -> str | None:
    """The message in arguments that are the promised object; None where they are anything else.

    What decodes as JSON here holds no lone surrogates, and no NUL that is not escaped.
    """
    if len(arguments) > limit:
        return None
    try:
        value = _DECODER.decode(arguments)
    except (ValueError, RecursionError):
        return None
    said = value.get(tool.parameter) if type(value) is dict else None
    if type(said) is not str or "\0" in said:
        return None
    text = said.strip()
    return text if text and readable(text) and not suspicious(text, tool) else None


def _bare(content: object, tool: Tool | None, limit: int) -> str | None:
    """Content without the space around it; None where it is no text, or one to be cut or cleaned."""
    if type(content) is not str or len(content) > limit or safe(content)[1] or suspicious(content, tool):
        return None
    return content.strip()
