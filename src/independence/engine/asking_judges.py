"""Judges grade the known dialogues of a suite before subjects are asked, and are refused where they cannot judge."""

from __future__ import annotations

import sqlite3

from independence.engine import probing, run
from independence.engine.events import JudgeExamined, ModelStopped
from independence.engine.examining import ExaminationPlan
from independence.engine.resume import PendingTrial
from independence.engine.run_context import Parallelism
from independence.engine.service import ModelService
from independence.errors import IndependenceError, UsageError
from independence.judge.examination import Examination
from independence.judge.model import ModelJudge
from independence.judge.protocol import Judge
from independence.store.writer import StoreCall


async def examine(
    opened: ModelService, plan: ExaminationPlan, shares: Parallelism
) -> tuple[frozenset[Judge], IndependenceError | None]:
    """Let judges grade what is left of the known dialogues, and tell what they miss.

    Returns the judges that could not be asked all of it now, and what stopped the run. Raises UsageError for a judge
    that cannot judge: everything it was asked is kept.
    """
    if plan.dialogues is None:
        return frozenset(), None
    todo = await opened.writer.write(StoreCall(_begin, plan))
    if todo:
        outcome = await run.run(opened.context(plan.dialogues.suite, plan.dialogues.rubrics), todo, shares)
        if outcome.stopped_by is not None:
            return frozenset(), outcome.stopped_by
    found = {judge: await opened.writer.write(StoreCall(_result, plan, judge)) for judge in plan.judges}
    refused = [(judge.name, one.refused) for judge, one in found.items() if one is not None and one.refused]
    if refused:
        test = f"fails the test of a judge ({len(plan.suite.known or ())} known dialogues of {plan.suite.suite})"
        what = "; ".join(f"{name} {test}: {why}" for name, why in refused)
        raise UsageError(what, "name another judge with -j (`cues`: rules, no model), or trust it with --trust-judge")
    for judge, one in found.items():
        if one is None:
            opened.on_event(ModelStopped(judge.name, "it could not be asked about all known dialogues"))
        elif one.misses or any(judge in item.judges for item in todo):
            told = f"{one} (known dialogues of {plan.suite.suite})"
            opened.on_event(JudgeExamined(judge.name, told, perfect=not one.misses))
    return frozenset(judge for judge, one in found.items() if one is None), None


def _begin(connection: sqlite3.Connection, plan: ExaminationPlan) -> list[PendingTrial]:
    todo = plan.todo(connection)
    if todo and plan.dialogues is not None:
        probing.store(connection, plan.dialogues)
    return todo


def _result(connection: sqlite3.Connection, plan: ExaminationPlan, judge: ModelJudge) -> Examination | None:
    return plan.result(connection, judge)
