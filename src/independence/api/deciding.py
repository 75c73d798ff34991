"""Which of two subjects is higher, or who is best of several: runs are bought until that is clear."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Unpack

import msgspec

from independence.api import comparing, purchase
from independence.api.comparing import ComparisonResult
from independence.api.purchase import Purchase, StagePreview
from independence.api.results import Decided, flattened
from independence.api.running import ALONE, DEFAULT_STORE, Approve, CallerSettings, RunResult, hearing
from independence.config.keywords import divided, from_settings
from independence.config.options import DecisionOptions, RunOptions
from independence.config.settings import DecisionSettings, RunSettings
from independence.config.signatures import spelled_out
from independence.engine.event_loop import drive_anywhere
from independence.engine.events import Event
from independence.engine.pipeline import RunPreview
from independence.engine.resolve import RunPlan
from independence.engine.service import Hooks
from independence.errors import CostCapReached, IndependenceError, UsageError, listed
from independence.report import analysis
from independence.report.comparing import decided
from independence.report.comparing.decided import DecisionDocument, DecisionState
from independence.report.files.table import Table
from independence.stats import allocation, decision
from independence.stats.allocation import LEAST
from independence.stats.decision import Outcome
from independence.store import decisions
from independence.store.decisions import PlannedDecision, Side
from independence.store.file.database import reading, writing
from independence.store.scopes import BoardScope
from independence.suites import load

INCOMPLETE, OPEN = 3, 5  # exit codes


class DecisionResult(Decided):
    """What was decided about two subjects or more, and on which numbers."""

    document: DecisionDocument
    compared: ComparisonResult | None = None  # of two sides that have an index

    @property
    def outcome(self) -> Outcome | None:
        """Differ, within or open; None where verdicts are missing or it was stopped."""
        return self.document.outcome

    @property
    def tables(self) -> list[Table]:
        """The comparison of two sides, of more how each stands beside the best."""
        return decided.tables(self.document) if self.compared is None else self.compared.tables

    def records(self) -> Iterator[dict[str, object]]:
        """One flat row for each side."""
        return (flattened(one) for one in self.document.sides)


class DecideSettings(RunSettings, DecisionSettings, total=False):
    """The options of `decide`."""


class DecideKeywords(DecideSettings, CallerSettings, total=False):
    """Of `decide`."""

    command: str


@spelled_out(DecideSettings)
async def adecide(
    options: RunOptions | str = "v2",
    *,
    store: Path | str = DEFAULT_STORE,
    on_event: Callable[[Event], None] | None = None,
    approve: Approve | None = None,
    hooks: Hooks = ALONE,
    command: str = "decide",
    **settings: Unpack[DecideSettings],
) -> DecisionResult:
    """Decide which of two subjects is higher, or who is best of several, buying runs while that is not clear.

    As for `arun`, with the fields of DecisionOptions among the keywords: `await adecide("v2", models=["vendor/a",
    "vendor/b"], within=5, max_runs=10, max_cost=2.0)`. Two sides may also be one model under two conditions. Stored
    runs are used first, and the same call goes on where it was interrupted; margin and end are stored before the first
    look and cannot be changed. `approve` is shown each stage before it is bought (a `StagePreview`). Whoever is surely
    below the best gets no more runs. Raises IndependenceError.
    """
    own, rest = divided(settings, DecisionOptions)
    bars = from_settings(DecisionOptions, None, "", own, "decide")
    asked = from_settings(RunOptions, options, "suite", rest, "decide", DecisionOptions.__struct_fields__)
    analysis.with_gate(load.load(asked.suite, values=asked.values).suite, "a decision")
    one = _Decision(asked, bars, Path(store), command)
    return await one.decide(approve, hearing(hooks, on_event))


@spelled_out(DecideKeywords)
def decide(options: RunOptions | str = "v2", **keywords: Unpack[DecideKeywords]) -> DecisionResult:
    """`adecide` for code that awaits nothing, with the same arguments."""
    return drive_anywhere(adecide(options, **keywords))


class _Decision:
    """One decision at work."""

    def __init__(self, asked: RunOptions, bars: DecisionOptions, store: Path, command: str) -> None:
        self.purchase, self.bars = Purchase(asked, store, bars.max_runs, command), bars
        self.sides: list[Side] = []

    async def decide(self, approve: Approve | None, hooks: Hooks) -> DecisionResult:
        """Buy runs while it is open."""

        def asked(preview: RunPreview) -> bool | Awaitable[bool]:
            assert isinstance(preview, StagePreview)
            return approve is None or approve(self._with_likely(preview))

        return self._result(await self.purchase.follow(self._look, asked, hooks, self._planned))

    def _with_likely(self, preview: StagePreview) -> StagePreview:
        """With the calls that a decision takes where two sides are as far apart as the margin."""
        noise = load.shipped_noise(load.locate(self.purchase.asked.suite), preview.run.suite)
        if len(self.sides) > 2 or noise is None:
            return preview
        calls = purchase.calls_of_scenarios(preview.run)
        stages = decision.expected_stages(self.margin, allocation.variances(noise, calls, self.bars.max_runs))
        more = max(0.0, stages + LEAST - 1 - preview.stage) * sum(calls.values()) * len(self.sides)
        return msgspec.structs.replace(preview, likely_calls=preview.calls + round(more))

    @property
    def margin(self) -> float:
        """Index points within which sides count as alike."""
        return self.bars.margin(len(self.sides))

    def _planned(self, connection: sqlite3.Connection, run: RunPlan) -> RunPlan:
        """The run as part of the decision. Raises UsageError for sides that cannot be decided between."""
        self.sides = purchase.sides(run)
        if len(self.sides) < 2:
            raise UsageError("a decision is between two subjects or more, or two conditions", "name more than one")
        if len(self.sides) > 2 and len({side.condition for side in self.sides}) > 1:
            raise UsageError(
                "who is best is decided under one condition", "name it with --system-prompt and --delivery"
            )
        purchase.refuse_several_judges(run, "a decision's")
        stored = self._stored(connection, run)
        if self.purchase.left is None:
            self.purchase.left = [side for side in self.sides if side not in stored.stages]
        return msgspec.structs.replace(run, decision=stored)

    def _stored(self, connection: sqlite3.Connection, run: RunPlan) -> PlannedDecision:
        return decisions.find(connection, run.where, decisions.between(self.sides, self.margin, self.bars.max_runs))

    def _look(self, result: RunResult) -> list[Side]:
        """Whose runs go on."""
        with reading(result.store) as connection:
            plan, state = self._state(connection, result.run)
        below = [side for side in state.those("below") if side not in plan.stages]
        if below and len(self.sides) > 2:
            stage = max(one.runs for one in state.sides.values())
            with writing(result.store, new=False) as connection:
                decisions.add_below(connection, result.run.where, plan, dict.fromkeys(below, stage))
        self.purchase.said = decided.conclusion(state, plan.margin)[1]
        left = state.those("best", "within", "open")
        return left if state.those("open") else []

    def _state(self, connection: sqlite3.Connection, run: RunPlan) -> tuple[PlannedDecision, DecisionState]:
        plan = self._stored(connection, run)
        return plan, decided.read(connection, run.suite, run.where, plan, run.judges[0].name)

    def _result(self, result: RunResult) -> DecisionResult:
        run, stopped = result.run, self.purchase.stopped(result)
        started = result.started or self.purchase.capped is not None or bool(self.purchase.said)
        state, compared, outcome, code, reason = DecisionState({}, 0, None), None, None, 0, "nothing was asked"
        if started:
            with reading(result.store) as connection:
                _, state = self._state(connection, run)
                outcome, code, reason = self._conclusion(result, state, stopped)
                if len(self.sides) == 2 and outcome is not None:
                    both = [(BoardScope(run.suite, run.where.under(on)), name) for name, on in self.sides]
                    compared = comparing.in_places(connection, run.judges[0].name, *both)
        ranked = sorted(state.sides.values(), key=lambda one: -1.0 if one.index is None else one.index, reverse=True)
        document = DecisionDocument(
            outcome=outcome, reason=reason, exit_code=code, suite=run.where.suite, edition=run.where.edition,
            judge=run.judges[0].name, margin=self.margin, max_runs=self.bars.max_runs, looks=state.looks,
            confidence=state.confidence, calls_bought=self.purchase.calls, cost_usd=self.purchase.spent_usd,
            sides=tuple(ranked),
        )  # fmt: skip
        found = DecisionResult(document, stopped, started=started)
        found.compared = compared
        return found

    def _conclusion(
        self, result: RunResult, state: DecisionState, stopped: IndependenceError | None
    ) -> tuple[Outcome | None, int, str]:
        """Outcome, exit code and the sentence that says why."""
        if isinstance(stopped, CostCapReached):
            return "open", OPEN, f"Open, and no further run was made: {stopped}"
        if stopped is not None:
            return None, stopped.exit_code, f"Nothing is decided: {stopped}"
        by_condition = len({side.condition for side in self.sides}) > 1
        holes = [
            str(side.condition) if by_condition else state.sides[side].subject for side in state.those("incomplete")
        ]
        be = "is" if len(holes) == 1 else "are"
        lacking = f"{listed(holes)} {be} incomplete: {purchase.told_missing(result) or 'verdicts are missing'}."
        outcome, said = decided.conclusion(state, self.margin)
        if outcome is None:
            return None, INCOMPLETE, f"Nothing is decided: {lacking}"
        if outcome == "differ" and not self.purchase.exhausted:
            low, high = decision.TOO_LARGE
            said += (
                f" Decided early, a difference is too large on average ({low:g} points if 12 is true, {high:g} if 3)."
            )
        if outcome == "open":
            most = f"Calls worth {self.bars.max_runs} runs of each are made, which is what was planned."
            said += f" {most if self.purchase.exhausted else 'No further run was approved.'}"
        return (
            outcome,
            INCOMPLETE if holes else OPEN if outcome == "open" else 0,
            f"{said} {lacking if holes else ''}".strip(),
        )
