"""Verdicts of one finished dialogue, one for each judge, each committed before its slot is freed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress

from independence.clients.protocol import GaveUp, Parked
from independence.engine import dialogue
from independence.engine.bench import Desk, Queue
from independence.engine.dialogue import Progress
from independence.engine.events import Judged
from independence.engine.gate import Closed
from independence.engine.plan import Trial
from independence.errors import IndependenceError
from independence.judge import model, prompt
from independence.judge.cues import grade as grade_by_cues
from independence.judge.spec import CUES, JudgeSpec, verdict_key
from independence.store import queries, records
from independence.store.records import VerdictRow
from independence.suites.schema import Rubric
from independence.suites.transcript import Line
from independence.types import Grade, Missing


async def ungraded(desk: Desk, trial: Trial, progress: Progress, judges: Sequence[JudgeSpec]) -> tuple[JudgeSpec, ...]:
    """The judges that have not graded a dialogue: another process may have, between our plan and our lease."""
    keys = {spec.name: _key(desk, trial, progress, spec) for spec in judges}
    known = await desk.bench.writer.write(lambda connection: queries.known_verdicts(connection, keys.values()))
    return tuple(spec for spec in judges if keys[spec.name] not in known)


async def judge(desk: Desk, trial: Trial, progress: Progress, judges: Sequence[JudgeSpec]) -> bool:
    """Grade a finished dialogue by every judge; True when all have. Raises the run-ending errors of `errors.py`."""
    lines = dialogue.lines(trial, progress)
    rubric = desk.bench.suite.rubrics[trial.dialogue.scenario.rubric]
    graded = 0
    # Rules first: a stopped model judge must not keep them from speaking.
    for spec in sorted(judges, key=lambda j: j.kind != CUES):
        if spec.kind == CUES:
            graded += await _keep(desk, trial, progress, spec, grade_by_cues(lines, rubric.fields))
        else:
            with suppress(Closed):  # a parked judge must not keep the next one from speaking
                graded += await _by_model(desk, trial, progress, spec, lines, rubric)
    return graded == len(judges)


async def _by_model(
    desk: Desk, trial: Trial, progress: Progress, spec: JudgeSpec, lines: Sequence[Line], rubric: Rubric
) -> bool:
    queue = Queue(spec.endpoint, spec.name)
    client = desk.bench.backends[queue.endpoint].client
    text = prompt.render(rubric.prompt, desk.bench.suite.vars, lines, rubric.fields)
    async with desk.slot(queue, math.inf):  # a finished dialogue is graded before another one goes on
        try:
            grade = await model.grade(client, spec, text, rubric.fields, _seed(desk, trial, progress, spec))
        except (Parked, GaveUp, IndependenceError) as stop:
            if isinstance(stop, Parked):
                desk.park(queue, stop)
            await desk.unsettled(trial, spec.name, stop)
            if isinstance(stop, IndependenceError):
                raise
            return False
        return await _keep(desk, trial, progress, spec, grade)


def _key(desk: Desk, trial: Trial, progress: Progress, spec: JudgeSpec) -> str:
    assert progress.at is not None
    return verdict_key(progress.at, desk.bench.rubrics[trial.dialogue.scenario.id], spec.settings)


def _seed(desk: Desk, trial: Trial, progress: Progress, spec: JudgeSpec) -> int:
    return int(_key(desk, trial, progress, spec)[:8], 16) % 2**31


async def _keep(desk: Desk, trial: Trial, progress: Progress, spec: JudgeSpec, grade: Grade) -> bool:
    assert progress.at is not None
    scenario = trial.dialogue.scenario.id
    row = VerdictRow(
        _key(desk, trial, progress, spec),
        trial.key,
        spec.name,
        desk.bench.rubrics[scenario],
        progress.at,
        spec.settings,
        grade,
    )
    await desk.bench.writer.write(lambda connection: records.add_verdict(connection, row))
    missing = grade.reason if isinstance(grade, Missing) else None
    desk.bench.watch(Judged(desk.label, spec.name, grade.usage.cost_usd, missing))
    return True
