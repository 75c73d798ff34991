"""The turns of one trial, in order; each answer is committed before its slot is freed."""

from __future__ import annotations

import time

import msgspec

from independence.clients import flags
from independence.clients.protocol import GaveUp, Parked
from independence.config.subjects import Subject
from independence.engine import dialogue, events, marking
from independence.engine.dialogue import TrialProgress
from independence.engine.events import CallCommitted
from independence.engine.plan import Trial
from independence.engine.run_context import QueueKey, SubjectWorker
from independence.errors import IndependenceError
from independence.store import context, records
from independence.store.records import CallRow
from independence.types import Answer, Missing, Reply


async def answer(desk: SubjectWorker, trial: Trial, progress: TrialProgress) -> TrialProgress | None:
    """Ask for every answer that is left. Returns the finished dialogue, or None where it ended without one.

    Raises gate.Closed when the run stops, and the run-ending errors of `errors.py`.
    """
    while len(progress.said) < trial.dialogue.generated:
        settled = await _turn(desk, trial, progress)
        if settled is None or isinstance(settled, Missing):
            return None
        progress = progress.extended(settled)
    return progress


async def _turn(desk: SubjectWorker, trial: Trial, progress: TrialProgress) -> Answer | None:
    queue = QueueKey(trial.subject.endpoint, trial.dialogue.condition.mode)
    client = desk.bench.backends[queue.endpoint].client
    turn = len(progress.said)
    left = desk.pace.remaining(trial.dialogue.generated - turn)
    async with desk.slot(queue, left, trial.run):
        events.set_position(trial, dialogue.turn_id(trial, turn))
        began = time.monotonic()
        try:
            answer = _untempered(trial.subject, await client.ask(dialogue.request(trial, progress)))
        except (Parked, GaveUp, IndependenceError) as stop:
            if isinstance(stop, Parked):
                desk.park(queue, stop, desk.label)
            await desk.unsettled(trial, dialogue.turn_id(trial, turn), stop)
            if isinstance(stop, IndependenceError):
                raise
            return None
        desk.pace.called(time.monotonic() - began)
        if isinstance(answer, Reply):
            answer = _marked(desk, trial, progress, answer)
        await _keep(desk, trial, progress, answer)
    missing = answer.reason if isinstance(answer, Missing) else None
    desk.bench.watch(CallCommitted(desk.label, answer.usage.cost_usd, missing, answer))
    return answer


def _untempered(subject: Subject, answer: Answer) -> Answer:
    """The answer, flagged where no temperature was sent although the subject's label names one."""
    if isinstance(answer, Missing) or subject.sent.temperature is not None:
        return answer
    return msgspec.structs.replace(answer, flags=(*answer.flags, flags.TEMPERATURE_UNSENT))


def _marked(desk: SubjectWorker, trial: Trial, progress: TrialProgress, reply: Reply) -> Reply:
    """The reply with what is marked on it, whoever will judge it."""
    found = marking.of_reply(
        trial, dialogue.transcript_turns(trial, progress.extended(reply)), desk.bench.suite.language
    )
    new = tuple(mark for mark in found if mark not in reply.flags)
    return msgspec.structs.replace(reply, flags=(*reply.flags, *new)) if new else reply


async def _keep(desk: SubjectWorker, trial: Trial, progress: TrialProgress, answer: Answer) -> None:
    assert progress.at is not None
    turn = len(progress.said)
    row = CallRow(
        trial.key,
        turn,
        turn_id=dialogue.turn_id(trial, turn),
        context=progress.at,
        after=context.extend(progress.at, answer),
        answer=answer,
    )
    await desk.bench.writer.write(lambda connection: records.add_call(connection, row))
