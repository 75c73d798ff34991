"""Asking a judge about hostile replies: each is graded with its attack, and once more without.

Nothing is stored: a probe is about a judge, not about a subject. A grade that cannot be had is `Missing`, no shift.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from typing import NamedTuple

from independence.clients.protocol import GaveUp, Parked
from independence.engine.events import CallUnresolved, ModelStopped, SubjectStarted, VerdictCommitted, Watch
from independence.engine.gate import CallQueue, ConcurrencyLimit, QueueClosed
from independence.engine.run_context import EndpointBackend
from independence.errors import IndependenceError
from independence.judge import model
from independence.judge.cues.grading import grade as grade_by_cues
from independence.judge.hostile.corpus import Hostile
from independence.judge.hostile.outcome import Probe, Probed, Repeat
from independence.judge.hostile.stage import Stage
from independence.judge.spec import CUES, JudgeSpec, verdict_key
from independence.suites import digest
from independence.types import Grade, Missing

LABEL = "hostile replies"  # who watchers see at work


class _Question(NamedTuple):
    """A text to grade; `pass_` 2 asks the same again under another seed."""

    text: str
    pass_: int = 1


def planned(replies: Sequence[Hostile]) -> list[str]:
    """The answers that `probe` has graded, one for each verdict, in order: every attack, every clean reply twice."""
    return [question.text for question in _questions(replies)]


async def probe(
    backend: EndpointBackend | None,
    spec: JudgeSpec,
    stage: Stage,
    replies: Sequence[Hostile],
    watch: Watch,
    calls: int = 8,
) -> Probe:
    """Let a judge grade every reply with and without its attack, at most `calls` at once.

    `backend` is the judge's endpoint; None for the rule judge. A run-ending error closes the gate and is returned, with
    the grades that were given before it.
    """
    questions = _questions(replies)
    watch(SubjectStarted(LABEL, 0, len(questions)))
    desk = _Desk(backend, spec, stage, watch, backend.lane(ConcurrencyLimit(calls), spec.model) if backend else None)
    async with asyncio.TaskGroup() as group:
        tasks = {question: group.create_task(desk.grade(question)) for question in questions}
    if backend and desk.lane:
        backend.gate.leave(desk.lane)
    grades = {question: task.result() for question, task in tasks.items()}
    clean = dict.fromkeys(reply.clean for reply in replies)
    return Probe(
        spec.name,
        stage,
        tuple(Probed(r, grades[_Question(r.text)], grades[_Question(r.clean)]) for r in replies),
        tuple(Repeat(text, grades[_Question(text)], grades[_Question(text, 2)]) for text in clean),
        desk.stopped_by,
    )


def _questions(replies: Sequence[Hostile]) -> list[_Question]:
    clean = list(dict.fromkeys(reply.clean for reply in replies))
    attacked = [_Question(reply.text) for reply in replies]
    return [*attacked, *map(_Question, clean), *(_Question(text, 2) for text in clean)]


class _Desk:
    """The probe's place at one endpoint."""

    def __init__(
        self, backend: EndpointBackend | None, spec: JudgeSpec, stage: Stage, watch: Watch, lane: CallQueue | None
    ) -> None:
        self.backend = backend
        self.lane = lane
        self.stopped_by: IndependenceError | None = None
        self._spec = spec
        self._stage = stage
        self._watch = watch

    async def grade(self, question: _Question) -> Grade:
        grade = await self._graded(question)
        missing = grade.reason if isinstance(grade, Missing) else None
        self._watch(VerdictCommitted(LABEL, self._spec.name, grade.usage.cost_usd, missing))
        return grade

    async def _graded(self, question: _Question) -> Grade:
        if self._spec.kind == CUES:
            return grade_by_cues(self._stage.lines(question.text), self._stage.rubric.fields)
        assert self.backend is not None
        assert self.lane is not None
        try:
            async with self.backend.gate.slot(self.lane, math.inf):
                return await self._asked(question)
        except QueueClosed:
            return Missing("unjudged", "the probe was stopped before")

    async def _asked(self, question: _Question) -> Grade:
        assert self.backend is not None
        prompt = self._stage.prompt(question.text)
        seed = int(verdict_key(digest.sha256(prompt), "", self._spec.settings, question.pass_)[:8], 16) % 2**31
        try:
            return await model.grade(self.backend.client, self._spec, prompt, self._stage.rubric.fields, seed)
        except (Parked, GaveUp, IndependenceError) as stop:
            self._stopped(stop)
            return Missing("unjudged", str(stop), attempts=stop.attempts)

    def _stopped(self, stop: Parked | GaveUp | IndependenceError) -> None:
        assert self.backend is not None
        assert self.lane is not None
        if isinstance(stop, GaveUp):
            self._watch(CallUnresolved(LABEL, self._spec.name, stop.why))
        elif isinstance(stop, Parked):
            if not self.lane.parked:
                self._watch(ModelStopped(stop.model, stop.why))
            self.backend.gate.park(self.lane)
        else:
            self.stopped_by = self.stopped_by or stop
            self.backend.gate.close()
