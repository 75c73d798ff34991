"""Published response files and the requests in them as typed values, and the anomalies that they show.

Unknown keys are ignored, absent ones have defaults. `catalogue` lists every kind of anomaly. Where the clients of this
package know the same oddity, its flag and its definition are theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from independence.clients import protocol
from independence.clients.cleaning import artefact
from independence.config import documents
from independence.judge.replies import non_answers
from independence.suites.schema import Suite
from independence.suites.script import Exchange
from independence.types import FunctionCall, ToolCall, Usage

SCRAMBLED = "scrambled_history"
EMPTY = "empty_history"
STALE = "stale_history"
OLD_PROMPT = "old_prompt"
CUT_MODEL_ID = "cut_model_id"
EMPTY_VERDICT = "empty_verdict"
ZERO_IDENTITY = "zero_identity"
VERDICT_EXTRAS = "verdict_extras"
STALE_CHAIN = "stale_chain"


class Anomaly(msgspec.Struct, frozen=True):
    """A kind of anomaly: its id, the flag that marks it, its definition, and what is counted."""

    id: str
    flag: str
    about: str
    unit: str  # files, verdicts, runs or configurations


@cache
def catalogue() -> tuple[Anomaly, ...]:
    """Every kind, in the order in which they are listed."""
    return documents.convert(documents.read(Path(__file__).with_name("anomalies.yaml")), tuple[Anomaly, ...])


class ResponseMetadata(msgspec.Struct, frozen=True, gc=False):
    """Where the file says it came from. The path decides; only `model` and `timestamp` are read."""

    model: str = ""
    timestamp: str = ""


class PublishedCost(msgspec.Struct, frozen=True, gc=False):
    """Tokens, dollars and seconds, summed by the publisher over the attempts that reached it."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float = 0.0
    elapsed_seconds: float = 0.0
    judge_model: str = ""

    @property
    def usage(self) -> Usage:
        """Tokens and dollars."""
        return Usage(self.prompt_tokens, self.completion_tokens, cost_usd=self.cost_usd)


class PublishedFunction(msgspec.Struct, frozen=True, gc=False):
    """The function of a tool call; models may leave out its name or its arguments."""

    name: str | None = None
    arguments: str | None = None


class PublishedCall(msgspec.Struct, frozen=True, gc=False):
    """A tool call as it was stored."""

    id: str | None = None
    function: PublishedFunction = PublishedFunction()

    def typed(self) -> ToolCall:
        """The call as a type of ours, absent parts as empty text."""
        return ToolCall(self.id or "", FunctionCall(self.function.name or "", self.function.arguments or ""))


class ResponseFile(msgspec.Struct, frozen=True):
    """A response file. `finish_reason` is UNSET in files of an older writer, which did not keep it."""

    response: str | None
    metadata: ResponseMetadata = ResponseMetadata()
    request_messages: msgspec.Raw = msgspec.Raw(b"[]")
    gen_cost: PublishedCost | None = None
    judge_scores: dict[str, Any] | None = None
    judge_cost: PublishedCost | None = None
    judge_raw_response: str | None = None
    finish_reason: str | msgspec.UnsetType | None = msgspec.UNSET
    response_tool_calls: tuple[PublishedCall, ...] | None = None
    reasoning_content: str | None = None
    content_thinking: str | None = None

    @property
    def text(self) -> str:
        """The answer, blank where none was stored."""
        return (self.response or "").strip()


class PublishedMessage(msgspec.Struct, frozen=True, gc=False):
    """One message of a published request."""

    role: str
    content: str | None = None
    tool_calls: tuple[PublishedCall, ...] | None = None


class PublishedRequest(NamedTuple):
    """A request, taken apart. The last exchange has no answer yet."""

    tool: str = ""  # name of the tool the subject speaks through; empty in `user_role`
    greeting: str = ""  # scripted first message; empty in `user_role`
    exchanges: tuple[Exchange, ...] = ()

    @property
    def question(self) -> str:
        """What the human said last."""
        return self.exchanges[-1].human if self.exchanges else ""


_MESSAGES = msgspec.json.Decoder(tuple[PublishedMessage, ...])
_ARGUMENTS = msgspec.json.Decoder(dict[str, Any])


def published_request(request: bytes) -> PublishedRequest:
    """Read a published request; empty where it cannot be read."""
    try:
        messages = _MESSAGES.decode(request)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return PublishedRequest()
    calls = [(one.tool_calls[0], one.content or "") for one in messages if one.role == "assistant" and one.tool_calls]
    if not calls:
        return PublishedRequest(exchanges=_paired(_texts(messages, "user"), _texts(messages, "assistant")))
    answers = [_message(call, content) for call, content in calls]
    return PublishedRequest(calls[0][0].function.name or "", answers[0], _paired(_texts(messages, "tool"), answers[1:]))


def broken_history(
    seen: PublishedRequest, before: Sequence[str], current: Mapping[str, PublishedRequest], stored: Mapping[str, str]
) -> list[str]:
    """Flags for a history that does not match what is stored now.

    `before` are the ids of the turns that should have been shown, in order; `current` and `stored` hold, by turn id,
    the request and the answer of every file of the same dialogue. Turns without a file are not judged.
    """
    expected = [turn for turn in before if turn in stored]
    asked: dict[str, list[str]] = {}
    for turn in expected:
        asked.setdefault(current[turn].question, []).append(turn)
    replayed = [(asked[past.human].pop(0), past.answer or "") for past in seen.exchanges[:-1] if asked.get(past.human)]
    flags = []
    if [turn for turn, _ in replayed] != expected:
        flags.append(SCRAMBLED)
    if any(not answer.strip() for _, answer in replayed):
        flags.append(EMPTY)
    if any(answer.strip() != stored[turn] for turn, answer in replayed):
        flags.append(STALE)
    return flags


def _texts(messages: Sequence[PublishedMessage], role: str) -> list[str]:
    return [message.content or "" for message in messages if message.role == role]


def _paired(humans: list[str], answers: list[str]) -> tuple[Exchange, ...]:
    pairs = zip_longest(humans, answers[: len(humans)])
    return tuple(Exchange(human, answer) for human, answer in pairs)


def _message(call: PublishedCall, content: str) -> str:
    """The text a scripted or replayed tool call carries: its one string argument.

    In a call without arguments, by which a subject only listens, the text is the content of the message.
    """
    try:
        arguments = _ARGUMENTS.decode(call.function.arguments or "{}")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    return next((value for value in arguments.values() if isinstance(value, str)), "") if arguments else content


def reply_flags(file: ResponseFile, request: PublishedRequest, suite: Suite) -> list[str]:
    """Flags of one response file, in the catalogue's order."""
    return _of_text(file.text, request, suite.language) + _of_finish(file, request, suite.delivery.max_tokens)


def record_flags(file: ResponseFile) -> tuple[str, ...]:
    """Flags that concern the file and say nothing about the answer."""
    model = file.metadata.model
    return (CUT_MODEL_ID,) if "+" in model or "--" in model else ()


def _of_text(text: str, request: PublishedRequest, language: str) -> list[str]:
    remains = artefact(text, request.greeting)
    found = {"artefact": remains == "punctuation", "greeting_echo": remains == "greeting"}
    own = non_answers.of_text(text, language == "en", request.tool)
    return [kind.flag for kind in catalogue() if found.get(kind.flag) or kind.flag in own]


def _of_finish(file: ResponseFile, request: PublishedRequest, max_tokens: int) -> list[str]:
    finish, cost = file.finish_reason, file.gen_cost
    names = [call.function.name for call in file.response_tool_calls or ()]
    produced = cost.completion_tokens if cost else 0
    found = {
        OLD_PROMPT: finish is msgspec.UNSET,
        "odd_finish": finish in ("error", None) or (cost is not None and cost.prompt_tokens + produced == 0),
        "finish_without_call": finish == "tool_calls" and not names,
        protocol.FOREIGN_TOOL: any(name != request.tool for name in names),
        "summed_attempts": produced > max_tokens,
        protocol.TRUNCATED: finish == "length",
        protocol.SEVERAL_CALLS: len(names) > 1,
    }
    return [flag for flag, there in found.items() if there]
