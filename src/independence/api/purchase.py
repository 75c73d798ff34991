"""Runs bought stage by stage, until whoever looks at them after each stage has seen enough.

The n-th stage brings every side to as many calls as n whole runs take, spread over scenarios: two runs of each,
then more of those that shake the index most per call. What is stored counts, so the same purchase goes on where it was
interrupted.
"""

from __future__ import annotations

import inspect
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection
from pathlib import Path

import msgspec

from independence.api import running
from independence.api.running import Approve, RunResult
from independence.config.options import RunOptions, unusual
from independence.engine import replicates
from independence.engine.concurrency import StopSignal
from independence.engine.events import CallCommitted, Event, VerdictCommitted
from independence.engine.pipeline import RunPreview
from independence.engine.plan import Trial
from independence.engine.resolve import RunPlan
from independence.engine.service import Hooks
from independence.errors import CostCapReached, IndependenceError, UsageError
from independence.report.board import interim_looks
from independence.stats.allocation import LEAST
from independence.store.decisions import Side
from independence.store.file.database import reading

INCOMPLETE, UNDECIDED = 3, 5  # exit codes
Look = Callable[[RunResult], Collection[Side]]  # whose runs are to go on; nobody's: it is over


class StagePreview(RunPreview, frozen=True, kw_only=True):
    """What the next stage asks, and what may follow."""

    stage: int  # in whole runs' worth of calls
    so_far: str  # what the stages before it say, in a sentence; empty of the first
    calls: int  # answers and verdicts of models that this stage asks for
    most_calls: int  # with all that may follow
    most_usd: float
    likely_calls: int | None = None  # with those that are likely to follow, where that is known


class Purchase:
    """One purchase at work."""

    def __init__(self, asked: RunOptions, store: Path, most: int, command: str) -> None:
        """`most` runs' worth of calls a side. Raises UsageError for options of other plans."""
        plans = ("runs", "run_number", "shard", "experiments", "no_judge", "part", "parts")
        if flag := unusual(asked, plans):
            raise UsageError(f"{flag} is not for runs that are bought until something is decided", "leave it out")
        self.asked, self.store, self.most, self.command = asked, store, most, command
        self.left: Collection[Side] | None = None  # whose runs go on; None: everybody's
        self.spent_usd = 0.0
        self.calls = 0  # answers and verdicts of models that were bought
        self.asked_judges: Collection[str] = ()  # those that are models
        self.said = ""  # by the latest look, in a sentence
        self.exhausted = False  # all stages are bought
        self.halt: StopSignal | None = None
        self.capped: CostCapReached | None = None  # before a stage that the cap would not cover

    async def follow(
        self, look: Look, approve: Approve | None, hooks: Hooks, adapted: running.Adapted | None = None
    ) -> RunResult:
        """Buy until a look leaves nobody, `most` is reached, or something stops it."""
        stage = LEAST
        while True:
            result = await self.buy(stage, stage, approve, hooks, adapted)
            if not result.started or self.stopped(result) is not None:
                return result
            stored = min(worths(result).values())
            if stage < min(stored, self.most):
                stage = min(stored, self.most)  # what was planned before belongs to the index
                continue
            self.left, self.exhausted = look(result), stage >= self.most
            if not self.left or self.exhausted or result.unmeasurable:
                return result
            stage += 1

    def stopped(self, result: RunResult) -> IndependenceError | None:
        """What ended it early."""
        return result.stopped_by or self.capped or (self.halt.reason if self.halt else None)

    async def buy(
        self, stage: int, runs: int, approve: Approve | None, hooks: Hooks, adapted: running.Adapted | None
    ) -> RunResult:
        """Fill a stage, of as many runs as `adapted` leaves."""
        cap = self.asked.connection.max_cost
        left = None if cap is None else max(cap - self.spent_usd, running.NOTHING_USD)

        def resolved(connection: sqlite3.Connection, run: RunPlan) -> RunPlan:
            run = run if adapted is None else adapted(connection, run)
            going = [one for one in run.trials if self.left is None or side_of(one) in self.left]
            self.asked_judges = {judge.name for judge in run.judges if judge.endpoint}
            told = f"{self._title(stage)}. {self.said}".strip()
            return msgspec.structs.replace(run, trials=going, stage=told)

        async def approved(preview: RunPreview) -> bool:
            own = self._preview(preview, stage)
            if self.calls and left is not None and own.cost.typical_usd > left:
                why = f"the next run would cost about ${own.cost.typical_usd:.4f}, and ${left:.4f} is left"
                self.capped = CostCapReached(f"{why} of --max-cost {cap:g}")
                return False
            answer = True if approve is None else approve(own)
            return await answer if inspect.isawaitable(answer) else answer

        def on_event(event: Event) -> None:
            asked = isinstance(event, VerdictCommitted) and event.judge in self.asked_judges
            self.calls += asked or isinstance(event, CallCommitted)
            hooks.on_event(event)

        def on_started(halt: StopSignal) -> None:
            if self.halt is not None and self.halt.reason is not None:
                halt.stop(self.halt.reason)  # Ctrl-C between two stages
            self.halt = halt
            hooks.on_started(halt)

        connection = msgspec.structs.replace(self.asked.connection, max_cost=left)
        result = await running.stage(
            msgspec.structs.replace(self.asked, runs=runs, connection=connection),
            self.store, approved, hooks._replace(on_started=on_started, on_event=on_event), self.command, resolved,
            spread=True,
        )  # fmt: skip
        self.spent_usd += result.spent_usd
        return result

    def _preview(self, preview: RunPreview, stage: int) -> StagePreview:
        """The next stage by its prices, or by what those before it cost where that was more."""
        calls = calls_to_go(preview)
        each = self.spent_usd / self.calls if self.calls else 0.0
        usd = max(preview.cost.typical_usd, each * calls)
        most = calls + self._may_follow(preview.run)
        cost = msgspec.structs.replace(preview.cost, typical_usd=usd)
        fields = {name: getattr(preview, name) for name in RunPreview.__struct_fields__} | {"cost": cost}
        return StagePreview(
            **fields, stage=stage, so_far=self.said, calls=calls, most_calls=most,
            most_usd=usd * most / calls if calls else 0.0,
        )  # fmt: skip

    def _may_follow(self, run: RunPlan) -> int:
        """How many calls may follow those of a stage."""
        own, planned = calls_of_scenarios(run), Counter[Side]()
        for trial in run.trials:
            planned[side_of(trial)] += own[trial.dialogue.scenario.id]
        return sum(max(0, self.most * sum(own.values()) - count) for count in planned.values())

    def _title(self, stage: int) -> str:
        """What the ledger of the store calls a stage."""
        return f"Stage {stage} of at most {self.most}"


def sides(run: RunPlan) -> list[Side]:
    """Who is asked, in the order of the options."""
    return list(dict.fromkeys(map(side_of, run.trials)))


def side_of(trial: Trial) -> Side:
    """Whose dialogue it is."""
    return Side(trial.subject.config_dir, trial.dialogue.condition)


def refuse_several_judges(run: RunPlan, what: str) -> None:
    """Raise UsageError unless one judge gives all verdicts. `what`: whose interval it is, as `a gate's`."""
    if len(run.judges) != 1:
        raise UsageError(f"{what} interval goes by one judge, and these are {len(run.judges)}", "name one with -j")


def calls_to_go(preview: RunPreview) -> int:
    """Answers and verdicts for which a model is asked."""
    asked = (bool(judge.endpoint) for item in preview.left.todo for judge in item.judges)
    return sum(item.calls for item in preview.left.todo) + sum(asked)


def calls_of_scenarios(run: RunPlan) -> dict[str, int]:
    """Calls of one run of each scenario for one side, those for verdicts included."""
    return replicates.calls_of_scenarios(run.suite, sum(bool(one.endpoint) for one in run.judges))


def worths(result: RunResult) -> dict[Side, int]:
    """How many whole runs the planned calls of each side are worth."""
    own, where = sides(result.run), result.run.where
    with reading(result.store) as connection:
        counts = {one.condition: interim_looks.run_counts(connection, where.under(one.condition), 1) for one in own}
    return {one: counts[one.condition][one.config_dir].worth for one in own}


def missing(result: RunResult) -> dict[str, int]:
    """Which answers and verdicts are missing, by reason, and how many dialogues are unfinished."""
    unfinished = {"dialogues unfinished, which the same command asks again": result.unfinished}
    return {**result.missing, **(unfinished if result.unfinished else {})}


def told_missing(result: RunResult) -> str:
    """What is missing of a result, in words; empty where nothing is."""
    lost, told = missing(result), result.unsettled or next(iter(result.why.values()), "")
    return ", ".join(f"{count} {reason}" for reason, count in lost.items()) + (f" ({told})" if told and lost else "")
