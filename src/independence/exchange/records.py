"""One published response file as typed values. Unknown keys are ignored, absent ones have defaults."""

from __future__ import annotations

from typing import Any

import msgspec

from independence.types import FunctionCall, ToolCall, Usage


class Metadata(msgspec.Struct, frozen=True, gc=False):
    """Where the file says it came from. The path decides; only `model` and `timestamp` are read."""

    model: str = ""
    timestamp: str = ""


class Cost(msgspec.Struct, frozen=True, gc=False):
    """Tokens, dollars and seconds, summed by the publisher over the attempts that reached it."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0
    elapsed_seconds: float = 0.0
    judge_model: str = ""

    @property
    def usage(self) -> Usage:
        """The same without the time."""
        return Usage(self.prompt_tokens, self.completion_tokens, cost_usd=self.cost_usd)


class PublishedFunction(msgspec.Struct, frozen=True, gc=False):
    """A tool call's function; models leave either half out."""

    name: str | None = None
    arguments: str | None = None


class PublishedCall(msgspec.Struct, frozen=True, gc=False):
    """A tool call as it was stored."""

    id: str | None = None
    function: PublishedFunction = PublishedFunction()

    def typed(self) -> ToolCall:
        """The same in our own type, absent parts as empty text."""
        return ToolCall(self.id or "", FunctionCall(self.function.name or "", self.function.arguments or ""))


class Record(msgspec.Struct, frozen=True):
    """A response file. `finish_reason` UNSET: an older writer, which did not keep it."""

    response: str | None
    metadata: Metadata = Metadata()
    request_messages: msgspec.Raw = msgspec.Raw(b"[]")
    gen_cost: Cost | None = None
    judge_scores: dict[str, Any] | None = None
    judge_cost: Cost | None = None
    judge_raw_response: str | None = None
    finish_reason: str | msgspec.UnsetType | None = msgspec.UNSET
    response_tool_calls: tuple[PublishedCall, ...] | None = None
    reasoning_content: str | None = None
    content_thinking: str | None = None

    @property
    def text(self) -> str:
        """The answer, blank where none was stored."""
        return (self.response or "").strip()


_DECODER = msgspec.json.Decoder(Record)


def decode(content: bytes) -> Record | None:
    """Read a response file; None where it is not JSON or not of this shape."""
    try:
        return _DECODER.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
