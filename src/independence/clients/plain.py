"""Plain answers: readable text and nothing else, in the content, or in one call of the offered tool.

Nearly every response is one. A few exact looks tell, and what the general way makes of it (`wire.shorten`, then
`extract.extract` and `extract.masked`) is written down at once. Whatever else a message holds goes the general way.
"""

from __future__ import annotations

import msgspec

from independence.clients.cleaning import readable, safe
from independence.clients.extract import Extracted, suspicious
from independence.clients.wire import WireCall, WireMessage
from independence.types import FunctionCall, Tool, ToolCall

_DECODER = msgspec.json.Decoder()


def plain(message: WireMessage, tool: Tool | None, limit: int, secret: str) -> Extracted | None:
    """The answer, if it is plain, no part is longer than `limit` and none holds the secret; else None."""
    if not (
        message.reasoning is None
        and message.reasoning_content is None
        and message.reasoning_details is None
        and message.thinking is None
        and message.refusal is None
        and message.function_call is None
    ):
        return None
    calls = message.tool_calls
    if calls:
        own = tool is not None and tool.parameter and len(calls) == 1
        return _called(calls[0], message.content, tool, limit, secret) if tool is not None and own else None
    text = _bare(message.content, tool if tool is not None and tool.parameter else None, limit)
    if not text or (secret and secret in text):
        return None
    return Extracted(text)


def _called(call: WireCall, content: object, tool: Tool, limit: int, secret: str) -> Extracted | None:
    """What was said through the tool. Content next to a call is private."""
    function, call_id = call.function, call.id
    thinking = "" if content is None else _bare(content, None, limit)
    if function is None or function.name != tool.name or thinking is None:
        return None
    arguments = function.arguments
    text = _said(arguments, tool, limit - len(tool.name)) if type(arguments) is str else None
    if text is None:
        return None
    call_id = safe(call_id)[0] if isinstance(call_id, str) else ""
    name = safe(tool.name)[0]
    if secret and (secret in arguments or secret in text or secret in call_id or secret in thinking or secret in name):
        return None
    return Extracted(text, "tool", "", thinking, "", (ToolCall(call_id, FunctionCall(name, arguments)),))


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
