"""Judges that grade only when every dialogue of a run is finished, as those that draw which verdicts they buy."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Mapping, Sequence
from typing import ClassVar, NamedTuple

import msgspec

from independence.engine.executors.protocol import Executor
from independence.engine.plan import Trial
from independence.engine.resolve import ResolvedRun
from independence.engine.resume import PendingTrial
from independence.engine.run import RunOutcome
from independence.engine.run_context import Parallelism, RunContext
from independence.judge.protocol import Judge


class BatchGrading(NamedTuple):
    """The dialogues of a run, before a judge that reads all of them."""

    context: RunContext
    edition: str
    trials: Sequence[Trial]
    shares: Parallelism
    executor: Executor


class PurchaseForecast(NamedTuple):
    """What a judge will buy of the work that is left."""

    asked: Collection[int]  # positions in that work where its auditor will be asked
    sentence: str = ""  # to be told before a run


class BatchJudge(Judge, frozen=True):
    """A judge that reads all finished dialogues before it grades any."""

    waits_for_all: ClassVar[bool] = True

    async def grade_all(self, task: BatchGrading) -> RunOutcome:
        """Grade every finished dialogue and store the verdicts. What is stored already is not bought again."""
        raise NotImplementedError

    def forecast(
        self, connection: sqlite3.Connection, job: ResolvedRun, todo: Sequence[PendingTrial]
    ) -> PurchaseForecast:
        """What it will buy; asked of judges with an auditor."""
        raise NotImplementedError


def with_forecasts(todo: Sequence[PendingTrial], forecasts: Mapping[Judge, PurchaseForecast]) -> list[PendingTrial]:
    """The same work with these judges left only where verdicts stand for what they will buy."""
    return [
        msgspec.structs.replace(
            item, judges=tuple(one for one in item.judges if one not in forecasts or at in forecasts[one].asked)
        )
        for at, item in enumerate(todo)
    ]
