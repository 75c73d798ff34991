"""From the turn files of one run to its dialogues, in the suite's order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from independence.exchange import history
from independence.exchange.anomalies import record_flags, reply_flags
from independence.exchange.grades import Graded, graded
from independence.exchange.history import Shown
from independence.exchange.layout import Slot, generated, slots, verdict_turn
from independence.exchange.records import Cost, Record
from independence.exchange.rows import ImportedCall, ImportedTrial
from independence.stats.published_rules import RULES, ScoringRule
from independence.suites.schema import Scenario, Suite
from independence.types import Answer, Attempt, Missing, Reply


class Cell(NamedTuple):
    """A condition, as the layout spells it."""

    variant: str
    mode: str


class Guide(NamedTuple):
    """What reading needs to know of a suite, worked out once."""

    suite: Suite
    slots: dict[str, Slot]
    rule: ScoringRule | None  # the suite's published scoring rule


def guide(suite: Suite) -> Guide:
    """Work out where a suite's turns lie and by which rule it was published."""
    name = suite.index.published_rule if suite.index else None
    return Guide(suite, slots(suite), RULES.get(name) if name else None)


def trials(cell: Cell, records: Mapping[str, Record], by: Guide) -> tuple[ImportedTrial, ...]:
    """The dialogues of one run under one condition; scenarios without a file are left out.

    `records`: turn id -> response file.
    """
    seen = {turn_id: history.shown(bytes(record.request_messages)) for turn_id, record in records.items()}
    stored = {turn_id: record.text for turn_id, record in records.items()}
    out = []
    for scenario in by.suite.scenarios:
        calls = []
        for turn_id in generated(scenario):
            if turn_id in records:
                broken = history.broken(seen[turn_id], by.slots[turn_id].before, seen, stored)
                flags = (*reply_flags(records[turn_id], seen[turn_id], by.suite), *broken)
                calls.append(_call(cell, by.slots[turn_id], _answer(records[turn_id], seen[turn_id], flags), records))
        if calls:
            out.append(_trial(cell, scenario, tuple(calls), _verdict(scenario, records, by)))
    return tuple(out)


def _call(cell: Cell, slot: Slot, answer: Answer, records: Mapping[str, Record]) -> ImportedCall:
    turn_id = generated(slot.scenario)[slot.turn]
    record = records[turn_id]
    return ImportedCall(
        turn_id,
        slot.turn,
        f"{slot.scenario.experiment}/{cell.variant}/{cell.mode}/{turn_id}.json",
        answer,
        bytes(record.request_messages),
        record.metadata.timestamp,
        record_flags(record),
    )


def _answer(record: Record, seen: Shown, flags: tuple[str, ...]) -> Answer:
    cost = record.gen_cost or Cost()
    attempts = (Attempt("ok", cost.elapsed_seconds, cost.usage),)
    if not record.text:
        return Missing("no_answer", "the stored answer is blank", record.response or "", attempts)
    calls = tuple(call.typed() for call in record.response_tool_calls or ())
    return Reply(
        record.text,
        "tool" if any(call.function.name == seen.tool for call in calls) else "content",
        thinking=record.content_thinking or "",
        reasoning=record.reasoning_content or "",
        tool_calls=calls,
        finish_reason=record.finish_reason or None,
        flags=flags,
        usage=cost.usage,
        attempts=attempts,
    )


def _verdict(scenario: Scenario, records: Mapping[str, Record], by: Guide) -> Graded:
    record = records.get(verdict_turn(scenario))
    return graded(record, by.suite.rubrics[scenario.rubric], by.rule) if record else Graded()


def _trial(cell: Cell, scenario: Scenario, calls: tuple[ImportedCall, ...], verdict: Graded) -> ImportedTrial:
    return ImportedTrial(
        scenario.id,
        scenario.experiment,
        cell.variant,
        cell.mode,
        len(generated(scenario)),
        calls,
        verdict.grade,
        verdict.judge_model,
        verdict.usage,
        verdict.flags,
    )
