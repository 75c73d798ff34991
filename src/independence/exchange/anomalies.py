"""The anomalies that published results may have, and how a response file shows each of them.

`catalogue` lists every kind. `responses` finds what only several files show. Where the clients of this package know the
same oddity, its flag and its definition are theirs.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from independence.clients import protocol
from independence.clients.cleaning import artefact
from independence.config import documents
from independence.exchange.responses import PublishedRequest, ResponseFile
from independence.judge.replies import non_answers
from independence.suites.schema import Suite

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
        "old_prompt": finish is msgspec.UNSET,
        "odd_finish": finish in ("error", None) or (cost is not None and cost.prompt_tokens + produced == 0),
        "finish_without_call": finish == "tool_calls" and not names,
        protocol.FOREIGN_TOOL: any(name != request.tool for name in names),
        "summed_attempts": produced > max_tokens,
        protocol.TRUNCATED: finish == "length",
        protocol.SEVERAL_CALLS: len(names) > 1,
    }
    return [flag for flag, there in found.items() if there]
