"""Which of two subjects is higher, or who is best of several: runs are bought until that is clear."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from independence.api import purchase
from independence.api.comparing import ComparisonResult
from independence.api.purchase import Purchase, StagePreview
from independence.api.results import Tabular, flattened, printed
from independence.api.running import DEFAULT_STORE, Approve, RunResult
from independence.config.options import DecisionOptions, RunOptions, from_settings
from independence.engine.event_loop import drive_anywhere
from independence.engine.events import Event
from independence.engine.pipeline import RunPreview
from independence.engine.resolve import ResolvedRun
from independence.engine.service import Hooks
from independence.errors import CostCapReached, IndependenceError, UsageError
from independence.report import analysis, board_data, decided, html, looks, subject_comparison
from independence.report.board_data import BoardData
from independence.report.decided import DecidedSide, DecisionDocument, Standing
from independence.report.subject_comparison import ComparedSubject
from independence.report.table import Table
from independence.stats import allocation, comparison, decision
from independence.stats.allocation import LEAST
from independence.stats.decision import Outcome
from independence.store import decisions
from independence.store.database import reading, writing
from independence.store.decisions import PlannedDecision, Side
from independence.store.scopes import BoardScope, listed
from independence.suites import load
from independence.types import Condition

INCOMPLETE, OPEN = 3, 5  # exit codes
_ALONE: Final = Hooks()


class DecisionResult(Tabular):
    """What was decided about two subjects or more, and on which numbers."""

    def __init__(
        self, document: DecisionDocument, compared: ComparisonResult | None, result: RunResult,
        stopped_by: IndependenceError | None, *, started: bool,
    ) -> None:  # fmt: skip
        self.document = document  # everything, as `--format json` prints it
        self.compared = compared  # of two sides that have an index
        self.result = result  # of the latest stage; its boards hold everybody
        self.stopped_by = stopped_by  # what ended it early; None where nothing did
        self.started = started  # False: a dry run, or not approved; nothing was asked

    @property
    def outcome(self) -> Outcome | None:
        """Differ, within or open; None where verdicts are missing or it was stopped."""
        return self.document.outcome

    @property
    def exit_code(self) -> int:
        """That of the command: 0 decided, 3 incomplete, 5 open, 130 interrupted."""
        return self.document.exit_code

    @property
    def tables(self) -> list[Table]:
        """The sides, the best first."""
        return decided.tables(self.document)

    def records(self) -> Iterator[dict[str, object]]:
        """One flat row for each side."""
        return (flattened(one) for one in self.document.sides)

    def to_json(self) -> str:
        """As `--format json` prints it."""
        return msgspec.json.format(msgspec.json.encode(self.document), indent=2).decode()

    def __repr__(self) -> str:
        return printed(self.document.reason, *self.tables)

    def _repr_html_(self) -> str:
        """The decision for a notebook, all of it escaped."""
        return html.fragment(self.tables)


async def adecide(
    options: RunOptions | str = "v2",
    *,
    store: Path | str = DEFAULT_STORE,
    on_event: Callable[[Event], None] | None = None,
    approve: Approve | None = None,
    hooks: Hooks = _ALONE,
    command: str = "decide",
    **settings: Any,
) -> DecisionResult:
    """Decide which of two subjects is higher, or who is best of several, buying runs while that is not clear.

    As for `arun`, with the fields of DecisionOptions among the keywords: `await adecide("v2", models=["vendor/a",
    "vendor/b"], within=5, max_runs=10, max_cost=2.0)`. Two sides may also be one model under two conditions. Stored
    runs are used first, and the same call goes on where it was interrupted; margin and end are stored before the first
    look and cannot be changed. `approve` is shown each stage before it is bought (a `StagePreview`). Whoever is surely
    below the best gets no more runs. Raises IndependenceError.
    """
    own = {name: settings.pop(name) for name in DecisionOptions.__struct_fields__ if name in settings}
    bars = from_settings(DecisionOptions, None, "", own, "decide")
    asked = from_settings(RunOptions, options, "suite", settings, "decide", DecisionOptions.__struct_fields__)
    analysis.with_gate(load.load(asked.suite).suite, "a decision")
    one = _Decision(Purchase(asked, Path(store), bars.max_runs, command), bars)
    return await one.decide(approve, hooks._replace(on_event=on_event) if on_event else hooks)


def decide(options: RunOptions | str = "v2", **keywords: Any) -> DecisionResult:
    """`adecide` for code that awaits nothing, with the same arguments."""
    return drive_anywhere(adecide(options, **keywords))


class _Decision:
    """One decision at work."""

    def __init__(self, purchase_: Purchase, bars: DecisionOptions) -> None:
        self.purchase, self.bars = purchase_, bars
        self.sides: list[Side] = []
        self.below: dict[Side, int] = {}  # of more than two sides -> the stage after which runs went on without it

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
        stages = decision.expected_stages(self.bars.within, allocation.variances(noise, calls, self.bars.max_runs))
        more = max(0.0, stages + LEAST - 1 - preview.stage) * sum(calls.values()) * len(self.sides)
        return msgspec.structs.replace(preview, likely_calls=preview.calls + round(more))

    def _planned(self, connection: sqlite3.Connection, run: ResolvedRun) -> ResolvedRun:
        """The run as part of the decision. Raises UsageError for sides that cannot be decided between."""
        self.sides = purchase.sides(run)
        if len(self.sides) < 2:
            raise UsageError("a decision is between two subjects or more, or two conditions", "name more than one")
        if len(self.sides) > 2 and len({side.condition for side in self.sides}) > 1:
            raise UsageError(
                "who is best is decided under one condition", "name it with --system-prompt and --delivery"
            )
        purchase.refuse_several_judges(run, "a decision's")
        asked = PlannedDecision(decisions.named(self.sides), self.bars.within, self.bars.max_runs)
        stored = decisions.find(connection, run.where, asked)
        stages = {side: stage for side in self.sides if (stage := stored.stage_below(side)) is not None}
        if self.purchase.left is None and stages:
            self.below, self.purchase.left = stages, [side for side in self.sides if side not in stages]
        return msgspec.structs.replace(run, decision=asked)

    def _look(self, result: RunResult) -> list[Side]:
        """Whose runs go on."""
        with reading(result.store) as connection:
            found = self._found(connection, result.run).sides
        standing = {side: one.standing for side, one in zip(self.sides, found, strict=True)}
        stage, whole = max(one.runs for one in found), [one for one in found if one.index is not None]
        below = [side for side, one in standing.items() if one == Standing.BELOW and side not in self.below]
        if below and len(self.sides) > 2:
            self.below |= dict.fromkeys(below, stage)
            planned, where = result.run.decision, result.run.where
            assert planned is not None
            with writing(result.store, new=False) as connection:
                decisions.add_below(connection, where, planned, self.below)
        self.purchase.said = decided.conclusion(found, self.bars.within)[1] if len(whole) > 1 else ""
        left = [side for side, one in standing.items() if one not in (Standing.BELOW, Standing.INCOMPLETE)]
        return left if any(standing[side] == Standing.OPEN for side in left) else []

    def _found(self, connection: sqlite3.Connection, run: ResolvedRun) -> _Found:
        """How every side stands beside the best of those that are still in question."""
        judge, places = run.judges[0].name, dict.fromkeys(side.condition for side in self.sides)
        studies = {
            one: board_data.read(connection, BoardScope(run.suite, run.where.under(one)), judge) for one in places
        }
        whole = {
            side: one for side in self.sides if (one := studies[side.condition].same_scenarios.get(side.config_dir))
        }
        history = {side: studies[side.condition].run_counts.get(side.config_dir, looks.NEVER) for side in self.sides}
        going = [side for side in whole if side not in self.below]
        best = max(going, key=lambda side: whole[side].point, default=None)
        seen = {side: looks.of(history[best], history[side]) for side in whole if side != best} if best else {}
        levels = {side: one.level for side, one in seen.items()}
        tested = [side for side in going if side != best]
        if best:
            below = decision.surely_below(
                whole[best], [whole[side] for side in tested], [levels[side] for side in tested]
            )
            tested = [side for side, is_below in zip(tested, below, strict=True) if is_below]
        rows = []
        for side in self.sides:
            behind, interval, standing = None, None, Standing.INCOMPLETE
            if side == best:
                standing = Standing.BEST
            elif best and side in whole:
                gap = subject_comparison.solid(comparison.difference(whole[best], whole[side]))
                behind, interval = gap.points, gap.interval(1 - levels[side])
                near = decision.decided(gap, levels[side], self.bars.within) == "within"
                is_below = side in self.below or side in tested
                standing = Standing.BELOW if is_below else Standing.WITHIN if near else Standing.OPEN
            rows.append(DecidedSide(
                subject=studies[side.condition].about[side.config_dir].label, condition=str(side.condition),
                index=whole[side].point if side in whole else None, runs=history[side].worth, standing=standing,
                below_from=self.below.get(side), behind=behind, behind_ci=interval,
            ))  # fmt: skip
        most, level = max((len(one.runs) for one in seen.values()), default=0), min(levels.values(), default=None)
        return _Found(studies, rows, most, None if level is None else 1 - level)

    def _result(self, result: RunResult) -> DecisionResult:
        run, stopped = result.run, self.purchase.stopped(result)
        found, compared = _Found({}, [], 0, None), None
        outcome, code, reason = None, 0, "nothing was asked"
        started = result.started or self.purchase.capped is not None
        if started:
            with reading(result.store) as connection:
                found = self._found(connection, run)
            outcome, code, reason = self._conclusion(result, found.sides, stopped)
            if len(self.sides) == 2 and all(one.index is not None for one in found.sides):
                first, second = (ComparedSubject(found.studies[one.condition], one.config_dir) for one in self.sides)
                compared = ComparisonResult(first, second, self.bars.within)
        document = DecisionDocument(
            outcome=outcome, reason=reason, exit_code=code, suite=run.where.suite, edition=run.where.edition,
            judge=run.judges[0].name, margin=self.bars.within, max_runs=self.bars.max_runs, looks=found.looks,
            confidence=found.confidence, calls_bought=self.purchase.calls, cost_usd=self.purchase.spent_usd,
            sides=tuple(found.sides),
        )  # fmt: skip
        return DecisionResult(document, compared, result, stopped, started=started)

    def _conclusion(
        self, result: RunResult, sides: Sequence[DecidedSide], stopped: IndependenceError | None
    ) -> tuple[Outcome | None, int, str]:
        """Outcome, exit code and the sentence that says why."""
        if isinstance(stopped, CostCapReached):
            return "open", OPEN, f"Open, and no further run was made: {stopped}"
        if stopped is not None:
            return None, stopped.exit_code, f"Nothing is decided: {stopped}"
        holes = [one.subject for one in sides if one.standing == Standing.INCOMPLETE]
        lacking = f"{listed(holes)} is incomplete: {purchase.missing(result) or 'verdicts are missing'}."
        if len(sides) - len(holes) < 2:
            return None, INCOMPLETE, f"Nothing is decided: {lacking}"
        outcome, said = decided.conclusion(sides, self.bars.within)
        if outcome == "open":
            made = max(one.runs for one in sides)
            said += f" {made} runs' worth of calls are made" + (
                ", which is what was planned." if made >= self.bars.max_runs else ", and no further run was approved."
            )
        if holes:
            return outcome, INCOMPLETE, f"{said} {lacking}"
        return outcome, OPEN if outcome == "open" else 0, said


class _Found(NamedTuple):
    """What the store says of a decision."""

    studies: dict[Condition, BoardData]
    sides: list[DecidedSide]
    looks: int
    confidence: float | None
