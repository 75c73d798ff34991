"""From the turn files of one run to its dialogues and verdicts, in the suite's order.

A verdict is complete, typed and in range, or missing with a reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from independence.exchange.anomalies import EMPTY_VERDICT, VERDICT_EXTRAS, ZERO_IDENTITY, record_flags, reply_flags
from independence.exchange.layout import TurnPosition, generated, turn_positions, verdict_turn
from independence.exchange.responses import (
    PublishedCost,
    PublishedRequest,
    ResponseFile,
    broken_history,
    published_request,
)
from independence.judge.parse import parse
from independence.stats.published import void
from independence.stats.published_rules import RULES, ScoringRule
from independence.suites.schema import Field, Rubric, Scenario, Suite
from independence.types import Answer, Attempt, Condition, Grade, Missing, Reply, Scalar, Usage, Verdict

_WORDS = "reasoning"  # the judge's prose, not a score


class ImportedCall(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One stored turn of a dialogue."""

    turn_id: str
    turn: int  # 0-based among the scenario's generated turns
    file: str  # path below the run's directory
    answer: Answer  # `Missing(no_answer)` where the stored text is blank
    request_messages: bytes  # the JSON array as it was published, byte for byte
    timestamp: str  # ISO 8601 with offset, when the answer was stored; may be empty
    flags: tuple[str, ...] = ()  # what is odd about the record itself; what is odd about the reply is on the reply


class ImportedTrial(msgspec.Struct, frozen=True, kw_only=True):
    """One dialogue, as far as its files are there. `grade` None: no verdict was published."""

    scenario: str
    experiment: str
    variant: str
    mode: str
    turns: int  # generated turns the scenario has; `calls` may be fewer
    calls: tuple[ImportedCall, ...]  # in turn order
    grade: Grade | None = None
    judge_model: str = ""
    judge_usage: Usage = Usage()
    flags: tuple[str, ...] = ()  # what is odd about the verdict


class ImportedRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run of one configuration. Its key in a store is (config_dir, run, scenario, variant, mode)."""

    config_dir: str
    run: int
    model_id: str  # read from the directory name; a registry may know better
    effort: str
    temperature: float
    provider_tag: str | None
    trials: tuple[ImportedTrial, ...]  # in the suite's order
    name_extraction: bytes = b""  # the file as it was published, empty where there is none


class SuiteLayout(NamedTuple):
    """What reading needs to know of a suite, worked out once."""

    suite: Suite
    turns: dict[str, TurnPosition]  # by id
    rule: ScoringRule | None  # the suite's published scoring rule


class PublishedVerdict(NamedTuple):
    """A published grade. `grade` None: the file carries no verdict."""

    grade: Grade | None = None
    judge_model: str = ""
    usage: Usage = Usage()
    flags: tuple[str, ...] = ()


def suite_layout(suite: Suite) -> SuiteLayout:
    """Work out where a suite's turns lie and by which rule it was published."""
    name = suite.index.published_rule if suite.index else None
    return SuiteLayout(suite, turn_positions(suite), RULES.get(name) if name else None)


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
                answer = _answer(file, request, (*reply_flags(file, request, by.suite), *broken))
                path = "/".join((scenario.experiment, *condition, f"{turn_id}.json"))
                calls.append(ImportedCall(
                    turn_id=turn_id, turn=number, file=path, answer=answer, flags=record_flags(file),
                    request_messages=bytes(file.request_messages), timestamp=file.metadata.timestamp,
                ))  # fmt: skip
        if calls:
            out.append(_trial(condition, scenario, tuple(calls), files.get(verdict_turn(scenario)), by))
    return tuple(out)


def _trial(
    condition: Condition,
    scenario: Scenario,
    calls: tuple[ImportedCall, ...],
    file: ResponseFile | None,
    by: SuiteLayout,
) -> ImportedTrial:
    verdict = published_verdict(file, by.suite.rubrics[scenario.rubric], by.rule) if file else PublishedVerdict()
    return ImportedTrial(
        scenario=scenario.id, experiment=scenario.experiment, variant=condition.variant, mode=condition.mode,
        turns=len(generated(scenario)), calls=calls, grade=verdict.grade, judge_model=verdict.judge_model,
        judge_usage=verdict.usage, flags=verdict.flags,
    )  # fmt: skip


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
    return PublishedVerdict(grade, cost.judge_model, cost.usage, tuple(flags))


def _grade(scores: dict[str, Any], rubric: Rubric, raw: str, cost: PublishedCost) -> Grade:
    attempts = (Attempt("ok", cost.elapsed_seconds, cost.usage),)
    if not scores and raw:
        found = parse(raw, rubric.fields)
        if not found.problems:
            return Verdict(found.values, found.reasoning, raw, cost.usage, attempts)
    values = {name: scores[name] for name, field in rubric.fields.items() if fits(scores.get(name), field)}
    if len(values) < len(rubric.fields):
        lacking = ", ".join(name for name in rubric.fields if name not in values)
        return Missing("unreadable_verdict", f"no usable {lacking}", raw, attempts)
    words = scores.get(_WORDS)
    return Verdict(values, words if isinstance(words, str) else "", raw, cost.usage, attempts)


def fits(value: Scalar | str | None, field: Field) -> bool:
    """True where a value has the field's type and lies in its range."""
    if field.type == "boolean" or isinstance(value, bool):
        return field.type == "boolean" and isinstance(value, bool)
    if not isinstance(value, int | float) or (field.range and not field.range[0] <= value <= field.range[1]):
        return False
    return field.type == "number" or isinstance(value, int) or value.is_integer()
