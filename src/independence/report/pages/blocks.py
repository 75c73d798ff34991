"""The dialogues of a block: what was answered, how it was asked where that is special, and every verdict."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping

import msgspec

from independence.report.pages import texts
from independence.report.pages.boards import BlockKey, SiteBoard
from independence.report.pages.dialogue_schema import (
    BlockDocument,
    DialogueDocument,
    FailureDocument,
    TurnDocument,
    VerdictDocument,
)
from independence.report.pages.schema import SCHEMA
from independence.report.pages.texts import BoardScripts
from independence.report.sections import passages
from independence.store import scopes
from independence.store.dialogues import Dialogue, JudgeStep, StoredVerdict, Turn
from independence.store.scopes import OF_PUBLISHERS
from independence.types import Attempt, Usage

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
        counting = rubrics.get(one.scenario, OF_PUBLISHERS)
        steps = {(step.judge, step.step): step for step in one.current_steps if not step.missing}
        made = DialogueDocument(
            subject=board.slugs[subject], scenario=one.scenario, run=one.run,
            turns=tuple(_turn(one, turn, scripts) for turn in one.turns),
            verdicts=tuple(
                _verdict(one, verdict, counting)
                for verdict in one.verdicts
                if verdict.rubric in counting or verdict.rubric not in every  # not of a place that says the same
            ),
            steps=tuple(JudgeStep(judge=step.judge, step=step.step, text=step.text) for step in steps.values()),
            failures=tuple(
                FailureDocument(
                    own.what, own.kind, own.detail, failed_at=own.failed_at or "",
                    cost_usd=round(sum(attempt.usage.cost_usd for attempt in own.attempts), _USD),
                )
                for own in one.failures
            ),
            item="" if one.missing else one.end[:_ITEM],
        )  # fmt: skip
        out.append(made)
    return BlockDocument(schema=SCHEMA, dialogues=tuple(out))


def _turn(one: Dialogue, turn: Turn, scripts: BoardScripts) -> TurnDocument:
    """A turn without digests, and without calls and attempts that say nothing beside its text."""
    reply, attempts = turn.reply, turn.reply.attempts
    plain = len(attempts) == 1 and attempts[0].outcome == "ok"
    shown = {
        "context": "", "after": "", "tool_calls": (), "usage": _usage(reply.usage),
        "seconds": round(reply.seconds, _SECONDS), "attempts": () if plain else tuple(map(_attempt, attempts)),
    }  # fmt: skip
    fields = {name: getattr(reply, name) for name in reply.__struct_fields__} | shown
    return TurnDocument(
        **fields, turn_id=turn.turn_id, sent=scripts.deviation(one, turn.turn), versions=len(turn.replies),
    )  # fmt: skip


def _usage(usage: Usage) -> Usage:
    return msgspec.structs.replace(usage, cost_usd=round(usage.cost_usd, _USD))


def _attempt(attempt: Attempt) -> Attempt:
    """How one request ended and what it took, without what the server said, which may name places."""
    usd = round(attempt.usage.cost_usd + attempt.unknown_usd, _USD)
    return Attempt(attempt.outcome, round(attempt.seconds, _SECONDS), Usage(cost_usd=usd))


def _verdict(one: Dialogue, verdict: StoredVerdict, counting: Collection[str]) -> VerdictDocument:
    fields = {name: getattr(verdict, name) for name in verdict.__struct_fields__}
    return VerdictDocument(
        **fields | {
            "context": "", "settings": "", "attempts": (), "raw": verdict.raw if verdict.missing else "",
            "rubric": texts.rubric_id(verdict.rubric), "current": one.counts(verdict, counting),
            "usage": _usage(verdict.usage),
        },
        spans=passages.spans(one, verdict),
    )  # fmt: skip
