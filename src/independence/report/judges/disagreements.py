"""Where two judges disagree most, with the words."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

import msgspec

from independence.report import declared
from independence.report.judges.panel import DialogueKey, JudgePanel, Values
from independence.report.table import Table, Value
from independence.store import export_rows, queries
from independence.store.scopes import grading
from independence.suites import digest
from independence.suites.schema import Field
from independence.types import Scalar


class JudgeDisagreement(NamedTuple):
    """One dialogue, and the field on which two judges are furthest apart."""

    dialogue: DialogueKey
    gap: float  # mean over fields of highest minus lowest score, as a share of the scale
    field: str
    low: tuple[str, Scalar]  # judge, score
    high: tuple[str, Scalar]
    share: float  # of the scale between them


def disputes(panel: JudgePanel, worst: int) -> list[JudgeDisagreement]:
    """The dialogues that judges differ on most, over all fields; at most `worst`, none without any difference.

    Of a subject's runs of one scenario, which may be the same word for word, only the one furthest apart.
    """
    suite = panel.scope.suite
    scales = {s.id: suite.rubrics[s.rubric].fields for s in suite.scenarios}
    found = [_dispute(dialogue, given, scales[dialogue.scenario]) for dialogue, given in panel.shared.items()]
    differing = [dispute for dispute in found if dispute.gap > 0]
    ordered = sorted(differing, key=lambda dispute: (-dispute.gap, -dispute.share, dispute.dialogue))
    first = {dispute.dialogue[:2]: dispute for dispute in reversed(ordered)}
    return [dispute for dispute in ordered if first[dispute.dialogue[:2]] is dispute][:worst]


def tables(connection: sqlite3.Connection, panel: JudgePanel, worst: int, longest: int | None = None) -> list[Table]:
    """The largest disagreements and, in a second table, what was said. `longest`: characters of one text shown."""
    found = disputes(panel, worst)
    return [_where(panel, found), _texts_table(connection, panel, found, longest)]


def _dispute(dialogue: DialogueKey, given: Mapping[str, Values], fields: Mapping[str, Field]) -> JudgeDisagreement:
    def span(name: str) -> tuple[float, tuple[str, Scalar], tuple[str, Scalar]]:
        scores = [(judge, values[name]) for judge, values in given.items()]
        low, high = (end(scores, key=lambda score: score[1]) for end in (min, max))
        ends = fields[name].range or (0.0, 1.0)
        return (float(high[1]) - float(low[1])) / ((ends[1] - ends[0]) or 1.0), low, high

    spans = {name: span(name) for name in fields}
    field = max(spans, key=lambda name: spans[name][0])
    share, low, high = spans[field]
    return JudgeDisagreement(
        dialogue=dialogue,
        gap=fmean(one[0] for one in spans.values()),
        field=field,
        low=low,
        high=high,
        share=share,
    )


def _where(panel: JudgePanel, found: Sequence[JudgeDisagreement]) -> Table:
    rows: list[tuple[Value, ...]] = []
    for number, dispute in enumerate(found, start=1):
        config, scenario, run = dispute.dialogue
        ends = [part for judge, score in (dispute.low, dispute.high) for part in (panel.heads[judge], score)]
        rows.append((number, panel.about[config].name, scenario, run, dispute.field, *ends, dispute.gap))
    whole = all(float(score).is_integer() for dispute in found for _, score in (dispute.low, dispute.high))
    made = declared.made("judges/judge-disagreements", rows, shared=len(panel.shared))
    if not whole:
        return made
    columns = tuple(column._replace(digits=0) if column.kind == "number" else column for column in made.columns)
    return msgspec.structs.replace(made, columns=columns)


def _texts_table(
    connection: sqlite3.Connection, panel: JudgePanel, found: Sequence[JudgeDisagreement], longest: int | None
) -> Table:
    scope = panel.scope
    suite = grading(connection, scope)
    rows: list[tuple[Value, ...]] = []
    for number, dispute in enumerate(found, start=1):
        trial = queries.trial_key(connection, scope.where, *dispute.dialogue)
        rubric = digest.rubric(suite, suite.scenario(dispute.dialogue.scenario))
        said = [answer for answer in export_rows.answers_of(connection, trial) if answer.missing is None]
        rows.extend((number, f"subject, {answer.turn_id}", _cut(answer.text, longest)) for answer in said)
        for judge, _ in (dispute.low, dispute.high):
            reasons = queries.reasoning(connection, trial, judge, rubric)
            rows.append((number, panel.heads[judge], _cut(reasons, longest) or None))
    return declared.made("judges/judge-disagreement-texts", rows)


def _cut(text: str, longest: int | None) -> str:
    if longest is None or len(text) <= longest:
        return text
    return f"{text[:longest].rstrip()} [{len(text) - longest:,} more characters]"
