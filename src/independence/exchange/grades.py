"""From a published verdict object to a grade: complete, typed and in range, or missing with a reason."""

from __future__ import annotations

from typing import Any, NamedTuple

from independence.exchange.anomalies import EMPTY_VERDICT, VERDICT_EXTRAS, ZERO_IDENTITY
from independence.exchange.records import Cost, Record
from independence.judge.parse import parse
from independence.stats.published import void
from independence.stats.published_rules import ScoringRule
from independence.suites.schema import Field, Rubric
from independence.types import Attempt, Grade, Missing, Scalar, Usage, Verdict

_WORDS = "reasoning"  # the judge's prose, not a score


class Graded(NamedTuple):
    """A published grade. `grade` None: the file carries no verdict."""

    grade: Grade | None = None
    judge_model: str = ""
    usage: Usage = Usage()
    flags: tuple[str, ...] = ()


def graded(record: Record, rubric: Rubric, rule: ScoringRule | None) -> Graded:
    """Read the verdict of a response file. Fields outside the rubric are left out and flagged.

    An empty object means that the publisher could not read what the judge wrote: it is read again from that text.
    """
    scores = record.judge_scores
    if scores is None:
        return Graded()
    cost = record.judge_cost or Cost()
    grade = _grade(scores, rubric, record.judge_raw_response or "", cost)
    flags = []
    if not scores:
        flags.append(EMPTY_VERDICT)
    if rule and isinstance(grade, Verdict) and void(grade.values, rule):
        flags.append(ZERO_IDENTITY)
    if scores.keys() - rubric.fields.keys() - {_WORDS}:
        flags.append(VERDICT_EXTRAS)
    return Graded(grade, cost.judge_model, cost.usage, tuple(flags))


def _grade(scores: dict[str, Any], rubric: Rubric, raw: str, cost: Cost) -> Grade:
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
