"""The dialogues of a block: what was answered, how it was asked where that is special, and every verdict."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping

from independence.report.pages import texts
from independence.report.pages.boards import BlockKey, SiteBoard
from independence.report.pages.dialogue_schema import (
    AttemptDocument,
    BlockDocument,
    DialogueDocument,
    FailureDocument,
    StepDocument,
    TurnDocument,
    VerdictDocument,
)
from independence.report.pages.schema import SCHEMA
from independence.report.pages.texts import BoardScripts
from independence.report.sections import passages
from independence.store import scopes
from independence.store.dialogues import Dialogue, answer_fields, verdict_fields
from independence.store.records import VerdictRow
from independence.store.scopes import OF_PUBLISHERS
from independence.types import Attempt, Reply

_USD, _SECONDS = 6, 2  # decimals
_ITEM = 16  # digits
CountingRubrics = Mapping[str, frozenset[str]]  # scenario -> those by which a verdict counts


def counting_rubrics(connection: sqlite3.Connection, board: SiteBoard) -> CountingRubrics:
    """Those of all editions of a board."""
    out: dict[str, frozenset[str]] = {}
    for scope in board.scope.editions:
        for name, own in scopes.counting_rubrics(connection, scope).items():
            out[name] = out.get(name, own) | own
    return out


def document(
    connection: sqlite3.Connection, board: SiteBoard, key: BlockKey, scripts: BoardScripts, rubrics: CountingRubrics
) -> BlockDocument:
    """A block, by subject, scenario and run. Raises KeyError for one that has no dialogue."""
    if key not in board.blocks:
        raise KeyError(key)
    found, every = texts.stored(connection, board, key), OF_PUBLISHERS.union(*rubrics.values())
    out = []
    for subject, one in found:
        trial, counting = one.trial, rubrics.get(one.trial.scenario, OF_PUBLISHERS)
        steps = {(step.judge, step.step): step.output for step in one.current_steps if isinstance(step.output, Reply)}
        made = DialogueDocument(
            subject=board.slugs[subject], scenario=trial.scenario, run=trial.run, turns=tuple(_turns(one, scripts)),
            verdicts=tuple(
                _verdict(one, verdict, outdated=verdict.context != one.end or verdict.rubric not in counting)
                for verdict in one.verdicts
                if verdict.rubric in counting or verdict.rubric not in every  # not of a place that says the same
            ),
            steps=tuple(StepDocument(*of, output.text) for of, output in steps.items()),
            failures=tuple(
                FailureDocument(
                    own.what, own.kind, own.detail, at=own.failed_at or "",
                    usd=round(sum(attempt.usage.cost_usd for attempt in own.attempts), _USD),
                )
                for own in one.failures
            ),
            item=(one.state.end or "")[:_ITEM],
        )  # fmt: skip
        out.append(made)
    return BlockDocument(schema=SCHEMA, dialogues=tuple(out))


def _turns(one: Dialogue, scripts: BoardScripts) -> Iterator[TurnDocument]:
    for turn, call in enumerate(one.calls):
        own = answer_fields(call)
        attempts = own["attempts"]
        plain = len(attempts) == 1 and attempts[0].outcome == "ok"
        as_they_are = ("text", "thinking", "reasoning", "raw", "detail", "flags")
        yield TurnDocument(
            **{name: own[name] for name in as_they_are}, id=call.turn_id, missing=own["missing"] or "",
            stale=one.state.stale and turn >= one.state.answered, channel=own["channel"] or "",
            finish=own["finish_reason"] or "", model=own["served_model"], provider=own["served_provider"],
            response=own["response_id"],
            tokens=(own["prompt_tokens"], own["completion_tokens"], own["reasoning_tokens"]),
            usd=round(own["cost_usd"], _USD), seconds=round(own["seconds"], _SECONDS), at=call.answered_at or "",
            attempts=() if plain else tuple(_attempt(attempt) for attempt in attempts),
            sent=scripts.deviation(one, turn), versions=1 + sum(older.turn == call.turn for older in one.replaced),
        )  # fmt: skip


def _attempt(attempt: Attempt) -> AttemptDocument:
    usd = attempt.usage.cost_usd + attempt.unknown_usd
    return AttemptDocument(attempt.outcome, round(attempt.seconds, _SECONDS), round(usd, _USD))


def _verdict(one: Dialogue, row: VerdictRow, *, outdated: bool) -> VerdictDocument:
    own = verdict_fields(row)
    as_they_are = ("judge", "values", "detail", "reasoning", "quote", "quote_found")
    return VerdictDocument(
        **{name: own[name] for name in as_they_are}, rubric=texts.rubric_id(row.rubric), missing=own["missing"] or "",
        raw=own["raw"] if own["missing"] else "", outdated=outdated, number=row.pass_,
        usd=round(own["cost_usd"], _USD), at=row.judged_at or "",
        spans=passages.spans(one, row.judge, own),
    )  # fmt: skip
