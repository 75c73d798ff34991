"""A finished dialogue before one judge: what every call to that judge about it draws on."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple, TypeVar

from independence.clients.protocol import ChatClient, GaveUp, Parked
from independence.engine import dialogue
from independence.engine.plan import Trial
from independence.engine.run_context import QueueKey, SubjectWorker
from independence.errors import IndependenceError
from independence.judge.protocol import Judge, ReplyContext, verdict_key
from independence.suites.schema import Rubric
from independence.types import TranscriptTurn

T = TypeVar("T")


class JudgingTask(NamedTuple):
    """One dialogue, one judge."""

    worker: SubjectWorker
    trial: Trial
    dialogue_digest: str
    turns: Sequence[TranscriptTurn]
    judge: Judge

    @property
    def rubric(self) -> Rubric:
        """By which it is graded."""
        return self.worker.bench.suite.rubrics[self.trial.dialogue.scenario.rubric]

    @property
    def variables(self) -> Mapping[str, str]:
        """What fills the rubric's prompts: the suite's variables and the scenario's own."""
        return {**self.worker.bench.suite.vars, **self.trial.dialogue.scenario.vars}

    @property
    def reply_context(self) -> ReplyContext:
        """What the subject was given beside the human's turns."""
        return dialogue.reply_context(self.trial, self.worker.bench.suite.language)

    @property
    def rubric_digest(self) -> str:
        """Of the rubric as this scenario fills it."""
        return self.worker.bench.rubrics[self.trial.dialogue.scenario.id]

    @property
    def key(self) -> str:
        """The verdict's."""
        return verdict_key(self.dialogue_digest, self.rubric_digest, self.judge.settings)

    @property
    def client(self) -> ChatClient:
        """Who is asked."""
        return self.worker.bench.backends[self.judge.endpoint].client

    @property
    def _queue(self) -> QueueKey:
        return QueueKey(self.judge.endpoint, self.judge.name)

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Hold a slot for one call. Raises gate.Closed."""
        # Within a run, a finished dialogue is graded before another one goes on.
        async with self.worker.slot(self._queue, math.inf, self.trial.run):
            yield

    async def resolve(self, call: Awaitable[T]) -> T | None:
        """What a call came to; None where it cannot be settled now. Raises the run-ending errors of `errors.py`."""
        try:
            return await call
        except (Parked, GaveUp, IndependenceError) as stop:
            if isinstance(stop, Parked):
                self.worker.park(self._queue, stop)
            await self.worker.unsettled(self.trial, self.judge.name, stop)
            if isinstance(stop, IndependenceError):
                raise
            return None


def seed_of(key: str) -> int:
    """The seed of the call that settles a key, 0..2**31-1."""
    return int(key[:8], 16) % 2**31
