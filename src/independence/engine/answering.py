"""The turns of one trial, in order; each answer is committed before its slot is freed."""

from __future__ import annotations

import time

from independence.clients.protocol import GaveUp, Parked
from independence.engine import dialogue, spot
from independence.engine.bench import Desk, Queue
from independence.engine.dialogue import Progress
from independence.engine.events import Answered
from independence.engine.plan import Trial
from independence.errors import IndependenceError
from independence.store import context, records
from independence.store.records import CallRow
from independence.types import Answer, Missing


async def answer(desk: Desk, trial: Trial, progress: Progress) -> Progress | None:
    """Ask for every answer that is left. Returns the finished dialogue, or None where it ended without one.

    Raises gate.Closed when the run stops, and the run-ending errors of `errors.py`.
    """
    while len(progress.said) < trial.dialogue.generated:
        settled = await _turn(desk, trial, progress)
        if settled is None or isinstance(settled, Missing):
            return None
        progress = progress.extended(settled)
    return progress


async def _turn(desk: Desk, trial: Trial, progress: Progress) -> Answer | None:
    queue = Queue(trial.subject.endpoint, trial.dialogue.condition.mode)
    client = desk.bench.backends[queue.endpoint].client
    turn = len(progress.said)
    left = desk.pace.remaining(trial.dialogue.generated - turn)
    async with desk.slot(queue, left):
        spot.enter(trial, dialogue.turn_id(trial, turn))
        began = time.monotonic()
        try:
            answer = await client.ask(dialogue.request(trial, progress))
        except (Parked, GaveUp, IndependenceError) as stop:
            if isinstance(stop, Parked):
                desk.park(queue, stop)
            await desk.unsettled(trial, dialogue.turn_id(trial, turn), stop)
            if isinstance(stop, IndependenceError):
                raise
            return None
        desk.pace.called(time.monotonic() - began)
        await _keep(desk, trial, progress, answer)
    missing = answer.reason if isinstance(answer, Missing) else None
    desk.bench.watch(Answered(desk.label, answer.usage.cost_usd, missing, answer))
    return answer


async def _keep(desk: Desk, trial: Trial, progress: Progress, answer: Answer) -> None:
    assert progress.at is not None
    turn = len(progress.said)
    row = CallRow(
        trial.key,
        turn,
        dialogue.turn_id(trial, turn),
        progress.at,
        context.extend(progress.at, answer),
        answer,
    )
    await desk.bench.writer.write(lambda connection: records.add_call(connection, row))
