"""Asking a subject: the turns of one dialogue, in order, each stored before the next one is asked."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterable
from functools import partial

import msgspec

from independence.clients import protocol
from independence.clients.protocol import Parked
from independence.config.subjects import PYTHON
from independence.engine import events
from independence.engine.concurrency import QueueClosed
from independence.engine.dialogue import TrialProgress, reply_context, request, transcript_turns, turn_id
from independence.engine.events import CallCommitted
from independence.engine.plan import Trial
from independence.engine.run_context import QueueKey, SubjectWorker
from independence.judge import parse
from independence.judge.replies import non_answers
from independence.judge.replies.diagnosis import Diagnosis
from independence.store import context, queries, records
from independence.store.records import CallRow
from independence.store.writer import AnswerCall
from independence.suites.schema import Suite
from independence.types import Answer, Condition, Missing, Reply, Where

HOLDS_VERDICT = "holds_verdict"


async def answer(worker: SubjectWorker, trial: Trial, progress: TrialProgress) -> TrialProgress | None:
    """Ask for every answer that is left. Returns the finished dialogue, or None where it ended without one.

    Raises QueueClosed when the run stops, and the run-ending errors of `errors.py`.
    """
    while len(progress.answers) < trial.dialogue.generated:
        after = await _turn(worker, trial, progress)
        if after is None:
            return None
        progress = after
    return progress


async def _turn(worker: SubjectWorker, trial: Trial, progress: TrialProgress) -> TrialProgress | None:
    """The progress after the next answer; None where none came."""
    subject = trial.subject
    queue = QueueKey(subject.endpoint, trial.dialogue.condition.mode, subject.model, subject.sampling.provider)
    turn = len(progress.answers)
    what = turn_id(trial, turn)
    diagnosis = worker.context.diagnoses.get((subject.config_dir, trial.dialogue.condition))
    if diagnosis is not None and diagnosis.told:  # in a part of the run before this one
        raise QueueClosed
    async with worker.slot(queue, trial.dialogue.generated - turn, trial.run, trial=trial.key):
        events.set_position(trial, what)
        loop = asyncio.get_running_loop()
        began = loop.time()
        call = worker.client(queue.endpoint, trial.key, what).ask(request(trial, progress))
        settle = partial(_settle_refused, worker, trial, progress)
        answer: Answer | None = await worker.resolve(
            call, queue, settle, trial=trial.key, what=what, subject=worker.label
        )
        if answer is None:
            return None
        worker.learn(loop.time() - began)
        after = None
        if isinstance(answer, Reply):
            after = progress.extended(answer)
            answer = marked(trial, after, answer, worker.context.suite)
        await _settle(worker, trial, progress, answer)
        if diagnosis is not None:
            marks, detail = ((), answer.detail) if isinstance(answer, Missing) else (answer.flags, "")
            diagnosis.add(marks, detail, trial.dialogue.generated - turn - 1)
            if diagnosis.told:
                why = f"{diagnosis.told}; the same command goes on anyway"
                worker.stop_queue(queue, Parked(subject.model, why), worker.label)
    return after


def diagnoses(
    connection: sqlite3.Connection, where: Where, trials: Iterable[Trial]
) -> dict[tuple[str, Condition], Diagnosis]:
    """What the stored answers of real subjects show, by config_dir and condition: whoever was told of it goes on.

    Simulated ones are asked whole: what a judge makes of noise is what they are for.
    """
    out = {(one.subject.config_dir, one.dialogue.condition): Diagnosis() for one in trials if not one.subject.simulated}
    for condition in dict.fromkeys(condition for _, condition in out):
        here = where.under(condition), [config for config, own in out if own == condition]
        for config, marks, detail, after, count in queries.marked_answers(connection, *here):
            out[config, condition].add(marks, detail, after, count)
    for one in out.values():
        one.known = bool(one.told)
    return out


def marked(trial: Trial, after: TrialProgress, reply: Reply, suite: Suite) -> Reply:
    """The last reply with what is marked on it, whoever will judge it.

    A reply is flagged too where no temperature was sent although the subject's label names one.
    """
    tool = trial.dialogue.tool
    named = trial.subject.sent.temperature is None and trial.subject.endpoint != PYTHON
    unsent = (protocol.TEMPERATURE_UNSENT,) if named else ()
    found = non_answers.flags(
        transcript_turns(trial, after), reply_context(trial, suite.language), tool.name if tool else ""
    )
    rubric = suite.rubrics[trial.dialogue.scenario.rubric]
    graded = (HOLDS_VERDICT,) if rubric.verdict == "object" and parse.holds_verdict(reply.text, rubric.fields) else ()
    new = tuple(mark for mark in (*unsent, *found, *graded) if mark not in reply.flags)
    return msgspec.structs.replace(reply, flags=(*reply.flags, *new)) if new else reply


async def _settle_refused(worker: SubjectWorker, trial: Trial, progress: TrialProgress, missing: Missing) -> None:
    """Store that a request was refused for what it asks, told from where it was asked."""
    before = events.set_position(trial, turn_id(trial, len(progress.answers)))
    await _settle(worker, trial, progress, missing)
    events.POSITION.reset(before)


async def _settle(worker: SubjectWorker, trial: Trial, progress: TrialProgress, answer: Answer) -> None:
    """Store what a call came to, and tell of it."""
    assert progress.context is not None
    turn, after = len(progress.answers), context.extend(progress.context, answer)
    row = CallRow(trial.key, turn, turn_id(trial, turn), progress.context, after, answer)
    await worker.context.writer.write(AnswerCall(records.add_call, row))
    missing = answer.reason if isinstance(answer, Missing) else None
    worker.context.on_event(CallCommitted(worker.label, answer.usage.cost_usd, missing, answer))
