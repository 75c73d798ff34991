"""Verdicts of one finished dialogue, one for each judge, each committed before its slot is freed.

A rubric may have steps: what a model judge writes first, call by call, and what its verdict then rests on. They are
committed like verdicts; one that is stored is not asked again. The rule judge reads the dialogue itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from independence.engine import dialogue
from independence.engine.dialogue import TrialProgress
from independence.engine.events import VerdictCommitted
from independence.engine.gate import QueueClosed
from independence.engine.judging_task import JudgingTask, seed_of
from independence.engine.plan import Trial
from independence.engine.run_context import SubjectWorker
from independence.judge import model, prompt, steps
from independence.judge.cues.grading import grade as grade_by_cues
from independence.judge.spec import CUES, JudgeSpec
from independence.store import artefacts, queries, records
from independence.store.artefacts import ArtefactRow, StepOutput
from independence.store.records import VerdictRow
from independence.suites.schema import Step
from independence.types import Answer, Grade, Missing


async def ungraded(
    desk: SubjectWorker, trial: Trial, progress: TrialProgress, judges: Sequence[JudgeSpec]
) -> tuple[JudgeSpec, ...]:
    """The judges that have not graded a dialogue: another process may have, between our plan and our lease."""
    assert progress.at is not None
    keys = {spec.name: JudgingTask(desk, trial, progress.at, (), spec).key for spec in judges}
    known = await desk.bench.writer.write(lambda connection: queries.known_verdicts(connection, keys.values()))
    return tuple(spec for spec in judges if keys[spec.name] not in known)


async def judge(desk: SubjectWorker, trial: Trial, progress: TrialProgress, judges: Sequence[JudgeSpec]) -> bool:
    """Grade a finished dialogue by every judge; True when all have. Raises the run-ending errors of `errors.py`."""
    assert progress.at is not None
    lines = dialogue.transcript_turns(trial, progress)
    graded = 0
    # Rules first: a stopped model judge must not keep them from speaking.
    for spec in sorted(judges, key=lambda j: j.kind != CUES):
        case = JudgingTask(desk, trial, progress.at, lines, spec)
        if spec.kind == CUES:
            graded += await _keep(case, grade_by_cues(lines, case.rubric.fields, case.variables, case.given))
        else:
            with suppress(QueueClosed):  # a parked judge must not keep the next one from speaking
                graded += await _by_model(case)
    return graded == len(judges)


async def _by_model(case: JudgingTask) -> bool:
    written: dict[str, str] = {}
    usd = 0.0
    for position, step in enumerate(case.rubric.steps):
        taken = await _step(case, position, step, written)
        if taken is None:
            return False
        usd += taken.usd
        if taken.output.missing is not None:
            why = f"step `{step.name}` came to nothing ({taken.output.missing})"
            return await _keep(case, Missing("unreadable_verdict", why), usd)
        written[step.name] = taken.output.text
    return await _verdict(case, written, usd)


async def _verdict(case: JudgingTask, written: Mapping[str, str], usd: float) -> bool:
    rubric = case.rubric
    text = prompt.render(rubric.prompt, case.variables, case.lines, rubric.fields, written, rubric.verdict)
    async with case.slot():
        asked = model.grade(case.client, case.spec, text, rubric.fields, seed_of(case.key), rubric.verdict)
        grade = await case.settled(asked)
        return grade is not None and await _keep(case, grade, usd)


class _StepResult(NamedTuple):
    """A step that is done, and what it cost just now."""

    output: StepOutput
    usd: float = 0.0


async def _step(case: JudgingTask, position: int, step: Step, written: Mapping[str, str]) -> _StepResult | None:
    """What a step comes to, as stored or asked for now; None where it could not be settled."""
    writer = case.desk.bench.writer
    wording = steps.wording(step, case.variables)
    key = steps.step_key(case.at, wording, written, case.spec.settings)
    known = await writer.write(lambda connection: artefacts.known(connection, key))
    if known is not None:
        return _StepResult(known)
    text = prompt.render_step(step.prompt, case.variables, case.lines, written)
    async with case.slot():
        answer = await case.settled(steps.write(case.client, case.spec, text, seed_of(key)))
        if answer is None:
            return None
        row = _row(case, key, position, wording, answer)
        await writer.write(lambda connection: artefacts.add(connection, row))
    missing = answer.reason if isinstance(answer, Missing) else None
    return _StepResult(StepOutput("" if isinstance(answer, Missing) else answer.text, missing), answer.usage.cost_usd)


def _row(case: JudgingTask, key: str, position: int, wording: str, answer: Answer) -> ArtefactRow:
    name = case.rubric.steps[position].name
    return ArtefactRow(
        key, case.trial.key, case.spec.name, name, position, wording, case.at, case.spec.settings, answer
    )  # fmt: skip


async def _keep(case: JudgingTask, grade: Grade, before_usd: float = 0.0) -> bool:
    """Store a verdict; `before_usd` is what its steps cost just now."""
    row = VerdictRow(
        case.key, case.trial.key, case.spec.name, case.rubric_digest, case.at, case.spec.settings, grade
    )  # fmt: skip
    await case.desk.bench.writer.write(lambda connection: records.add_verdict(connection, row))
    missing = grade.reason if isinstance(grade, Missing) else None
    case.desk.bench.watch(
        VerdictCommitted(case.desk.label, case.spec.name, before_usd + grade.usage.cost_usd, missing, grade)
    )
    return True
