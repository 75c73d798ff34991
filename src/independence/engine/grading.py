"""Verdicts of one finished dialogue, one for each judge, each committed before its slot is freed.

A rubric may have steps: what a model judge writes first, call by call, and what its verdict then rests on. They are
committed like verdicts; one that is stored is not asked again. The rule judge reads the dialogue itself.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from functools import cached_property, partial

import msgspec

from independence.clients.protocol import ChatClient
from independence.engine import dialogue
from independence.engine.concurrency import QueueClosed
from independence.engine.dialogue import TrialProgress
from independence.engine.events import VerdictCommitted
from independence.engine.plan import Trial
from independence.engine.run_context import QueueKey, Settle, SubjectWorker, T
from independence.judge import prompt, protocol
from independence.judge.protocol import FinishedDialogue, Judge, verdict_key
from independence.judge.reasking import none_given
from independence.store import artefacts, queries, records
from independence.store.artefacts import ArtefactRow, StepOutput
from independence.store.records import VerdictRow
from independence.store.writer import AnswerCall, StoreCall
from independence.suites.schema import Rubric, Step
from independence.types import Grade, Missing, TranscriptTurn


async def ungraded(
    worker: SubjectWorker, trial: Trial, progress: TrialProgress, judges: Sequence[Judge]
) -> tuple[Judge, ...]:
    """The judges that have not graded a dialogue: another process may have, between our plan and our lease."""
    assert progress.context is not None
    keys = {spec.name: JudgingTask(worker, trial, progress.context, (), spec).key for spec in judges}
    known = await worker.context.writer.write(StoreCall(queries.known_verdicts, tuple(keys.values())))
    return tuple(spec for spec in judges if keys[spec.name] not in known)


async def judge(worker: SubjectWorker, trial: Trial, progress: TrialProgress, judges: Sequence[Judge]) -> bool:
    """Grade a finished dialogue by every judge; True when all have. Raises the run-ending errors of `errors.py`."""
    assert progress.context is not None
    turns = dialogue.transcript_turns(trial, progress)
    graded = 0
    # Those without a model first: a stopped model must not keep them from speaking. The one named first comes last:
    # boards show the judge of the newest verdicts.
    for spec in sorted(judges, key=lambda one: not one.endpoint)[::-1]:
        with suppress(QueueClosed):  # a parked judge must not keep the next one from speaking
            graded += await _grade(JudgingTask(worker, trial, progress.context, turns, spec))
    return graded == len(judges)


async def _grade(task: JudgingTask) -> bool:
    if not task.rubric.fields:
        return await _keep(task, protocol.CONTINUED)
    written: dict[str, str] = {}
    usd = 0.0
    for position, step in enumerate(task.rubric.steps if task.judge.reads_rubric_steps else ()):
        taken = await _step(task, position, step, written)
        if taken is None:
            return False
        output, step_usd = taken
        usd += step_usd
        if output.missing is not None:
            why = f"step `{step.name}` came to nothing"
            return await _keep(task, none_given(output.missing, output.detail, why), usd)
        written[step.name] = output.text
    finished = FinishedDialogue(
        task.turns,
        task.rubric,
        task.variables,
        dialogue.reply_context(task.trial, task.worker.context.suite.language),
        written=written,
        seed=seed_of(task.key),
    )
    if not task.judge.endpoint:
        return await _keep(task, await task.judge.grade(finished))
    async with task.slot():
        grade = await task.resolve(task.judge.grade(finished, task.client), partial(_keep, task))
        return grade is not None and await _keep(task, grade, usd)


async def _step(
    task: JudgingTask, position: int, step: Step, written: Mapping[str, str]
) -> tuple[StepOutput, float] | None:
    """What a step comes to, and what asking cost just now; None where it could not be settled."""
    writer = task.worker.context.writer
    own = protocol.step_digest(step, task.variables)
    key = protocol.step_key(task.dialogue_digest, own, written, task.judge.settings)
    known = await writer.write(StoreCall(artefacts.known, key))
    if known is not None:
        return known, 0.0
    text = prompt.render_step(step.prompt, task.variables, task.turns, written)
    async with task.slot():
        answer = await task.resolve(task.judge.write_step(text, task.client, seed_of(key)), partial(_keep, task))
        if answer is None:
            return None
        row = ArtefactRow(
            key=key,
            trial=task.trial.key,
            judge=task.judge.name,
            step=step.name,
            position=position,
            wording=own,
            context=task.dialogue_digest,
            settings=task.judge.settings,
            output=answer,
        )
        await writer.write(AnswerCall(artefacts.add, row))
    if isinstance(answer, Missing):
        return StepOutput("", answer.reason, answer.detail), answer.usage.cost_usd
    return StepOutput(answer.text, None), answer.usage.cost_usd


async def _keep(task: JudgingTask, grade: Grade, before_usd: float = 0.0) -> bool:
    """Store a verdict; `before_usd` is what its steps cost just now."""
    row = VerdictRow(
        key=task.key,
        trial=task.trial.key,
        judge=task.judge.name,
        rubric=task.rubric_digest,
        context=task.dialogue_digest,
        settings=task.judge.settings,
        grade=grade,
    )
    await task.worker.context.writer.write(AnswerCall(records.add_verdict, row))
    missing = grade.reason if isinstance(grade, Missing) else None
    task.worker.context.on_event(
        VerdictCommitted(task.worker.label, task.judge.name, before_usd + grade.usage.cost_usd, missing, grade)
    )
    return True


class JudgingTask(msgspec.Struct, frozen=True, dict=True):
    """One dialogue, one judge."""

    worker: SubjectWorker
    trial: Trial
    dialogue_digest: str
    turns: Sequence[TranscriptTurn]
    judge: Judge

    @property
    def rubric(self) -> Rubric:
        """By which it is graded."""
        return self.worker.context.suite.rubrics[self.trial.dialogue.scenario.rubric]

    @cached_property
    def variables(self) -> Mapping[str, str]:
        """What fills the rubric's prompts: the suite's variables and the scenario's own."""
        return {**self.worker.context.suite.vars, **self.trial.dialogue.scenario.vars}

    @property
    def rubric_digest(self) -> str:
        """Of the rubric as this scenario fills it."""
        return self.worker.context.rubrics[self.trial.dialogue.scenario.id]

    @cached_property
    def key(self) -> str:
        """The verdict's."""
        return verdict_key(self.dialogue_digest, self.rubric_digest, self.judge.settings)

    @property
    def client(self) -> ChatClient:
        """Who is asked for the next call."""
        return self.worker.client(self.judge.endpoint, self.trial.key, self.judge.name)

    @property
    def _queue(self) -> QueueKey:
        return QueueKey(self.judge.endpoint, self.judge.name, self.judge.model)

    def slot(self) -> AbstractAsyncContextManager[None]:
        """A slot to hold for one call. Entering it raises QueueClosed."""
        # Within a run, a finished dialogue is graded before another one goes on.
        return self.worker.slot(self._queue, math.inf, self.trial.run, trial=self.trial.key)

    async def resolve(self, call: Awaitable[T], settle: Settle) -> T | None:
        """What a call came to; None where it cannot be settled now. Raises the run-ending errors of `errors.py`."""
        return await self.worker.resolve(call, self._queue, settle, trial=self.trial.key, what=self.judge.name)


def seed_of(key: str) -> int:
    """The seed of the call that settles a key, 0..2**31-1."""
    return int(key[:8], 16) % 2**31
