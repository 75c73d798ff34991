"""Two sides as tables: how they stand, how far apart, and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import msgspec

from independence.report.board import scenario_kinds, verdict_frame
from independence.report.board.notes import also_graded, say
from independence.report.board.rows import STRICT
from independence.report.comparing import subject_comparison
from independence.report.comparing.subject_comparison import ComparedSubject, IndexGap
from independence.report.files import table_layouts
from independence.report.files.legend import span
from independence.report.files.table import Column, Table, Value
from independence.stats import decision, power
from independence.stats.comparison import Difference, adjusted_by_name
from independence.stats.index_uncertainty import LIKE_THESE, THESE
from independence.types import Ends

ALPHA = 0.05
MARGIN = 2.0  # index points within which two sides count as equivalent
_POWER = 0.5  # chance that equal sides are called equivalent, below which equivalence is not tested
READINGS = {THESE: "these scenarios", LIKE_THESE: "scenarios like these"}


class SideLabels(NamedTuple):
    """What differs between two sides, and what each is called by it."""

    kind: str  # Subject, Condition or Judge
    first: str
    second: str


def side_labels(first: ComparedSubject, second: ComparedSubject) -> SideLabels:
    """Names by what differs: the subject, else the condition, else the judge."""
    if first.config != second.config:
        own, other = (side.study.about[side.config].name for side in (first, second))
        return SideLabels("Subject", own, other)
    if first.study.scope != second.study.scope:
        return SideLabels("Condition", str(first.study.scope.condition), str(second.study.scope.condition))
    return SideLabels("Judge", first.study.judge or "none", second.study.judge or "none")


def tables(first: ComparedSubject, second: ComparedSubject, margin: float = MARGIN) -> list[Table]:
    """Both sides, their difference in both readings, its scenarios, the dimensions; differences are first minus second.

    Where a side is incomplete there is no difference but what it can be. `margin` in index points. Raises StoreError
    for sides of two editions or suites.
    """
    found = subject_comparison.gap(first, second)
    whole = first.index is not None and second.index is not None
    if whole:
        apart = _difference(first, second, found, margin)
    else:
        low, high = bounds(first, second)
        said = f"not measured: with the missing verdicts it lies from {low:+.1f} to {high:+.1f}"
        apart = table_layouts.made("comparisons/bounds", [((low, high), said)])
    own, other = (side.study.scores[side.config].dimensions for side in (first, second))
    return [_sides(first, second), apart, _scenarios(first, second), dimensions(first, own, other)]


def bounds(first: ComparedSubject, second: ComparedSubject) -> Ends:
    """The lowest and the highest that first minus second can be, whatever the missing verdicts would be."""
    return first.bounds[0] - second.bounds[1], first.bounds[1] - second.bounds[0]


def outcome(
    found: Difference,
    margin: float,
    names: tuple[str, str] = ("A", "B"),
    p: float | None = None,
    *,
    level: float = ALPHA,
) -> str:
    """What a difference says at a level. `p`: adjusted for being one of several tests; default the difference's own."""
    interval = found.interval(1 - level)
    if interval is None:
        return "no test is possible: nothing varies between runs"
    higher = f"{names[0] if found.points > 0 else names[1]} is higher"
    near = equivalence_p(found, margin, level)
    equivalent = near is not None and near < level
    if (found.p if p is None else p) < level:
        return higher + (f", by less than {_points(margin)}" if equivalent else "")
    if equivalent:
        return f"equivalent within {_points(margin)}"
    if found.p < level:
        return f"{higher} if this were the only test; not significant after correction"
    return f"undecided: the difference could be {interval.low:+.1f} to {interval.high:+.1f}"


def equivalence_p(found: Difference, margin: float, level: float = ALPHA) -> float | None:
    """The p value of a difference beyond +-`margin`; None where a test would seldom find equal sides equivalent."""
    return found.equivalent(margin) if power.of_equivalence(found, margin, level) >= _POWER else None


def equivalence_note(found: Difference, runs: float, margin: float, level: float = ALPHA) -> list[str]:
    """What the p value of equivalence is, or why there is none and from how many runs of either side there would be."""
    if not found.se > 0:
        return []
    if equivalence_p(found, margin, level) is not None:
        note = (
            f"p (TOST ±{margin:g}): p value of the hypothesis that they differ by {_points(margin)} or more (two "
            f"one-sided tests, {100 * level:.2g}%); a small one rules that out. It is not how probable equivalence is."
        )
        return [note]
    needed = power.runs_for_equivalence(found, runs, margin, level, _POWER)
    enough = f" About {needed} runs of each would be enough on these scenarios." if needed else ""
    note = f"Whether they are equivalent within ±{_points(margin)} is not tested: with so few runs the test would find "
    return [f"{note}less than half of those who are equal.{enough}"]


def tested_p(found: Difference | None) -> float | None:
    """The p value of no difference; None where nothing varies."""
    return found.p if found is not None and found.se > 0 else None


def lacking(side: ComparedSubject) -> str:
    """Which verdicts an incomplete side misses, by reason."""
    reasons = verdict_frame.reasons(side.planned)
    frame = side.study.frame
    unplanned = {name for members in frame.members.values() for name in members} - {c.scenario for c in side.planned}
    said = [f"{count} {reason}" for reason, count in reasons.items()]
    said += [f"never planned: {', '.join(sorted(unplanned))}"] if unplanned else []
    return f"{sum(reasons.values())} of {len(side.planned)} verdicts missing ({'; '.join(said)})"


def _points(margin: float) -> str:
    return f"{margin:g} point{'' if margin == 1 else 's'}"


def heading(first: ComparedSubject, second: ComparedSubject, scoring: str) -> tuple[str, list[str]]:
    """The title of two sides, and what stands below it: where, by which rule and judge, which runs are left out."""
    names, scope = side_labels(first, second), first.study.scope
    title = f"{names.first} against {names.second}"
    if names.kind != "Subject":
        title = f"{first.study.about[first.config].name}: {title}"
    where = [table_layouts.edition_named(scope.where.edition_name, scope.suite.foreign_language), f"{scoring} scoring"]
    where += [str(scope.condition)] if names.kind != "Condition" else []
    where += [f"judge {first.study.judge}"] if names.kind != "Judge" else []
    same = " Both judges graded the same replies." if names.kind == "Judge" else ""
    repeats = [note for side in (first, second) for note in side.study.only([side.config]).repeat_notes]
    if scope.prompt_note and names.kind != "Condition":
        same += f" {scope.prompt_note}"
    return title, [f"{', '.join(where)}.{same}", *also_graded(first.study.as_full), *dict.fromkeys(repeats)]


def _sides(first: ComparedSubject, second: ComparedSubject) -> Table:
    names = side_labels(first, second)
    title, notes = heading(first, second, STRICT)
    rows: list[tuple[Value, ...]] = []
    for letter, name, side in (("A", names.first, first), ("B", names.second, second)):
        scored, these = side.study.scores[side.config], side.study.same_scenarios.get(side.config)
        like_these = side.study.all_new_scenarios.get(side.config)
        intervals = (one.interval() if one else None for one in (these, like_these))
        bounds = scored.bounds if side.index is None else None
        runs = span(scored.runs, scored.most_runs)
        rows.append((letter, name, side.index, *intervals, runs, scored.coverage, bounds))
        notes += [f"{name} is incomplete: {lacking(side)}."] if side.index is None else []
        notes += say({"runs_vary": side.study.runs_vary(side.config) and {"whose": f"{name}:"}})
    return table_layouts.made("comparisons/sides", rows, notes, title=title, kind=names.kind)


def _difference(first: ComparedSubject, second: ComparedSubject, found: IndexGap | None, margin: float) -> Table:
    assert first.index is not None
    assert second.index is not None
    names = side_labels(first, second)
    rows: list[tuple[Value, ...]] = []
    seen = subject_comparison.looks(first, second)
    level = seen.level
    once = any(side.config in side.study.single_runs for side in (first, second))
    for reading, one in zip(READINGS.values(), found or (None, None), strict=True):
        if one is None or (once and not one.se):
            said = "no test is possible: a scenario has a single run"
            rows.append((reading, first.index - second.index, None, None, None, said))
            continue
        p, said = tested_p(one), outcome(one, margin, level=level)
        near = None if p is None or seen.planned else equivalence_p(one, margin, level)
        if seen.planned and decision.decided(one, level, seen.planned.margin) == "within":
            said = f"within {_points(seen.planned.margin)} of each other"
        rows.append((reading, one.points, one.interval(1 - level), p, near, said))
    paired = "by dialogue: both judges graded the same replies" if names.kind == "Judge" else "by scenario"
    notes = [seen.note] if seen.note else []
    if found is not None and seen.planned is None:
        fewest = min(side.study.scores[side.config].runs for side in (first, second))
        runs = seen.information[-1] if seen.information else fewest
        notes += equivalence_note(found.these, runs, margin, level)
    words = {"paired": paired, "margin": margin}
    return table_layouts.made("comparisons/difference", rows, notes, **words, confidence=100 * (1 - level))


def _scenarios(first: ComparedSubject, second: ComparedSubject) -> Table:
    found = subject_comparison.items(first, second)
    p = {item.scenario: tested_p(item.gap) for item in found}
    holm = adjusted_by_name(p)
    kinds = scenario_kinds.of(first.study)
    rows = [
        (
            item.scenario, *([scenario_kinds.kind_of(kinds, item.scenario)] if kinds else []),
            *(None if share is None else 100 * share for share in (item.first, item.second)),
            None if item.first is None or item.second is None else 100 * (item.first - item.second),
            item.points, item.gap.interval() if item.gap else None, p[item.scenario], holm.get(item.scenario),
        )
        for item in found
    ]  # fmt: skip
    more = {"scenario": [Column("kind", "Kind")] if kinds else []}
    table = table_layouts.made("comparisons/scenarios", rows, [], more, tested=len(holm))
    points = {item.scenario: item.points for item in found if item.points is not None}
    if not kinds or len(points) < len(found):
        return table
    return msgspec.structs.replace(table, notes=(scenario_kinds.difference(points, kinds), *table.notes))


def dimensions(side: ComparedSubject, own: Mapping[str, float | None], other: Mapping[str, float | None]) -> Table:
    """Both sides' dimensions, of those in the index of the suite."""
    rows: list[tuple[Value, ...]] = []
    for component in side.study.frame.index.components:
        for name in component.dimensions:
            a, b = own.get(name), other.get(name)
            better = "higher" if component.best > component.worst else "lower"
            rows.append((name, a, b, None if a is None or b is None else a - b, better))
    return table_layouts.made("comparisons/dimensions", rows)
