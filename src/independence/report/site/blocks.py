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
from independence.report.site.texts import BoardScripts, Deviation
from independence.store import scopes
from independence.store.export_rows import ExportedAnswer, ExportedVerdict
from independence.store.queries import PUBLISHED, REREAD
from independence.store.trajectories import StoredDialogue
from independence.suites import digest
from independence.types import Attempt

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


def _dialogue(slug: str, one: StoredDialogue, scripts: BoardScripts, rubrics: CountingRubrics) -> DialogueDocument:
    counting = rubrics.of.get(one.planned.scenario, _THEIRS)
    return DialogueDocument(
        subject=slug,
        scenario=one.planned.scenario,
        run=one.planned.run,
        turns=tuple(_turns(one, scripts)),
        verdicts=tuple(
            _verdict(verdict, outdated=verdict.context != one.end or verdict.rubric not in counting)
            for verdict in one.verdicts
            if verdict.rubric in counting or verdict.rubric not in rubrics.every  # not of a place that says the same
        ),
        steps=tuple(StepDocument(step.judge, step.step, step.text) for step in one.steps),
        failures=tuple(
            FailureDocument(own.what, own.kind, own.detail, round(own.cost_usd, _USD), at=own.failed_at)
            for own in one.failures
        ),
        item=(one.state.end or "")[:_ITEM],
    )


def _turns(one: StoredDialogue, scripts: BoardScripts) -> Iterator[TurnDocument]:
    for turn, answer in enumerate(one.answers):
        stale = one.state.stale and turn >= one.state.answered
        yield _turn(answer, stale, scripts.deviation(one, turn), 1 + one.replaced.get(answer.turn, 0))


def _turn(answer: ExportedAnswer, stale: bool, sent: Deviation | None, versions: int) -> TurnDocument:
    attempts = msgspec.json.decode(answer.attempts, type=tuple[Attempt, ...])
    plain = len(attempts) == 1 and attempts[0].outcome == "ok"
    return TurnDocument(
        id=answer.turn_id,
        text=answer.text,
        thinking=answer.thinking,
        reasoning=answer.reasoning,
        raw=answer.raw,
        missing=answer.missing or "",
        detail=answer.detail,
        stale=stale,
        flags=msgspec.json.decode(answer.flags, type=tuple[str, ...]),
        channel=answer.channel or "",
        finish=answer.finish_reason or "",
        model=answer.served_model,
        provider=answer.served_provider,
        response=answer.response_id,
        tokens=(answer.prompt_tokens, answer.completion_tokens, answer.reasoning_tokens),
        usd=round(answer.cost_usd, _USD),
        seconds=round(answer.seconds, _SECONDS),
        at=answer.answered_at,
        attempts=() if plain else tuple(_attempt(attempt) for attempt in attempts),
        sent=sent,
        versions=versions,
    )


def _attempt(attempt: Attempt) -> AttemptDocument:
    usd = attempt.usage.cost_usd + attempt.unknown_usd
    return AttemptDocument(attempt.outcome, round(attempt.seconds, _SECONDS), round(usd, _USD))


def _verdict(verdict: ExportedVerdict, *, outdated: bool) -> VerdictDocument:
    predicted = _prediction(verdict)
    return VerdictDocument(
        judge=verdict.judge,
        rubric=texts.rubric_id(verdict.rubric),
        values=msgspec.json.decode(verdict.fields),
        missing=verdict.missing or "",
        detail=verdict.detail,
        reasoning=verdict.reasoning,
        raw=verdict.raw if verdict.missing and predicted is None else "",
        outdated=outdated,
        number=verdict.pass_,
        usd=round(verdict.cost_usd, _USD),
        at=verdict.judged_at,
        quote=verdict.quote,
        quote_found=verdict.is_quote_found,
        route=verdict.route or "",
        probability=None if verdict.probability is None else round(verdict.probability, 4),
        auditor=verdict.auditor or "",
        prediction=predicted,
    )


def _prediction(verdict: ExportedVerdict) -> Prediction | None:
    """What an offline or hybrid judge predicted; None of any other."""
    if not kinds.of(verdict.judge).predicts:
        return None
    try:
        return protocol.read_prediction(verdict.raw)
    except msgspec.MsgspecError:
        return None
