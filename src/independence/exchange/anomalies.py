"""The anomalies that published results may have, and how the files show each of them.

`CATALOGUE` lists every kind, under its id in the study of the published data where it has one. `reply_flags` finds
those that one response file shows by itself; `responses` and `summary` find what only several files show. Where the
clients of this package know the same oddity, its flag and its definition are theirs.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import msgspec

from independence.clients import flags
from independence.clients.text import artefact
from independence.exchange import responses
from independence.exchange.responses import PublishedRequest, ResponseFile
from independence.judge.replies import non_answers
from independence.suites.schema import Suite

Unit = Literal["files", "verdicts", "runs", "configurations"]

CUT_MODEL_ID = "cut_model_id"
EMPTY_VERDICT = "empty_verdict"
ZERO_IDENTITY = "zero_identity"
VERDICT_EXTRAS = "verdict_extras"
MISSING_DIMENSION = "missing_dimension"
MISSING_FILE = "missing_file"
SPLIT_RUN = "split_run"
UNREGISTERED = "unregistered"
NOT_IN_SET = "not_in_set"
STALE_CHAIN = "stale_chain"


class Anomaly(NamedTuple):
    """A kind of anomaly: its id, the flag that marks it, what is counted, and its definition."""

    id: str
    flag: str
    unit: Unit
    about: str


CATALOGUE = (
    Anomaly("A1", CUT_MODEL_ID, "files", "the stored model id still holds `+provider` or `--`"),
    Anomaly("A2", EMPTY_VERDICT, "verdicts", "the verdict is an empty object"),
    Anomaly("A3", ZERO_IDENTITY, "verdicts", "all three identity scores are 0"),
    Anomaly("A4", MISSING_DIMENSION, "runs", "a run without data for a dimension that its configuration has"),
    Anomaly("A5", MISSING_FILE, "files", "a turn file absent from a run in which every experiment has files"),
    Anomaly("A6", "artefact", "files", "nothing but punctuation"),
    Anomaly("A7", non_answers.SHORT, "files", f"fewer than {non_answers.SHORT_BELOW} characters"),
    Anomaly("A8", "greeting_echo", "files", "the scripted greeting came back as the answer"),
    Anomaly("A9", flags.TOOL_SYNTAX, "files", "the visible text names the tool"),
    Anomaly("A10", flags.TEMPLATE_TOKENS, "files", "control tokens of a chat template or tool markup in the text"),
    Anomaly("A11", responses.STALE, "files", "answered on an earlier turn 1 that has since been replaced"),
    Anomaly("A12", responses.SCRAMBLED, "files", "earlier questions were shown in another order, or not all of them"),
    Anomaly("A13", responses.EMPTY, "files", "an empty earlier answer was replayed"),
    Anomaly("A14", "old_prompt", "files", "written before finish reasons were kept, under an older system prompt"),
    Anomaly("A15", "odd_finish", "files", "finish reason `error` or null, or no tokens at all, and yet an answer"),
    Anomaly("A16", "finish_without_call", "files", "finish reason `tool_calls` without any tool call"),
    Anomaly("A17", flags.FOREIGN_TOOL, "files", "a tool call with an empty or unknown function name"),
    Anomaly("A18", "summed_attempts", "files", "more completion tokens than one answer may have"),
    Anomaly("A19", SPLIT_RUN, "runs", "answers of one run lie more than a day apart"),
    Anomaly("A20", UNREGISTERED, "configurations", "the configuration is not in the models file"),
    Anomaly("A21", NOT_IN_SET, "configurations", "in the models file, and without results"),
    Anomaly("A22", non_answers.FOREIGN_SCRIPT, "files", "CJK or Cyrillic letters in an English dialogue"),
    Anomaly("A22", non_answers.LITERAL_NEWLINES, "files", "newlines written out as a backslash and an n"),
    Anomaly("", VERDICT_EXTRAS, "verdicts", "fields that the rubric does not have; left out"),
    Anomaly("", flags.TRUNCATED, "files", "finish reason `length`"),
    Anomaly("", flags.SEVERAL_CALLS, "files", "more than one message was sent; one was kept"),
    Anomaly("", STALE_CHAIN, "files", "as A11, in dialogues of more than two answers"),
)
_ORDER = tuple(anomaly.flag for anomaly in CATALOGUE)


def reply_flags(file: ResponseFile, request: PublishedRequest, suite: Suite) -> list[str]:
    """Flags of one response file, in the catalogue's order."""
    return _of_text(file.text, request, suite.language) + _of_finish(file, request, suite.delivery.max_tokens)


def record_flags(file: ResponseFile) -> tuple[str, ...]:
    """Flags that concern the file and say nothing about the answer."""
    model = file.metadata.model
    return (CUT_MODEL_ID,) if "+" in model or "--" in model else ()


def _of_text(text: str, request: PublishedRequest, language: str) -> list[str]:
    kind = artefact(text, request.greeting)
    found = {"artefact": kind == "punctuation", "greeting_echo": kind == "greeting"}
    own = non_answers.of_text(text, language == "en", request.tool)
    return [flag for flag in _ORDER if found.get(flag) or flag in own]


def _of_finish(file: ResponseFile, request: PublishedRequest, max_tokens: int) -> list[str]:
    finish, cost = file.finish_reason, file.gen_cost
    names = [call.function.name for call in file.response_tool_calls or ()]
    produced = cost.completion_tokens if cost else 0
    found = {
        "old_prompt": finish is msgspec.UNSET,
        "odd_finish": finish in ("error", None) or (cost is not None and cost.prompt_tokens + produced == 0),
        "finish_without_call": finish == "tool_calls" and not names,
        flags.FOREIGN_TOOL: any(name != request.tool for name in names),
        "summed_attempts": produced > max_tokens,
        flags.TRUNCATED: finish == "length",
        flags.SEVERAL_CALLS: len(names) > 1,
    }
    return [flag for flag, there in found.items() if there]
