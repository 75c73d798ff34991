"""Turns the files of one run into its dialogues and verdicts, in the suite's order.

A verdict is complete, typed and in range, or missing with a reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from independence.exchange.anomalies import EMPTY_VERDICT, VERDICT_EXTRAS, ZERO_IDENTITY, record_flags, reply_flags
from independence.exchange.layout import ConfigName, TurnPosition, generated, turn_positions, verdict_turn
from independence.exchange.responses import (
    PublishedCost,
    PublishedRequest,
    ResponseFile,
    broken_history,
    published_request,
)
from independence.judge.parse import parse
from independence.judge.schema import check
from independence.stats.published import ScoringRule, rules, void
from independence.suites.schema import Rubric, Scenario, Suite
from independence.types import Answer, Attempt, Condition, Grade, Missing, Reply, Verdict

_WORDS = "reasoning"  # the judge's prose, not a score


class ImportedCall(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One stored turn of a dialogue."""

    turn_id: str
    turn: int  # 0-based among the scenario's generated turns
    answer: Answer  # `Missing(no_answer)` where the stored text is blank
    request_messages: bytes  # the JSON array as it was published, byte for byte
    timestamp: str  # ISO 8601 with offset, when the answer was stored; may be empty


class PublishedVerdict(NamedTuple):
    """A published grade. `grade` None: the file carries no verdict."""

    grade: Grade | None = None
    judge_model: str = ""
    flags: tuple[str, ...] = ()  # what is odd about it


class ImportedTrial(NamedTuple):
    """One dialogue, as far as its files are there."""

    scenario: Scenario
    condition: Condition
    calls: tuple[ImportedCall, ...]  # in turn order; there may be fewer than the scenario has
    verdict: PublishedVerdict = PublishedVerdict()


class ImportedRun(NamedTuple):
    """One run of one configuration. Its key in a store is (config_dir, run, scenario, variant, mode)."""

    config_dir: str
    run: int
    name: ConfigName  # what the directory's name says; a registry may know better
    trials: tuple[ImportedTrial, ...]  # in the suite's order
    name_extraction: bytes = b""  # the file as it was published, empty where there is none


class SuiteLayout(NamedTuple):
    """A suite as readers of published files need it."""

    suite: Suite
    turns: dict[str, TurnPosition]  # by id
    rule: ScoringRule | None  # the suite's published scoring rule


def suite_layout(suite: Suite) -> SuiteLayout:
    """The layout of a suite, with the scoring rule that it was published with."""
    name = suite.index.published_rule if suite.index else None
    return SuiteLayout(suite, turn_positions(suite), rules().get(name) if name else None)


def trials(condition: Condition, files: Mapping[str, ResponseFile], by: SuiteLayout) -> tuple[ImportedTrial, ...]:
    """The dialogues of one run under one condition; scenarios without a file are left out. `files` by turn id."""
    seen = {turn_id: published_request(bytes(file.request_messages)) for turn_id, file in files.items()}
    stored = {turn_id: file.text for turn_id, file in files.items()}
    out = []
    for scenario in by.suite.scenarios:
        calls = []
        for number, turn_id in enumerate(generated(scenario)):
            if turn_id in files:
                file, request = files[turn_id], seen[turn_id]
                broken = broken_history(request, by.turns[turn_id].before, seen, stored)
                answer = _answer(file, request, (*reply_flags(file, request, by.suite), *broken, *record_flags(file)))
                calls.append(ImportedCall(
                    turn_id=turn_id, turn=number, answer=answer,
                    request_messages=bytes(file.request_messages), timestamp=file.metadata.timestamp,
                ))  # fmt: skip
        if calls:
            graded = files.get(verdict_turn(scenario))
            rubric = by.suite.rubrics[scenario.rubric]
            verdict = published_verdict(graded, rubric, by.rule) if graded else PublishedVerdict()
            out.append(ImportedTrial(scenario, condition, tuple(calls), verdict))
    return tuple(out)


def _answer(file: ResponseFile, request: PublishedRequest, flags: tuple[str, ...]) -> Answer:
    cost = file.gen_cost or PublishedCost()
    attempts = (Attempt("ok", cost.elapsed_seconds, cost.usage),)
    if not file.text:
        return Missing("no_answer", "the stored answer is blank", file.response or "", attempts)
    calls = tuple(call.typed() for call in file.response_tool_calls or ())
    return Reply(
        file.text, "tool" if any(call.function.name == request.tool for call in calls) else "content",
        thinking=file.content_thinking or "", reasoning=file.reasoning_content or "", tool_calls=calls,
        finish_reason=file.finish_reason or None, flags=flags, usage=cost.usage, attempts=attempts,
    )  # fmt: skip


def published_verdict(file: ResponseFile, rubric: Rubric, rule: ScoringRule | None) -> PublishedVerdict:
    """Read the verdict of a response file. Fields outside the rubric are left out and flagged.

    An empty object means that the publisher could not read what the judge wrote: it is read again from that text.
    """
    scores = file.judge_scores
    if scores is None:
        return PublishedVerdict()
    cost = file.judge_cost or PublishedCost()
    grade = _grade(scores, rubric, file.judge_raw_response or "", cost)
    flags = []
    if not scores:
        flags.append(EMPTY_VERDICT)
    if rule and isinstance(grade, Verdict) and void(grade.values, rule):
        flags.append(ZERO_IDENTITY)
    if scores.keys() - rubric.fields.keys() - {_WORDS}:
        flags.append(VERDICT_EXTRAS)
    return PublishedVerdict(grade, cost.judge_model, tuple(flags))


def _grade(scores: dict[str, Any], rubric: Rubric, raw: str, cost: PublishedCost) -> Grade:
    attempts = (Attempt("ok", cost.elapsed_seconds, cost.usage),)
    if not scores and raw:
        found = parse(raw, rubric.fields)
        if not found.problems:
            return Verdict(found.values, found.reasoning, raw, cost.usage, attempts)
    values, _ = check(scores, rubric.fields)
    if len(values) < len(rubric.fields):
        lacking = ", ".join(name for name in rubric.fields if name not in values)
        return Missing("unreadable_verdict", f"no usable {lacking}", raw, attempts)
    words = scores.get(_WORDS)
    return Verdict(values, words if isinstance(words, str) else "", raw, cost.usage, attempts)
