"""Marks on replies: made when a reply comes, and later on those that an older version stored."""

from __future__ import annotations

import sqlite3

import msgspec

from independence.engine import dialogue
from independence.engine.dialogue import TrialProgress
from independence.engine.plan import Trial
from independence.judge.replies.non_answers import marks
from independence.store import queries, records
from independence.suites.schema import Suite
from independence.types import TranscriptTurn, Where


def of_reply(trial: Trial, lines: list[TranscriptTurn], language: str) -> tuple[str, ...]:
    """The marks of the last reply of a dialogue."""
    tool = trial.dialogue.tool.name if trial.dialogue.tool else ""
    return marks(lines, dialogue.reply_context(trial, language), tool)


def fill(connection: sqlite3.Connection) -> None:
    """Mark every reply in a finished dialogue of one's own editions that is not marked yet."""
    places = queries.unmarked(connection)
    if not places:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        for where in places:
            _mark(connection, where)
        records.leave_unmarked(connection)
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _mark(connection: sqlite3.Connection, where: Where) -> None:
    text = queries.document(connection, where)
    assert text is not None
    suite = msgspec.json.decode(text, type=Suite)
    for trial in dialogue.trials(connection, suite, where):
        progress = dialogue.load(connection, trial)
        assert isinstance(progress, TrialProgress)
        lines = dialogue.transcript_turns(trial, progress)
        own = [at for at, line in enumerate(lines) if not line.scripted][len(progress.before) :]
        calls = queries.calls_of(connection, trial.key)
        for call, at in zip(calls, own, strict=False):
            known = msgspec.json.decode(call.flags, type=list[str])
            new = [mark for mark in of_reply(trial, lines[: at + 1], suite.language) if mark not in known]
            records.mark_reply(connection, trial.key, call.turn, call.text, (*known, *new))
