"""Published response files as typed values, and the anomalies that they show.

Unknown keys are ignored, absent ones have defaults. `catalogue` lists every kind of anomaly. Where the clients of this
package know the same oddity, its flag and its definition are theirs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from independence.clients import protocol
from independence.clients.cleaning import artefact
from independence.config import documents
from independence.exchange.sent_requests import PublishedCall, PublishedRequest
from independence.judge.replies import non_answers
from independence.suites.schema import Suite
from independence.types import Usage

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


def broken_history(
    seen: PublishedRequest, before: Sequence[str], current: Mapping[str, PublishedRequest], stored: Mapping[str, str]
) -> list[str]:
    """Flags for a history that does not match what is stored now.

    `before` are the ids of the turns that should have been shown, in order; `current` and `stored` hold, by turn id,
    the request and the answer of every file of the same run. Turns without a file are not judged, nor is what no file
    asks, as scripted turns.
    """
    expected = [turn for turn in before if turn in stored]
    asked: dict[str, list[str]] = {}
    for turn in expected:
        asked.setdefault(current[turn].question, []).append(turn)
    history, questions = seen.exchanges[:-1], {request.question for request in current.values()}
    due = sum(past.human in questions for past in history)
    replayed = [(asked[past.human].pop(0), past.answer or "") for past in history if asked.get(past.human)]
    flags = []
    if [turn for turn, _ in replayed] != expected or due != len(expected):
        flags.append(SCRAMBLED)
    if any(not answer.strip() for _, answer in replayed):
        flags.append(EMPTY)
    if any(answer.strip() != stored[turn] for turn, answer in replayed):
        flags.append(STALE)
    return flags


def reply_flags(file: ResponseFile, request: PublishedRequest, suite: Suite) -> list[str]:
    """Flags of one response file, in the catalogue's order."""
    remains = artefact(file.text, request.greeting)
    of_text = {*non_answers.of_text(file.text, suite.language == "en", request.tool)}
    of_text |= {{"punctuation": "artefact", "greeting": "greeting_echo"}.get(remains or "", "")}
    finish, cost = file.finish_reason, file.gen_cost
    tools = [call.function.name for call in file.response_tool_calls or ()]
    produced = cost.completion_tokens if cost else 0
    found = {
        OLD_PROMPT: finish is msgspec.UNSET,
        "odd_finish": finish in ("error", None) or (cost is not None and cost.prompt_tokens + produced == 0),
        "finish_without_call": finish == "tool_calls" and not tools,
        protocol.FOREIGN_TOOL: any(name != request.tool for name in tools),
        "summed_attempts": produced > suite.delivery.max_tokens,
        protocol.TRUNCATED: finish == "length",
        protocol.SEVERAL_CALLS: len(tools) > 1,
    }
    return [kind.flag for kind in catalogue() if kind.flag in of_text] + [
        flag for flag, there in found.items() if there
    ]


def record_flags(file: ResponseFile) -> tuple[str, ...]:
    """Flags that concern the file and say nothing about the answer."""
    model = file.metadata.model
    return (CUT_MODEL_ID,) if "+" in model or "--" in model else ()
