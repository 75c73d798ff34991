"""Two subjects, or one under two conditions, by a scoring rule other than strict.

Such a rule gives each whole run an index, from whatever verdicts there are of it. Indices of runs are what a test can
rest on: runs are independent, verdicts that came to be missing are not. So there is one test, on these scenarios; by
scenario and for other scenarios there is none.
"""

from __future__ import annotations

from statistics import fmean, stdev
from typing import NamedTuple

from independence.errors import UsageError
from independence.report.board import board, scenario_kinds
from independence.report.board.index_rows import BOOTSTRAP, DIMENSIONS, T_RUNS
from independence.report.board.rows import Row
from independence.report.comparing import comparison_tables, subject_comparison
from independence.report.comparing.subject_comparison import ComparedSubject
from independence.report.files import table_layouts
from independence.report.files.table import Column, Table, Value
from independence.stats import comparison
from independence.stats.comparison import Difference
from independence.stats.index_uncertainty import IndexEstimate


class RuledSubject(NamedTuple):
    """A side with its row by a rule."""

    side: ComparedSubject
    row: Row
    value: float  # its index, 0-100, rounded as the rule rounds


def ruled(side: ComparedSubject, scoring: str) -> RuledSubject:
    """A side by a rule. Raises UsageError where the rule cannot be applied to its suite, or gives it no index."""
    rows = {row.config: row for row in board.of_data(side.study.only([side.config]), scoring=scoring).rows}
    row = rows.get(side.config)
    if row is None or row.main.value is None:
        what = f"{side.study.about[side.config].label} has no index by --scoring {scoring}: the rule leaves it out"
        raise UsageError(what, f"`leaderboard --scoring {scoring}` lists who has one")
    return RuledSubject(side, row, row.main.value)


def difference(first: Row, second: Row) -> Difference | None:
    """Mean index of the runs, first minus second, with Welch's error; None where one has a single run.

    Where runs lack verdicts that mean is not quite the index, to which every verdict of a kind counts alike.
    """
    sides = [row.per_run for row in (first, second)]
    if min(map(len, sides)) < 2:
        return None
    own, other = (IndexEstimate(fmean(runs), stdev(runs) / len(runs) ** 0.5, len(runs) - 1.0) for runs in sides)
    return comparison.difference(own, other)


def tables(first: RuledSubject, second: RuledSubject, margin: float, scoring: str) -> list[Table]:
    """Both sides, their difference, what it is made of by scenario and by dimension; first minus second."""
    return [
        _sides(first, second, scoring), _difference(first, second, margin), _scenarios(first, second, scoring),
        comparison_tables.dimensions(first.side, first.row.group(DIMENSIONS), second.row.group(DIMENSIONS)),
    ]  # fmt: skip


def _sides(first: RuledSubject, second: RuledSubject, scoring: str) -> Table:
    names = comparison_tables.side_labels(first.side, second.side)
    title, notes = comparison_tables.heading(first.side, second.side, scoring)
    rows: list[tuple[Value, ...]] = []
    for letter, name, one in (("A", names.first, first), ("B", names.second, second)):
        ends = (one.row.intervals.get(method) for method in (T_RUNS, BOOTSTRAP))
        rows.append((letter, name, one.value, *ends, one.row.runs, one.row.coverage))
        if one.side.index is None:
            notes.append(f"{name}: {comparison_tables.lacking(one.side)}.")
    return table_layouts.made("comparisons/ruled-sides", rows, notes, title=title, kind=names.kind)


def _difference(first: RuledSubject, second: RuledSubject, margin: float) -> Table:
    found = difference(first.row, second.row)
    seen = subject_comparison.looks(first.side, second.side)
    ci = p = near = None
    said = "no test is possible: a side has a single run"
    if found is not None:
        ci, p = found.interval(1 - seen.level), comparison_tables.tested_p(found)
        near = None if p is None else comparison_tables.equivalence_p(found, margin, seen.level)
        said = comparison_tables.outcome(found, margin, level=seen.level)
    notes = [seen.note] if seen.note else []
    if found is not None:
        fewest = min(len(one.row.per_run) for one in (first, second))
        notes += comparison_tables.equivalence_note(found, fewest, margin, seen.level)
    if first.side.index is None or second.side.index is None:
        low, high = comparison_tables.bounds(first.side, second.side)
        notes.append(
            "Strict scoring assumes nothing of the missing verdicts: with any values, the difference of its indices "
            f"lies from {low:+.1f} to {high:+.1f}."
        )
    row = ("these scenarios", first.value - second.value, ci, p, near, said)
    words = {"margin": margin, "confidence": 100 * (1 - seen.level)}
    means = [fmean(one.row.per_run) for one in (first, second)]
    return table_layouts.made("comparisons/ruled-difference", [row], notes, **words, first=means[0], second=means[1])


def _scenarios(first: RuledSubject, second: RuledSubject, scoring: str) -> Table:
    rule, kinds = board.rule(scoring), scenario_kinds.of(first.side.study)
    own, other = (rule.lost(one.side.study, one.side.config, scoring) or {} for one in (first, second))
    rows = [
        (
            one.id, *([scenario_kinds.kind_of(kinds, one.id)] if kinds else []), own.get(one.id), other.get(one.id),
            other.get(one.id, 0.0) - own.get(one.id, 0.0),
        )
        for one in first.side.study.scope.suite.scenarios
        if one.id in own or one.id in other
    ]  # fmt: skip
    more = {"scenario": [Column("kind", "Kind")] if kinds else []}
    return table_layouts.made("comparisons/ruled-scenarios", rows, [], more)
