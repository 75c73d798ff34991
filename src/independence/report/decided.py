"""What a decision found, for people and programs: the document, its tables, and the sentence that says it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from independence.report import declared
from independence.report.table import Table
from independence.stats import decision
from independence.stats.decision import Outcome
from independence.store import scopes
from independence.types import Ends


class Standing(StrEnum):
    """How a side stands beside the one with the highest index."""

    BEST = "best"
    BELOW = "below"  # surely
    WITHIN = "within"  # the margin, surely
    OPEN = "open"
    INCOMPLETE = "incomplete"


class DecidedSide(msgspec.Struct, frozen=True, kw_only=True):
    """One side of a decision."""

    subject: str
    condition: str
    index: float | None  # None: verdicts are missing
    runs: int  # that its calls are worth
    standing: Standing
    below_from: int | None = None  # the stage after which it got no more runs, of more than two
    behind: float | None = None  # points, behind the one with the highest index
    behind_ci: Ends | None = None  # at the level of the latest look


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
    confidence: float | None = None  # 0-1, of the intervals; of several sides the lowest
    calls_bought: int = 0  # by this command: answers and verdicts
    cost_usd: float = 0.0  # of this command
    sides: tuple[DecidedSide, ...] = ()


def tables(found: DecisionDocument) -> list[Table]:
    """The sides, the best first."""
    if not found.sides:
        return []
    conditions = len({one.condition for one in found.sides}) > 1
    ranked = sorted(found.sides, key=lambda one: -1.0 if one.index is None else one.index, reverse=True)
    rows = [
        (
            one.condition if conditions else one.subject,
            one.index,
            one.runs,
            one.behind,
            one.behind_ci,
            _words(one, found),
        )
        for one in ranked
    ]
    kind, level = "Condition" if conditions else "Subject", found.confidence
    confidence = "" if level is None else f"{100 * level:.4g} % "
    return [declared.made("comparisons/decision", rows, notes(found), kind=kind, confidence=confidence)]


def notes(found: DecisionDocument) -> list[str]:
    """What has to be known beside a decision, in sentences."""
    out = []
    if len(found.sides) > 2:
        out.append(
            f"Levels were planned for {found.max_runs} runs of each, or as many calls: all looks together put an equal "
            f"below the best in at most {decision.ERROR:.0%} (alpha spending, Lan and DeMets 1983; Holm)."
        )
    if found.outcome == "differ" and any(one.runs < found.max_runs for one in found.sides):
        low, high = decision.TOO_LARGE
        why = "A decision stops when it is clear, so the differences that it finds are "
        out.append(f"{why}{low:g} to {high:g} points too large on average.")
    return out


def _words(one: DecidedSide, found: DecisionDocument) -> str:
    if one.standing == "below" and one.below_from is not None:
        return f"below since {one.below_from}"
    return f"within ±{found.margin:g}" if one.standing == "within" else one.standing


def conclusion(sides: Sequence[DecidedSide], margin: float) -> tuple[Outcome, str]:
    """Outcome of a decision between sides of which two or more have an index, and the sentence that says it."""
    best = next(one for one in sides if one.standing == Standing.BEST)
    others = [one for one in sides if one.standing not in (Standing.BEST, Standing.INCOMPLETE)]
    near = [one for one in others if one.standing != Standing.BELOW]
    by_condition = best.condition != others[0].condition
    name, *names = (one.condition if by_condition else one.subject for one in (best, *near))
    nearest = min(near or others, key=lambda one: one.behind or 0.0)
    low, high = nearest.behind_ci or (0.0, 0.0)
    if not near and len(others) > 1:
        return "differ", f"{name} is the best: all {len(others)} others are surely below it."
    if not near:
        other = nearest.condition if by_condition else nearest.subject
        return "differ", f"{name} is higher than {other}, by {nearest.behind:.1f} points ({low:.1f} to {high:.1f})."
    if all(one.standing == Standing.WITHIN for one in near):
        points = f"{margin:g} point{'' if margin == 1 else 's'}"
        beside = "is" if len(near) == 1 else "are"
        return "within", f"{scopes.listed(names)} {beside} within {points} of {name}, which has the highest index."
    return "open", f"Open: {name} has the highest index, and {scopes.listed(names)} could still be as high."
