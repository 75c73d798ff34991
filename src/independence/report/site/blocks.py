"""The dialogues of a block: what was answered, how it was asked where that is special, and every verdict."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from independence.judge import kinds, protocol
from independence.judge.protocol import Prediction
from independence.report.site import texts
from independence.report.site.boards import BlockKey, SiteBoard
from independence.report.site.dialogue_schema import (
    AttemptDocument,
    BlockDocument,
    DialogueDocument,
    FailureDocument,
    StepDocument,
    TurnDocument,
    VerdictDocument,
)
from independence.report.site.schema import SCHEMA
from independence.report.site.texts import BoardScripts
from independence.store import scopes
from independence.store.dialogues import Dialogue, answer_fields, verdict_fields
from independence.store.queries import PUBLISHED, REREAD
from independence.store.records import VerdictRow
from independence.suites import digest
from independence.types import Attempt, Reply

_USD, _SECONDS = 6, 2  # decimals
_ITEM = 16  # digits
_THEIRS = frozenset((PUBLISHED, REREAD))


class CountingRubrics(NamedTuple):
    """Whose verdicts count: scenario -> rubrics; and all of them together."""

    of: Mapping[str, frozenset[str]]
    every: frozenset[str]


def counting_rubrics(connection: sqlite3.Connection, board: SiteBoard) -> CountingRubrics:
    """Those of a board: its own as they are now, and the published ones."""
    out: dict[str, frozenset[str]] = {}
    for scope in board.scope.editions:
        suite = scopes.grading(connection, scope)
        for one in suite.scenarios:
            out[one.id] = out.get(one.id, _THEIRS) | {digest.rubric(suite, one)}
    return CountingRubrics(out, _THEIRS.union(*out.values()))


def document(
    connection: sqlite3.Connection, board: SiteBoard, key: BlockKey, scripts: BoardScripts, rubrics: CountingRubrics
) -> BlockDocument:
    """A block, by subject, scenario and run. Raises KeyError for one that has no dialogue."""
    if key not in board.blocks:
        raise KeyError(key)
    found = texts.stored(connection, board, key)
    dialogues = tuple(_dialogue(board.slugs[subject], one, scripts, rubrics) for subject, one in found)
    return BlockDocument(schema=SCHEMA, dialogues=dialogues)


def _dialogue(slug: str, one: Dialogue, scripts: BoardScripts, rubrics: CountingRubrics) -> DialogueDocument:
    counting = rubrics.of.get(one.trial.scenario, _THEIRS)
    steps = {(step.judge, step.step): step.output for step in one.current_steps if isinstance(step.output, Reply)}
    return DialogueDocument(
        subject=slug,
        scenario=one.trial.scenario,
        run=one.trial.run,
        turns=tuple(_turns(one, scripts)),
        verdicts=tuple(
            _verdict(one, verdict, outdated=verdict.context != one.end or verdict.rubric not in counting)
            for verdict in one.verdicts
            if verdict.rubric in counting or verdict.rubric not in rubrics.every  # not of a place that says the same
        ),
        steps=tuple(StepDocument(*key, output.text) for key, output in steps.items()),
        failures=tuple(
            FailureDocument(
                own.what,
                own.kind,
                own.detail,
                round(sum(attempt.usage.cost_usd for attempt in own.attempts), _USD),
                at=own.failed_at or "",
            )
            for own in one.failures
        ),
        item=(one.state.end or "")[:_ITEM],
    )


def _turns(one: Dialogue, scripts: BoardScripts) -> Iterator[TurnDocument]:
    for turn, call in enumerate(one.calls):
        own = answer_fields(call)
        attempts = own["attempts"]
        plain = len(attempts) == 1 and attempts[0].outcome == "ok"
        as_they_are = ("text", "thinking", "reasoning", "raw", "detail", "flags")
        yield TurnDocument(
            **{name: own[name] for name in as_they_are},
            id=call.turn_id,
            missing=own["missing"] or "",
            stale=one.state.stale and turn >= one.state.answered,
            channel=own["channel"] or "",
            finish=own["finish_reason"] or "",
            model=own["served_model"],
            provider=own["served_provider"],
            response=own["response_id"],
            tokens=(own["prompt_tokens"], own["completion_tokens"], own["reasoning_tokens"]),
            usd=round(own["cost_usd"], _USD),
            seconds=round(own["seconds"], _SECONDS),
            at=call.answered_at or "",
            attempts=() if plain else tuple(_attempt(attempt) for attempt in attempts),
            sent=scripts.deviation(one, turn),
            versions=1 + sum(older.turn == call.turn for older in one.replaced),
        )


def _attempt(attempt: Attempt) -> AttemptDocument:
    usd = attempt.usage.cost_usd + attempt.unknown_usd
    return AttemptDocument(attempt.outcome, round(attempt.seconds, _SECONDS), round(usd, _USD))


def _verdict(one: Dialogue, row: VerdictRow, *, outdated: bool) -> VerdictDocument:
    own = verdict_fields(one, row)
    predicted = _prediction(row.judge, own["raw"])
    as_they_are = ("judge", "values", "detail", "reasoning", "quote", "quote_found")
    return VerdictDocument(
        **{name: own[name] for name in as_they_are},
        rubric=texts.rubric_id(row.rubric),
        missing=own["missing"] or "",
        raw=own["raw"] if own["missing"] and predicted is None else "",
        outdated=outdated,
        number=row.pass_,
        usd=round(own["cost_usd"], _USD),
        at=row.judged_at or "",
        route=own["route"] or "",
        probability=None if own["probability"] is None else round(own["probability"], 4),
        auditor=own["auditor"] or "",
        prediction=predicted,
    )


def _prediction(judge: str, raw: str) -> Prediction | None:
    """What an offline or hybrid judge predicted; None of any other."""
    if not kinds.of(judge).predicts:
        return None
    try:
        return protocol.read_prediction(raw)
    except msgspec.MsgspecError:
        return None
