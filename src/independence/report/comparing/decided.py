"""How a planned decision stands: every side beside the best, and the sentence that says what is decided."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

import msgspec

from independence.errors import listed
from independence.report.board import board_data, interim_looks
from independence.report.comparing import subject_comparison
from independence.report.files import table_layouts
from independence.report.files.table import Table
from independence.stats import comparison, decision
from independence.stats.decision import Outcome
from independence.store.decisions import PlannedDecision, Side
from independence.store.scopes import BoardScope
from independence.suites.schema import Suite
from independence.types import Ends, Where

Standing = Literal["best", "below", "within", "open", "incomplete"]
"""How a side stands beside the one with the highest index: surely below it, surely within the margin, or neither."""


class DecidedSide(msgspec.Struct, frozen=True, kw_only=True):
    """One side of a decision."""

    subject: str
    condition: str
    index: float | None  # None: verdicts are missing
    runs: int  # that its calls are worth
    standing: Standing
    below_since: int | None = None  # after so many runs it got no more
    behind: float | None = None  # points, behind the best
    behind_ci: Ends | None = None  # at the level of the latest look


class DecisionState(NamedTuple):
    """A decision after its latest look."""

    sides: Mapping[Side, DecidedSide]  # in the order of the plan
    looks: int
    confidence: float | None  # 0-1, of the intervals; of several the lowest. None before the first look
    changed: str = ""  # whose later runs differ from those before, in a sentence

    def those(self, *standing: Standing) -> list[Side]:
        """The sides that stand so."""
        return [side for side, one in self.sides.items() if one.standing in standing]


class DecisionDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What was decided: the document that `--format json` prints. Indices in points, 0-100."""

    outcome: Outcome | None  # None: verdicts are missing, or it was stopped
    reason: str  # in a sentence
    exit_code: int
    suite: str
    edition: str
    judge: str
    margin: float
    max_runs: int
    looks: int = 0
    confidence: float | None = None  # 0-1, of the intervals; of several the lowest
    calls_bought: int = 0  # by this command: answers and verdicts
    cost_usd: float = 0.0  # of this command
    sides: tuple[DecidedSide, ...] = ()  # the best first


def read(
    connection: sqlite3.Connection, suite: Suite, where: Where, plan: PlannedDecision, judge: str
) -> DecisionState:
    """What the store says of a decision, by a judge. Who was surely below at an earlier look stays so."""
    places = dict.fromkeys(side.condition for side in plan.each)
    studies = {one: board_data.read(connection, BoardScope(suite, where.under(one)), judge) for one in places}
    history = {side: studies[side.condition].run_counts.get(side.config_dir, interim_looks.NEVER) for side in plan.each}
    whole = {side: one for side in plan.each if (one := studies[side.condition].same_scenarios.get(side.config_dir))}
    rows = {
        side: DecidedSide(
            subject=studies[side.condition].about[side.config_dir].label, condition=str(side.condition),
            index=whole[side].point if side in whole else None, runs=history[side].worth,
            standing="incomplete", below_since=plan.stages.get(side),
        )
        for side in plan.each
    }  # fmt: skip
    if not whole.keys() - plan.stages.keys():
        return DecisionState(rows, 0, None)
    best = max((side for side in whole if side not in plan.stages), key=lambda side: whole[side].point)
    seen = {side: interim_looks.of(history[best], history[side]) for side in whole if side != best}
    tested = [side for side in whole if side not in plan.stages]
    allowance = interim_looks.at_all_pairs([history[side] for side in tested]).allowance
    found = decision.surely_below([whole[side] for side in tested], allowance)
    below = {*plan.stages, *(side for side, is_below in zip(tested, found, strict=True) if is_below)}
    rows[best] = msgspec.structs.replace(rows[best], standing="best")
    for side, own in seen.items():
        gap = subject_comparison.solid(comparison.difference(whole[best], whole[side]))
        near = decision.decided(gap, own.level, plan.margin) == "within"
        standing: Standing = "below" if side in below else "within" if near else "open"
        # Once more runs went to others, the test that found it below is no longer the one of an interval.
        ci = None if side in plan.stages else gap.interval(1 - own.level)
        rows[side] = msgspec.structs.replace(rows[side], standing=standing, behind=gap.points, behind_ci=ci)
    told = [one.changes([side.config_dir for side in plan.each if side.condition == on]) for on, one in studies.items()]
    least = min((own.level for side, own in seen.items() if side not in plan.stages), default=None)
    looks = max((len(one.runs) for one in seen.values()), default=0)
    return DecisionState(rows, looks, least and 1 - least, " ".join(filter(None, told)))


def conclusion(state: DecisionState, margin: float) -> tuple[Outcome | None, str]:
    """Outcome of a decision, and the sentences that say it; None and nothing where fewer than two have an index."""
    outcome, said = _outcome(state, margin)
    return outcome, f"{said} {state.changed}".strip() if said else ""


def _outcome(state: DecisionState, margin: float) -> tuple[Outcome | None, str]:
    rows = state.sides.values()
    best = next((one for one in rows if one.standing == "best"), None)
    others = [one for one in rows if one.standing not in ("best", "incomplete")]
    if best is None or not others:
        return None, ""
    near = [one for one in others if one.standing != "below"]
    name, *names = (one.condition if _by_condition(rows) else one.subject for one in (best, *(near or others)))
    if not near and len(others) > 1:
        return "differ", f"{name} is the best: all {len(others)} others are surely below it."
    if not near:
        low, high = others[0].behind_ci or (0.0, 0.0)
        return (
            "differ",
            f"{name} is higher than {names[0]}, by {others[0].behind:.1f} points ({low:.1f} to {high:.1f}).",
        )
    if all(one.standing == "within" for one in near):
        points = f"{margin:g} point{'' if margin == 1 else 's'}"
        beside = "is" if len(near) == 1 else "are"
        return "within", f"{listed(names)} {beside} within {points} of {name}, which has the highest index."
    return "open", f"Open: {name} has the highest index, and {listed(names)} could still be as high."


def tables(found: DecisionDocument) -> list[Table]:
    """The sides, the best first."""
    by_condition = _by_condition(found.sides)
    rows = []
    for one in found.sides:
        name = one.condition if by_condition else one.subject
        rows.append((name, one.index, one.runs, one.behind, one.behind_ci, _words(one, found)))
    note = (
        f"Planned for {found.max_runs} runs of each, or as many calls: where some are equal, any of them is put below "
        f"the best in at most {decision.ERROR:.0%} of decisions (alpha spending, Lan, DeMets 1983; all pairs, Holm)."
    )
    kind, confidence = "Condition" if by_condition else "Subject", 100 * (found.confidence or 0.95)
    return [table_layouts.made("comparisons/decision", rows, [note], kind=kind, confidence=confidence)] if rows else []


def _by_condition(sides: Iterable[DecidedSide]) -> bool:
    return len({one.condition for one in sides}) > 1


def _words(one: DecidedSide, found: DecisionDocument) -> str:
    if one.standing == "below" and one.below_since is not None:
        return f"below since {one.below_since}"
    return f"within ±{found.margin:g}" if one.standing == "within" else one.standing
